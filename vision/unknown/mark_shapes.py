"""Names for plain shapes, told by their outline: how round, how full, how many corners and dents."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_LEAST_AREA = 60.0
_ROUND_ASPECT = 1.22
_DENT = 0.055  # depth of a dent by the outline's size, to count
_DOUBT_PX = 1.0  # less deep it may be a dent


def shape_name(contour: NDArray[np.int32]) -> str | None:
    """The shape of an outline (n, 1, 2), or None when unsure.

    One of circle, oval, diamond, square, triangle, star, heart, cross, crescent, squiggle and rectangle.
    """
    area = cv2.contourArea(contour)
    if area < _LEAST_AREA:
        return None
    hull = np.asarray(cv2.convexHull(contour), np.int32)
    solidity = area / max(cv2.contourArea(hull), 1.0)
    dents = _dents(contour)
    if dents is None:
        return None
    if dents == 0 and solidity > 0.93:
        return _convex_shape(contour, hull, area)
    return _dented_shape(contour, dents, solidity)


def _dents(contour: NDArray[np.int32]) -> int | None:
    """How many dents the outline has that are deep for its size; None if that is unsure."""
    x, y, w, h = cv2.boundingRect(contour)
    moved = contour - np.array([x - 2, y - 2], np.int32)
    hull, filled = np.zeros((h + 4, w + 4), np.uint8), np.zeros((h + 4, w + 4), np.uint8)
    cv2.drawContours(hull, [cv2.convexHull(moved)], -1, 1, -1)
    cv2.drawContours(filled, [moved], -1, 1, -1)
    depth = cv2.distanceTransform(hull, cv2.DIST_L2, 5)
    _, labels = cv2.connectedComponents(
        cv2.morphologyEx(hull - (hull & filled), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    )
    deepest = np.zeros(int(labels.max()) + 1)
    np.maximum.at(deepest, np.asarray(labels, np.intp).ravel(), np.asarray(depth).ravel())
    least = _DENT * np.sqrt(hull.sum()) + 1.5
    deep, doubtful = int((deepest[1:] > least).sum()), int((deepest[1:] > least - _DOUBT_PX).sum())
    return deep if deep == doubtful else None


def _convex_shape(contour: NDArray[np.int32], hull: NDArray[np.int32], area: float) -> str | None:
    (_, (w, h), _) = cv2.minAreaRect(hull)
    long, short = max(w, h) + 1, max(min(w, h) + 1, 1.0)
    aspect, fullness = long / short, area / (w * h)
    _, radius = cv2.minEnclosingCircle(hull)
    if area / max(cv2.minEnclosingTriangle(hull)[0], 1.0) > 0.76:
        return "triangle"
    # Seen from the side a circle is a little oval; printed ovals are plainly longer than wide.
    if aspect < _ROUND_ASPECT and 0.93 < area / (np.pi / 4 * w * h) < 1.1 and area / (np.pi * radius**2) > 0.72:
        return "circle"
    corners = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True).reshape(-1, 2)
    if len(corners) == 4:
        diagonals = sorted(np.linalg.norm(corners[[2, 3]] - corners[[0, 1]], axis=1).tolist())
        if (
            diagonals[1] / max(diagonals[0], 1.0) > 1.25
            and area / (diagonals[0] * diagonals[1]) < 0.62
            and fullness < 0.88
        ):
            return "diamond"
        if fullness > 0.88:
            return "square" if aspect < 1.15 else "rectangle"
    if aspect > _ROUND_ASPECT and 0.72 < fullness < 0.96:
        return "oval"
    return None


def _dented_shape(contour: NDArray[np.int32], dents: int, solidity: float) -> str | None:
    (_, (w, h), _) = cv2.minAreaRect(contour)
    aspect = max(w, h) / max(min(w, h), 1.0)
    if dents == 5 and solidity < 0.85:
        return "star"
    if dents == 4 and aspect < 1.3 and solidity < 0.9:
        return "cross"
    if dents == 2 and aspect > 1.3:
        return "squiggle"
    if dents == 1:
        return "heart" if solidity > 0.86 else "crescent"
    return None
