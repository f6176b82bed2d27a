"""Long straight edges that the detector has seen in pieces: a grained table, or a card's own, breaks them up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.effort import spend
from vision.unknown.line_segments import length_of

Floats = NDArray[np.float32]

_ASIDE_PX, _ASIDE = 2.0, 0.008  # off the line, the latter by its length: cards curl
_GAP_PX, _GAP = 8.0, 0.15  # between two pieces; the latter by the length of what is joined already
_ROUNDS = 2  # a short piece hardly tells where its line runs


def joined_lines(segments: Floats) -> Floats:
    """The lines (k, 4), from end to end, that two or more of `segments` (n, 4) lie on one behind the other.

    They are the best fits to the pieces, the longest of which begins each line.
    """
    ends = np.asarray(segments, np.float64).reshape(-1, 2, 2)
    length = length_of(segments)
    places = np.ascontiguousarray(ends.reshape(-1, 4).T)
    lines, free = [], np.ones(len(ends), bool)
    for seed in np.argsort(-length, kind="stable"):
        if not free[seed]:
            continue
        on_line, line = np.array([seed]), ends[seed]
        for _ in range(_ROUNDS):
            more = _along(line, places)
            if len(more) <= len(on_line):
                break
            on_line = more
            line = _fitted(ends[on_line], length[on_line])
        free[on_line] = False
        if len(on_line) > 1:
            lines.append(line.ravel())
    return np.asarray(lines, np.float32).reshape(-1, 4)


def _along(line: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.intp]:
    """Which pieces (k,) with ends at `places` (4, n), x1 y1 x2 y2, lie on a line (2, 2), no long gap between them."""
    spend(20 + places.size / 400)
    way = line[1] - line[0]
    reach = float(np.linalg.norm(way))
    way /= reach
    most = max(_ASIDE_PX, _ASIDE * reach)
    (x, y), (x1, y1, x2, y2) = line[0], places
    near = np.abs((x1 - x) * way[1] - (y1 - y) * way[0]) < most
    near &= np.abs((x2 - x) * way[1] - (y2 - y) * way[0]) < most
    near = np.flatnonzero(near)
    span = np.sort((places[:, near].T.reshape(-1, 2, 2) - line[0]) @ way, axis=1)
    low, high = 0.0, reach
    while True:
        gap = max(_GAP_PX, _GAP * (high - low))
        touching = (span[:, 0] < high + gap) & (span[:, 1] > low - gap)
        first, last = (low, high) if not touching.any() else (span[touching, 0].min(), span[touching, 1].max())
        if first >= low and last <= high:
            return np.asarray(near[touching], np.intp)
        low, high = min(first, low), max(last, high)


def _fitted(ends: NDArray[np.float64], length: Floats) -> NDArray[np.float64]:
    """Both ends (2, 2) of the line through pieces (k, 2, 2), by their `length` (k,)."""
    points, weight = ends.reshape(-1, 2), np.repeat(length, 2).astype(np.float64)
    middle = weight @ points / weight.sum()
    away = points - middle
    way = np.linalg.eigh((away * weight[:, None]).T @ away)[1][:, 1]
    at = away @ way
    return np.stack([middle + at.min() * way, middle + at.max() * way])
