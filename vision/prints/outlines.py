"""Finds whole cards by closed outlines: their own on the table, or that of a panel that all of a deck's faces print.

It takes a tenth of what straight edges take, and finds no card that another one, or a hand, lies across.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.piles.sights import Box
from vision.prints.places import lies_flat
from vision.prints.print_deck import PrintDeck
from vision.table import Table
from vision.white_edges import crossings

_WORK_PX_PER_MM = 1.0
LEVELS = (0.88, 0.76, 0.6)  # of the brightness of the white nearby
_SLACK = (0.9, 1.12)  # of a size on the table: a high pile is nearer to the camera
_REACH_MM = 15.0
_DARKEST_WHITE = 26
_LEAST_FILL = 0.86  # of the rectangle around it
_ASPECT_SLACK = 1.65
_AGAIN = 0.012  # of the box's shorter side
_SAME = 0.05  # of the rectangle's size, between corners
_ENOUGH = 200
_LEAST_PX = 16
_PANEL_MM, _PANEL_APART_MM = 1.0, 1.5  # within the card's edge, and between the panels of two faces
_PANEL_SHARE = 0.3  # of the card
_SQUARE = 1.1  # of a side: of what is so nearly square it is not seen which side is the longer one


@dataclass(frozen=True)
class Panel:
    """A box that each face of a deck prints: left, top, right and bottom as shares of the card, and its size, mm."""

    box: tuple[float, float, float, float]
    size_mm: tuple[float, float]


def panel_of(deck: PrintDeck) -> Panel | None:
    """Give the panel that all faces of a deck have at one place, on white; None where they have none, or fill the card.

    Frames, pictures with a white border and coloured grounds are such panels.
    """
    boxes = [_print_of(face.art, deck.card_mm) for face in deck.faces]
    if not boxes or any(box is None for box in boxes):
        return None
    sides = np.array(boxes)
    if np.ptp(sides, axis=0).max() > _PANEL_APART_MM:
        return None
    left, top, right, bottom = np.median(sides, axis=0)
    width, height = deck.card_mm
    within = min(left, top, width - right, height - bottom) >= _PANEL_MM
    if width > height or not within or (right - left) * (bottom - top) < _PANEL_SHARE * width * height:
        return None
    box = (float(left / width), float(top / height), float(right / width), float(bottom / height))
    return Panel(box, (float(right - left), float(bottom - top)))


def _print_of(art: Image, card_mm: tuple[float, float]) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom, mm, of print that has the outline of a box; None where it has none."""
    mask = (printed(art, art.shape[1] / card_mm[0]) < round(255 * LEVELS[0])).astype(np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    largest = max(outlines, key=cv2.contourArea)
    x, y, across, down = cv2.boundingRect(largest)
    if cv2.contourArea(cv2.convexHull(largest)) < _LEAST_FILL * across * down:
        return None
    scale = np.array(card_mm) / (art.shape[1], art.shape[0])
    return (
        float(x * scale[0]),
        float(y * scale[1]),
        float((x + across) * scale[0]),
        float((y + down) * scale[1]),
    )


def card_outlines(image_bgr: Image, table: Table, card_mm: tuple[float, float], box_px: Box) -> Floats:
    """Give outlines (n, 4, 2), px, of flat things of a card's size that lie whole in a part of a picture (h, w, 3).

    box_px: left, top, right, bottom. A white card is lighter than what lies round it, a dark one darker; a card of the
    table's own brightness shows in neither way. The first side is a shorter one.
    """
    return _outlines(image_bgr, table, card_mm, box_px, lighter=True)


def panels_cards(image_bgr: Image, table: Table, panel: Panel, box_px: Box) -> Floats:
    """Give the cards (n, 4, 2), px, whose panel has a closed outline in a part of a picture, see `card_outlines`."""
    outlines = _outlines(image_bgr, table, panel.size_mm, box_px, lighter=False)
    return np.concatenate([np.zeros((0, 4, 2)), *(_cards_round(quad, panel) for quad in outlines)])


def _outlines(image_bgr: Image, table: Table, size_mm: tuple[float, float], box_px: Box, *, lighter: bool) -> Floats:
    """Outlines (n, 4, 2), px, of what is darker than the white nearby, or also lighter than print, and of a size."""
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
    if lighter:
        masks += [np.asarray(1 - mask, np.uint8) for mask in masks]
    quads = rectangles(masks, size_mm, (float(scales.min()) * _SLACK[0], float(scales.max()) * _SLACK[1]))
    if not quads:
        return np.zeros((0, 4, 2))
    outlines = (without_twins(np.array(quads)) + 0.5) / scale - 0.5 + (left, top)
    upright_mm = (min(size_mm), max(size_mm))
    flat = np.array([lies_flat(table, quad, upright_mm) for quad in outlines], bool)
    return np.asarray(outlines[flat], np.float64)


def _cards_round(quad: Floats, panel: Panel) -> Floats:
    """The cards (n, 4, 2) whose panel has an outline (4, 2), its first side a shorter one."""
    left, top, right, bottom = panel.box
    inner = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    card = np.array([[[0, 0], [1, 0], [1, 1], [0, 1]]], np.float32)
    width, height = panel.size_mm
    ways = [way for way, fits in ((0, width < _SQUARE * height), (1, height < _SQUARE * width)) if fits]
    turned = (np.roll(quad, way, axis=0).astype(np.float32) for way in ways)
    warps = (cv2.getPerspectiveTransform(inner, first) for first in turned)
    return np.concatenate([np.asarray(cv2.perspectiveTransform(card, warp), np.float64) for warp in warps])


def printed(image_bgr: Image, px_per_mm: float) -> Image:
    """(h, w) uint8: the least brightness of a channel by that of the brightest white within 15 mm, 255 for white."""
    soft = cv2.GaussianBlur(image_bgr, (0, 0), 0.7)
    side = 2 * round(_REACH_MM * px_per_mm / 2) + 1
    white = cv2.dilate(soft, np.ones((side, side), np.uint8))
    white = cv2.blur(np.maximum(white, _DARKEST_WHITE), (side, side))
    return darkest_of(cv2.divide(soft, white, scale=255.0))


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
