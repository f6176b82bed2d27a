"""Types of arrays by their elements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Flags = NDArray[np.bool_]
Image = NDArray[np.uint8]
"""Grey (h, w) or BGR (h, w, 3)."""
Points = NDArray[np.float64]
"""Points (n, 2), in px or mm as the name of the value says."""
Box = tuple[int, int, int, int]
"""A part of a picture: left, top, right and bottom, px."""
