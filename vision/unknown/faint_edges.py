"""Edges too faint for the segment detector one by one: lines about what is printed, judged by all of a side at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.quads import hold_any
from vision.unknown.card_edges import frames, sample_lab
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_proposals import MIN_SEGMENT_PX, at_corners, at_segments, distinct, fair_share
from vision.unknown.line_segments import SegmentMap, find_corners, length_of, meet_sides
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.view import View

Floats = NDArray[np.float32]

_AROUND_PX = 150.0  # how far from a mark its card's edges are looked for
_NEAREST_PX = 6.0
_MOST_LINES = 40  # about a mark, the longest and nearest
_PARALLEL_COS, _SQUARE_COS = 0.96, 0.5
_LEAST_SHARE = 0.15  # a mark lies at least so far inside its card, by the distance between opposite sides
_MIN_SIDE_PX, _MAX_SIDE_PX = 24.0, 320.0
_MAX_ASPECT = 2.9
_STEP = 0.5  # of offsets across a side, in pixels
_HALF_PX = 1.5  # either way of an offset, where colours are compared
_MARGIN_PX = 4.0  # beyond the reach, to see what changes there anyway
_CLIP = 6.0  # in 8-bit Lab: print on the line must not outweigh the rest of it
_TURNS_PX = np.linspace(-4, 4, 5, dtype=np.float32)  # of a side's ends
_TRIM = 0.1  # rounded corners are left out
_SAMPLES = 24
_FLOOR_PERCENTILE, _LEAST_FLOOR = 35, 0.3  # as in card_poses
_MOST_OF_SIZE = 80


@dataclass(frozen=True, eq=False)
class FaintHints:
    """What a picture `lab`, (h, w, 3) 8-bit Lab, shows of faint cards.

    `lines` (n, 4) are straight edges that are not those of print, `seen` answers where they run; `marks` (k, 2) is what
    may be printed on cards; `markers` (l, 4, 2) are no cards.
    """

    lab: NDArray[np.uint8]
    lines: Floats
    seen: SegmentMap
    marks: Floats
    markers: Floats

    def of_size(self, plane: CardPlane) -> Floats:
        """Quadrilaterals of the card's size (n, 4, 2) about marks, some from everywhere."""
        corners = at_corners(plane, find_corners(self.lines, 0.7 * MIN_SEGMENT_PX))
        quads = np.concatenate([corners, at_segments(plane, self.lines)])
        coverage = self.seen.coverage(quads)
        keep = (coverage.mean(axis=1) > 0.3) & (np.sort(coverage, axis=1)[:, 2] > 0.3)
        keep &= ~holds_marker(quads, self.markers)
        quads, coverage = quads[keep], coverage[keep]
        holding = hold_any(quads, self.marks)
        return fair_share(distinct(quads[holding], coverage[holding].mean(axis=1)), _MOST_OF_SIZE)


def faint_hints(view: View, marks: Floats) -> FaintHints:
    """What a view shows of faint cards on which `marks` (k, 2) may be printed."""
    return FaintHints(view.lab, view.faint_lines, view.faint_map, marks, view.markers)


def quads_about(segments: Floats, marks: Floats) -> Floats:
    """Quadrilaterals (n, 4, 2), clockwise, of four of the `segments` (m, 4) about each of the `marks` (k, 2)."""
    length = np.maximum(length_of(segments), np.float32(1e-3))[:, None]
    direction = np.asarray((segments[:, 2:] - segments[:, :2]) / length, np.float32)
    normal = np.stack([-direction[:, 1], direction[:, 0]], axis=1)
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    found = [_about(mark, middle - mark, direction, normal, length_of(segments)) for mark in marks]
    return np.concatenate([np.zeros((0, 4, 2), np.float32), *found])


