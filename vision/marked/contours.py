"""Refines the pose of a card by its contours: steps in the picture across its sides and round its marks.

Few marks of a mostly covered card are whole, but the visible part has contours at the right places: a stretch of an
edge, an arc of a circle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Floats
from vision.channels import largest
from vision.deck import Deck
from vision.marked.layouts import Hypotheses, Layouts
from vision.marked.outline import corners_of
from vision.marked.sampler import Sampler
from vision.quads import points_within
from vision.render_face import mark_outline_mm

SIDE = 14  # points on each side of a card
RIM = 22  # points round each mark
_CORNER_MM = 1.5  # beyond the round corner
OFFSETS_MM = np.arange(-4, 5) * 0.75
LEAST_STEP = 6.0  # grey levels over two steps of the profile
_MARK_WEIGHT = 8.0  # a whole mark's centre, in contour points
_STIFF = np.diag([1.0, 1.0, 300.0])


@dataclass(frozen=True, eq=False)
class Contours:
    """Of every face of a side: `points_mm` (faces, 4·SIDE + 3·RIM, 2) and the outward `normals`, the same shape.

    The sides come first (top, right, bottom, left), then the small, the medium and the big mark.
    """

    points_mm: Floats
    normals: Floats


def contours_of(deck: Deck, layouts: Layouts) -> Contours:
    """Return the contours of all faces of a side."""
    corners = corners_of(deck)
    inset = deck.corner_radius_mm + _CORNER_MM
    sides = [_along(corners[k], corners[(k + 1) % 4], inset) for k in range(4)]
    faces = [sides + [_round(mark_outline_mm(deck, mark)) for mark in face.marks] for face in layouts.faces]
    return Contours(
        np.array([np.concatenate([points for points, _ in parts]) for parts in faces]),
        np.array([np.concatenate([normals for _, normals in parts]) for parts in faces]),
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


class CardViews:
    """Reads levels at points on hypothetical cards, at each card's pose in the picture."""

    def __init__(self, sampler: Sampler, hypotheses: Hypotheses, deck: Deck) -> None:
        self._sampler = sampler
        self._card_mm = np.array(deck.card_mm)
        self._px = sampler.table.to_px(hypotheses.to_table(corners_of(deck)))

    def levels(self, points_mm: Floats) -> Floats:
        """Return RGB levels (n, ..., 3) at the points (n, ..., 2) of the n cards."""
        return self._sampler.fine_levels(points_within(self._px, points_mm / self._card_mm))


def refined(
    sampler: Sampler, hypotheses: Hypotheses, deck: Deck, contours: Contours, layouts: Layouts, seen_mm: Floats
) -> Hypotheses:
    """Move every hypothesis to the contours in the picture, a few mm at most.

    `seen_mm` (n, 3, 2): found positions of the small, medium and big mark on the table, nan for unseen.
    """
    points, normals = contours.points_mm[hypotheses.faces], contours.normals[hypotheses.faces]
    steps, places = steps_in(levels_across(CardViews(sampler, hypotheses, deck), points, normals))
    middle = points.mean(1, keepdims=True)
    rows = _motion_rows(points - middle, normals)
    centres = layouts.centres_mm[hypotheses.faces]
    gap = _unturned(hypotheses, seen_mm - hypotheses.to_table(centres))
    found = ~np.isnan(gap[..., 0])
    lever, ahead = centres - middle, np.broadcast_to([[1.0, 0.0]], centres.shape)
    mark_rows = np.concatenate([_motion_rows(lever, ahead), _motion_rows(lever, ahead[..., ::-1])], axis=1)
    mark_gap = np.nan_to_num(np.concatenate([gap[..., 0], gap[..., 1]], axis=1))
    mark_weight = _MARK_WEIGHT * np.concatenate([found, found], axis=1)
    mark_left, mark_right = _squares(mark_rows, mark_weight, mark_gap)
    motion = np.zeros((len(hypotheses), 3))
    for scale_mm in (1.5, 1.0, 0.6, 0.6):
        off = (places - (rows @ motion[..., None])[..., 0]) / scale_mm
        left, right = _squares(rows, np.where(steps > LEAST_STEP, (1 + off * off) ** -2, 0.0), places)
        motion[:] = np.linalg.solve(left + mark_left + _STIFF, (right + mark_right)[..., None])[..., 0]
    return _moved(hypotheses, motion, middle[:, 0])


