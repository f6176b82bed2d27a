"""What the marker cards say of the picture itself: how bright and of what colour white is, and how sharp edges are.

Nothing else on a table is known so well: print that is truly black and white, with edges that are truly sharp, always
in the same place. So they tell a lamp that was switched, a lens that was smeared or turned, and nothing of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.markers import Marker, cells_of

_SURE = 0.9
"""Correlation of a marker's cells with its print: less, and something lies on it."""
_LEAST_CONTRAST = 14.0
_BETWEEN = 1.0
_STEEPEST = 99.0

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MarkerSights:
    """What each of n markers shows.

    white_bgr (n, 3): the levels of its white. contrast (n,): levels between its black and its white. blur_px (n,): how
    wide its edges are, as the sigma of a blurred step; NaN where it is not in sight. in_sight (n,): nothing covers it.
    """

    white_bgr: Floats
    contrast: Floats
    blur_px: Floats
    in_sight: NDArray[np.bool_]


def look_at_markers(image: Image, markers: Sequence[Marker]) -> MarkerSights:
    """Look at markers whose places are known in a picture, (h, w, 3) uint8 BGR."""
    count = len(markers)
    white = np.zeros((count, 3))
    contrast, blur = np.zeros(count), np.full(count, np.nan)
    in_sight = np.zeros(count, bool)
    for index, marker in enumerate(markers):
        crop, corners = _crop(image, marker.corners_px)
        if crop.size == 0:
            continue
        seen, printed = cells_of(crop, corners, marker.id)
        if not printed.any() or printed.all():
            continue
        white[index] = np.median(seen[printed], axis=0)
        light = seen.mean(axis=1)
        contrast[index] = np.median(light[printed]) - np.median(light[~printed])
        if contrast[index] < _LEAST_CONTRAST:
            continue
        in_sight[index] = np.corrcoef(light, printed)[0, 1] > _SURE
        if in_sight[index]:
            blur[index] = _blur(crop, contrast[index])
    return MarkerSights(white, contrast, blur, in_sight)


def _blur(crop: Image, contrast: float) -> float:
    """Give the sigma of the edges: the steepest slope of a step of height h that was blurred is h / (sigma √2π)."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    soft = cv2.GaussianBlur(grey, (0, 0), _BETWEEN)
    slope = np.hypot(cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=1), cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=1)) / 2
    steepest = max(float(np.percentile(slope, _STEEPEST)), 1e-3)
    whole = contrast / (steepest * float(np.sqrt(2 * np.pi)))
    # Less what was blurred here against noise.
    return float(np.sqrt(max(whole**2 - _BETWEEN**2, 0.0)))


def _crop(image: Image, corners_px: Floats) -> tuple[Image, Floats]:
    """Give the part of a picture that holds a marker's square, and the corners in it."""
    height, width = image.shape[:2]
    low = np.maximum(np.floor(corners_px.min(axis=0)).astype(int) - 2, 0)
    high = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + 3, (width, height))
    if (high - low < 8).any():
        return image[:0, :0], corners_px
    return image[low[1] : high[1], low[0] : high[0]], corners_px - low
