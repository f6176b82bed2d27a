"""Cards of which light has left no more than the outline: a bright shape with a whole side of a card and its corners.

A lamp's reflection, or too much light, may take all marks of a card that lies open. No score should pass over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.marked.marks import WorkImage
from vision.quads import enlarged
from vision.table import Table

_ALMOST_CLIPPED = 235.0
_OVER_TABLE = 25.0  # grey levels above the middle one of the picture
GROWN = 1.06  # about a known card its blurred rim is bright, too
_ROUNDED_MM = 5.0  # of a side that its two round corners take
_LARGER = 1.09
_FULL = 0.93  # of the rectangle round it: a card with its round corners fills more, an oval four fifths
_STRAIGHT_MM = 2.5
_SQUARE_DEG = 9.0
_BESIDE_MM = 15.0  # so much of the sides next to it must be seen
_LEAST_SOLID = 0.75
SAME_MM = 40.0
_SUBPIXEL_BITS = 4


@dataclass(frozen=True, eq=False)
class Blank:
    """The outline (k, 2) of what shows of a card, in the picture, and the middle (2,) of that in mm."""

    outline_px: Floats
    centre_mm: Floats


def blank_cards(
    work: WorkImage, table: Table, card_mm: tuple[float, float], known_px: Floats, others_mm: Floats
) -> list[Blank]:
    """Give the cards that show an outline outside the quads `known_px` (n, 4, 2), not near to the places (m, 2)."""
    grey = np.asarray(cv2.cvtColor(work.half, cv2.COLOR_BGR2GRAY), np.uint8)
    quads = (work.to_work(known_px) - 0.5) / 2
    known = np.rint(enlarged(quads, GROWN) * 2**_SUBPIXEL_BITS).astype(np.int32)
    scale = float(table.px_per_mm(work.to_picture(np.array([work.bgr.shape[1::-1]]) / 2))[0]) * work.scale / 2
    found: list[Blank] = []
    over_table = min(float(np.median(grey[::4, ::4])) + _OVER_TABLE, _ALMOST_CLIPPED)
    # Little above the table a blurred card looks larger than it is.
    for level in sorted({_ALMOST_CLIPPED, (over_table + _ALMOST_CLIPPED) / 2, over_table}, reverse=True):
        mask = cv2.threshold(grey, level, 255, cv2.THRESH_BINARY)[1]
        for quad in known:
            cv2.fillConvexPoly(mask, quad, (0,), shift=_SUBPIXEL_BITS)
        for blank in _shapes(np.asarray(mask, np.uint8), scale, work, table, card_mm):
            places = [*others_mm, *(other.centre_mm for other in found)]
            if all(np.linalg.norm(blank.centre_mm - place) > SAME_MM for place in places):
                found.append(blank)
    return found


def places_of(outline_mm: Floats, card_mm: tuple[float, float]) -> Floats:
    """(n, 4, 2) places of a card of which all, or no less than a whole side, shows this outline (k, 2), clockwise."""
    box = cv2.boxPoints(cv2.minAreaRect(outline_mm.astype(np.float32))).astype(np.float64)
    found = [np.zeros((0, 4, 2))]
    for turn in range(2):
        start, right, _, left = np.roll(box, -turn, axis=0)
        width, height = np.linalg.norm(right - start), np.linalg.norm(left - start)
        for across, down in {card_mm, card_mm[::-1]}:
            if not (across / _LARGER < width < across * _LARGER and _BESIDE_MM < height < down * _LARGER):
                continue
            ahead, aside = (right - start) / width * across, (left - start) / height
            whole = height > down / _LARGER
            if whole and turn:
                continue
            for end in [(height - down) / 2] if whole else [0.0, height - down]:
                corner = (start + right - ahead) / 2 + end * aside
                found.append(corner + np.array([[0.0 * ahead, ahead, ahead + down * aside, down * aside]]))
    return np.concatenate(found)


def _shapes(mask: Image, scale: float, work: WorkImage, table: Table, card_mm: tuple[float, float]) -> Iterator[Blank]:
    """Give the shapes on a mask of half the work scale, `scale` px a mm, that may be what shows of a card."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    least, most = 0.5 * (min(card_mm) - _ROUNDED_MM) * scale, 2 * float(np.hypot(*card_mm)) * scale
    height, width = mask.shape
    for contour in contours:
        left, top, across, down = cv2.boundingRect(contour)
        if max(across, down) < least or min(across, down) < _BESIDE_MM * scale / 2 or max(across, down) > most:
            continue
        # Where the picture ends a bright table ends straight, too.
        if min(left, top) == 0 or left + across == width or top + down == height:
            continue
        hull = cv2.convexHull(contour)
        if cv2.contourArea(contour) < _LEAST_SOLID * cv2.contourArea(hull):
            continue
        outline_px = work.to_picture(2 * hull[:, 0].astype(np.float64) + 0.5)
        hull_mm = table.to_mm(outline_px)
        px_mm = 2 / (float(table.px_per_mm(outline_px.mean(0, keepdims=True))[0]) * work.scale)
        if _part_of_card(hull_mm.astype(np.float32), card_mm, px_mm):
            yield Blank(outline_px, np.array(cv2.minAreaRect(hull_mm.astype(np.float32))[0]))


def _part_of_card(hull_mm: NDArray[np.float32], card_mm: tuple[float, float], px_mm: float) -> bool:
    """Whether a hull (n, 2) is no larger than a card and is all of one or has one of its sides, between square corners.

    `px_mm`: how wide a pixel is, by which the outline through the middles of pixels is too small.
    """
    across = np.array(cv2.minAreaRect(hull_mm)[1])
    larger = (np.sort(across) + px_mm) / np.sort(card_mm)
    if (larger > _LARGER).any():
        return False
    # In a small picture round corners are cut off by as much as the straight parts beside them are long.
    if (larger > 1 / _LARGER).all() and cv2.contourArea(hull_mm) > _FULL * across.prod():
        return True
    corners = cv2.approxPolyDP(hull_mm, _STRAIGHT_MM, True)[:, 0].astype(np.float64)
    along = np.roll(corners, -1, axis=0) - corners
    length = np.hypot(along[:, 0], along[:, 1]) + px_mm
    angle = np.degrees(np.arctan2(along[:, 1], along[:, 0]))
    square = np.abs(np.abs((np.roll(angle, -1) - angle + 180) % 360 - 180) - 90) < _SQUARE_DEG
    beside = np.minimum(np.roll(length, 1), np.roll(length, -1)) > _BESIDE_MM
    whole = np.any([(length > side - _ROUNDED_MM) & (length < 1.05 * side + 1) for side in card_mm], axis=0)
    return bool((whole & beside & square & np.roll(square, 1)).any())
