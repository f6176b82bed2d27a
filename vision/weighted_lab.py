"""8-bit Lab with the lightness scaled down, in which edges of cards are judged."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

LIGHTNESS_WEIGHT = 0.7  # 8-bit Lab stretches lightness 2.55 times; shadows move it more than they move a and b


def as_bgr(colours: NDArray[np.floating]) -> NDArray[np.float32]:
    """Weighted 8-bit Lab colours (..., 3) as BGR, 0 to 255."""
    if not colours.size:
        return np.zeros(colours.shape, np.float32)
    lab = np.rint(colours / np.array([LIGHTNESS_WEIGHT, 1, 1])).astype(np.uint8).reshape(-1, 1, 3)
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.float32).reshape(colours.shape)
