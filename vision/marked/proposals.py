"""Proposes cards of a known deck from marks: three, two, or one with a straight edge of the card.

Three marks at the right distances from each other identify a face and its pose, even with covered edges. Two marks
leave a few faces to choose from. It is geometric hashing (Lamdan and Wolfson 1988) on a metric plane: two points are a
basis and the distances are the key. A single mark has a distance to an edge.
"""

from __future__ import annotations

from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.marked.layouts import (
    NO_CARDS,
    OUT_OF_SHAPE,
    PAIRS,
    Hypotheses,
    Layouts,
    apart_of,
    posed,
    shape_fits,
    size_candidates,
    turn_of,
    unweighed,
)
from vision.marked.marks import Marks, WorkImage
from vision.quads import distances
from vision.table import Table, turned

_WHOLE_SLACK_MM, _PART_SLACK_MM, _EDGE_SLACK_MM = 1.6, 1.2, 1.1
_FLAT_MM2 = 25.0
_AGREE = 0.006
_LEAST_LINE_MM = 9.0
_REACH_MM = 85.0  # of a card's edge from its mark
_COARSE_PX = 8
_BINS = 128  # of steepness: the usual 1,024 spends much time on sorting pixels, for nearly the same edges


def whole_cards(layouts: Layouts, marks: Marks, free: Flags, stretch: float) -> tuple[Hypotheses, Floats]:
    """Return all faces whose layout fits three `free` found marks.

    The whole card may be larger or smaller by `stretch`; also return the scale (n,) of each.
    """
    sizes = size_candidates(layouts, marks, OUT_OF_SHAPE) & free[:, None]
    found = [(NO_CARDS, np.zeros(0))]
    for ground in range(len(layouts.grounds)):
        own, on = np.flatnonzero(layouts.ground == ground), sizes & (marks.ground == ground)[:, None]
        seen, faces, scale = _triples(layouts, marks, own, on, stretch)
        good = shape_fits(layouts, marks, faces, seen, OUT_OF_SHAPE)
        found.append((posed(layouts, marks, faces[good], seen[good]), scale[good]))
    return Hypotheses.joined([cards for cards, _ in found]), np.concatenate([scale for _, scale in found])


