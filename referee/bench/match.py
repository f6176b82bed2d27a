"""Which reading is of which card: by place alone, never by what was read, one to one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Corners = NDArray[np.float64]
_LEAST_OVERLAP = 0.2


def overlap(one: Corners, other: Corners) -> float:
    """Intersection over union of two convex outlines, (k, 2) each."""
    a, b = one.astype(np.float32), other.astype(np.float32)
    if len(a) < 3 or len(b) < 3:
        return 0.0
    common = float(cv2.intersectConvexConvex(a, b)[0])
    union = float(cv2.contourArea(a) + cv2.contourArea(b)) - common
    return common / union if union > 0 else 0.0


def corner_distances(found: Corners, true: Corners) -> NDArray[np.float64]:
    """Distances (4,) of the corners, (4, 2) each, in the cyclic order that makes the largest of them least."""
    orders = [np.roll(found, turn, axis=0) for turn in range(4)]
    return min((np.linalg.norm(order - true, axis=1) for order in orders), key=lambda gaps: float(gaps.max()))


def width_px(corners: Corners) -> float:
    """Mean length of a card's two shorter sides."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(min(sides[0] + sides[2], sides[1] + sides[3]) / 2)


def inside(point: Sequence[float], corners: Corners) -> bool:
    """Whether the point (x, y) lies in the outline (k, 2)."""
    place = (float(point[0]), float(point[1]))
    return len(corners) >= 3 and cv2.pointPolygonTest(corners.astype(np.float32), place, False) >= 0


def match_outlines(found: Sequence[Corners], true: Sequence[Corners]) -> dict[int, int]:
    """Pair found outlines with true ones, (4, 2) each, nearest corners first.

    Cards in a heap overlap, so an outline may lie on several; a pair needs an overlap of a fifth, and the least mean
    distance of the corners, in card widths, decides.
    """
    costs = [
        (float(corner_distances(f, t).mean()) / width_px(t), i, j)
        for i, f in enumerate(found)
        for j, t in enumerate(true)
        if overlap(f, t) >= _LEAST_OVERLAP
    ]
    return _nearest_first(costs)


def match_centres(
    found: Sequence[tuple[Sequence[float], Corners]], true: Sequence[Corners], taken: set[int]
) -> dict[int, int]:
    """Pair places (centre and what is known of the outline) with true outlines that are not `taken` yet.

    A place belongs to a card in which its centre lies, the nearest centre first.
    """
    costs = [
        (float(np.linalg.norm(np.asarray(centre) - t.mean(axis=0))) / width_px(t), i, j)
        for i, (centre, outline) in enumerate(found)
        for j, t in enumerate(true)
        if j not in taken and (inside(centre, t) or overlap(outline, t) >= 0.5)
    ]
    return _nearest_first(costs)


def _nearest_first(costs: list[tuple[float, int, int]]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    for _, i, j in sorted(costs):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs
