"""Finds cards of any deck in a picture: no face, no marker and no size is known beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.card_edges import SideFit, fit_sides
from vision.card_plane import CardPlane, agree_on_plane
from vision.line_segments import Corners, SegmentMap, find_corners, line_segments, quads_from_corners, without_hatching

Floats = NDArray[np.float32]

_WORKING_PX = 1280  # candidates are looked for on a copy with this longer side
_MIN_SIDE_PX = 24.0
_MIN_SEGMENT_PX = 12.0
_MAX_SIDE_SHARE = 0.75  # a card's longer side, of the picture's shorter one... a single card may fill the picture
_MAX_CANDIDATES = 500
_FAIR_CELL_PX = 40.0
_MARKER_RIM = 1.3  # the sheet's white rim by the size of the marker


@dataclass(frozen=True, eq=False)
class FoundCards:
    """Cards of one deck in a picture.

    `corners_px` (n, 4, 2) clockwise; `support` (n, 4) the share of each side where an edge was seen; `confidence`
    (n,) 0 to 1.
    """

    corners_px: Floats
    support: Floats
    confidence: Floats


def find_cards(image_bgr: NDArray[np.uint8]) -> FoundCards:
    """Find the cards in an (h, w, 3) picture."""
    scale = min(1.0, _WORKING_PX / max(image_bgr.shape[:2]))
    small = image_bgr
    if scale < 1:
        small = np.asarray(cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    size_wh = (small.shape[1], small.shape[0])
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    segments = line_segments(grey, _MIN_SEGMENT_PX)
    markers = _markers(grey)
    segments = without_hatching(segments[~_on_marker(segments, markers)])
    corners = find_corners(segments, _MIN_SEGMENT_PX * 0.7)
    covered = SegmentMap(segments, (size_wh[1], size_wh[0]))
    candidates = _free_candidates(small, corners, covered, size_wh, markers)
    plane = agree_on_plane(candidates.quads, _weight(candidates), size_wh)
    if plane is None:
        return FoundCards(*(np.zeros(shape, np.float32) for shape in ((0, 4, 2), (0, 4), (0,))))
    fitted = _of_known_size(small, plane, segments, corners, covered, candidates, markers)
    chosen = _choose(fitted, plane)
    final = fit_sides(image_bgr, _to_full(chosen.quads, scale), max(3.0, 1.5 / scale), 48)
    return FoundCards(final.quads, final.support, final.support.mean(axis=1))


def _to_full(points: Floats, scale: float) -> Floats:
    """Points of the working copy in the picture itself; pixel centres are at whole numbers in both."""
    return np.asarray((points + 0.5) / scale - 0.5, np.float32)


def _markers(grey: NDArray[np.uint8]) -> Floats:
    """Corners (n, 4, 2) of the marker cards in the picture: sheets of about a card's size that are none."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    found = cv2.aruco.ArucoDetector(dictionary).detectMarkers(grey)[0]
    return np.asarray(found, np.float32).reshape(-1, 4, 2)


def _on_marker(segments: Floats, markers: Floats) -> NDArray[np.bool_]:
    """Which segments (n, 4) lie in a marker or on the rim of its sheet."""
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    on = np.zeros(len(segments), bool)
    for marker in markers:
        centre = marker.mean(axis=0)
        on |= _inside((marker - centre) * _MARKER_RIM + centre, middle)
    return on


def _inside(quad: Floats, points: Floats) -> NDArray[np.bool_]:
    """Which points (n, 2) lie inside a clockwise quadrilateral (4, 2)."""
    side = np.roll(quad, -1, axis=0) - quad
    away = points[:, None] - quad
    return np.asarray((side[:, 0] * away[..., 1] - side[:, 1] * away[..., 0] > 0).all(axis=1))


def _holds_any(quads: Floats, markers: Floats) -> NDArray[np.bool_]:
    """Which quadrilaterals (n, 4, 2) have the middle of a marker inside them."""
    side = np.roll(quads, -1, axis=1) - quads
    holds = np.zeros(len(quads), bool)
    for centre in markers.mean(axis=1):
        away = centre - quads
        holds |= (side[..., 0] * away[..., 1] - side[..., 1] * away[..., 0] > 0).all(axis=1)
    return holds


