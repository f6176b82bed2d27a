"""Finds cards that light has bleached: by their own outline, as only white is left of some, or by faint print."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.pictured.outlines import darkest_of, rectangles, without_twins

_LEVELS = (248, 232, 212)  # of the darkest channel: the table beside a reflection shines, too
_CLIPPED = 247
_BLEACHED = 0.3  # of a card's area
_STRETCHES = (3, 6)  # to which contrast on white looks as it does on a card that is not bleached


def bleached_cards(image_bgr: Image, card_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> Floats:
    """Outlines (n, 4, 2) of cards in a picture (h, w, 3), clockwise from where a short side begins.

    `px_per_mm` are the least and the most scale at which one may lie.
    """
    darkest = darkest_of(image_bgr)
    if not _shines(darkest, card_mm, px_per_mm):
        return np.zeros((0, 4, 2))
    masks = (np.asarray(darkest >= level, np.uint8) for level in _LEVELS)
    quads = rectangles(masks, card_mm, px_per_mm)
    found = [quad for quad in quads if clipped_share(darkest, quad) > _BLEACHED]
    return without_twins(np.array(found)) if found else np.zeros((0, 4, 2))


def faint_prints(image_bgr: Image, card_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> Iterator[Image]:
    """Pictures like one (h, w, 3) of more and more contrast on white; none if as much as a card is not bleached.

    White that is clipped has no noise, so even print that hardly differs from it stands out.
    """
    if _shines(darkest_of(image_bgr), card_mm, px_per_mm):
        for by in _STRETCHES:
            yield np.asarray(cv2.bitwise_not(cv2.convertScaleAbs(cv2.bitwise_not(image_bgr), alpha=by)), np.uint8)


def _shines(darkest: Image, card_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> bool:
    """Whether as much of a picture is clipped, by its darkest channel (h, w), as of the smallest bleached card."""
    least_px = _BLEACHED * card_mm[0] * card_mm[1] * px_per_mm[0] ** 2
    return bool(np.count_nonzero(darkest >= _CLIPPED) >= least_px)


def clipped_share(darkest: Image, quad: Floats, hole: Floats | None = None) -> float:
    """How much of a quad (4, 2), but for a hole, is as bright as the camera can tell, by the darkest channel (h, w)."""
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    high = np.ceil(quad.max(axis=0)).astype(int) + 1
    part = darkest[low[1] : high[1], low[0] : high[0]]
    inside = np.zeros(part.shape, np.uint8)
    for outline, filled in ((quad, 1), (hole, 0)):
        if outline is not None:
            cv2.fillConvexPoly(inside, np.rint(outline - low).astype(np.int32), filled)
    return float((part[inside > 0] >= _CLIPPED).mean()) if inside.any() else 0.0
