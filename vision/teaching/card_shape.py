"""Estimates the ratio of the cards' sides without marker cards, from their perspective.

A rectangle's picture gives the ratio of its sides once the lens's focal length is known, and right angles give it
focal length makes rectangles of all cards (Zhang and He, "Whiteboard scanning and image enhancement", 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Floats

_FOCAL, _FOCAL_SIGMA = 0.85, 0.25  # by the picture's longer side; of its logarithm: phones and Pi cameras
_FOCALS = np.geomspace(0.45, 1.8, 29)
_ANGLE_SIGMA, _RATIO_SIGMA = 0.03, 0.03  # of the cosine and of the ratio's logarithm: corners are off by a hundredth
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@dataclass(frozen=True)
class SeenShape:
    """A card's corners (4, 2) relative to the middle of its picture, by the picture's longer side."""

    quad: Floats


def seen_shape(quad_px: Floats, size_px: tuple[int, int]) -> SeenShape:
    """A card's outline in a picture of this width and height; its first side is one as wide as the card."""
    return SeenShape((np.asarray(quad_px, np.float64) - np.array(size_px) / 2) / max(size_px))


def ratios(shapes: Sequence[SeenShape]) -> Floats:
    """(n,) the length by the width of each card, at the focal length that suits all of them best."""
    homographies = np.array(
        [cv2.getPerspectiveTransform(_UNIT, shape.quad.astype(np.float32)) for shape in shapes]
    ).reshape(-1, 3, 3)
    return min((_at(homographies, float(focal)) for focal in _FOCALS), key=lambda tried: tried[0])[1]


def _at(homographies: Floats, focal: float) -> tuple[float, Floats]:
    """Return the misfit of a focal length to the cards, and the ratios (n,) that it gives."""
    rays = homographies / np.array([focal, focal, 1.0])[:, None]
    across, down = rays[:, :, 0], rays[:, :, 1]
    wide, long = np.linalg.norm(across, axis=1), np.linalg.norm(down, axis=1)
    cosine = (across * down).sum(axis=1) / (wide * long)
    ratio = long / wide
    spread = np.log(ratio) - np.median(np.log(ratio))
    # A find that is no card must not decide.
    misfit = np.minimum((cosine / _ANGLE_SIGMA) ** 2, 9) + np.minimum((spread / _RATIO_SIGMA) ** 2, 9)
    return float(misfit.sum() + (np.log(focal / _FOCAL) / _FOCAL_SIGMA) ** 2), np.asarray(ratio)
