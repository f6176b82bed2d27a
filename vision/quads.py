"""Points and quadrilaterals: containment, distances, overlaps, and sides moved to the edges of white."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats

_FLAT = 1e-9
_AT_ONCE = 20_000  # pairs of a point and a quad that fit into the cache
_TURNS = 8  # of a card, over 180 degrees
_PLACES = np.linspace(0.14, 0.86, 19)  # along a side, away from round corners
_SEARCH = 0.055  # to either side, as a share of the quad's shorter side
_SAMPLES = 21
_ROUNDS = 2
_LEAST_RISE = 4.0  # grey levels, gamma-coded or linear
_WHITE = 255.0
_DARKEST_WHITE = 12.0


def stacked(quads: Iterable[NDArray[np.floating]]) -> Floats:
    """Return some quads (4, 2) as one array (n, 4, 2), however few."""
    return np.array(list(quads), np.float64).reshape(-1, 4, 2)


def within_quads(points: NDArray[np.floating], quads: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return whether each point (..., 2) is within any of the quads (m, 4, 2), clockwise as seen (y down)."""
    if not points.size or not len(quads):
        return np.zeros(points.shape[:-1], dtype=bool)
    # Consecutive points are close together, as on one card, so most quads are far from all of them.
    count = points.shape[-2]
    x, y = np.ascontiguousarray(np.moveaxis(points.reshape(-1, count, 2), -1, 0))
    low, high = quads.min(axis=1), quads.max(axis=1)
    across, down = ((v.min(axis=1)[:, None], v.max(axis=1)[:, None]) for v in (x, y))
    near = (high[:, 0] >= across[0]) & (low[:, 0] <= across[1]) & (high[:, 1] >= down[0]) & (low[:, 1] <= down[1])
    groups, beside = np.nonzero(near)
    along = quads[:, [1, 2, 3, 0]] - quads
    found = np.zeros(x.size, dtype=bool)
    step = max(1, _AT_ONCE // count)
    for k in range(0, len(groups), step):
        some, group = beside[k : k + step], groups[k : k + step]
        (left, top), (right, bottom) = low[some].T[..., None], high[some].T[..., None]
        # Most points are outside all boxes: only the others are tested against sides.
        gx, gy = x[group], y[group]
        boxed = np.flatnonzero((gx > left) & (gx < right) & (gy > top) & (gy < bottom))
        pair, at = np.divmod(boxed, count)
        point = group[pair] * count + at
        start, way = quads[some[pair]], along[some[pair]]
        ahead, aside = x.ravel()[point, None] - start[..., 0], y.ravel()[point, None] - start[..., 1]
        found[point[(way[..., 0] * aside > way[..., 1] * ahead).all(axis=1)]] = True
    return found.reshape(points.shape[:-1])


def points_within(quads: NDArray[np.floating], shares: Floats) -> Floats:
    """Return points (n, ..., 2) on rectangles that are seen as quadrilaterals (n, 4, 2).

    `shares` (n, ..., 2), or (1, ..., 2) for all: position along the first side and along the second one. Heckbert,
    "Fundamentals of texture mapping and image warping", 1989, gives this map from the unit square.
    """
    start, right, opposite, left = quads.astype(np.float64).reshape(-1, 4, 2).swapaxes(0, 1)
    one, other, rest = right - opposite, left - opposite, start - right + opposite - left
    cross = _cross(one, other)
    cross = np.where(np.abs(cross) < _FLAT, _FLAT, cross)
    g, h = _cross(rest, other) / cross, _cross(one, rest) / cross
    right, left = right - start + g[:, None] * right, left - start + h[:, None] * left
    across, down = np.moveaxis(shares.reshape(len(shares), -1, 2), -1, 0)
    scale = g[:, None] * across + h[:, None] * down + 1
    points = np.empty((*scale.shape, 2))
    for k in range(2):
        points[..., k] = (right[:, k, None] * across + left[:, k, None] * down + start[:, k, None]) / scale
    return points.reshape(-1, *shares.shape[1:])


def _cross(one: Floats, other: Floats) -> Floats:
    return np.asarray(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])


def enlarged(quads: NDArray[np.floating], by: float) -> Floats:
    """Return quads (n, 4, 2) scaled about the means of their corners."""
    middles = quads.mean(axis=1, keepdims=True)
    return np.asarray(middles + by * (quads - middles), np.float64)


def distances(points: Floats, others: Floats) -> Floats:
    """Return distances (n, m) of points (n, 2) from others (m, 2)."""
    # Coordinate by coordinate, because a norm over pairs of numbers takes three times as long.
    across, down = (points[:, None, axis] - others[None, :, axis] for axis in range(2))
    return np.asarray(np.sqrt(across * across + down * down))


def distance_to_quads(points: Floats, quads: Floats) -> Floats:
    """Return distances (n, m) of points (n, 2) from the outlines of quads (m, 4, 2), 0 within them."""
    along = np.roll(quads, -1, axis=1) - quads
    gap = points[:, None, None] - quads[None]
    inside = (along[..., 0] * gap[..., 1] - along[..., 1] * gap[..., 0] > 0).all(-1)
    at = np.clip((gap * along).sum(-1) / np.maximum((along * along).sum(-1), 1e-12), 0, 1)
    away = np.linalg.norm(gap - at[..., None] * along, axis=-1).min(-1)
    return np.asarray(np.where(inside, 0.0, away))


def shared_area(one: NDArray[np.floating], other: NDArray[np.floating]) -> float:
    """Return the shared area of two quadrilaterals (4, 2), as a share of the smaller one."""
    a, b = np.asarray(one, np.float32), np.asarray(other, np.float32)
    shared, _ = cv2.intersectConvexConvex(a, b)
    return float(shared / max(1e-6, min(cv2.contourArea(a), cv2.contourArea(b))))


