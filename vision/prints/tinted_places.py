"""Where cards may lie by their colours alone: areas of a card's size that are not of the table's colour.

On an untidy pile, and where print runs up to a card's edge, no side of the top card may show as a straight edge.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.channels import largest
from vision.table import Table

_WORK_PX_PER_MM = 0.8
_SPREADS = 4.0  # of the table's own colours: what is further off is no table
_LEAST_SPREAD = 3.0  # levels
_GAP_MM = 6.0  # of a card's own print that is of the table's colour
_SIZE = (0.8, 1.3)  # of a card's sides: piles are untidy, and throw shadows
_FILLED = 0.8  # of the rectangle round an area


def tinted_places(crop_bgr: Image, table: Table, card_mm: tuple[float, float]) -> Floats:
    """(n, 4, 2) px, places of cards in a picture (h, w, 3) of which most is table; the first side a shorter one."""
    middle = np.array([[crop_bgr.shape[1] / 2, crop_bgr.shape[0] / 2]])
    px_per_mm = float(table.px_per_mm(middle)[0])
    scale = min(1.0, _WORK_PX_PER_MM / px_per_mm)
    small = np.asarray(cv2.resize(crop_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    some = lab[::2, ::2].reshape(-1, 3)
    usual = np.median(some, axis=0)
    spread = np.maximum(1.4826 * np.median(np.abs(some - usual), axis=0), _LEAST_SPREAD)
    other = (largest(np.abs(lab - usual) / spread) > _SPREADS).astype(np.uint8)
    side = 2 * round(_GAP_MM * px_per_mm * scale / 2) + 1
    other = np.asarray(cv2.morphologyEx(other, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)), np.uint8)
    other = np.asarray(cv2.morphologyEx(other, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(other, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = [_place(outline, scale, table, card_mm) for outline in outlines]
    return np.array([place for place in found if place is not None]).reshape(-1, 4, 2)


def _place(outline: cv2.typing.MatLike, scale: float, table: Table, card_mm: tuple[float, float]) -> Floats | None:
    """A card in the middle of an area (n, 1, 2) as large as one; None if it is not."""
    box = cv2.minAreaRect(outline)
    if cv2.contourArea(outline) < _FILLED * box[1][0] * box[1][1]:
        return None
    corners = table.to_mm((np.asarray(cv2.boxPoints(box), np.float64) + 0.5) / scale - 0.5)
    across, down = corners[1] - corners[0], corners[2] - corners[1]
    if np.linalg.norm(across) > np.linalg.norm(down):
        across, down = down, across
    sizes = np.array([np.linalg.norm(across), np.linalg.norm(down)]) / (min(card_mm), max(card_mm))
    if sizes.min() < _SIZE[0] or sizes.max() > _SIZE[1]:
        return None
    along = down / np.linalg.norm(down)
    half = np.array([along[1], -along[0]]) * card_mm[0] / 2, along * card_mm[1] / 2
    if card_mm[0] > card_mm[1]:
        half = along * card_mm[0] / 2, np.array([-along[1], along[0]]) * card_mm[1] / 2
    middle = corners.mean(axis=0)
    ways = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    place = middle + ways[:, :1] * half[0] + ways[:, 1:] * half[1]
    if _turns_back(place):
        place = place[::-1]
    return table.to_px(place)


def _turns_back(quad: Floats) -> bool:
    return float(cv2.contourArea(quad.astype(np.float32), oriented=True)) < 0
