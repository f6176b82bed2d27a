"""Measures a picture's blur at its marker cards: the blur at which their known print fits best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.markers import MARKER_MM, Marker

_BORDER_MM = 5  # of the white paper round the print
_SIGMAS_MM = tuple(0.25 * step for step in range(25))


def blurs_mm(image_bgr: NDArray[np.uint8], markers: Sequence[Marker]) -> NDArray[np.float64]:
    """(n,) the sigma, in mm on the table, by which each marker in a picture (h, w, 3) is blurred, 6 at most."""
    side = round(MARKER_MM) + 2 * _BORDER_MM
    low, high = _BORDER_MM - 0.5, side - _BORDER_MM - 0.5
    square = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
    found = []
    for marker in markers:
        upright = cv2.getPerspectiveTransform(marker.corners_px.astype(np.float32), square)
        seen = cv2.cvtColor(cv2.warpPerspective(image_bgr, upright, (side, side)), cv2.COLOR_BGR2GRAY)
        alike = [float(np.corrcoef(seen.ravel(), print_.ravel())[0, 1]) for print_ in _prints(marker.id)]
        found.append(_SIGMAS_MM[int(np.argmax(alike))])
    return np.array(found, np.float64)


@cache
def _prints(number: int) -> tuple[NDArray[np.float64], ...]:
    """A marker in px of a mm with some paper round it, as blurred as each of the sigmas."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    sharp = cv2.aruco.generateImageMarker(dictionary, number, round(MARKER_MM)).astype(np.float64)
    sheet = np.pad(sharp, _BORDER_MM, constant_values=255.0)
    return tuple(np.asarray(cv2.GaussianBlur(sheet, (0, 0), max(sigma, 0.05))) for sigma in _SIGMAS_MM)
