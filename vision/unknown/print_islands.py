"""Things that stand out from the table: where print may lie on cards whose own edges are next to invisible."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.weighted_lab import LIGHTNESS_WEIGHT

Floats = NDArray[np.float32]

_SCALE = 0.25
_TABLE = 31  # reduced pixels: what is smaller than about half of this counts as lying on the table
_LARGEST = 60  # reduced pixels
_SMALLEST = 3  # reduced pixels of area
STANDS_OUT = 14.0  # weighted 8-bit Lab: more than a pale card differs from a pale table
_CLOSED = 5  # reduced pixels: lines of text and outlines of marks become one thing


def print_islands(image_lab: NDArray[np.uint8]) -> Floats:
    """The middles (n, 2), in pixels, of what stands out from its surroundings in an (h, w, 3) 8-bit Lab picture."""
    small = np.asarray(cv2.resize(image_lab, None, fx=_SCALE, fy=_SCALE, interpolation=cv2.INTER_AREA), np.uint8)
    table = np.stack([cv2.medianBlur(np.ascontiguousarray(small[..., k]), _TABLE) for k in range(3)], axis=2)
    away = small.astype(np.float32) - table
    away[..., 0] *= LIGHTNESS_WEIGHT
    printed = (np.einsum("hwc,hwc->hw", away, away) > STANDS_OUT**2).astype(np.uint8)
    printed = np.asarray(cv2.morphologyEx(printed, cv2.MORPH_CLOSE, np.ones((_CLOSED, _CLOSED))), np.uint8)
    _, _, boxes, middles = cv2.connectedComponentsWithStats(printed, connectivity=8)
    area, longer = boxes[1:, cv2.CC_STAT_AREA], boxes[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    fits = (area >= _SMALLEST) & (longer < _LARGEST)
    return np.asarray((middles[1:][fits] + 0.5) / _SCALE - 0.5, np.float32)