def _free_candidates(
    small: NDArray[np.uint8], corners: Corners, covered: SegmentMap, size_wh: tuple[int, int], markers: Floats
) -> SideFit:
    """Quadrilaterals of any size with edges along all four sides."""
    quads = quads_from_corners(corners, _MIN_SIDE_PX, _MAX_SIDE_SHARE * max(size_wh))
    coverage = covered.coverage(quads)
    keep = (coverage.min(axis=1) > 0.3) & (coverage.mean(axis=1) > 0.55)
    keep &= ~_holds_any(quads, markers)
    quads = _thinned(quads[keep], coverage[keep].mean(axis=1))
    fit = fit_sides(small, quads, 3.0)
    return fit.take((fit.support.min(axis=1) > 0.6) & (fit.support.mean(axis=1) > 0.8))


def _thinned(quads: Floats, score: Floats) -> Floats:
    """The best of each bunch of nearly equal quadrilaterals, with a fair share for every part of the picture."""
    quads = quads[np.argsort(-score, kind="stable")]
    key = np.rint(np.concatenate([np.sort(quads[..., 0], axis=1), np.sort(quads[..., 1], axis=1)], axis=1) / 5)
    _, first = np.unique(key, axis=0, return_index=True)
    quads = quads[np.sort(first)]
    _, cell = np.unique(np.floor(quads.mean(axis=1) / _FAIR_CELL_PX), axis=0, return_inverse=True)
    by_cell = np.argsort(cell.ravel(), kind="stable")
    starts = np.searchsorted(cell.ravel()[by_cell], np.arange(len(quads)))
    rank = np.empty(len(quads), int)
    rank[by_cell] = np.arange(len(quads)) - starts[cell.ravel()[by_cell]]
    return quads[np.argsort(rank, kind="stable")[:_MAX_CANDIDATES]]


def _weight(fit: SideFit) -> Floats:
    """How much each candidate counts in the vote on size.

    Those that share one place share one vote, and a frame printed on a card counts little beside the card's outline.
    """
    quality = fit.support.mean(axis=1) * fit.support.min(axis=1) * fit.stepped() ** 2
    quality *= np.clip(1 - fit.oddness(), 0.05, 1) ** 2
    low, high = fit.quads.min(axis=1), fit.quads.max(axis=1)
    shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    shared_area = np.prod(np.maximum(shared, 0), axis=2)
    box = np.prod(high - low, axis=1)
    overlap = shared_area / np.minimum(box[:, None], box[None])
    weight = quality**3 / np.maximum((overlap * quality[None] ** 2).sum(axis=1), 1e-6)
    framed = (_frames(fit.quads) * quality[None]).max(axis=1, initial=0)
    return np.asarray(weight * (1 - 0.8 * framed), np.float32)


def _frames(quads: Floats) -> NDArray[np.bool_]:
    """Which of the quadrilaterals (row) have which others (column) evenly around them, at most a fifth away."""
    centre = quads.mean(axis=1)
    side = np.roll(quads, -1, axis=1) - quads
    length = np.linalg.norm(side, axis=2)
    width = length.min(axis=1)
    # Start all quadrilaterals at the corner nearest to straight up-left, so that sides can be compared one by one.
    first = np.argmin(quads.sum(axis=2), axis=1)
    order = (first[:, None] + np.arange(4)) % 4
    rows = np.arange(len(quads))[:, None]
    corner, side, length = quads[rows, order], side[rows, order], length[rows, order]
    outward = np.stack([side[..., 1], -side[..., 0]], axis=-1) / np.maximum(length, 1e-3)[..., None]
    middle = corner + side / 2
    near = np.linalg.norm(centre[:, None] - centre[None], axis=2) < 0.12 * width[None]
    margin = -((middle[:, None] - corner[None]) * outward[None]).sum(axis=3)
    parallel = (outward[:, None] * outward[None]).sum(axis=3).min(axis=2) > 0.99
    inside = (margin.min(axis=2) > 0.02 * width[None]) & (margin.max(axis=2) < 0.2 * width[None])
    return np.asarray(near & parallel & inside)


