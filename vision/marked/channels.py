"""The three channels of levels, of which numpy's own least and greatest take ten times as long."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Level = TypeVar("Level", np.float64, np.int16)


def channel_range(levels: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest (...) of the three channels of levels (..., 3)."""
    one, two, three = levels[..., 0], levels[..., 1], levels[..., 2]
    return np.minimum(np.minimum(one, two), three), channel_most(levels)


def channel_most(levels: NDArray[Level]) -> NDArray[Level]:
    """The greatest (...) of the three channels of levels (..., 3)."""
    return np.asarray(np.maximum(np.maximum(levels[..., 0], levels[..., 1]), levels[..., 2]))
