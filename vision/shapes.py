"""Names plain shapes by their dents, their corners and how they fill the figures drawn round them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_DENT = 0.055  # depth over the root of the area from which a dent is one
_ROUND = 0.978  # area over that of the ellipse with the same moments
_SQUARE_ASPECT = 1.15


def shape_of(outline: Floats) -> str | None:
    """Name the shape of an outline (n, 2), undistorted; None where it is not plain."""
    contour = outline.astype(np.float32).reshape(-1, 1, 2)
    area = float(cv2.contourArea(contour))
    if area < 60 or len(contour) < 12:
        return None
    dents = _dents(outline, area)
    (_, _), sides, _ = cv2.minAreaRect(contour)
    long, short = max(sides) + 1, min(sides) + 1
    if dents:
        return _dented(dents, long / short)
    if _fullness(contour, area) > _ROUND:
        return "circle" if long / short < _SQUARE_ASPECT else "oval"
    filled = area / (long * short)
    if filled > 0.93:
        return "square" if long / short < _SQUARE_ASPECT else "rectangle"
    triangle_area, _ = cv2.minEnclosingTriangle(contour)
    if area / max(float(triangle_area), 1.0) > 0.8:
        return "triangle"
    if filled > 0.8:
        return "oval"
    return "diamond" if len(cv2.approxPolyDP(contour, 0.05 * cv2.arcLength(contour, True), True)) == 4 else None


def _dents(outline: Floats, area: float) -> list[float]:
    """Depths of the dents, over the root of the area, the deepest first."""
    contour = np.rint(outline).astype(np.int32).reshape(-1, 1, 2)
    hull = cv2.convexHull(contour, returnPoints=False)
    try:
        defects = cv2.convexityDefects(contour, np.sort(hull, axis=0)[::-1])
    except cv2.error:  # an outline that crosses itself has no dents to speak of
        return []
    if defects is None:
        return []
    depths = np.asarray(defects).reshape(-1, 4)[:, 3] / 256 / np.sqrt(area)
    return sorted((float(depth) for depth in depths if depth > _DENT), reverse=True)


def _dented(dents: list[float], aspect: float) -> str | None:
    match len(dents):
        case 1:
            return "crescent" if dents[0] > 0.22 else "heart"
        case 2:
            return "squiggle" if aspect > 1.3 else None
        case 4:
            return "cross"
        case 5:
            return "star"
        case _:
            return None


def _fullness(contour: NDArray[np.float32], area: float) -> float:
    moments = cv2.moments(contour)
    xx, yy, xy = (moments[key] / moments["m00"] for key in ("mu20", "mu02", "mu11"))
    return area / float(4 * np.pi * np.sqrt(max(xx * yy - xy * xy, 1e-9)))
