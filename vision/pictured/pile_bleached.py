"""Finds cards that a lamp's reflection has bleached, by their own outline: nothing but white is left of some."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictured.pile_frames import darkest_of, rectangles, without_twins

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_LEVELS = (248, 232, 212)  # of the darkest channel: the table beside a reflection shines, too
_CLIPPED = 247
_BLEACHED = 0.3  # of a card's area


def bleached_cards(image_bgr: Image, card_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> Floats:
    """Outlines (n, 4, 2) of cards in a picture (h, w, 3), clockwise from where a short side begins.

    `px_per_mm` are the least and the most scale at which one may lie.
    """
    darkest = darkest_of(image_bgr)
    least_px = _BLEACHED * card_mm[0] * card_mm[1] * px_per_mm[0] ** 2
    if np.count_nonzero(darkest >= _CLIPPED) < least_px:
        return np.zeros((0, 4, 2))
    masks = (np.asarray(darkest >= level, np.uint8) for level in _LEVELS)
    quads = rectangles(masks, card_mm, px_per_mm)
    found = [quad for quad in quads if clipped_share(darkest, quad) > _BLEACHED]
    return without_twins(np.array(found)) if found else np.zeros((0, 4, 2))


def clipped_share(darkest: Image, quad: Floats) -> float:
    """How much of a quad (4, 2) is as bright as the camera can tell, by the darkest channel (h, w)."""
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    high = np.ceil(quad.max(axis=0)).astype(int) + 1
    part = darkest[low[1] : high[1], low[0] : high[0]]
    inside = np.zeros(part.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.rint(quad - low).astype(np.int32), 1)
    return float((part[inside > 0] >= _CLIPPED).mean()) if inside.any() else 0.0