def _of_known_size(
    small: NDArray[np.uint8], plane: CardPlane, segments: Floats, corners: Corners, covered: SegmentMap, known: SideFit, markers: Floats
) -> SideFit:
    """All quadrilaterals of the card's size that the edges suggest."""
    guesses = np.concatenate([_at_corners(plane, corners), _at_segments(plane, segments)])
    coverage = covered.coverage(guesses)
    keep = (coverage.mean(axis=1) > 0.4) & (np.sort(coverage, axis=1)[:, 1] > 0.3) & ~_holds_any(guesses, markers)
    right = known.quads[plane.deviation(known.quads) < 0.12]
    quads = np.concatenate([right, _thinned(guesses[keep], coverage[keep].mean(axis=1))])
    reach = 0.06 * plane.size[0]
    fit = fit_sides(small, quads, max(3.0, reach))
    fit = fit_sides(small, fit.quads, 2.0)
    return fit


def _at_corners(plane: CardPlane, corners: Corners) -> Floats:
    """Cards with a corner at each of `corners`, lying one way and the other."""
    short, long = plane.size
    origin = plane.to_plane(corners.point)
    u = plane.to_plane(corners.point + corners.u * 8) - origin
    v = plane.to_plane(corners.point + corners.v * 8) - origin
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    square = np.abs((u * v).sum(axis=1)) < 0.2
    origin, u, v = origin[square], u[square], v[square]
    # Make the two directions exactly perpendicular, turning each by half of what is missing.
    middle = u + v
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    turn = np.stack([middle[:, 1], -middle[:, 0]], axis=1)
    u, v = (middle + turn) / np.sqrt(2), (middle - turn) / np.sqrt(2)
    quads = []
    for a, b in ((short, long), (long, short)):
        quads.append(np.stack([origin, origin + a * u, origin + a * u + b * v, origin + b * v], axis=1))
    return np.asarray(plane.to_picture(np.concatenate(quads)), np.float32)


def _at_segments(plane: CardPlane, segments: Floats) -> Floats:
    """Cards with a side along each of `segments`, beginning at one end of it or ending at the other, on either side."""
    short, long = plane.size
    a, b = plane.to_plane(segments[:, :2]), plane.to_plane(segments[:, 2:])
    length = np.linalg.norm(b - a, axis=1)
    keep = (length > 0.4 * short) & (length < 1.1 * long)
    a, b, d = a[keep], b[keep], (b - a)[keep] / length[keep, None]
    n = np.stack([-d[:, 1], d[:, 0]], axis=1)
    quads = []
    for along, across in ((short, long), (long, short)):
        for start in (a, b - along * d, (a + b - along * d) / 2):
            for sign in (1.0, -1.0):
                end, side = start + along * d, sign * across * n
                quad = np.stack([start, end, end + side, start + side], axis=1)
                quads.append(quad if sign > 0 else quad[:, ::-1])
    return np.asarray(plane.to_picture(np.concatenate(quads)), np.float32)


def _choose(fit: SideFit, plane: CardPlane) -> SideFit:
    """The best of the quadrilaterals that overlap, if they are cards at all."""
    deviation = plane.deviation(fit.quads)
    keep = (deviation < 0.08) & (fit.support.min(axis=1) > 0.55) & (fit.support.mean(axis=1) > 0.8)
    fit, deviation = fit.take(keep), deviation[keep]
    score = fit.support.mean(axis=1) + 0.5 * fit.support.min(axis=1) - 3 * deviation - fit.oddness()
    chosen: list[int] = []
    for i in np.argsort(-score, kind="stable").tolist():
        if all(_overlap(fit.quads[i], fit.quads[j]) < 0.25 for j in chosen):
            chosen.append(i)
    return fit.take(np.asarray(chosen, np.intp))


def _overlap(a: Floats, b: Floats) -> float:
    """Shared area by the smaller one's area."""
    if np.any(a.max(axis=0) < b.min(axis=0)) or np.any(b.max(axis=0) < a.min(axis=0)):
        return 0.0
    shared, _ = cv2.intersectConvexConvex(a, b)
    return float(shared / max(1e-6, min(cv2.contourArea(a), cv2.contourArea(b))))
