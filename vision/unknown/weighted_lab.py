"""8-bit Lab with the lightness scaled down, in which edges of cards are judged."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.effort import spend

LIGHTNESS_WEIGHT = 0.7  # 8-bit Lab stretches lightness 2.55 times; shadows move it more than they move a and b
POINT = 0.06  # steps to look at a place
_MOST_ROWS = 30000  # OpenCV takes at most 32767 at once


def pixels_at(image: NDArray[np.uint8], points_px: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Colours (..., m, 3) of an (h, w, 3) picture at points (..., m, 2), at its border beyond it."""
    if not points_px.size:
        return np.zeros((*points_px.shape[:-1], 3), np.uint8)
    spend(points_px.size / 2 * POINT)
    x, y = (np.ascontiguousarray(points_px[..., k].reshape(-1, points_px.shape[-2])) for k in (0, 1))
    blocks = [slice(k, k + _MOST_ROWS) for k in range(0, len(x), _MOST_ROWS)]
    pixels = [cv2.remap(image, x[k], y[k], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for k in blocks]
    return np.asarray(np.concatenate(pixels), np.uint8).reshape(*points_px.shape[:-1], 3)


def weighted_at(image_lab: NDArray[np.uint8], points_px: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weighted 8-bit Lab colours (..., m, 3) of an (h, w, 3) 8-bit Lab picture at points (..., m, 2)."""
    lab = pixels_at(image_lab, points_px).astype(np.float32)
    lab[..., 0] *= LIGHTNESS_WEIGHT
    return lab


def as_bgr(colours: NDArray[np.floating]) -> NDArray[np.float32]:
    """Weighted 8-bit Lab colours (..., 3) as BGR, 0 to 255."""
    if not colours.size:
        return np.zeros(colours.shape, np.float32)
    lab = np.rint(colours / np.array([LIGHTNESS_WEIGHT, 1, 1])).astype(np.uint8).reshape(-1, 1, 3)
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.float32).reshape(colours.shape)
