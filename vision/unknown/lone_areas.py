"""Areas with four sides that lie by themselves: a card with rounded corners and much print, on a plain table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.channels import smallest
from vision.effort import spend
from vision.unknown.line_segments import meet_sides
from vision.unknown.view import View

_LEVELS, _RANGE = 14, (1, 99)  # percentiles of the darkest channel
_GRAIN = 5  # pixels: what is thinner is no card
_LEAST_SIDE_PX, _MOST = 40, 0.3  # tiles and cells of weave are smaller; of the picture's area
_SAME_PX = 4.0
_OFTEN = 2  # levels at which an area has about the same outline
_MOST_OUTLINES = 300
_SOLID = 0.85  # of the area of what encloses it
_OUTLINES = (0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1)  # of the perimeter: how coarsely a region is looked at
_ROUNDED, _ASIDE = 0.15, 0.12  # of a side
_FEWEST_POINTS = 5


def lone_areas(view: View) -> Singles:
    """The corners (n, 4, 2), clockwise, of areas with four sides that are darker or lighter than what lies round them.

    The darkest of red, green and blue tells any print from white, and white from any table.
    """
    values = cv2.medianBlur(smallest(view.small_bgr), _GRAIN)
    low, high = np.percentile(values, _RANGE)
    found = []
    steps = np.linspace(low, high, _LEVELS + 2)
    # White paper among light grain is told from it only near the top, black paper near the bottom.
    ends = (steps[:2].mean(), steps[-2:].mean())
    for level in np.unique(np.concatenate([steps[1:-1], ends]).astype(np.uint8)):
        for kind in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
            mask = cv2.threshold(values, float(level), 255, kind)[1]
            found += _four_sided(np.asarray(mask, np.uint8))
    if not found:
        return np.zeros((0, 4, 2), np.float32)
    quads = np.stack(found)
    start = np.argmin(quads.sum(axis=2), axis=1)
    quads = quads[np.arange(len(quads))[:, None], (start[:, None] + np.arange(4)) % 4]
    near = np.abs(quads[:, None] - quads[None]).max(axis=(2, 3)) < _SAME_PX
    times = near.sum(axis=1)
    order = np.argsort(-times, kind="stable")
    order = order[times[order] >= _OFTEN]
    kept: list[int] = []
    for k in order.tolist():
        if len(kept) < _MOST_OUTLINES and not near[k, kept].any():
            kept.append(k)
    return np.asarray(quads[kept], np.float32)


def _four_sided(mask: NDArray[np.uint8]) -> list[Singles]:
    """The outlines (4, 2) of the areas of a mask (h, w) that have four sides and do not touch the picture's border."""
    height, width = mask.shape
    found = []
    for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        x, y, w, h = cv2.boundingRect(contour)
        inside = x > 0 and y > 0 and x + w < width and y + h < height
        if inside and min(w, h) >= _LEAST_SIDE_PX and w * h < _MOST * mask.size:
            quad = _four_sides(np.asarray(contour))
            if quad is not None:
                found.append(quad)
    return found


def _four_sides(contour: NDArray[np.integer | np.floating]) -> Singles | None:
    """The corners (4, 2), clockwise, of the straight sides of a contour (n, 1, 2), unless it is another shape."""
    spend(60 + len(contour) / 10)
    hull = cv2.convexHull(contour)
    area, length = cv2.contourArea(contour), cv2.arcLength(hull, True)
    if area < _SOLID * cv2.contourArea(hull):
        return None
    outlines = (cv2.approxPolyDP(hull, coarse * length, True) for coarse in _OUTLINES)
    quad = next((np.asarray(outline[:, 0], np.float32) for outline in outlines if len(outline) == 4), None)
    if quad is None:
        return None
    if cv2.contourArea(quad, True) < 0:
        quad = quad[::-1]
    points, ends = contour[:, 0].astype(np.float32), []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        side = end - start
        reach = float(np.linalg.norm(side))
        away = points - start
        at, aside = away @ side / reach**2, np.abs(away[:, 0] * side[1] - away[:, 1] * side[0]) / reach
        beside = (at > _ROUNDED) & (at < 1 - _ROUNDED) & (aside < _ASIDE * reach)
        if beside.sum() < _FEWEST_POINTS:
            return None
        dx, dy, x, y = cv2.fitLine(points[beside], cv2.DIST_HUBER, 0, 0.01, 0.01).ravel().tolist()
        ends.append([[x, y], [x + dx, y + dy]])
    quad = meet_sides(np.asarray([ends], np.float32), quad[None], reach)[0]
    return quad if area > _SOLID * abs(cv2.contourArea(quad)) else None
