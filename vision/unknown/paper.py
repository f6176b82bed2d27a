"""Bare paper round what is printed on a card is never darker than the card: ink only takes light away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.unknown.weighted_lab import as_bgr

_AS_BRIGHT = 0.94  # in each of red, green and blue: the light falls a little unevenly


def is_darker(bgr: NDArray[np.float32], card_bgr: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where colours (..., 3) are darker, in any of red, green and blue, than a card's: no bare paper, but a table."""
    return np.asarray(np.any(bgr < _AS_BRIGHT * card_bgr, axis=-1))


def darker_all_round(outside: NDArray[np.float32], inside: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which cards (n,) are darker outside all four sides than inside them; (n, 4, 3) weighted 8-bit Lab."""
    return np.asarray(is_darker(as_bgr(outside), as_bgr(inside)).all(axis=1))
