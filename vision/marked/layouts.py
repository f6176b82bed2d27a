"""Describes where the marks of a deck's faces are, and hypothetical cards: faces with poses on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.deck import Deck, Face
from vision.marked.marks import Marks
from vision.render_face import mark_outline_mm

_AREA_RATIO = (0.62, 1.4)  # a found mark's area over the printed one's; blur and light move the outline
_FULLNESS_SLACK = (0.11, 0.07, 0.05)  # of small, medium and big marks
OUT_OF_SHAPE = 1.6  # times the slack, where two other marks fit: blur and glare round a mark off
_ROUND = 0.995  # fullness
SIDE, RIM = 14, 22  # contour points on each side of a card, and round each mark
_CORNER_MM = 1.5  # of a side, beyond the round corner
PAIRS = ((0, 1), (1, 2), (0, 2))


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
    """The marks of all n faces of a deck.

    `grounds` are the deck's sides, `ground` (n,) the number of each face's; `colours` (n, 3): index into all colours,
    side by side. `centres_mm` (n, 3, 2): centroids on the card; `areas_mm2` (n, 3); `fullness` (n, 3): see `Marks`;
    `distances_mm` (n, 3): between marks small-medium, medium-big, small-big; `turns` (n,): the signed area of the
    triangle of centres in mm²; `corners_mm` (4, 2): of a card. `points_mm` (n, 4·SIDE + 3·RIM, 2) and outward `normals`
    of the contours: top, right, bottom, left, then the marks.
    """

    grounds: tuple[str, ...]
    faces: tuple[Face, ...]
    ground: NDArray[np.intp]
    colours: NDArray[np.intp]
    centres_mm: Floats
    areas_mm2: Floats
    fullness: Floats
    distances_mm: Floats
    turns: Floats
    corners_mm: Floats
    points_mm: Floats
    normals: Floats

    @cached_property
    def kinds(self) -> list[tuple[int, int, Floats, Floats]]:
        """Return ground, size, and the different areas (k,) and fullness (k,) of such marks."""
        kinds = []
        for ground, size in product(range(len(self.grounds)), range(len(_FULLNESS_SLACK))):
            own = self.ground == ground
            areas, full = self.areas_mm2[own, size].round(2), self.fullness[own, size].round(3)
            kinds.append((ground, size, *np.unique(np.stack([areas, full]), axis=1)))
        return kinds

    def radii_mm(self, ground: int) -> Floats:
        """Return the radii of the round marks on a ground, the greatest first."""
        areas = self.areas_mm2[(self.fullness > _ROUND) & (self.ground == ground)[:, None]]
        return np.asarray(np.sqrt(np.unique(areas.round(1))[::-1] / np.pi))

    def area_range_mm2(self, ground: int) -> tuple[float, float]:
        """Return the least and greatest area of a found mark on a ground."""
        areas = self.areas_mm2[self.ground == ground]
        return float(areas.min() * _AREA_RATIO[0]), float(areas.max() * _AREA_RATIO[1])


@lru_cache(maxsize=4)
def layouts_of(deck: Deck) -> Layouts:
    """Return the layouts of a deck's faces."""
    grounds = tuple(deck.background)
    faces = tuple(face for ground in grounds for face in deck.side(ground))
    palette = [(ground, colour) for ground in grounds for colour in deck.palette[ground]]
    outlines = [[mark_outline_mm(deck, mark) for mark in face.marks] for face in faces]
    parts = [[_moments(outline) for outline in face] for face in outlines]
    centres = np.array([[centre for _, centre, _ in face] for face in parts])
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * deck.card_mm
    inset = deck.corner_radius_mm + _CORNER_MM
    sides = [_along(corners[k], corners[(k + 1) % 4], inset) for k in range(4)]
    contours = [[*sides, *(_round(outline) for outline in face)] for face in outlines]
    return Layouts(
        grounds,
        faces,
        np.array([grounds.index(face.side) for face in faces]),
        np.array([[palette.index((face.side, mark.colour)) for mark in face.marks] for face in faces]),
        centres,
        np.array([[area for area, _, _ in face] for face in parts]),
        np.array([[full for _, _, full in face] for face in parts]),
        apart_of(centres),
        turn_of(centres),
        corners,
        np.array([np.concatenate([points for points, _ in face]) for face in contours]),
        np.array([np.concatenate([normals for _, normals in face]) for face in contours]),
    )


def _along(start: Floats, end: Floats, inset: float) -> tuple[Floats, Floats]:
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    at = np.linspace(inset, length - inset, SIDE)
    return start + at[:, None] * along, np.repeat([[along[1], -along[0]]], SIDE, axis=0)


