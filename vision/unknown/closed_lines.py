"""Areas closed in by a thin dark line: a white card on a white table shows by its worn rim and the shadow there."""

from __future__ import annotations

from functools import reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.effort import spend
from vision.unknown.card_edges import frames
from vision.unknown.line_segments import meet_sides

Floats = NDArray[np.float32]

_BLUR_PX = 1.0
_WIDEST_PX = 9  # of a line
_CLIP = 15.0  # grey levels: print nearby must not outshine a faint line
_LENGTHS_PX = (9, 21)  # along which a line is averaged: shorter ones turn round corners, longer ones rise above noise
_DIRECTIONS = 12
_LEAST = 0.3  # grey levels
_FAINTEST, _LEVELS = 1.2, 10  # times what is usual in a picture; so many up to the plainest
_MIN_SIDE_PX, _MAX_SHARE = 20, 0.3  # of the picture's area
_SHORTEST_PX = 3 * _MIN_SIDE_PX  # all round, in steps
_PARENT = 3  # in a tree of contours: what an inner one lies in
_SOLID = 0.85  # of the area of what encloses it
_OUTLINES = (0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1)  # of the perimeter: how coarsely a region is looked at
_ROUNDED, _ASIDE = 0.15, 0.12  # of a side
_FEWEST_POINTS = 5
_OUTWARD_PX, _STEP_PX = 7.0, 0.5
_ALONG = np.linspace(0.1, 0.9, 17, dtype=np.float32)


def closed_lines(grey: NDArray[np.uint8]) -> Floats:
    """The middles of thin dark lines all round areas with four sides, as corners (n, 4, 2), clockwise; many times over.

    `grey` is an (h, w) picture. A line counts by how much darker it is than what lies on both sides of it, averaged
    along each of some directions; areas are those that it closes in at each of several levels of that.
    """
    darker = _darker(grey)
    found = [np.zeros((0, 4, 2), np.float32)]
    for length in _LENGTHS_PX:
        lines = _averaged(darker, length)
        levels = np.geomspace(_FAINTEST * max(float(np.median(lines)), _LEAST), _CLIP, _LEVELS, endpoint=False)
        quads = [quad for level in levels for quad in _enclosed(np.asarray(lines > level, np.uint8))]
        if quads:
            found.append(_on_the_line(lines, np.stack(quads)))
    return np.concatenate(found)


def dark_lines(grey: NDArray[np.uint8]) -> Floats:
    """How much darker each place of an (h, w) picture is than both sides of a line through it, by what is usual."""
    lines = _averaged(_darker(grey), min(_LENGTHS_PX))
    return lines / np.float32(max(float(np.median(lines)), _LEAST))


def _darker(grey: NDArray[np.uint8]) -> Floats:
    """How much darker each place of an (h, w) picture is than what lies round it, but for what is usual."""
    light = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), _BLUR_PX)
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_WIDEST_PX, _WIDEST_PX))
    darker = np.minimum(cv2.morphologyEx(light, cv2.MORPH_CLOSE, around) - light, _CLIP)
    return np.asarray(darker - np.median(darker), np.float32)


def _averaged(darker: Floats, length: int) -> Floats:
    """The same (h, w) along the lines of so many pixels on which it is most."""
    # One after the other: a dozen whole pictures at once take more memory than all else.
    spend(_DIRECTIONS * darker.size / 80)
    strokes = (cv2.filter2D(darker, cv2.CV_32F, each) for each in _strokes(length))
    return np.asarray(reduce(np.maximum, strokes), np.float32)


def _strokes(length: int) -> list[Floats]:
    """Kernels that average along lines of so many pixels, one for each direction."""
    strokes, reach = [], length // 2
    for angle in np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS:
        kernel, step = np.zeros((length, length), np.uint8), reach * np.array([np.cos(angle), np.sin(angle)])
        ends = [tuple(np.rint((reach + way * step) * 16).astype(int).tolist()) for way in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 255, 1, cv2.LINE_AA, 4)
        strokes.append(np.asarray(kernel / kernel.sum(dtype=np.float64), np.float32))
    return strokes


def _enclosed(lines: NDArray[np.uint8]) -> list[Floats]:
    """The outlines (4, 2), clockwise, of areas with four sides that lines close in, in an (h, w) picture of lines."""
    contours, tree = cv2.findContours(lines, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return []
    large = [
        np.asarray(contour)
        for contour, place in zip(contours, tree[0], strict=True)
        if place[_PARENT] >= 0 and len(contour) > _SHORTEST_PX and cv2.contourArea(contour) < _MAX_SHARE * lines.size
    ]
    quads = [four_sides(contour) for contour in large if min(cv2.boundingRect(contour)[2:]) >= _MIN_SIDE_PX]
    return [quad for quad in quads if quad is not None]


def four_sides(contour: NDArray[np.integer | np.floating]) -> Floats | None:
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


def _on_the_line(lines: Floats, quads: Floats) -> Floats:
    """Quadrilaterals (n, 4, 2) with each side moved outward to where the line beside it is plainest."""
    start, side, outward = frames(quads)
    steps = np.arange(0, _OUTWARD_PX, _STEP_PX, dtype=np.float32)
    points = start[:, None] + side[:, None] * _ALONG[:, None]
    points = points[:, None] + outward[:, None, None] * steps[:, None, None]
    x, y = (np.ascontiguousarray(points[..., k].reshape(-1, len(steps) * len(_ALONG))) for k in (0, 1))
    seen = cv2.remap(lines, x, y, cv2.INTER_LINEAR).reshape(*points.shape[:3]).mean(axis=2)
    moved = outward * steps[seen.argmax(axis=1)][:, None]
    ends = np.stack([start + moved, start + side + moved], axis=1)
    return meet_sides(ends.reshape(-1, 4, 2, 2), quads, _OUTWARD_PX)
