"""Finds the printed frames of picture cards: dark or coloured rectangles with the card's white all round.

The white next to a frame is the reference, so neither the lamp nor the table nor the cards beneath matter: a pixel
counts as printed where it is darker, in any channel, than the brightest within a few millimetres.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.effort import spend
from vision.pictured.picture_deck import PictureDeck
from vision.table import Table
from vision.white_edges import crossings, moved_to_white

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

LEVELS = (0.88, 0.76, 0.6)  # of the brightness of the white nearby
SLACK = (0.9, 1.12)  # of a frame's size on the table: a high pile is nearer to the camera
_SKEW = 0.06  # logarithm of the ratio of a frame's diagonals
_REACH_MM = 15.0
_DARKEST_WHITE = 26
_LEAST_FILL = 0.86  # of the rectangle around it
_ASPECT_SLACK = 1.65
_AGAIN = 0.012  # of the box's shorter side
_SAME = 0.05  # of the frame's size, between corners
_ENOUGH = 200


@dataclass(frozen=True, eq=False)
class Frames:
    """Outlines of frames: `corners_px` (n, 4, 2), clockwise, the first side a short one; `straight` (n,), 0 to 1."""

    corners_px: Floats
    straight: Floats

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Frames:
        """Some of them."""
        return Frames(self.corners_px[chosen], self.straight[chosen])


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


def find_frames(image_bgr: Image, frame_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> Frames:
    """Find frames of `frame_mm` (width, height) at a scale between the two of `px_per_mm` in a picture (h, w, 3)."""
    spend(image_bgr.size / 250)
    middle = float(np.sqrt(px_per_mm[0] * px_per_mm[1]))
    ink = printed(image_bgr, middle)
    levels = ((ink < round(255 * level)).astype(np.uint8) for level in LEVELS)
    quads = rectangles(levels, frame_mm, px_per_mm)
    if not quads:
        return Frames(np.zeros((0, 4, 2)), np.zeros(0))
    rough = without_twins(np.array(quads))
    return refined(image_bgr, rough)


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


def refined(image_bgr: Image, quads: Floats) -> Frames:
    """Move the sides of quads (n, 4, 2) to where the white ends, to a fraction of a pixel."""
    # All channels count alike: only blue tells yellow from white.
    blue, green, red = cv2.split(image_bgr)
    grey = np.asarray(cv2.add(cv2.add(blue, green, dtype=cv2.CV_32F), red, dtype=cv2.CV_32F), np.float32)
    grey /= 3
    return Frames(*moved_to_white(grey, quads))


def table_shape(table: Table, frames_px: Floats, frame_mm: tuple[float, float]) -> tuple[Floats, Floats]:
    """How large frames (n, 4, 2) are by what they would be on the table, (n, 2) for both sides, and how skew, (n,)."""
    corners = table.to_mm(frames_px.reshape(-1, 2)).reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    pairs = (sides[:, :2] + sides[:, 2:]) / 2
    one, other = (np.linalg.norm(corners[:, k] - corners[:, k + 2], axis=1) for k in (0, 1))
    return np.sort(pairs, axis=1) / np.sort(frame_mm), np.abs(np.log(one / other))


def fits_table(table: Table, frames_px: Floats, frame_mm: tuple[float, float]) -> NDArray[np.bool_]:
    """Which frames (n, 4, 2) have the frame's size on the table, and right angles."""
    sizes, skews = table_shape(table, frames_px, frame_mm)
    return np.asarray(((sizes > SLACK[0]) & (sizes < SLACK[1])).all(axis=1) & (skews < _SKEW))


def shifted(deck: PictureDeck, frame_px: Floats, step: Floats) -> Floats:
    """A card's frame (4, 2), from the face's top-left, after its art moved by a step (6,).

    That is mm to the right, what it grows by across and down its card, and the same downwards.
    """
    x, y, across, down = deck.frame_mm
    frame = np.array([[x, y], [x + across, y], [x + across, y + down], [x, y + down]])
    way = frame / deck.card_mm - 0.5
    shift = np.column_stack([np.ones(4), way]) @ step.reshape(2, 3).T
    warp = cv2.getPerspectiveTransform(frame.astype(np.float32), frame_px.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform((frame - shift)[None].astype(np.float32), warp)[0], np.float64)
