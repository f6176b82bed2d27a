"""Finds whole cards, and printed frames, by closed outlines."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.piles.bare import printed
from vision.piles.sights import Box
from vision.prints.places import lies_flat
from vision.table import Table
from vision.white_edges import crossings

_WORK_PX_PER_MM = 1.0
LEVELS = (0.88, 0.76, 0.6)  # of the brightness of the white nearby
_SLACK = (0.9, 1.12)  # of a size on the table: a high pile is nearer to the camera
_LEAST_FILL = 0.86  # of the rectangle around it
_ASPECT_SLACK = 1.65
_AGAIN = 0.012  # of the box's shorter side
_SAME = 0.05  # of the rectangle's size, between corners
_ENOUGH = 200
_LEAST_PX = 16


def card_outlines(image_bgr: Image, table: Table, card_mm: tuple[float, float], box_px: Box) -> Floats:
    """Give outlines (n, 4, 2), px, of flat things of a card's size that lie whole in a part of a picture (h, w, 3).

    box_px: left, top, right, bottom. A white card is lighter than what lies round it, a dark one darker; a card of the
    table's own brightness shows in neither way. The first side is a shorter one.
    """
    left, top, right, bottom = box_px
    crop = image_bgr[top:bottom, left:right]
    if min(crop.shape[:2]) < _LEAST_PX:
        return np.zeros((0, 4, 2))
    middle = np.array([[(left + right) / 2, (top + bottom) / 2]])
    px_per_mm = float(table.px_per_mm(middle)[0])
    scale = min(1.0, _WORK_PX_PER_MM / px_per_mm)
    work = crop if scale == 1 else np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    scales = table.px_per_mm(corners) * scale
    ink = printed(np.asarray(work, np.uint8), px_per_mm * scale)
    masks = [(ink < round(255 * level)).astype(np.uint8) for level in LEVELS]
    masks += [np.asarray(1 - mask, np.uint8) for mask in masks]
    quads = rectangles(masks, card_mm, (float(scales.min()) * _SLACK[0], float(scales.max()) * _SLACK[1]))
    if not quads:
        return np.zeros((0, 4, 2))
    outlines = (without_twins(np.array(quads)) + 0.5) / scale - 0.5 + (left, top)
    upright_mm = (min(card_mm), max(card_mm))
    flat = np.array([lies_flat(table, quad, upright_mm) for quad in outlines], bool)
    return np.asarray(outlines[flat], np.float64)


def darkest_of(image_bgr: cv2.typing.MatLike) -> Image:
    """The least of a picture's channels, (h, w) uint8."""
    blue, green, red = cv2.split(image_bgr)
    return np.asarray(cv2.min(blue, cv2.min(green, red)), np.uint8)


def rectangles(masks: Iterable[Image], size_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> list[Floats]:
    """Outlines (4, 2) in some masks (h, w) that are nearly rectangles of a size at a scale between the two given."""
    short, long = min(size_mm), max(size_mm)
    least, most = short * long * px_per_mm[0] ** 2 * 0.55, short * long * px_per_mm[1] ** 2 * 1.15
    shortest = 3 * np.sqrt(least)
    quads: list[Floats] = []
    seen: list[tuple[float, ...]] = []
    for mask in masks:
        outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            if len(outline) < shortest:
                continue
            box = cv2.minAreaRect(outline)
            # At the next level, or on the other side of a line, it is the same rectangle again.
            form = (*box[0], *sorted(box[1]))
            if any(max(abs(a - b) for a, b in zip(form, other, strict=True)) < _AGAIN * form[2] for other in seen):
                continue
            quad = _rectangle(outline, box, least, most, long / short)
            if quad is not None:
                quads.append(quad)
                seen.append(form)
    return quads


def _rectangle(
    outline: cv2.typing.MatLike, box: cv2.typing.RotatedRect, least: float, most: float, aspect: float
) -> Floats | None:
    """The rectangle that an outline (n, 1, 2) with the smallest box round it nearly is, (4, 2); None if it is none."""
    sides = sorted(box[1])
    if not least < sides[0] * sides[1] < most * 1.3 or not aspect / _ASPECT_SLACK < sides[1] / sides[0] < aspect * 1.5:
        return None
    hull = cv2.convexHull(outline)
    area = cv2.contourArea(hull)
    if not least < area < most or area < _LEAST_FILL * sides[0] * sides[1]:
        return None
    lines = _side_lines(outline[:, 0].astype(np.float64), np.asarray(cv2.boxPoints(box), np.float64))
    if lines is None:
        return None
    quad = crossings(lines[None])[0]
    # Sides along what is crumpled may be nearly parallel, and then cross far away.
    return _upright(quad) if np.abs(quad - box[0]).max() < sides[1] else None


def _side_lines(points: Floats, corners: Floats) -> Floats | None:
    """The lines through an outline's points (n, 2) that lie outermost along its box's sides: (4, 3), ax + by = c.

    None if a side has too few of them.
    """
    ends = corners[[1, 2, 3, 0]]
    lengths = np.hypot(*(ends - corners).T)
    along = (ends - corners) / lengths[:, None]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    # More points cost time and tell nothing: the side is moved to the edge itself in the end.
    points = points[:: max(1, len(points) // _ENOUGH)]
    way = (points @ along.T - (corners * along).sum(axis=1)) / lengths
    off = np.abs(points @ normal.T - (corners * normal).sum(axis=1))
    chosen = (way > 0.1) & (way < 0.9) & (off < 0.13 * lengths)
    if chosen.sum(axis=0).min() < 8:
        return None
    lines = []
    for side in range(4):
        vx, vy, x, y = cv2.fitLine(points[chosen[:, side]].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append((-vy, vx, -vy * x + vx * y))
    return np.array(lines, np.float64)


def _upright(quad: Floats) -> Floats:
    """The same quad clockwise as seen (y down), its first side a short one."""
    turned = quad if cv2.contourArea(quad.astype(np.float32), oriented=True) > 0 else quad[::-1]
    sides = np.hypot(*(turned[[1, 2, 3, 0]] - turned).T)
    return turned if sides[0] + sides[2] < sides[1] + sides[3] else turned[[1, 2, 3, 0]]


def without_twins(quads: Floats) -> Floats:
    """One of each group of nearly equal quads."""
    sizes = np.sqrt([cv2.contourArea(quad.astype(np.float32)) for quad in quads])
    apart = np.abs(quads[:, None] - quads[None]).max(axis=(2, 3))
    same = apart < _SAME * sizes[:, None]
    chosen: list[int] = []
    for k in range(len(quads)):
        if not same[k, chosen].any():
            chosen.append(k)
    return quads[chosen]
