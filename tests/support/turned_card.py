"""A card as it lies in a drawn picture, seen from straight above."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def turned_card(size: tuple[float, float], x: float, y: float, degrees: float) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card of a size (width, length) about (x, y), in px."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
    return np.asarray(half @ turn + [x, y], np.float32)
