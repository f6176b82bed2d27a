"""Sums and mixtures of a picture's three channels, by OpenCV: numpy takes many times as long over so few."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles

Levels = NDArray[Any]

_EACH = np.ones((1, 3), np.float32)


def squared(off: Singles) -> Singles:
    """(...) the squares of (..., 3) summed up."""
    flat = off.reshape(1, -1, 3)
    return np.asarray(cv2.transform(cv2.multiply(flat, flat), _EACH), np.float32).reshape(off.shape[:-1])


def thrice(sheets: Singles) -> Singles:
    """(..., 3) of (...): one value for each channel."""
    return np.asarray(cv2.merge([sheets.reshape(1, -1)] * 3), np.float32).reshape(*sheets.shape, 3)


def mixed(sheets: Singles, ways: Singles) -> Singles:
    """(..., n) of (..., 3): how much each way (n, 3) of mixing the channels gives."""
    mixture = cv2.transform(np.ascontiguousarray(sheets).reshape(1, -1, 3), ways)
    return np.asarray(mixture, np.float32).reshape(*sheets.shape[:-1], len(ways))


def largest(sheets: Levels) -> Levels:
    """(...) the largest of the channels of (..., 3)."""
    return np.maximum(np.maximum(sheets[..., 0], sheets[..., 1]), sheets[..., 2])


def smallest(sheets: Levels) -> Levels:
    """(...) the smallest of the channels of (..., 3)."""
    return np.minimum(np.minimum(sheets[..., 0], sheets[..., 1]), sheets[..., 2])
