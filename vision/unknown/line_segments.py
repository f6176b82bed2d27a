"""Straight edges in a picture, the corners that they form, and the quadrilaterals that such corners suggest."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.effort import spend
from vision.unknown.paper import darker_all_round
from vision.unknown.segment_map import SegmentMap

_MOST_FOUND, _MAX_SEGMENTS = 3000, 900  # with hatching, and without
_SAME_WAY_COS, _BESIDE, _LINES = 0.99, 0.4, 3  # of hatching: by the length of a line, and lines on either side
_APART_PX, _CLOSE_PX, _CLOSE = 1.5, 30.0, 0.3  # the last by the length of a line
_BLOCK = 256  # segments
_MAX_CORNERS = 1100
_MAX_CORNER_ANGLE_COS = 0.6  # a right angle seen at 45 degrees' tilt stays within this
_BOOST = 4
_KNOWN = 0.6  # share of a faint segment that one found before covers
_SAME_COLOUR = 25.0
_MORE_LINES = 2
_PARALLEL_COS = 0.95
_MAX_ASPECT = 2.9  # cards are up to twice as long as wide; tilt adds to that


@dataclass(frozen=True, eq=False)
class Corners:
    """Places where two straight edges meet.

    `point` (n, 2) in pixels; `u`, `v` (n, 2) unit vectors along the two edges away from the corner, v clockwise of u
    as one sees the picture; `arm` (n, 2) how far the two edges reach from the corner, in pixels.
    """

    point: Singles
    u: Singles
    v: Singles
    arm: Singles


def line_segments(grey: NDArray[np.uint8], lab: NDArray[np.uint8], min_length_px: float) -> Singles:
    """Straight edges of an (h, w) grey picture, the same as (h, w, 3) 8-bit Lab, as (n, 4) x1 y1 x2 y2, longest first.

    The detector judges every segment against chance (von Gioi et al., LSD, 2012), so there is no contrast threshold
    to tune to a table or a lamp. What is too faint for it is looked for in a coarser, boosted copy, and so are edges
    between things as light as one another, a black card and a deep blue cloth, in the colour.
    """
    found = detected(grey, min_length_px)
    # As fractions, for the mean of four pixels tells shades between two grey levels.
    coarse = cv2.resize(grey.astype(np.float32), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    tints = cv2.resize(lab, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    seen = SegmentMap(found, (grey.shape[0], grey.shape[1]))
    for copy in (wrapped(np.asarray(coarse * _BOOST, np.float32)), *cv2.split(tints)[1:]):
        faint = (detected(np.asarray(copy, np.uint8), 0.75 * min_length_px) + 0.5) * 2 - 0.5
        new = faint[seen.coverage_of_lines(faint) < _KNOWN]
        seen.add(new)
        found = np.concatenate([found, new])
    return found[np.argsort(-length_of(found), kind="stable")][:_MOST_FOUND]


def detected(grey: NDArray[np.uint8], min_length_px: float) -> Singles:
    """Straight edges (n, 4) that the detector sees in an (h, w) grey picture."""
    spend(grey.size / 25)
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 0.8).detect(grey)[0]
    segments = np.zeros((0, 4), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 4)
    return segments[length_of(segments) >= min_length_px]


def length_of(segments: Singles) -> Singles:
    """How long each of the segments (n, 4) is (n,)."""
    return np.asarray(np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1]), np.float32)


def wrapped(grey: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A picture whose faint contrasts, white cards on a white table, were stretched far beyond white, in 8 bits.

    Lightness is folded back at black and white like a map; so there are no halos along strong edges.
    """
    return np.asarray(255 - np.abs(255 - grey % 510), np.uint8)