class MovedCards:
    """Refines cards of one side in one picture, each only once: most cards repeat in each round of closer looks."""

    def __init__(self, deck: Deck, contours: Contours, layouts: Layouts) -> None:
        self._deck, self._contours, self._layouts = deck, contours, layouts
        self._poses: dict[bytes, Floats] = {}

    def of(self, sampler: Sampler, found: Hypotheses, seen_mm: Floats) -> Hypotheses:
        """Return the cards moved to their contours in the picture; see `refined`."""
        cards = [row.tobytes() for row in np.column_stack([found.faces, found.marks, found.turn, found.shift_mm])]
        new = np.array([k for k, card in enumerate(cards) if card not in self._poses], np.intp)
        if len(new):
            moved = refined(sampler, found.take(new), self._deck, self._contours, self._layouts, seen_mm[new])
            self._poses |= {cards[k]: pose for k, pose in zip(new, np.c_[moved.turn, moved.shift_mm], strict=True)}
        poses = np.array([self._poses[card] for card in cards])
        return replace(found, turn=poses[:, 0], shift_mm=poses[:, 1:])


def _motion_rows(arms: Floats, normals: Floats) -> Floats:
    """Return the motion (n, p, 3) of each point along its normal as a card moves along x, along y, and turns."""
    turning = arms[..., 0] * normals[..., 1] - arms[..., 1] * normals[..., 0]
    return np.concatenate([normals, turning[..., None]], axis=-1)


def _squares(rows: Floats, weight: Floats, gap: Floats) -> tuple[Floats, Floats]:
    """Return both sides of the normal equations."""
    weighted = rows * weight[..., None]
    return np.einsum("npi,npj->nij", weighted, rows), np.einsum("npi,np->ni", weighted, gap)


def levels_across(views: CardViews, points: Floats, normals: Floats) -> Floats:
    """Return RGB levels (n, p, `OFFSETS_MM`, 3) across each contour point, outwards."""
    return views.levels(points[:, :, None] + OFFSETS_MM[:, None] * normals[:, :, None])


def steps_in(levels: Floats) -> tuple[Floats, Floats]:
    """Return the strongest step (n, p) across each contour point, and its place in mm outwards; see `levels_across`."""
    step = largest(np.abs(levels[:, :, 2:] - levels[:, :, :-2]))
    # Of two edges the nearer one is more likely the card's own.
    nearby = step * (1 - 0.15 * np.abs(OFFSETS_MM[1:-1]))
    best = np.clip(nearby.argmax(-1), 1, step.shape[-1] - 2)[..., None]
    before, at, after = (np.take_along_axis(step, best + k, -1)[..., 0] for k in (-1, 0, 1))
    bend = np.minimum(before - 2 * at + after, -1e-6)
    finer = np.clip(0.5 * (before - after) / bend, -0.5, 0.5)
    return at, OFFSETS_MM[1:-1][best[..., 0]] + (OFFSETS_MM[1] - OFFSETS_MM[0]) * finer


def _unturned(hypotheses: Hypotheses, vectors: Floats) -> Floats:
    """Return vectors (n, k, 2) on the table in each card's own frame."""
    cos, sin = np.cos(hypotheses.turn)[:, None], np.sin(hypotheses.turn)[:, None]
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)


def _moved(hypotheses: Hypotheses, motion: Floats, about: Floats) -> Hypotheses:
    """Return the cards moved by `motion` (n, 3): mm along their x and y, and a turn in rad about `about` (n, 2)."""
    target = hypotheses.to_table((about + motion[:, :2])[:, None])[:, 0]
    turned = replace(hypotheses, turn=hypotheses.turn + motion[:, 2], shift_mm=np.zeros_like(hypotheses.shift_mm))
    return replace(turned, shift_mm=target - turned.to_table(about[:, None])[:, 0])
