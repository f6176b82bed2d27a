"""Straight edges in a picture, the corners that they form, and the quadrilaterals that such corners suggest."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_MAX_SEGMENTS = 900
_MAX_CORNERS = 1600
_MAX_CORNER_ANGLE_COS = 0.6  # a right angle seen at 45 degrees' tilt stays within this
_PARALLEL_COS = 0.95
_MAX_ASPECT = 2.9  # cards are up to twice as long as wide; tilt adds to that


@dataclass(frozen=True, eq=False)
class Corners:
    """Places where two straight edges meet.

    `point` (n, 2) in pixels; `u`, `v` (n, 2) unit vectors along the two edges away from the corner, v clockwise of u
    as one sees the picture; `arm` (n, 2) how far the two edges reach from the corner, in pixels.
    """

    point: Floats
    u: Floats
    v: Floats
    arm: Floats


def line_segments(grey: NDArray[np.uint8], min_length_px: float) -> Floats:
    """Straight edges of an (h, w) grey picture as (n, 4) x1 y1 x2 y2, the longest first.

    The detector judges every segment against chance (von Gioi et al., LSD, 2012), so there is no contrast threshold
    to tune to a table or a lamp.
    """
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 0.8).detect(grey)[0]
    if found is None:
        return np.zeros((0, 4), np.float32)
    segments = np.asarray(found, np.float32).reshape(-1, 4)
    length = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    order = np.argsort(-length, kind="stable")
    return segments[order[length[order] >= min_length_px]][:_MAX_SEGMENTS]


def without_hatching(segments: Floats) -> Floats:
    """Leave out segments with two parallel ones close by on either side: ruled lines, stripes, grain; no card edges."""
    a, b = segments[:, :2], segments[:, 2:]
    length = np.maximum(np.hypot(*(b - a).T), 1e-6)
    d = (b - a) / length[:, None]
    normal = np.stack([-d[:, 1], d[:, 0]], axis=1)
    middle = (a + b) / 2
    # Row i: all segments as seen from segment i.
    away = middle @ normal.T - (middle * normal).sum(axis=1)
    along = middle @ d.T - (middle * d).sum(axis=1)
    overlap = (length[:, None] + length) / 2 - np.abs(along.T)
    away = away.T
    parallel = (np.abs(d @ d.T) > 0.99) & (overlap > 0.4 * length[:, None])
    distance = np.abs(away)
    close = parallel & (distance > 1.5) & (distance < np.minimum(0.3 * length[:, None], 30))
    return segments[~(((close & (away > 0)).sum(axis=1) >= 2) & ((close & (away < 0)).sum(axis=1) >= 2))]


def find_corners(segments: Floats, min_arm_px: float) -> Corners:
    """Corners formed by pairs of `segments` (n, 4) that meet, or would meet if they were a little longer.

    An edge may run on beyond the corner (two cards side by side), so each pair gives up to four corners.
    """
    a, b = segments[:, :2], segments[:, 2:]
    length = np.hypot(*(b - a).T)
    d = (b - a) / np.maximum(length, 1e-6)[:, None]
    first, second = np.nonzero(np.triu(np.abs(d @ d.T) < _MAX_CORNER_ANGLE_COS, 1))
    d1, d2 = d[first], d[second]
    offset = a[second] - a[first]
    cross = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
    s = (offset[:, 0] * d2[:, 1] - offset[:, 1] * d2[:, 0]) / cross
    t = (offset[:, 0] * d1[:, 1] - offset[:, 1] * d1[:, 0]) / cross
    l1, l2 = length[first], length[second]
    gap = 4 + 0.3 * np.minimum(l1, l2)
    near = (s > -gap) & (s < l1 + gap) & (t > -gap) & (t < l2 + gap)
    first, second, s, t, d1, d2, l1, l2 = (x[near] for x in (first, second, s, t, d1, d2, l1, l2))
    point = a[first] + s[:, None] * d1
    parts = []
    for sign1, arm1 in ((1, l1 - s), (-1, s)):
        for sign2, arm2 in ((1, l2 - t), (-1, t)):
            long_enough = (arm1 > min_arm_px) & (arm2 > min_arm_px)
            parts.append(_oriented(point, sign1 * d1, sign2 * d2, arm1, arm2, long_enough))
    merged = [np.concatenate([p[k] for p in parts]) for k in range(4)]
    order = np.argsort(-np.minimum(merged[3].min(axis=1), 3 * min_arm_px), kind="stable")[:_MAX_CORNERS]
    return Corners(*(np.asarray(x[order], np.float32) for x in merged))


def _oriented(
    point: Floats, u: Floats, v: Floats, arm_u: Floats, arm_v: Floats, keep: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats, Floats]:
    point, u, v, arm = point[keep], u[keep], v[keep], np.stack([arm_u, arm_v], axis=1)[keep]
    swap = (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 0)[:, None]
    return point, np.where(swap, v, u), np.where(swap, u, v), np.where(swap, arm[:, ::-1], arm)


def quads_from_corners(corners: Corners, min_side_px: float, max_side_px: float) -> Floats:
    """Quadrilaterals (n, 4, 2), clockwise, of which two opposite corners were seen."""
    p, u, v = corners.point, corners.u, corners.v
    opposite = (u @ u.T < -_PARALLEL_COS) & (v @ v.T < -_PARALLEL_COS)
    first, second = np.nonzero(np.triu(opposite, 1))
    across = p[second] - p[first]
    top_right = _meet(p[first], u[first], p[second], v[second])
    bottom_left = _meet(p[first], v[first], p[second], u[second])
    along_u = np.einsum("ni,ni->n", across, u[first])
    along_v = np.einsum("ni,ni->n", across, v[first])
    quads = np.stack([p[first], top_right, p[second], bottom_left], axis=1)
    quads = quads[(along_u > 0.5 * min_side_px) & (along_v > 0.5 * min_side_px)]
    sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    longest, shortest = sides.max(axis=1), sides.min(axis=1)
    good = (shortest > min_side_px) & (longest < max_side_px) & (longest < _MAX_ASPECT * shortest)
    return np.asarray(quads[good], np.float32)


def _meet(p: Floats, d: Floats, q: Floats, e: Floats) -> Floats:
    """Where the lines p + s d and q + t e meet; the lines are known not to be parallel."""
    cross = d[:, 0] * e[:, 1] - d[:, 1] * e[:, 0]
    cross = np.where(np.abs(cross) < 0.1, 0.1, cross)
    offset = q - p
    s = (offset[:, 0] * e[:, 1] - offset[:, 1] * e[:, 0]) / cross
    return np.asarray(p + s[:, None] * d, np.float32)


class SegmentMap:
    """Answers how much of a straight line is covered by segments of the same direction.

    The segments are drawn into one bit plane for each of eight directions.
    """

    _BINS = 8

    def __init__(self, segments: Floats, shape: tuple[int, int]) -> None:
        planes = np.zeros((self._BINS, *shape), np.uint8)
        angle = np.arctan2(segments[:, 3] - segments[:, 1], segments[:, 2] - segments[:, 0]) / np.pi * self._BINS
        for (x1, y1, x2, y2), position in zip(np.rint(segments).astype(int).tolist(), angle.tolist(), strict=True):
            low = round(position - 0.35)
            for k in {low % self._BINS, round(position + 0.35) % self._BINS}:
                cv2.line(planes[k], (x1, y1), (x2, y2), 1, 5)
        self._bits = np.zeros(shape, np.uint8)
        for k in range(self._BINS):
            self._bits |= planes[k] << np.uint8(k)

    def coverage(self, quads: Floats, samples: int = 12) -> Floats:
        """Covered share (n, 4) of each side of `quads` (n, 4, 2); what lies outside the picture is uncovered."""
        start, end = quads, np.roll(quads, -1, axis=1)
        steps = np.linspace(0.08, 0.92, samples, dtype=np.float32)
        points = np.rint(start[:, :, None] + (end - start)[:, :, None] * steps[:, None]).astype(np.int32)
        height, width = self._bits.shape
        x, y = points[..., 0], points[..., 1]
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        bits = self._bits[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
        side = end - start
        bin_index = np.rint(np.arctan2(side[..., 1], side[..., 0]) / np.pi * self._BINS).astype(int) % self._BINS
        hit = (bits >> bin_index[..., None].astype(np.uint8)) & 1
        return np.asarray((hit * inside).mean(axis=2), np.float32)