def without_hatching(segments: Singles) -> Singles:
    """The longest of `segments` (n, 4), longest first, but for those with three parallel ones close by on either side.

    Such are ruled lines, stripes, grain and weave. Those beside must be about as long: short ones, pieces of print or
    grain, lie along a card's edge as well.
    """
    a, b = segments[:, :2], segments[:, 2:]
    length = np.maximum(np.hypot(*(b - a).T), 1e-6)
    d = (b - a) / length[:, None]
    middle = (a + b) / 2
    x, y = np.ascontiguousarray(middle.T)
    reach = length / 2 + _CLOSE_PX / 2
    counts = np.zeros((2, len(segments)), np.intp)
    for rows in np.array_split(np.arange(len(segments)), max(1, len(segments) // _BLOCK)):
        spend(len(rows) * len(d) / 200)
        near = np.abs(d[rows] @ d.T) > _SAME_WAY_COS
        near &= np.abs(x[rows, None] - x) < reach[rows, None] + reach
        near &= np.abs(y[rows, None] - y) < reach[rows, None] + reach
        i, j = np.nonzero(near)
        i = rows[i]
        gap, way, own = middle[j] - middle[i], d[i], length[i]
        away, along = way[:, 0] * gap[:, 1] - way[:, 1] * gap[:, 0], (way * gap).sum(axis=1)
        beside = np.minimum((own + length[j]) / 2 - np.abs(along), length[j]) > _BESIDE * own
        close = beside & (np.abs(away) > _APART_PX) & (np.abs(away) < np.minimum(_CLOSE * own, _CLOSE_PX))
        for side, count in zip((away > 0, away < 0), counts, strict=True):
            count += np.bincount(i[close & side], minlength=len(count))
    hatched = (counts >= _LINES).all(axis=0)
    return np.asarray(segments[~hatched][:_MAX_SEGMENTS], np.float32)


def find_corners(segments: Singles, min_arm_px: float) -> Corners:
    """Corners formed by pairs of `segments` (n, 4) that meet, or would meet if they were a little longer.

    An edge may run on beyond the corner (two cards side by side), so each pair gives up to four corners.
    """
    a, b = segments[:, :2], segments[:, 2:]
    length = np.hypot(*(b - a).T)
    d = (b - a) / np.maximum(length, 1e-6)[:, None]
    # Block by block: with faint lines there may be a million pairs.
    blocks = np.array_split(np.arange(len(segments)), max(1, len(segments) // _BLOCK))
    met = [_meeting(a, d, length, rows) for rows in blocks]
    first, second, s, t = (np.concatenate(part) for part in zip(*met, strict=True))
    d1, d2, l1, l2 = d[first], d[second], length[first], length[second]
    point = a[first] + s[:, None] * d1
    parts = []
    for sign1, arm1 in ((1, l1 - s), (-1, s)):
        for sign2, arm2 in ((1, l2 - t), (-1, t)):
            long_enough = (arm1 > min_arm_px) & (arm2 > min_arm_px)
            parts.append(_oriented(point, sign1 * d1, sign2 * d2, arm1, arm2, long_enough))
    merged = [np.concatenate([p[k] for p in parts]) for k in range(4)]
    order = np.argsort(-np.minimum(merged[3].min(axis=1), 3 * min_arm_px), kind="stable")[:_MAX_CORNERS]
    return Corners(*(np.asarray(x[order], np.float32) for x in merged))


def _meeting(
    a: Singles, d: Singles, length: Singles, rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Singles, Singles]:
    """Which of the segments in these rows meet which later ones (k,), and how far along either they do.

    The segments start at `a` (n, 2), and run along unit vectors `d` (n, 2) for a `length` (n,).
    """
    spend(len(a) * len(rows) / 100)
    later = np.arange(len(a)) > rows[:, None]
    block, second = np.nonzero(later & (np.abs(d[rows] @ d.T) < _MAX_CORNER_ANGLE_COS))
    first = rows[block]
    d1, d2, l1, l2 = d[first], d[second], length[first], length[second]
    offset = a[second] - a[first]
    cross = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
    s = np.asarray((offset[:, 0] * d2[:, 1] - offset[:, 1] * d2[:, 0]) / cross, np.float32)
    t = np.asarray((offset[:, 0] * d1[:, 1] - offset[:, 1] * d1[:, 0]) / cross, np.float32)
    gap = 4 + 0.3 * np.minimum(l1, l2)
    near = (s > -gap) & (s < l1 + gap) & (t > -gap) & (t < l2 + gap)
    return first[near], second[near], s[near], t[near]


def _oriented(
    point: Singles, u: Singles, v: Singles, arm_u: Singles, arm_v: Singles, keep: NDArray[np.bool_]
) -> tuple[Singles, Singles, Singles, Singles]:
    point, u, v, arm = point[keep], u[keep], v[keep], np.stack([arm_u, arm_v], axis=1)[keep]
    swap = (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 0)[:, None]
    return point, np.where(swap, v, u), np.where(swap, u, v), np.where(swap, arm[:, ::-1], arm)


def quads_from_corners(corners: Corners, min_side_px: float, max_side_px: float) -> Singles:
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


def within_another(quads: Singles, inside: Singles, outside: Singles, runs_on: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which quadrilaterals (n, 4, 2) lie evenly in another one, at most a fifth of its width away on each side.

    A frame printed on a card lies so in the card's outline; a card in its shadow lies to one side. `inside` and
    `outside` (n, 4, 3) are the colours next to the sides: the strip between the two must be of one colour, else it is
    not the same card's. Nor is what has far more of its eight edges' ends run on, of `runs_on` (n,): places for cards
    are ruled so on a sheet.
    """
    within = np.zeros(len(quads), bool)
    if len(quads) == 0:
        return within
    first = np.argmin(quads.sum(axis=2), axis=1)
    rows, order = np.arange(len(quads))[:, None], (first[:, None] + np.arange(4)) % 4
    corner, inside, outside = quads[rows, order], inside[rows, order], outside[rows, order]
    darker = darker_all_round(outside, inside)
    side = np.roll(corner, -1, axis=1) - corner
    length = np.linalg.norm(side, axis=2)
    width = length.min(axis=1)
    outward = np.stack([side[..., 1], -side[..., 0]], axis=-1) / np.maximum(length, 1e-3)[..., None]
    middle = corner + side / 2
    centre = quads.mean(axis=1)
    for block in np.array_split(np.arange(len(quads)), max(1, len(quads) // 256)):
        near = np.abs(centre[block, None] - centre[None]).max(axis=2) < 0.15 * width
        inner, outer = np.nonzero(near)
        inner = block[inner]
        margin = ((corner[outer] - middle[inner]) * outward[outer]).sum(axis=2)
        parallel = (outward[inner] * outward[outer]).sum(axis=2).min(axis=1) > 0.99
        share = margin / width[outer][:, None]
        lopsided = np.abs(margin[:, :2] - margin[:, 2:]).max(axis=1) > 2 + 0.3 * margin.max(axis=1)
        even = (share.min(axis=1) > 0.02) & (share.max(axis=1) < 0.2) & ~lopsided
        differs = np.linalg.norm(outside[inner] - inside[outer], axis=2) > _SAME_COLOUR
        # Between cards in rows there is a strip of table round each, which is no border: paper is not as dark.
        one_strip = ~differs.any(axis=1) & ~darker[inner]
        one_strip &= runs_on[outer] <= runs_on[inner] + _MORE_LINES
        within[inner[even & parallel & one_strip]] = True
    return within


def _meet(p: Singles, d: Singles, q: Singles, e: Singles) -> Singles:
    """Where the lines p + s d and q + t e meet; the lines are known not to be parallel."""
    cross = d[:, 0] * e[:, 1] - d[:, 1] * e[:, 0]
    cross = np.where(np.abs(cross) < 0.1, 0.1, cross)
    offset = q - p
    s = (offset[:, 0] * e[:, 1] - offset[:, 1] * e[:, 0]) / cross
    return np.asarray(p + s[:, None] * d, np.float32)


def meet_sides(ends: Singles, quads: Singles, reach_px: float) -> Singles:
    """Corners (n, 4, 2) where neighbouring sides, given by two points each (n, 4, 2, 2), intersect."""
    previous = np.roll(ends, 1, axis=1)
    p, d = previous[:, :, 0], previous[:, :, 1] - previous[:, :, 0]
    q, e = ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0]
    cross = d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]
    safe = np.where(np.abs(cross) < 1e-3, 1e-3, cross)
    offset = q - p
    s = (offset[..., 0] * e[..., 1] - offset[..., 1] * e[..., 0]) / safe
    corners = p + s[..., None] * d
    moved = np.linalg.norm(corners - quads, axis=2, keepdims=True)
    return np.asarray(np.where(moved < 6 * reach_px, corners, quads), np.float32)
