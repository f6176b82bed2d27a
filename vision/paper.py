"""Bare paper round what is printed on a card is never darker than the card: ink only takes light away."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_LIGHTNESS_WEIGHT = 0.7  # as in card_edges
_AS_BRIGHT = 0.94  # in each of red, green and blue: the light falls a little unevenly


def as_bgr(colours: NDArray[np.floating]) -> NDArray[np.float32]:
    """Weighted 8-bit Lab colours (..., 3) as BGR, 0 to 255."""
    if not colours.size:
        return np.zeros(colours.shape, np.float32)
    lab = np.rint(colours / np.array([_LIGHTNESS_WEIGHT, 1, 1])).astype(np.uint8).reshape(-1, 1, 3)
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.float32).reshape(colours.shape)


def is_darker(bgr: NDArray[np.float32], card_bgr: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where colours (..., 3) are darker, in any of red, green and blue, than a card's: no bare paper, but a table."""
    return np.asarray(np.any(bgr < _AS_BRIGHT * card_bgr, axis=-1))


def darker_all_round(outside: NDArray[np.float32], inside: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which cards (n,) are darker outside all four sides than inside them; (n, 4, 3) weighted 8-bit Lab."""
    return np.asarray(is_darker(as_bgr(outside), as_bgr(inside)).all(axis=1))