def _triples(
    layouts: Layouts, marks: Marks, own: NDArray[np.intp], sizes: Flags, stretch: float
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return the marks (n, 3), faces (n,) of those in `own` (k,), and scales (n,) of cards whose distances fit.

    `sizes` (m, 3): whether each mark may be a small, medium or big one.
    """
    small, medium, big = (np.flatnonzero(sizes[:, k]) for k in range(3))
    known = layouts.distances_mm[own]
    low, high = known.min(0) - _WHOLE_SLACK_MM, known.max(0) + _WHOLE_SLACK_MM
    to_small = distances(marks.centres_mm[medium], marks.centres_mm[small])
    to_big = distances(marks.centres_mm[medium], marks.centres_mm[big])
    m, s = np.nonzero((to_small > low[0]) & (to_small < high[0]))
    pair, b = np.nonzero(((to_big > low[1]) & (to_big < high[1]))[m])
    seen = np.stack([small[s[pair]], medium[m[pair]], big[b]], axis=1)
    centres = marks.centres_mm[seen]
    sides = apart_of(centres)
    # One distance rules out most faces; the exact test handles the rest.
    which, faces = np.nonzero(np.abs(sides[:, :1] - known[:, 0]) < _WHOLE_SLACK_MM + stretch * known[:, 0])
    seen_sides, face_sides = sides[which], known[faces]
    scale = (seen_sides * face_sides).sum(1) / (face_sides * face_sides).sum(1)
    close = np.abs(scale - 1) < stretch
    close &= (np.abs(seen_sides - scale[:, None] * face_sides) < _WHOLE_SLACK_MM).all(1)
    which, faces, scale = which[close], own[faces[close]], scale[close]
    # The mirror image has the same distances; flat triangles have no clear orientation.
    same = (turn_of(centres)[which] * layouts.turns[faces] > 0) | (np.abs(layouts.turns)[faces] < _FLAT_MM2)
    return seen[which[same]], faces[same], scale[same]


def common_stretch(stretches: Floats, residual_mm: Floats) -> float:
    """Return the stretch most cards agree on: light that blooms over the markers' black makes them look smaller."""
    tight = stretches[residual_mm < np.median(residual_mm) + 0.2] if len(stretches) else stretches
    if not len(tight):
        return 1.0
    near = np.abs(tight[:, None] - tight[None]) < _AGREE
    votes = near.sum(1) - 0.5 * np.abs(tight - 1) / _AGREE
    return float(np.median(tight[near[votes.argmax()]]))


def part_cards(layouts: Layouts, marks: Marks, free: Flags, likely: Flags) -> Hypotheses:
    """Return all faces whose layout fits two found marks, both `free`.

    `likely` (n, faces, 3): whether a found mark may be the face's mark by its ground and colour.
    """
    sizes = size_candidates(layouts, marks) & free[:, None]
    found = [NO_CARDS]
    for column, (a, b) in enumerate(PAIRS):
        one, other = np.flatnonzero(sizes[:, a]), np.flatnonzero(sizes[:, b])
        apart = distances(marks.centres_mm[one], marks.centres_mm[other])
        known = layouts.distances_mm[:, column]
        i, j = np.nonzero((apart > known.min() - _PART_SLACK_MM) & (apart < known.max() + _PART_SLACK_MM))
        close = np.abs(apart[i, j][:, None] - known) < _PART_SLACK_MM
        pair, faces = np.nonzero(close & likely[one[i], :, a] & likely[other[j], :, b])
        i, j = i[pair], j[pair]
        seen = np.full((len(i), 3), -1, dtype=np.intp)
        seen[:, a], seen[:, b] = one[i], other[j]
        good = shape_fits(layouts, marks, faces, seen)
        found.append(posed(layouts, marks, faces[good], seen[good]))
    return Hypotheses.joined(found)


def find_lines(work: WorkImage, table: Table, around_mm: Floats) -> Floats:
    """Return straight edges (n, 2, 2) on the table in mm, near the points `around_mm` (k, 2)."""
    if not len(around_mm):
        return np.zeros((0, 2, 2))
    around_px = table.to_px(around_mm)
    reach = round(_REACH_MM * float(np.median(table.px_per_mm(around_px))) * work.scale)
    ends = [_segments(work.bgr[part]) + (part[1].start, part[0].start) for part in _parts(work, around_px, reach)]
    lines = table.to_mm(work.to_picture(np.concatenate(ends).reshape(-1, 2))).reshape(-1, 2, 2)
    return np.asarray(lines[np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > _LEAST_LINE_MM])


def _parts(work: WorkImage, around_px: Floats, reach: int) -> list[tuple[slice, slice]]:
    """Return rows and columns of the parts of the work image within `reach` of the points (k, 2).

    Points far apart get parts of their own.
    """
    height, width = work.bgr.shape[:2]
    near = np.zeros((-(-height // _COARSE_PX), -(-width // _COARSE_PX)), np.uint8)
    column, row = np.rint(work.to_work(around_px) / _COARSE_PX).astype(np.intp).T
    near[row.clip(0, len(near) - 1), column.clip(0, near.shape[1] - 1)] = 1
    side = 2 * -(-reach // _COARSE_PX) + 1
    near = np.asarray(cv2.dilate(near, np.ones((side, side), np.uint8)), np.uint8)
    boxes = cv2.connectedComponentsWithStats(near)[2][1:, :4]
    whole = np.array([cv2.boundingRect(near)])
    boxes = boxes if boxes[:, 2:].prod(1).sum() < whole[:, 2:].prod() else whole
    return [np.s_[y : y + down, x : x + across] for x, y, across, down in (_COARSE_PX * boxes).tolist()]


def _segments(bgr: NDArray[np.uint8]) -> Floats:
    """Return the ends (n, 2, 2) of straight edges in an image (h, w, 3), in px."""
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    # OpenCV returns None without lines, which its stubs leave out.
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE, n_bins=_BINS)
    found = cast("Floats | None", detector.detect(grey)[0])
    return np.zeros((0, 2, 2)) if found is None else np.asarray(found, np.float64).reshape(-1, 2, 2)


def lone_mark_cards(
    layouts: Layouts, marks: Marks, chosen: NDArray[np.intp], allowed: Flags, lines_mm: Floats
) -> Hypotheses:
    """Return all faces with a chosen mark as far from one of the lines as from one of the card's sides.

    `chosen` (k,): indices of marks; `allowed` (k, faces, 3): whether a mark may be the face's mark by its ground and
    colour; `lines_mm` (n, 2, 2): the ends of the straight edges.
    """
    if not len(chosen) or not len(lines_mm):
        return NO_CARDS
    sizes = size_candidates(layouts, marks)[chosen]
    along = lines_mm[:, 1] - lines_mm[:, 0]
    normal = _left_of(along)
    gap = ((lines_mm.mean(1)[None] - marks.centres_mm[chosen][:, None]) * normal[None]).sum(-1)  # (k, lines), signed
    corners = layouts.corners_mm
    outward = _left_of(np.roll(corners, -1, axis=0) - corners)
    reach = ((corners[None, None] - layouts.centres_mm[:, :, None]) * outward).sum(-1)  # (faces, 3, 4)
    parts = [NO_CARDS]
    for size in range(3):
        fits = np.flatnonzero(sizes[:, size])
        for side in range(4):
            off = np.abs(np.abs(gap)[fits, :, None] - reach[:, size, side])
            k, line, face = np.nonzero((off < _EDGE_SLACK_MM) & allowed[fits, None, :, size])
            residual, k = off[k, line, face], fits[k]
            towards = np.sign(gap[k, line])[:, None] * normal[line]
            turn = np.arctan2(towards[:, 1], towards[:, 0]) - np.arctan2(outward[side, 1], outward[side, 0])
            seen = np.full((len(k), 3), -1, dtype=np.intp)
            seen[:, size] = chosen[k]
            shift = marks.centres_mm[chosen[k]] - turned(layouts.centres_mm[face, size], turn)
            found = unweighed(face, seen, turn, shift, residual)
            parts.append(found.take(_on_side(found, lines_mm[line].mean(1), corners, side)))
    found = Hypotheses.joined(parts)
    return found.take(shape_fits(layouts, marks, found.faces, found.marks))


def _left_of(along: Floats) -> Floats:
    """Return unit vectors (n, 2) a quarter turn from the vectors (n, 2): outwards on a card's clockwise sides."""
    across = np.stack([along[:, 1], -along[:, 0]], axis=1)
    return np.asarray(across / np.linalg.norm(along, axis=1, keepdims=True))


def _on_side(found: Hypotheses, line_middle: Floats, corners: Floats, side: int) -> NDArray[np.bool_]:
    """Return whether the line's middle is between the ends of its assumed side."""
    ends = found.to_table(corners[[side, (side + 1) % 4]])
    along = ends[:, 1] - ends[:, 0]
    at = ((line_middle - ends[:, 0]) * along).sum(1) / (along * along).sum(1)
    return np.asarray((at > -0.02) & (at < 1.02))
