"""Several pictures of a still table made one, so that the camera's noise goes and only the table is left."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

MOST = 12  # more take memory traffic and no noise worth mentioning


class Blend:
    """The mean of the pictures that were added since it was last begun anew."""

    def __init__(self) -> None:
        self._sum: NDArray[np.float32] | None = None
        self._count = 0

    def begin(self) -> None:
        """Forget what was added."""
        self._sum, self._count = None, 0

    def add(self, image: NDArray[np.uint8]) -> None:
        """Add a picture, (h, w, 3) BGR."""
        if self._sum is None or self._sum.shape != image.shape:
            self._sum, self._count = image.astype(np.float32), 1
        elif self._count < MOST:
            cv2.accumulate(image, self._sum)
            self._count += 1

    def picture(self) -> NDArray[np.uint8] | None:
        """Give the mean, (h, w, 3) BGR; None if nothing was added."""
        if self._sum is None:
            return None
        return np.asarray(cv2.convertScaleAbs(self._sum, alpha=1 / self._count), np.uint8)