def _about(mark: Floats, middle: Floats, direction: Floats, normal: Floats, length: Floats) -> Floats:
    """Quadrilaterals of lines with `middle`, as seen from a mark, `direction`, `normal` (m, 2) and `length` (m,)."""
    distance = np.linalg.norm(middle, axis=1)
    away, along = (middle * normal).sum(axis=1), np.abs((middle * direction).sum(axis=1))
    near = (distance < _AROUND_PX) & (np.abs(away) > _NEAREST_PX) & (along < 1.5 * np.abs(away) + length / 2 + 10)
    lines = np.flatnonzero(near)
    lines = lines[np.argsort(-length[lines] / (40 + distance[lines]), kind="stable")][:_MOST_LINES]
    outward, away = normal[lines] * np.sign(away[lines])[:, None], np.abs(away[lines])
    one, other = np.nonzero(np.triu(outward @ outward.T < -_PARALLEL_COS))
    wide = away[one] + away[other]
    fits = (wide > _MIN_SIDE_PX) & (wide < _MAX_SIDE_PX)
    fits &= np.minimum(away[one], away[other]) > _LEAST_SHARE * wide
    one, other, wide = one[fits], other[fits], wide[fits]
    axis = outward[one] - outward[other]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    first, second = np.nonzero(np.triu(np.abs(axis @ axis.T) < _SQUARE_COS, 1))
    longer, shorter = np.maximum(wide[first], wide[second]), np.minimum(wide[first], wide[second])
    first, second = first[longer < _MAX_ASPECT * shorter], second[longer < _MAX_ASPECT * shorter]
    sides = np.stack([one[first], one[second], other[first], other[second]], axis=1)
    turned = np.stack([sides[:, 0], sides[:, 3], sides[:, 2], sides[:, 1]], axis=1)
    n, m = outward[sides[:, 0]], outward[sides[:, 1]]
    sides = np.where((n[:, 0] * m[:, 1] - n[:, 1] * m[:, 0] > 0)[:, None], sides, turned)
    before = np.roll(sides, 1, axis=1)
    equations = np.stack([outward[before], outward[sides]], axis=2)
    corners = np.linalg.solve(equations, np.stack([away[before], away[sides]], axis=2)[..., None])[..., 0]
    return np.asarray(corners + mark, np.float32)


def moved_onto_edges(image_lab: NDArray[np.uint8], quads: Floats, reach_px: float) -> tuple[Floats, Floats, Floats]:
    """Each side of `quads` (n, 4, 2) where the mean colour along all of it changes most, within `reach_px`.

    And the change there (n, 4, 3) in weighted 8-bit Lab, outward, and what such means change by anyway (n, 4).
    """
    reach = reach_px + _MARGIN_PX
    offsets = np.arange(-reach, reach + _STEP / 2, _STEP, dtype=np.float32)
    along = np.linspace(_TRIM, 1 - _TRIM, _SAMPLES, dtype=np.float32)
    start, side, outward = frames(quads)
    lab = sample_lab(image_lab, start, side, outward, along, offsets, True, smooth=False)
    half = round(_HALF_PX / _STEP)
    change = np.zeros_like(lab)
    change[:, :, half:-half] = np.clip(lab[:, :, 2 * half :] - lab[:, :, : -2 * half], -_CLIP, _CLIP)
    tilt = np.linspace(-1, 1, _SAMPLES)[:, None]
    rows = np.arange(_SAMPLES)[:, None]
    index = [
        np.clip(np.arange(len(offsets)) + np.rint(turn * tilt / _STEP).astype(int), 0, len(offsets) - 1)
        for turn in _TURNS_PX
    ]
    mean = np.stack([change[:, rows, each].mean(axis=1) for each in index], axis=1)
    strength = np.linalg.norm(mean, axis=3)
    floor = np.maximum(np.percentile(strength, _FLOOR_PERCENTILE, axis=(1, 2)), _LEAST_FLOOR)
    searched = np.where(np.abs(offsets) <= reach_px, strength - 0.02 * np.abs(offsets), -1)
    turn, at = np.unravel_index(searched.reshape(len(searched), -1).argmax(axis=1), searched.shape[1:])
    shift = offsets[at][:, None] + _TURNS_PX[turn][:, None] * np.array([-1, 1]) / (1 - 2 * _TRIM)
    ends = np.stack([start, start + side], axis=1) + outward[:, None] * shift[..., None]
    moved = meet_sides(np.asarray(ends.reshape(-1, 4, 2, 2), np.float32), quads, reach_px)
    found = mean[np.arange(len(mean)), turn, at]
    return moved, found.reshape(-1, 4, 3), np.asarray(floor.reshape(-1, 4), np.float32)
