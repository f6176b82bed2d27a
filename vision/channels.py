"""Small copies, sums and mixtures of a picture's three channels, by OpenCV: numpy takes many times as long."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image, Singles

Levels = NDArray[Any]

_EACH = np.ones((1, 3), np.float32)


def shrunk(image_bgr: Image, size: tuple[int, int]) -> Image:
    """Return (height, width, 3) of a larger picture, for a size of width and height.

    Halves of halves take a quarter of the time of one average over odd numbers of pixels.
    """
    while image_bgr.shape[1] >= 2 * size[0] and image_bgr.shape[0] >= 2 * size[1]:
        halves = image_bgr.shape[1] // 2, image_bgr.shape[0] // 2
        image_bgr = np.asarray(cv2.resize(image_bgr, halves, interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def squared(off: Singles) -> Singles:
    """Return the sum of squares over channels, (...) of (..., 3)."""
    flat = off.reshape(1, -1, 3)
    return np.asarray(cv2.transform(cv2.multiply(flat, flat), _EACH), np.float32).reshape(off.shape[:-1])


def thrice(sheets: Singles) -> Singles:
    """Return each value repeated for three channels, (..., 3) of (...)."""
    return np.asarray(cv2.merge([sheets.reshape(1, -1)] * 3), np.float32).reshape(*sheets.shape, 3)


def mixed(sheets: Singles, ways: Singles) -> Singles:
    """Return n mixtures of the channels, (..., n) of (..., 3), by weights `ways` (n, 3)."""
    mixture = cv2.transform(np.ascontiguousarray(sheets).reshape(1, -1, 3), ways)
    return np.asarray(mixture, np.float32).reshape(*sheets.shape[:-1], len(ways))


def quantile(levels: Levels, share: float) -> float:
    """Return the level (n,) below which a share of them is; `np.quantile` takes twice as long over interpolation."""
    at = int(share * (len(levels) - 1))
    return float(np.partition(levels, at)[at])


def largest(sheets: Levels) -> Levels:
    """Return the largest channel, (...) of (..., 3)."""
    return np.maximum(np.maximum(sheets[..., 0], sheets[..., 1]), sheets[..., 2])


def smallest(sheets: Levels) -> Levels:
    """Return the smallest channel, (...) of (..., 3)."""
    return np.minimum(np.minimum(sheets[..., 0], sheets[..., 1]), sheets[..., 2])
