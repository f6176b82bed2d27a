"""Distinguishes a place without a card: uncovered table, or something in the way."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Image
from vision.piles.observations import PilePlace, PileSight, Region, nothing_at

_WORK_PX_PER_MM = 1.25
_BUSY_MM, _BUSY = 60.0, 0.05  # round the place's middle; the least share of edges at which it is not uncovered table
_EDGE = 0.75  # of the brightest within reach: darker pixels are an edge or a thing
_REACH_MM = 15.0
_DARKEST_WHITE = 26


def bare_or_covered(place: PilePlace, crop: Image, region: Region) -> PileSight:
    """Return the sight of a place (h, w, 3) without a card: an uncovered table shows no strong edges."""
    scale = min(1.0, _WORK_PX_PER_MM / region.px_per_mm)
    work = np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    x, y = ((value - start) * scale for value, start in zip(region.centre_px, (region.left, region.top), strict=True))
    mask = np.zeros(work.shape[:2], np.uint8)
    cv2.circle(mask, (round(x), round(y)), round(_BUSY_MM * region.px_per_mm * scale), 1, -1)
    ink = printed(work, region.px_per_mm * scale)
    busy = float((ink[mask > 0] < round(255 * _EDGE)).mean()) if mask.any() else 1.0
    return nothing_at(place, "empty", None) if busy < _BUSY else nothing_at(place, "covered", "covered")


def printed(image_bgr: Image, px_per_mm: float) -> Image:
    """Return (h, w) uint8: the least channel brightness by that of the brightest white within 15 mm, 255 for white."""
    soft = cv2.GaussianBlur(image_bgr, (0, 0), 0.7)
    side = 2 * round(_REACH_MM * px_per_mm / 2) + 1
    white = cv2.dilate(soft, np.ones((side, side), np.uint8))
    white = cv2.blur(np.maximum(white, _DARKEST_WHITE), (side, side))
    blue, green, red = cv2.split(cv2.divide(soft, white, scale=255.0))
    return np.asarray(cv2.min(blue, cv2.min(green, red)), np.uint8)
