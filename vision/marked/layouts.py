"""Proposes cards of a known deck from the distances between marks alone.

Three marks at the right distances from each other identify a face and its pose, even with covered edges. Two marks
leave a few faces to choose from. It is geometric hashing (Lamdan and Wolfson 1988) on a metric plane: two points are a
basis and the distances are the key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck, Face
from vision.marked.marks import Marks
from vision.quads import distances
from vision.render_face import mark_outline_mm

_AREA_RATIO = (0.62, 1.4)  # a found mark's area over the printed one's; blur and light move the outline
_FULLNESS_SLACK = {"small": 0.11, "medium": 0.07, "big": 0.05}
OUT_OF_SHAPE = 1.6  # times the slack, where two other marks fit: blur and glare round a mark off
_FLAT_MM2 = 25.0
ROUND = 0.995  # fullness
_AGREE = 0.006
_PAIRS = ((0, 1), (1, 2), (0, 2))


def _moments(outline: Floats) -> tuple[float, Floats, float]:
    """Return area, centroid and fullness of a polygon (Green's theorem)."""
    origin = outline.mean(0)
    x, y = (outline - origin).T
    u, v = np.roll(x, -1), np.roll(y, -1)
    cross = x * v - u * y
    area = cross.sum() / 2
    cx, cy = ((x + u) * cross).sum() / (6 * area), ((y + v) * cross).sum() / (6 * area)
    xx = ((x * x + x * u + u * u) * cross).sum() / (12 * area) - cx * cx
    yy = ((y * y + y * v + v * v) * cross).sum() / (12 * area) - cy * cy
    xy = ((x * v + 2 * x * y + 2 * u * v + u * y) * cross).sum() / (24 * area) - cx * cy
    return abs(area), origin + (cx, cy), abs(area) / (4 * np.pi * np.sqrt(xx * yy - xy * xy))


@dataclass(frozen=True, eq=False)
class Layouts:
    """The marks of all n faces of one side.

    `centres_mm` (n, 3, 2): centroids on the card; `areas_mm2` (n, 3); `fullness` (n, 3): see `vision.marked.marks`;
    `distances_mm` (n, 3): between marks small-medium, medium-big, small-big; `turns` (n,): the signed area of the
    triangle of centres in mm².
    """

    side: str
    faces: tuple[Face, ...]
    centres_mm: Floats
    areas_mm2: Floats
    fullness: Floats
    distances_mm: Floats
    turns: Floats

    @cached_property
    def kinds(self) -> tuple[Floats, Floats, Floats]:
        """Return the different areas and fullness (2, k) of small, medium and big marks."""
        small, medium, big = np.stack([self.areas_mm2.round(2), self.fullness.round(3)]).swapaxes(0, 2)
        return np.unique(small, axis=0).T, np.unique(medium, axis=0).T, np.unique(big, axis=0).T

    @cached_property
    def all_round(self) -> bool:
        """Return whether all marks are circles."""
        return bool((self.fullness > ROUND).all())

    @property
    def area_range_mm2(self) -> tuple[float, float]:
        """Return the least and greatest area of a found mark."""
        return float(self.areas_mm2.min() * _AREA_RATIO[0]), float(self.areas_mm2.max() * _AREA_RATIO[1])


def layouts_of(deck: Deck, side: str) -> Layouts:
    """Return the layouts of one side of a deck."""
    faces = deck.side(side)
    parts = [[_moments(mark_outline_mm(deck, mark)) for mark in face.marks] for face in faces]
    centres = np.array([[centre for _, centre, _ in face] for face in parts])
    return Layouts(
        side,
        faces,
        centres,
        np.array([[area for area, _, _ in face] for face in parts]),
        np.array([[full for _, _, full in face] for face in parts]),
        _distances(centres),
        _turn(centres),
    )


def _distances(centres: Floats) -> Floats:
    return np.stack([np.linalg.norm(centres[:, a] - centres[:, b], axis=1) for a, b in _PAIRS], axis=1)


def _turn(centres: Floats) -> Floats:
    a, b = centres[:, 1] - centres[:, 0], centres[:, 2] - centres[:, 0]
    return np.asarray((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2)


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """Cards that may be on the table, as parallel arrays.

    `faces` (n,): index into the layouts; `marks` (n, 3): the found marks that are the small, medium and big one, -1 for
    unseen; `turn` (n,) rad and `shift_mm` (n, 2): the pose, table = rotation(turn) @ card + shift; `residual_mm` (n,):
    the root mean square distance of the seen marks from their places on the face.
    """

    faces: NDArray[np.intp]
    marks: NDArray[np.intp]
    turn: Floats
    shift_mm: Floats
    residual_mm: Floats

    def __len__(self) -> int:
        return len(self.faces)

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> Hypotheses:
        """Return the chosen hypotheses."""
        return Hypotheses(
            self.faces[which], self.marks[which], self.turn[which], self.shift_mm[which], self.residual_mm[which]
        )

    def to_table(self, points_mm: Floats) -> Floats:
        """Map points (n, k, 2) or (k, 2) on every card to points (n, k, 2) on the table."""
        cos, sin = np.cos(self.turn)[:, None], np.sin(self.turn)[:, None]
        x, y = points_mm[..., 0], points_mm[..., 1]
        placed = np.empty((len(self), *points_mm.shape[-2:]))
        placed[..., 0] = cos * x - sin * y + self.shift_mm[:, :1]
        placed[..., 1] = sin * x + cos * y + self.shift_mm[:, 1:]
        return placed


def concatenated(parts: list[Hypotheses]) -> Hypotheses:
    """Return several lists of hypotheses as one."""
    return Hypotheses(
        np.concatenate([p.faces for p in parts]),
        np.concatenate([p.marks for p in parts]),
        np.concatenate([p.turn for p in parts]),
        np.concatenate([p.shift_mm for p in parts]),
        np.concatenate([p.residual_mm for p in parts]),
    )


def size_candidates(layouts: Layouts, marks: Marks, loose: float = 1.0) -> NDArray[np.bool_]:
    """Return whether (n, 3) each found mark may be a whole small, medium or big one of some shape of this side.

    Its shape may differ by `loose` times the usual slack.
    """
    fits = np.zeros((len(marks), 3), dtype=bool)
    for size, (areas, full) in enumerate(layouts.kinds):
        ratio, fuller = marks.areas_mm2[:, None] / areas, marks.fullness[:, None] - full
        fits[:, size] = _fit(layouts, size, ratio, fuller, loose).any(1)
    return fits


def _fit(layouts: Layouts, size: int, ratio: Floats, fuller: Floats, loose: float) -> NDArray[np.bool_]:
    """Return whether marks with this `ratio` of area and this difference of fullness fit a small, medium or big one."""
    least, most = _AREA_RATIO
    slack = loose * _FULLNESS_SLACK[layouts.faces[0].marks[size].size]
    return np.asarray((ratio > least) & (ratio < most) & (np.abs(fuller) < slack))


def shape_fits(
    layouts: Layouts, marks: Marks, faces: NDArray[np.intp], seen: NDArray[np.intp], loose: float = 1.0
) -> NDArray[np.bool_]:
    """Return whether (n,) the marks (n, 3), -1 for unseen, have the areas and the fullness of the faces (n,).

    Their shapes may differ by `loose` times the usual slack.
    """
    good = np.ones(len(faces), dtype=bool)
    for size in range(3):
        number = seen[:, size]
        ratio = marks.areas_mm2[number] / layouts.areas_mm2[faces, size]
        fuller = marks.fullness[number] - layouts.fullness[faces, size]
        good &= _fit(layouts, size, ratio, fuller, loose) | (number < 0)
    return good


def whole_cards(
    layouts: Layouts,
    marks: Marks,
    slack_mm: float,
    free: NDArray[np.bool_],
    stretch: float,
) -> tuple[Hypotheses, Floats]:
    """Return all faces whose layout fits three `free` found marks, each distance within `slack_mm`.

    The whole card may be larger or smaller by `stretch`; also return the scale (n,) of each.
    """
    if np.count_nonzero(free) < 3:
        return no_cards(), np.zeros(0)
    sizes = size_candidates(layouts, marks, OUT_OF_SHAPE) & free[:, None]
    small, medium, big = (np.flatnonzero(sizes[:, k]) for k in range(3))
    apart = distances(marks.centres_mm, marks.centres_mm)
    low, high = layouts.distances_mm.min(0) - slack_mm, layouts.distances_mm.max(0) + slack_mm
    to_small, to_big = apart[medium][:, small], apart[medium][:, big]
    m, s = np.nonzero((to_small > low[0]) & (to_small < high[0]))
    pair, b = np.nonzero(((to_big > low[1]) & (to_big < high[1]))[m])
    if not len(pair):
        return no_cards(), np.zeros(0)
    seen = np.stack([small[s[pair]], medium[m[pair]], big[b]], axis=1)
    centres = marks.centres_mm[seen]
    sides, known = _distances(centres), layouts.distances_mm
    # One distance rules out most faces; the exact test handles the rest.
    which, faces = np.nonzero(np.abs(sides[:, :1] - known[:, 0]) < slack_mm + stretch * known[:, 0])
    seen_sides, face_sides = sides[which], known[faces]
    scale = (seen_sides * face_sides).sum(1) / (face_sides * face_sides).sum(1)
    close = np.abs(scale - 1) < stretch
    close &= (np.abs(seen_sides - scale[:, None] * face_sides) < slack_mm).all(1)
    which, faces, scale = which[close], faces[close], scale[close]
    # The mirror image has the same distances; flat triangles have no clear orientation.
    same = (_turn(centres)[which] * layouts.turns[faces] > 0) | (np.abs(layouts.turns)[faces] < _FLAT_MM2)
    which, faces, scale = which[same], faces[same], scale[same]
    good = shape_fits(layouts, marks, faces, seen[which], OUT_OF_SHAPE)
    return posed(layouts, marks, faces[good], seen[which[good]]), scale[good]


def common_stretch(stretches: Floats, residual_mm: Floats) -> float:
    """Return the stretch most cards agree on: light that blooms over the markers' black makes them look smaller."""
    tight = stretches[residual_mm < np.median(residual_mm) + 0.2] if len(stretches) else stretches
    if not len(tight):
        return 1.0
    near = np.abs(tight[:, None] - tight[None]) < _AGREE
    votes = near.sum(1) - 0.5 * np.abs(tight - 1) / _AGREE
    return float(np.median(tight[near[votes.argmax()]]))


def part_cards(
    layouts: Layouts,
    marks: Marks,
    slack_mm: float,
    free: NDArray[np.bool_],
    likely: NDArray[np.bool_],
) -> Hypotheses:
    """Return all faces whose layout fits two found marks, both `free`, with the distance within `slack_mm`.

    `likely` (n, faces, 3): whether a found mark's colour may be that of the face's mark.
    """
    if np.count_nonzero(free) < 2:
        return no_cards()
    sizes = size_candidates(layouts, marks) & free[:, None]
    found = [no_cards()]
    for column, (a, b) in enumerate(_PAIRS):
        one, other = np.flatnonzero(sizes[:, a]), np.flatnonzero(sizes[:, b])
        apart = distances(marks.centres_mm[one], marks.centres_mm[other])
        known = layouts.distances_mm[:, column]
        i, j = np.nonzero((apart > known.min() - slack_mm) & (apart < known.max() + slack_mm))
        close = np.abs(apart[i, j][:, None] - known) < slack_mm
        pair, faces = np.nonzero(close & likely[one[i], :, a] & likely[other[j], :, b])
        i, j = i[pair], j[pair]
        seen = np.full((len(i), 3), -1, dtype=np.intp)
        seen[:, a], seen[:, b] = one[i], other[j]
        good = shape_fits(layouts, marks, faces, seen)
        found.append(posed(layouts, marks, faces[good], seen[good]))
    return concatenated(found)


def no_cards() -> Hypotheses:
    """Return an empty list of hypotheses."""
    whole = np.zeros(0, np.intp)
    return Hypotheses(whole, np.zeros((0, 3), np.intp), np.zeros(0), np.zeros((0, 2)), np.zeros(0))


def posed(layouts: Layouts, marks: Marks, faces: NDArray[np.intp], seen: NDArray[np.intp]) -> Hypotheses:
    """Fit the rigid pose of every face to its marks (Procrustes in the plane)."""
    weight = (seen >= 0).astype(np.float64)
    model = layouts.centres_mm[faces] @ np.array([1, 1j])
    found = marks.centres_mm[seen] @ np.array([1, 1j])
    total = weight.sum(1)
    model_mean, found_mean = (model * weight).sum(1) / total, (found * weight).sum(1) / total
    turn = np.angle(((found - found_mean[:, None]) * np.conj(model - model_mean[:, None]) * weight).sum(1))
    shift = found_mean - np.exp(1j * turn) * model_mean
    off = np.abs(np.exp(1j * turn)[:, None] * model + shift[:, None] - found) ** 2 * weight
    return Hypotheses(faces, seen, turn, np.stack([shift.real, shift.imag], axis=1), np.sqrt(off.sum(1) / total))
