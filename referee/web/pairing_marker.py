"""A mark for the screen of a waiting device, shown to the camera: an ArUco marker of 6 × 6 cells.

Its family differs from the marker cards' (`vision.markers`): they cannot be confused.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

_CELLS = 8
"""Along a side, with the black border."""
_WIDEST_PX = 1920


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_6X6_250)


def mark_rows(mark: int) -> list[str]:
    """Return the cells of a mark (0 to 249), row by row: "0" is black."""
    drawn = cv2.aruco.generateImageMarker(_dictionary(), mark, _CELLS)
    return ["".join("1" if cell else "0" for cell in row) for row in drawn]


def marks_in(image: NDArray[np.uint8]) -> frozenset[int]:
    """Return the marks in a picture, (h, w, 3) uint8 BGR or (h, w) grey."""
    width = image.shape[1]
    if width > _WIDEST_PX:
        size = (_WIDEST_PX, round(image.shape[0] * _WIDEST_PX / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, ids, _ = cv2.aruco.ArucoDetector(_dictionary()).detectMarkers(image)
    return frozenset() if ids is None else frozenset(int(one) for one in np.ravel(ids))
