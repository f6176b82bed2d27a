"""Finds marks that touch a finger, a sleeve or a shadow: the visible part of a round one is still an arc."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.marked.foreground import Foreground
from vision.marked.looks import RING
from vision.marked.marks import Marks, Sampler, WorkImage
from vision.quads import distances, within_quads
from vision.table import Table

_ARC = 0.3  # of a circle, fitted in one piece
_LEAST_POINTS = 18
_RADIUS_OFF, _ROUGH_MM = 0.1, 0.4
_NEAR_ARC_MM = 0.8
_INSIDE_PX = 0.5  # an outline goes through the middles of the outermost pixels
_LEAST_SHOWN = 0.4  # of the circle's outline
_BINS = 24
_SAME_MM = 3.0
_WHOLE_MM = 0.7  # from the middle of a patch that shows the whole mark
_TRIES = 8  # of one radius
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


def cut_marks(
    sampler: Sampler,
    foreground: Foreground,
    known_px: Floats,
    whole: Marks,
    open_to_doubt: NDArray[np.bool_],
    radii_mm: Floats,
) -> tuple[Marks, Floats]:
    """Find arcs with these radii on the outlines of patches, outside the known quads (k, 4, 2).

    A finger, a sleeve or a shadow that touches a mark makes one patch with it; its visible part is still an arc.
    `open_to_doubt` (n,): which of the `whole` marks may be the rest of one that a straight edge cuts, with another
    middle. Return the marks (k,) of the arcs as if fully visible, without those among the `whole` ones, and the
    directions (k, RING) in rad from their middles to their visible outlines.
    """
    work, table = sampler.work, sampler.table
    if not len(radii_mm):
        return whole.take(np.zeros(len(whole), bool)), np.zeros((0, RING))
    certain_px = whole.centres_px[~open_to_doubt]
    px_per_mm = float(np.median(whole.px_per_mm)) * work.scale if len(whole) else 1.0
    known, least_px = work.to_work(known_px), float(radii_mm.min()) * px_per_mm
    boxes = _unexplained(foreground, known, work.to_work(certain_px), least_px)
    contours = _contours(foreground.mask, boxes, known, least_px)
    outlines = _outlines(work, table, contours, certain_px, px_per_mm / work.scale)
    found: list[tuple[float, Floats]] = []
    towards: list[Floats] = []
    for radius in radii_mm.tolist():
        count = max(_LEAST_POINTS, round(_ARC * 2 * np.pi * radius * px_per_mm))
        seen = radius - _INSIDE_PX / px_per_mm
        for middle in _arc_middles(outlines, count, seen):
            angles, better = _shown(outlines.points_mm, middle, seen)
            if np.linalg.norm(whole.centres_mm - better, axis=1).min(initial=np.inf) < _WHOLE_MM:
                continue
            shown = len(angles) / _BINS
            if shown > _LEAST_SHOWN and all(np.linalg.norm(better - other) > _SAME_MM for _, other in found):
                found.append((radius, better))
                towards.append(angles[np.linspace(0, len(angles) - 1, RING).round().astype(np.intp)])
    centres_mm = np.array([middle for _, middle in found]).reshape(-1, 2)
    areas = np.pi * np.array([radius for radius, _ in found]) ** 2
    centres_px = table.to_px(centres_mm)
    ground = np.full(len(found), foreground.ground)
    cut = Marks(ground, centres_px, centres_mm, areas, table.px_per_mm(centres_px), np.ones(len(found)))
    return cut, np.array(towards).reshape(-1, RING)


@dataclass(frozen=True, eq=False)
class _Outlines:
    """Long outlines, one after the other: `points_mm` (n, 2), and `number` (n,), the outline of each point.

    `origin_mm` (n, 2): the first point of each outline; `sums` (9, n + 1): running sums of x, y, z, x², xy, y², xz, yz
    and z² of the points from there, where z = x² + y².
    """

    points_mm: Floats
    number: NDArray[np.intp]
    origin_mm: Floats
    sums: Floats


_NONE = _Outlines(np.zeros((0, 2)), np.zeros(0, np.intp), np.zeros((0, 2)), np.zeros((9, 1)))


def _unexplained(foreground: Foreground, known: Floats, whole: Floats, radius: float) -> NDArray[np.intp]:
    """Return boxes (n, 5) of patches that may hold half a circle: not `known`, not `whole`."""
    boxes = foreground.boxes
    large = (boxes[:, 4] > 0.5 * np.pi * radius**2) & (boxes[:, 2:4].min(axis=1) > radius)
    boxes = boxes[large & (distances(foreground.centres, whole).min(axis=1, initial=np.inf) > 1)]
    corners = boxes[:, None, :2] + boxes[:, None, 2:4] * _UNIT
    unexplained: NDArray[np.intp] = boxes[
        ~within_quads(corners.reshape(-1, 2).astype(np.float64), known).reshape(-1, 4).all(axis=1)
    ]
    return unexplained


def _contours(mask: Image, boxes: NDArray[np.intp], known: Floats, radius: float) -> list[NDArray[np.int32]]:
    """Return the long outlines (n, 2) on a mask within the boxes (k, 5), without specks, threads and known quads."""
    if not len(boxes):
        return []
    low, high = boxes[:, :2].min(axis=0), (boxes[:, :2] + boxes[:, 2:4]).max(axis=0)
    window = mask[low[1] : high[1], low[0] : high[0]]
    window = np.asarray(cv2.morphologyEx(window, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    for quad in known - low:
        cv2.fillConvexPoly(window, np.rint(quad).astype(np.int32), (0,))
    contours, _ = cv2.findContours(window, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    return [contour[:, 0] + low for contour in contours if len(contour) > max(_LEAST_POINTS, np.pi * radius)]


def _outlines(
    work: WorkImage, table: Table, long: list[NDArray[np.int32]], whole_px: Floats, near_px: float
) -> _Outlines:
    """Map outlines in work px to the table, without those whose middle is near that of a whole mark."""
    if not long:
        return _NONE
    points_px = work.to_picture(np.concatenate(long))
    lengths = np.array([len(c) for c in long], np.intp)
    middles = np.add.reduceat(points_px, np.cumsum(lengths) - lengths) / lengths[:, None]
    apart = distances(middles, whole_px)
    unknown = np.repeat((apart > near_px).all(axis=1), lengths)
    points, number = table.to_mm(points_px[unknown]), np.repeat(np.arange(len(long)), lengths)[unknown]
    if not len(points):
        return _NONE
    begins = np.flatnonzero(np.diff(number, prepend=-1))
    origin = np.repeat(points[begins], np.diff(begins, append=len(points)), axis=0)
    x, y = (points - origin).T
    z = x * x + y * y
    sums = np.cumsum(np.stack([x, y, z, x * x, x * y, y * y, x * z, y * z, z * z]), axis=1)
    return _Outlines(points, number, origin, np.concatenate([np.zeros((9, 1)), sums], axis=1))


def _arc_middles(outlines: _Outlines, count: int, radius: float) -> list[Floats]:
    """Return middles of circles of about `radius` through `count` neighbouring points, the best first (Kåsa 1976)."""
    number = outlines.number
    if len(number) < count:
        return []
    mx, my, mz, xx, xy, yy, xz, yz, zz = (outlines.sums[:, count:] - outlines.sums[:, :-count]) / count
    xx, xy, yy, xz, yz, zz = xx - mx * mx, xy - mx * my, yy - my * my, xz - mx * mz, yz - my * mz, zz - mz * mz
    span = np.maximum(xx * yy - xy * xy, 1e-9)
    x, y = (yy * xz - xy * yz) / (2 * span), (xx * yz - xy * xz) / (2 * span)
    size = np.sqrt(np.maximum(mz - 2 * (x * mx + y * my) + x * x + y * y, 1e-9))
    off = zz - 4 * (x * xz + y * yz) + 4 * (x * x * xx + 2 * x * y * xy + y * y * yy)
    rough = np.sqrt(np.maximum(off, 0)) / (2 * size)
    good = (number[: len(rough)] == number[count - 1 :]) & (np.abs(size / radius - 1) < _RADIUS_OFF)
    chosen = np.flatnonzero(good & (rough < _ROUGH_MM))
    middles: list[Floats] = []
    for k in chosen[np.argsort(rough[chosen], kind="stable")].tolist():
        middle = outlines.origin_mm[k] + (x[k], y[k])
        if all(np.abs(middle - other).max() > _SAME_MM for other in middles):
            middles.append(middle)
        if len(middles) == _TRIES:
            break
    return middles


def _shown(points: Floats, middle: Floats, radius: float) -> tuple[Floats, Floats]:
    """Return the directions in rad of points on a circle's outline, and its middle moved to fit them."""
    across, down = np.abs(points - middle).T
    points = points[(across < radius + _SAME_MM) & (down < radius + _SAME_MM)]
    ahead = np.zeros((0, 2))
    for _ in range(3):
        gap = points - middle
        apart = np.hypot(gap[:, 0], gap[:, 1])
        near = np.abs(apart - radius) < _NEAR_ARC_MM
        if np.count_nonzero(near) < _LEAST_POINTS:
            return np.zeros(0), middle
        ahead = gap[near] / apart[near, None]
        middle = middle + np.linalg.solve(ahead.T @ ahead, ahead.T @ (apart[near] - radius))
    angle = np.arctan2(ahead[:, 1], ahead[:, 0])
    return (np.unique(np.floor(angle / (2 * np.pi) * _BINS)) + 0.5) / _BINS * 2 * np.pi, middle