@cache
def card_kernels(card_mm: tuple[float, float], cell_mm: float) -> tuple[NDArray[np.float32], ...]:
    """Return a card in cells of a size, at several turns: (n, n) each, of the sum 1."""
    found = []
    reach = int(np.hypot(*card_mm) / 2 / cell_mm) + 1
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(card_mm) / 2 / cell_mm
    for turn in np.arange(_TURNS) * np.pi / _TURNS:
        cos, sin = np.cos(turn), np.sin(turn)
        corners = half @ np.array([[cos, sin], [-sin, cos]]) + reach
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        cv2.fillConvexPoly(kernel, np.rint(corners * 16).astype(np.int32), (1.0,), shift=4)
        found.append(kernel / kernel.sum())
    return tuple(found)


def moved_to_white(
    grey: NDArray[np.uint8] | NDArray[np.float32], quads: Floats, *, linear: bool = False
) -> tuple[Floats, Floats]:
    """Return quads (n, 4, 2) with their sides at the edge of the white, and the straightness of each, (n,) 0 to 1.

    `grey` (h, w) is from 0 to 255. `linear`: search the edge in linear light, the square of grey levels. Blur is linear
    in light; in grey levels black would seem smaller than it is.
    """
    straight = np.zeros(len(quads))
    for _ in range(_ROUNDS):
        offsets, straight = _edge_offsets(grey, quads, linear)
        quads = _shifted(quads, offsets)
    return quads, straight


def _crossings(lines: Floats) -> Floats:
    """Return corners (n, 4, 2) of quads by their sides' lines (n, 4, 3); corner k is where side k begins."""
    before = lines[:, [3, 0, 1, 2]]
    det = before[..., 0] * lines[..., 1] - before[..., 1] * lines[..., 0]
    det = np.where(np.abs(det) < 1e-9, 1e-9, det)
    x = (before[..., 2] * lines[..., 1] - before[..., 1] * lines[..., 2]) / det
    y = (before[..., 0] * lines[..., 2] - before[..., 2] * lines[..., 0]) / det
    return np.stack([x, y], axis=-1)


def _edge_offsets(grey: NDArray[np.uint8] | NDArray[np.float32], quads: Floats, linear: bool) -> tuple[Floats, Floats]:
    """Return the white's end, (n, 4, places) in px outwards of each side (NaN: none), and the share that agrees."""
    start, end = quads, quads[:, [1, 2, 3, 0]]
    along = end - start
    length = np.linalg.norm(along, axis=2)
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1) / length[..., None]
    reach = np.clip(length.min(axis=1) * _SEARCH, 2.0, 8.0)
    steps = np.linspace(-1, 1, _SAMPLES)[None] * reach[:, None]
    foot = start[:, :, None] + along[:, :, None] * _PLACES[None, None, :, None]
    places = foot[:, :, :, None] + normal[:, :, None, None] * steps[:, None, None, :, None]
    flat = places.reshape(len(quads), -1, 2).astype(np.float32)
    seen = cv2.remap(grey, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.asarray(seen, np.float64).reshape(places.shape[:-1])
    if linear:
        # Relative to the brightest level around each quad, so that dim light works as well.
        brightest = np.maximum(profile.max(axis=(1, 2, 3), keepdims=True), _DARKEST_WHITE)
        profile = (profile / brightest) ** 2 * _WHITE
    rise = np.maximum(np.gradient(profile, axis=-1), 0)
    peak = rise.argmax(axis=-1)
    near = np.abs(np.arange(_SAMPLES) - peak[..., None]) <= 3
    weight = rise * near
    total = weight.sum(axis=-1)
    offset = (weight * steps[:, None, None, :]).sum(axis=-1) / np.maximum(total, 1e-9)
    offset[total < _LEAST_RISE] = np.nan
    centre = np.median(np.where(np.isnan(offset), 1e3, offset), axis=-1, keepdims=True)
    agree = np.abs(offset - centre) < 0.35 * reach[:, None, None]
    return np.where(agree, offset, np.nan), np.asarray(agree.mean(axis=(1, 2)))


def _shifted(quads: Floats, offsets: Floats) -> Floats:
    """Return quads with their sides fitted to offsets (n, 4, places)."""
    start, end = quads, quads[:, [1, 2, 3, 0]]
    along = end - start
    length = np.linalg.norm(along, axis=2)
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1) / length[..., None]
    known = ~np.isnan(offsets)
    weight = known.astype(np.float64)
    t = _PLACES - 0.5
    value = np.where(known, offsets, 0.0)
    # Height and slope of a line by least squares; a side without a visible edge stays.
    s0, s1, s2 = weight.sum(-1), (weight * t).sum(-1), (weight * t * t).sum(-1)
    b0, b1 = value.sum(-1), (value * t).sum(-1)
    det = s0 * s2 - s1 * s1
    fine = (s0 >= 5) & (det > 0.05)
    det = np.where(fine, det, 1.0)
    height = np.where(fine, (s2 * b0 - s1 * b1) / det, 0.0)
    slope = np.where(fine, (s0 * b1 - s1 * b0) / det, 0.0)
    first = start + normal * (height - slope / 2)[..., None]
    second = end + normal * (height + slope / 2)[..., None]
    direction = second - first
    a, b = -direction[..., 1], direction[..., 0]
    return _crossings(np.stack([a, b, a * first[..., 0] + b * first[..., 1]], axis=-1))
