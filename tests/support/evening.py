"""Pictures in another light."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image

GAMMA = 2.2
Light = tuple[float, float, float]
"""Blue, green and red, 1 each for the light in which the picture was taken."""


def relit(image: Image, light: Light) -> NDArray[np.uint8]:
    """Return a picture (h, w, 3) uint8 BGR as a camera shows it that is held when there is another light on it all."""
    factors = [max(part, 0.0) ** (1 / GAMMA) for part in light]
    levels = np.arange(256)
    tables = np.stack([np.clip(np.rint(levels * factor), 0, 255) for factor in factors], axis=-1).astype(np.uint8)
    return np.asarray(cv2.LUT(image, tables[None]), np.uint8)
