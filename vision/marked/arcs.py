"""Finds marks that touch a finger, a sleeve or a shadow: the visible part of a round one is still an arc."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.marked.foreground import Foreground
from vision.marked.looks import RING
from vision.marked.marks import Marks, Sampler
from vision.quads import distances


@dataclass(frozen=True)
class ArcParams:
    """Thresholds for arcs of round marks; lengths in mm where nothing else is said."""

    share: float = 0.3  # of a circle, fitted in one piece
    least_points: int = 18
    radius_off: float = 0.1  # of the radius
    rough: float = 0.4
    near: float = 0.8  # of a circle: outline points on it
    inside_px: float = 0.5  # an outline goes through the middles of the outermost pixels
    least_shown: float = 0.4  # of the circle's outline
    bins: int = 24  # of directions
    same: float = 3.0  # between middles of one mark
    whole: float = 0.7  # from the middle of a patch that shows the whole mark
    tries: int = 8  # of one radius


ARC = ArcParams()


def cut_marks(
    sampler: Sampler, foreground: Foreground, known_px: Floats, whole: Marks, free: Flags, radii_mm: Floats
) -> tuple[Marks, Floats]:
    """Find arcs with these radii on the outlines of patches, outside the known quads (k, 4, 2).

    `free` (n,): which of the `whole` marks may be the rest of one that a straight edge cuts, with another middle.
    Return the marks (k,) of the arcs as if fully visible, without those among the `whole` ones, and the directions
    (k, RING) in rad from their middles to their visible outlines.
    """
    work, table = sampler.work, sampler.table
    px_per_mm = float(np.median(whole.px_per_mm)) * work.scale if len(whole) else 1.0
    least_px = np.pi * float(radii_mm.min(initial=np.inf)) * px_per_mm
    outlines = _outlines(sampler, foreground, known_px, whole.centres_px[~free], least_px, px_per_mm / work.scale)
    found: list[tuple[float, Floats]] = []
    towards: list[Floats] = []
    for radius in radii_mm.tolist():
        count = max(ARC.least_points, round(ARC.share * 2 * np.pi * radius * px_per_mm))
        seen = radius - ARC.inside_px / px_per_mm
        for middle in _arc_middles(outlines, count, seen):
            angles, better = _shown(outlines.points_mm, middle, seen)
            if np.linalg.norm(whole.centres_mm - better, axis=1).min(initial=np.inf) < ARC.whole:
                continue
            is_new = all(np.linalg.norm(better - other) > ARC.same for _, other in found)
            if is_new and len(angles) > ARC.least_shown * ARC.bins:
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


def _outlines(
    sampler: Sampler, foreground: Foreground, known_px: Floats, whole_px: Floats, least_px: float, near_px: float
) -> _Outlines:
    """Return outlines of `least_px` on a mask, without specks, threads, known quads, and those round whole marks."""
    if not np.isfinite(least_px):
        return _NONE
    work = sampler.work
    mask = cv2.morphologyEx(foreground.mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    for quad in work.to_work(known_px):
        cv2.fillConvexPoly(mask, np.rint(quad).astype(np.int32), (0,))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    least = max(ARC.least_points, least_px)
    long = [contour for contour in contours if len(contour) > least]
    if not long:
        return _NONE
    points_px = work.to_picture(np.concatenate(long)[:, 0].astype(np.float64))
    lengths = np.array([len(contour) for contour in long], np.intp)
    middles = np.add.reduceat(points_px, np.cumsum(lengths) - lengths) / lengths[:, None]
    unknown = np.repeat((distances(middles, whole_px) > near_px).all(axis=1), lengths)
    points, number = sampler.table.to_mm(points_px[unknown]), np.repeat(np.arange(len(long)), lengths)[unknown]
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
    good = (number[: len(rough)] == number[count - 1 :]) & (np.abs(size / radius - 1) < ARC.radius_off)
    chosen = np.flatnonzero(good & (rough < ARC.rough))
    middles: list[Floats] = []
    for k in chosen[np.argsort(rough[chosen], kind="stable")].tolist():
        middle = outlines.origin_mm[k] + (x[k], y[k])
        if all(np.abs(middle - other).max() > ARC.same for other in middles):
            middles.append(middle)
        if len(middles) == ARC.tries:
            break
    return middles


def _shown(points: Floats, middle: Floats, radius: float) -> tuple[Floats, Floats]:
    """Return the directions in rad of points on a circle's outline, and its middle moved to fit them."""
    points = points[(np.abs(points - middle) < radius + ARC.same).all(axis=1)]
    ahead = np.zeros((0, 2))
    for _ in range(3):
        gap = points - middle
        apart = np.hypot(gap[:, 0], gap[:, 1])
        near = np.abs(apart - radius) < ARC.near
        if np.count_nonzero(near) < ARC.least_points:
            return np.zeros(0), middle
        ahead = gap[near] / apart[near, None]
        middle = middle + np.linalg.solve(ahead.T @ ahead, ahead.T @ (apart[near] - radius))
    angle = np.arctan2(ahead[:, 1], ahead[:, 0])
    return (np.unique(np.floor(angle / (2 * np.pi) * ARC.bins)) + 0.5) / ARC.bins * 2 * np.pi, middle
