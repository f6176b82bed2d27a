"""Contours of a card: points on its sides and round its marks, and what a picture shows on either side of them.

Where a card is mostly covered, few of its marks are whole, but what shows of it shows contours at the right places: a
stretch of an edge, an arc of a circle. They refine the pose of a hypothetical card, and speak for it or against it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.marked.channels import channel_most, channel_range
from vision.marked.colour import GRAIN_CHROMA, LEAST_CHROMA, hue_deg, hue_gap, linear_of, oklab
from vision.marked.evidence import Sampler, like_ground
from vision.marked.layouts import Hypotheses, Layouts
from vision.marked.outline import corners_of
from vision.quads import points_within, within_quads
from vision.render_face import mark_outline_mm

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SIDE = 14  # points on each side of a card
RIM = 22  # points round each mark
_CORNER_MM = 1.5  # beyond the round corner
_OFFSETS_MM = np.arange(-4, 5) * 0.75
# Light blooms over black: its ground is looked for farther out.
_ACROSS_MM = {
    "white": np.array([-1.5, -0.75, 0.0, 0.75, 1.5]),
    "black": np.array([-1.5, -0.75, 0.0, 0.75, 2.2]),
}
OUTSIDE_MM = {side: float(places[-1]) for side, places in _ACROSS_MM.items()}
_LEAST_STEP = 6.0  # grey levels over two steps of the profile
_EXACT_MM = 0.5  # true contours lie so well where they have been moved, seen at a pixel a millimetre
_MARK_WEIGHT = 8.0  # a whole mark's centre, in contour points
_STIFF = np.diag([1.0, 1.0, 300.0])
_LEAST_LIGHT = 0.02
_NEAR_DEG = 28.0
_FAR = 1000.0  # a level that nothing has
_CLIPPED = 248
_NOISE = 10.0
_DEEPEST_SHADOW, _SHADOW_TINT = 0.2, 0.16  # of the levels of white ground


@dataclass(frozen=True, eq=False)
class Contours:
    """Of every face of a side: `points_mm` (faces, 4·SIDE + 3·RIM, 2) and the outward `normals`, the same shape.

    The sides come first (top, right, bottom, left), then the small, the medium and the big mark.
    """

    points_mm: Floats
    normals: Floats


def contours_of(deck: Deck, layouts: Layouts) -> Contours:
    """Work out the contours of all faces of a side."""
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
    """Points at even distances along an outline, and which way is out."""
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
    """Reads levels at points on hypothetical cards, as each lies in the picture."""

    def __init__(self, sampler: Sampler, hypotheses: Hypotheses, deck: Deck) -> None:
        self._sampler = sampler
        self._card_mm = np.array(deck.card_mm)
        self._px = sampler.table.to_px(hypotheses.to_table(corners_of(deck)).reshape(-1, 2)).reshape(-1, 4, 2)

    def levels(self, points_mm: Floats) -> Floats:
        """(n, ..., 3) RGB levels at the points (n, ..., 2) of the n cards."""
        return self._sampler.fine_levels(points_within(self._px, points_mm / self._card_mm))


def refined(
    sampler: Sampler, hypotheses: Hypotheses, deck: Deck, contours: Contours, layouts: Layouts, seen_mm: Floats
) -> Hypotheses:
    """Move every hypothesis to where the contours in the picture are, a few mm at most.

    `seen_mm` (n, 3, 2): where the small, medium and big mark were found on the table, nan for unseen.
    """
    points, normals = contours.points_mm[hypotheses.faces], contours.normals[hypotheses.faces]
    steps, places = _steps(CardViews(sampler, hypotheses, deck), points, normals)
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
        left, right = _squares(rows, np.where(steps > _LEAST_STEP, (1 + off * off) ** -2, 0.0), places)
        motion[:] = np.linalg.solve(left + mark_left + _STIFF, (right + mark_right)[..., None])[..., 0]
    return _moved(hypotheses, motion, middle[:, 0])


def _motion_rows(arms: Floats, normals: Floats) -> Floats:
    """(n, p, 3) how far each point moves along its normal when a card moves along x, along y, and turns."""
    turning = arms[..., 0] * normals[..., 1] - arms[..., 1] * normals[..., 0]
    return np.concatenate([normals, turning[..., None]], axis=-1)


def _squares(rows: Floats, weight: Floats, gap: Floats) -> tuple[Floats, Floats]:
    """Both sides of the normal equations."""
    weighted = rows * weight[..., None]
    return np.einsum("npi,npj->nij", weighted, rows), np.einsum("npi,np->ni", weighted, gap)


def _steps(views: CardViews, points: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """(n, p) the strongest step across each contour point, and where it lies in mm outwards."""
    levels = views.levels(points[:, :, None] + _OFFSETS_MM[:, None] * normals[:, :, None])
    step = channel_most(np.abs(levels[:, :, 2:] - levels[:, :, :-2]))
    # Of two edges the nearer one is more likely the card's own.
    nearby = step * (1 - 0.15 * np.abs(_OFFSETS_MM[1:-1]))
    best = np.clip(nearby.argmax(-1), 1, step.shape[-1] - 2)[..., None]
    before, at, after = (np.take_along_axis(step, best + k, -1)[..., 0] for k in (-1, 0, 1))
    bend = np.minimum(before - 2 * at + after, -1e-6)
    finer = np.clip(0.5 * (before - after) / bend, -0.5, 0.5)
    return at, _OFFSETS_MM[1:-1][best[..., 0]] + (_OFFSETS_MM[1] - _OFFSETS_MM[0]) * finer


def _unturned(hypotheses: Hypotheses, vectors: Floats) -> Floats:
    """Vectors (n, k, 2) on the table as they are on each card."""
    cos, sin = np.cos(hypotheses.turn)[:, None], np.sin(hypotheses.turn)[:, None]
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)


def _moved(hypotheses: Hypotheses, motion: Floats, about: Floats) -> Hypotheses:
    """Every card moved by `motion` (n, 3), x and y in mm along its own sides and a turn in rad about (n, 2) of it."""
    target = hypotheses.to_table((about + motion[:, :2])[:, None])[:, 0]
    turned = replace(hypotheses, turn=hypotheses.turn + motion[:, 2], shift_mm=np.zeros_like(hypotheses.shift_mm))
    return replace(turned, shift_mm=target - turned.to_table(about[:, None])[:, 0])


@dataclass(frozen=True, eq=False)
class Traces:
    """What a picture shows along the contours of n cards, outside the cards that are known.

    Of each side (n, 4): `edge_open`, the share where the card's ground shows within it, and `edge_seen`, the share
    where it shows and ends there. Of each mark (n, 3): `rim_seen`, the share of its rim with its colour within and
    ground outside; `rim_cut`, with its colour within and something else outside; `rim_spilt`, with its colour on both
    sides; `rim_bare`, with ground on both sides; `rim_open`, outside the known cards. `edge_exact` (n, 4), `rim_exact`
    (n, 3): where the strongest step is less than half a mm off; `edge_void` (n, 4): where the table shows within.
    """

    edge_open: Floats
    edge_seen: Floats
    rim_seen: Floats
    rim_cut: Floats
    rim_spilt: Floats
    rim_bare: Floats
    rim_open: Floats
    edge_exact: Floats
    edge_void: Floats
    rim_exact: Floats


@dataclass(frozen=True, eq=False)
class CardColours:
    """The colours of n cards in their light.

    `ground` (n, 3): each card's own, in RGB levels; `rings` (n, 3, 3): the same round each mark, which may lie in
    another light; `hues_deg` (n, 3): the marks' colours; `least_chroma` (n,): see `least_print`.
    """

    ground: Floats
    rings: Floats
    hues_deg: Floats
    least_chroma: Floats


def traces(
    sampler: Sampler,
    hypotheses: Hypotheses,
    deck: Deck,
    contours: Contours,
    side: str,
    colours: CardColours,
    known_mm: Floats,
) -> Traces:
    """Look along the contours; `known_mm` (k, 4, 2): corners of known cards."""
    points, normals = contours.points_mm[hypotheses.faces], contours.normals[hypotheses.faces]
    across = points[:, :, None] + _ACROSS_MM[side][:, None] * normals[:, :, None]
    views = CardViews(sampler, hypotheses, deck)
    levels = views.levels(across)
    covered = within_quads(hypotheses.to_table(across[:, :, 0]), known_mm)
    within, outside = levels[:, :, 0], levels[:, :, -1]
    step = channel_most(np.abs(levels[:, :, 2:] - levels[:, :, :-2])).max(-1) > _LEAST_STEP
    sides, marks = slice(0, 4 * SIDE), slice(4 * SIDE, None)
    own = colours.ground[:, None]
    plain, shaded = like_ground(within[:, sides], own, side), in_other_light(within[:, sides], own, side)
    edge_open = (plain | (shaded & np.array(side == "white"))) & ~covered[:, sides]
    edge_seen = edge_open & step[:, sides]
    strongest, places = _steps(views, points, normals)
    exact = (strongest > _LEAST_STEP) & (np.abs(places) < _EXACT_MM)
    # Under a reflection black is grey, and so may the table be, but then the card ends where it gets lighter.
    darker = (within[:, sides] < outside[:, sides]).all(-1)
    edge_exact = exact[:, sides] & (edge_open | (shaded & darker & ~covered[:, sides]))
    edge_void = _like_beside(within[:, sides], outside[:, sides], edge_exact) & ~(plain | shaded | covered[:, sides])
    within, outside, hidden = within[:, marks], outside[:, marks], covered[:, marks]
    ground, expected = np.repeat(colours.rings, RIM, axis=1), np.repeat(colours.hues_deg, RIM, axis=1)
    open_outside, other_light = like_ground(outside, ground, side), in_other_light(outside, ground, side)
    # Freed of the ground right beside it a mark keeps its colour in shadow and under a reflection.
    local = np.where((open_outside | other_light)[..., None], outside, ground)
    like_bare = like_ground(within, ground, side)
    tinted = coloured(within, local, side, expected, colours.least_chroma[:, None]) & ~hidden
    if side == "white":
        # Under haze or glare print may be as pale as a shadow, but not as grey: where a mark was not found, that is all
        # that is asked of it not to be missing.
        least = np.repeat(np.where(hypotheses.marks >= 0, colours.least_chroma[:, None], GRAIN_CHROMA), RIM, axis=1)
        bare = like_bare & ~coloured(within, local, side, expected, least) & ~hidden
    else:
        bare = like_bare & ~hidden
        tinted &= ~bare
    spilt = coloured(outside, ground, side, expected) & ~open_outside
    shown = open_outside | (other_light & ~spilt)
    return Traces(
        _shares(edge_open, 4),
        _shares(edge_seen, 4),
        _shares(tinted & shown, 3),
        _shares(tinted & ~shown & ~spilt, 3),
        _shares(tinted & spilt, 3),
        _shares(bare & open_outside, 3),
        _shares(~hidden, 3),
        _shares(edge_exact, 4),
        _shares(edge_void, 4),
        _shares(exact[:, marks] & ~hidden, 3),
    )


def _like_beside(within: Floats, outside: Floats, ends: Bools) -> Bools:
    """Whether levels (n, p, 3) within sides look like those outside them where the card ends for certain, (n, p)."""
    levels = np.sort(np.where(ends[..., None], outside, _FAR), axis=1)
    beside = np.take_along_axis(levels, (ends.sum(1) // 2)[:, None, None], axis=1)
    return like_ground(within, beside, "black")


def _shares(good: Bools, parts: int) -> Floats:
    return np.asarray(good.reshape(len(good), parts, -1).mean(2))


def in_other_light(levels: Floats, ground: Floats, side: str) -> Bools:
    """Whether levels may be a card's ground in a shadow, darker but of the same tint, or black under a reflection."""
    if side == "black":
        least, most = channel_range(levels)
        return np.asarray(most - least < 0.25 * most + 12)
    least, most = channel_range((levels + _NOISE) / (ground + _NOISE))
    return np.asarray((most < 1) & (least > _DEEPEST_SHADOW) & (most - least < _SHADOW_TINT * most))


def coloured(
    levels: Floats, ground: Floats, side: str, hues: Floats, least_chroma: Floats | float = LEAST_CHROMA
) -> Bools:
    """Whether levels (n, p, 3) show the hues (n, p) on a ground (n, p, 3)."""
    mark, bare = linear_of(levels), linear_of(ground)
    if side == "white":
        lab, light = oklab((mark + 0.002) / (bare + 0.002)), np.ones(levels.shape[:-1])
        clipped: Bools = np.zeros(levels.shape[:-1], dtype=bool)
    else:
        freed = np.maximum(mark - bare, 0)
        lab, light = oklab(freed), channel_most(freed)
        # Print on black that the camera clips has lost its colour but not its shape.
        clipped = np.asarray((levels > _CLIPPED).all(-1))
    near = np.abs(hue_gap(hue_deg(lab), hues)) < _NEAR_DEG
    strong = (np.hypot(lab[..., 1], lab[..., 2]) > least_chroma) & (light > _LEAST_LIGHT)
    return np.asarray((near & strong) | clipped)