def _round(outline: Floats) -> tuple[Floats, Floats]:
    """Return points at even distances along an outline, and their outward normals."""
    step = np.roll(outline, -1, axis=0) - outline
    ends = np.cumsum(np.linalg.norm(step, axis=1))
    at = (np.arange(RIM) + 0.5) / RIM * ends[-1]
    edge = np.searchsorted(ends, at)
    length = np.linalg.norm(step[edge], axis=1)
    along = step[edge] / length[:, None]
    points = outline[edge] + (at - ends[edge] + length)[:, None] * along
    x, y = outline.T
    clockwise = np.sign((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return points, clockwise * np.stack([along[:, 1], -along[:, 0]], axis=1)


def apart_of(centres: Floats) -> Floats:
    """Return the distances (n, 3) of marks (n, 3, 2): small-medium, medium-big, small-big."""
    return np.stack([np.linalg.norm(centres[:, a] - centres[:, b], axis=1) for a, b in PAIRS], axis=1)


def turn_of(centres: Floats) -> Floats:
    """Return the signed areas (n,) of the triangles of marks (n, 3, 2)."""
    a, b = centres[:, 1] - centres[:, 0], centres[:, 2] - centres[:, 0]
    return np.asarray((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2)


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """Cards that may be on the table, as parallel arrays of length n.

    `faces` (n,): index into the layouts; `marks` (n, 3): the found marks that are the small, medium and big one, -1 for
    unseen; `turn` (n,) rad and `shift_mm` (n, 2): the pose, table = rotation(turn) @ card + shift; `residual_mm` (n,):
    the root mean square distance of the seen marks from their places on the face. `log_odds` (n,) of being a card that
    is there, of which `colour` (n,) is the log ratio of the marks' hues under the face's colours to any hues at all;
    both 0 until they are weighed.
    """

    faces: NDArray[np.intp]
    marks: NDArray[np.intp]
    turn: Floats
    shift_mm: Floats
    residual_mm: Floats
    log_odds: Floats
    colour: Floats

    def __len__(self) -> int:
        return len(self.faces)

    def take(self, which: NDArray[np.intp] | Flags) -> Hypotheses:
        """Return the chosen hypotheses."""
        return Hypotheses(*(getattr(self, f.name)[which] for f in fields(self)))

    @staticmethod
    def joined(parts: Sequence[Hypotheses]) -> Hypotheses:
        """Return several lists of hypotheses as one."""
        return Hypotheses(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Hypotheses)))

    def to_table(self, points_mm: Floats) -> Floats:
        """Map points (n, k, 2) or (k, 2) on every card to points (n, k, 2) on the table."""
        cos, sin = np.cos(self.turn)[:, None], np.sin(self.turn)[:, None]
        x, y = points_mm[..., 0], points_mm[..., 1]
        placed = np.empty((len(self), *points_mm.shape[-2:]))
        placed[..., 0] = cos * x - sin * y + self.shift_mm[:, :1]
        placed[..., 1] = sin * x + cos * y + self.shift_mm[:, 1:]
        return placed

    def weighed(self, log_odds: Floats) -> Hypotheses:
        """Return the same cards with other log-odds (n,)."""
        return replace(self, log_odds=log_odds)


def unweighed(
    faces: NDArray[np.intp], marks: NDArray[np.intp], turn: Floats, shift_mm: Floats, residual_mm: Floats
) -> Hypotheses:
    """Return cards without log-odds."""
    return Hypotheses(faces, marks, turn, shift_mm, residual_mm, np.zeros(len(faces)), np.zeros(len(faces)))


NO_CARDS = unweighed(np.zeros(0, np.intp), np.zeros((0, 3), np.intp), np.zeros(0), np.zeros((0, 2)), np.zeros(0))


def size_candidates(layouts: Layouts, marks: Marks, loose: float = 1.0) -> Flags:
    """Return whether (n, 3) each found mark may be a whole small, medium or big one of some shape of its side.

    Its shape may differ by `loose` times the usual slack.
    """
    fits = np.zeros((len(marks), 3), dtype=bool)
    for ground, size, areas, full in layouts.kinds:
        on = marks.ground == ground
        ratio, fuller = marks.areas_mm2[on, None] / areas, marks.fullness[on, None] - full
        fits[on, size] = _fit(ratio, fuller, loose * _FULLNESS_SLACK[size]).any(1)
    return fits


def _fit(ratio: Floats, fuller: Floats, slack: float) -> Flags:
    """Return whether marks with this `ratio` of area and this difference of fullness may be printed ones."""
    least, most = _AREA_RATIO
    return np.asarray((ratio > least) & (ratio < most) & (np.abs(fuller) < slack))


def shape_fits(
    layouts: Layouts, marks: Marks, faces: NDArray[np.intp], seen: NDArray[np.intp], loose: float = 1.0
) -> Flags:
    """Return whether (n,) the marks (n, 3), -1 for unseen, have the areas and the fullness of the faces (n,).

    Their shapes may differ by `loose` times the usual slack.
    """
    good = np.ones(len(faces), dtype=bool)
    for size, slack in enumerate(_FULLNESS_SLACK):
        number = seen[:, size]
        ratio = marks.areas_mm2[number] / layouts.areas_mm2[faces, size]
        fuller = marks.fullness[number] - layouts.fullness[faces, size]
        good &= _fit(ratio, fuller, loose * slack) | (number < 0)
    return good


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
    return unweighed(faces, seen, turn, np.stack([shift.real, shift.imag], axis=1), np.sqrt(off.sum(1) / total))
