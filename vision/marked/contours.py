"""Refines the poses of cards by their contours, and weighs these: steps across their sides and round their marks.

Few marks of a mostly covered card are whole, but the visible part has contours at the right places: a stretch of an
edge, an arc of a circle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Flags, Floats
from vision.channels import largest, smallest
from vision.marked.colour import CLIPPED, GRAIN_CHROMA, LEAST_CHROMA, LEAST_LIGHT, freed, like_ground, oklab
from vision.marked.layouts import RIM, SIDE, Hypotheses, Layouts
from vision.marked.marks import Sampler
from vision.quads import points_within, within_quads

_OFFSETS_MM = np.arange(-4, 5) * 0.75
_LEAST_STEP = 6.0  # grey levels over two steps of the profile
_MARK_WEIGHT = 8.0  # a whole mark's centre, in contour points
_STIFF = np.diag([1.0, 1.0, 300.0])
_OUTSIDE_MM = {"white": 1.5, "black": 2.2}  # light blooms over black: its ground is sampled farther out
_WITHIN = 2  # index of the innermost place used across a contour
_EXACT_MM = 0.5  # error of true contours after refining the pose, at a pixel a millimetre
_NEAR_COSINE = np.cos(np.radians(28.0))  # of the angle between two hues
_NOISE = 10.0
_DEEPEST_SHADOW, _SHADOW_TINT = 0.2, 0.16  # of the levels of white ground


class CardViews:
    """Reads levels at points on hypothetical cards, at each card's pose in the picture."""

    def __init__(self, sampler: Sampler, hypotheses: Hypotheses, layouts: Layouts) -> None:
        self._sampler = sampler
        self._card_mm = layouts.corners_mm[2]
        self._px = sampler.table.to_px(hypotheses.to_table(layouts.corners_mm).reshape(-1, 2)).reshape(-1, 4, 2)

    def levels(self, points_mm: Floats) -> Floats:
        """Return RGB levels (n, ..., 3) at the points (n, ..., 2) of the n cards."""
        return self._sampler.fine_levels(points_within(self._px, points_mm / self._card_mm))


def refined(sampler: Sampler, hypotheses: Hypotheses, layouts: Layouts, seen_mm: Floats) -> Hypotheses:
    """Move every hypothesis to the contours in the picture, a few mm at most.

    `seen_mm` (n, 3, 2): found positions of the small, medium and big mark on the table, nan for unseen.
    """
    points, normals = layouts.points_mm[hypotheses.faces], layouts.normals[hypotheses.faces]
    steps, places = _steps_in(_levels_across(CardViews(sampler, hypotheses, layouts), points, normals))
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
    """Return the motion (n, p, 3) of each point along its normal as a card moves along x, along y, and turns."""
    turning = arms[..., 0] * normals[..., 1] - arms[..., 1] * normals[..., 0]
    return np.concatenate([normals, turning[..., None]], axis=-1)


def _squares(rows: Floats, weight: Floats, gap: Floats) -> tuple[Floats, Floats]:
    """Return both sides of the normal equations."""
    weighted = rows * weight[..., None]
    return np.einsum("npi,npj->nij", weighted, rows), np.einsum("npi,np->ni", weighted, gap)


def _levels_across(views: CardViews, points: Floats, normals: Floats) -> Floats:
    """Return RGB levels (n, p, `_OFFSETS_MM`, 3) across each contour point, outwards."""
    return views.levels(points[:, :, None] + _OFFSETS_MM[:, None] * normals[:, :, None])


def _steps_in(levels: Floats) -> tuple[Floats, Floats]:
    """Return the strongest step (n, p) across each contour point, and its place in mm outwards."""
    step = largest(np.abs(levels[:, :, 2:] - levels[:, :, :-2]))
    # Of two edges the nearer one is more likely the card's own.
    nearby = step * (1 - 0.15 * np.abs(_OFFSETS_MM[1:-1]))
    best = np.clip(nearby.argmax(-1), 1, step.shape[-1] - 2)[..., None]
    before, at, after = (np.take_along_axis(step, best + k, -1)[..., 0] for k in (-1, 0, 1))
    bend = np.minimum(before - 2 * at + after, -1e-6)
    finer = np.clip(0.5 * (before - after) / bend, -0.5, 0.5)
    return at, _OFFSETS_MM[1:-1][best[..., 0]] + (_OFFSETS_MM[1] - _OFFSETS_MM[0]) * finer


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


@dataclass(frozen=True, eq=False)
class Traces:
    """Measurements along the contours of n cards, outside the known cards.

    Of each side (n, 4): `edge_open`, the share where the card's ground is visible within it, and `edge_seen`, the share
    where it is visible and ends there. Of each mark (n, 3): `rim_seen`, the share of its rim with its colour within and
    ground outside; `rim_cut`, with its colour within and something else outside; `rim_bare`, with ground on both sides;
    `rim_open`, outside the known cards. `edge_exact` (n, 4), `rim_exact` (n, 3): where the strongest step is less than
    half a mm off.
    """

    edge_open: Floats
    edge_seen: Floats
    rim_seen: Floats
    rim_cut: Floats
    rim_bare: Floats
    rim_open: Floats
    edge_exact: Floats
    rim_exact: Floats


@dataclass(frozen=True, eq=False)
class CardColours:
    """The colours of n cards in their light.

    `ground` (n, 3): each card's own, in RGB levels; `rings` (n, 3, 3): the same round each mark, which may be in
    another light; `hues_deg` (n, 3): the marks' colours; `least_chroma` (n,): see `least_print`.
    """

    ground: Floats
    rings: Floats
    hues_deg: Floats
    least_chroma: Floats


def traces(
    sampler: Sampler, hypotheses: Hypotheses, layouts: Layouts, colours: CardColours, known_mm: Floats, side: str
) -> Traces:
    """Measure along the contours of cards with one `side` up; `known_mm` (k, 4, 2): corners of known cards."""
    points, normals = layouts.points_mm[hypotheses.faces], layouts.normals[hypotheses.faces]
    views = CardViews(sampler, hypotheses, layouts)
    profiles, outside = _levels_across(views, points, normals), views.levels(points + _OUTSIDE_MM[side] * normals)
    covered = within_quads(hypotheses.to_table(points + _OFFSETS_MM[_WITHIN] * normals), known_mm)
    within = profiles[:, :, _WITHIN]
    sides, marks = slice(0, 4 * SIDE), slice(4 * SIDE, None)
    levels = np.concatenate([profiles[:, sides, _WITHIN : _WITHIN + 4], outside[:, sides, None]], axis=2)
    step = largest(np.abs(levels[:, :, 2:] - levels[:, :, :-2])).max(-1) > _LEAST_STEP
    own = colours.ground[:, None]
    even, shaded = like_ground(within[:, sides], own, side), _in_other_light(within[:, sides], own, side)
    edge_open = (even | (shaded & np.array(side == "white"))) & ~covered[:, sides]
    edge_seen = edge_open & step
    strongest, places = _steps_in(profiles)
    exact = (strongest > _LEAST_STEP) & (np.abs(places) < _EXACT_MM)
    # Under a reflection black is grey, and so may the table be. But then the card ends where it gets lighter.
    darker = (within[:, sides] < outside[:, sides]).all(-1)
    edge_exact = exact[:, sides] & (edge_open | (shaded & darker & ~covered[:, sides]))
    within, outside, hidden = within[:, marks], outside[:, marks], covered[:, marks]
    ground, expected = np.repeat(colours.rings, RIM, axis=1), np.repeat(colours.hues_deg, RIM, axis=1)
    open_outside, other_light = like_ground(outside, ground, side), _in_other_light(outside, ground, side)
    # Relative to the ground right beside it, a mark keeps its colour in shadow and under a reflection.
    local = np.where((open_outside | other_light)[..., None], outside, ground)
    like_bare = like_ground(within, ground, side)
    chroma = _chroma_of(within, local, side, expected)
    tinted = (chroma > colours.least_chroma[:, None]) & ~hidden
    if side == "white":
        # Under haze or glare print may be as pale as a shadow, but not as grey. Where a mark was not found, a little
        # colour is enough not to count as missing.
        least = np.repeat(np.where(hypotheses.marks >= 0, colours.least_chroma[:, None], GRAIN_CHROMA), RIM, axis=1)
        bare = like_bare & (chroma <= least) & ~hidden
    else:
        bare = like_bare & ~hidden
        tinted &= ~bare
    spilt = _coloured(outside, ground, side, expected) & ~open_outside
    shown = open_outside | (other_light & ~spilt)
    return Traces(
        _shares(edge_open, 4),
        _shares(edge_seen, 4),
        _shares(tinted & shown, 3),
        _shares(tinted & ~shown & ~spilt, 3),
        _shares(bare & open_outside, 3),
        _shares(~hidden, 3),
        _shares(edge_exact, 4),
        _shares(exact[:, marks] & ~hidden, 3),
    )


def _shares(good: Flags, parts: int) -> Floats:
    return np.asarray(good.reshape(len(good), parts, -1).mean(2))


def _in_other_light(levels: Floats, ground: Floats, side: str) -> Flags:
    """Return whether levels may be a card's ground in a shadow, darker but of the same tint, or glare on black."""
    if side == "black":
        least, most = smallest(levels), largest(levels)
        return np.asarray(most - least < 0.25 * most + 12)
    shares = (levels + _NOISE) / (ground + _NOISE)
    least, most = smallest(shares), largest(shares)
    return np.asarray((most < 1) & (least > _DEEPEST_SHADOW) & (most - least < _SHADOW_TINT * most))


def _coloured(levels: Floats, ground: Floats, side: str, hues: Floats) -> Flags:
    """Return whether levels (n, p, 3) show the hues (n, p) on a ground (n, p, 3)."""
    return _chroma_of(levels, ground, side, hues) > LEAST_CHROMA


def _chroma_of(levels: Floats, ground: Floats, side: str, hues: Floats) -> Floats:
    """Return the strength (n, p) of the hues (n, p) in levels (n, p, 3) on a ground (n, p, 3), 0 for other hues."""
    printed = freed(levels, ground, side)
    lab = oklab(printed)
    light, clipped = np.ones(levels.shape[:-1]), np.zeros(levels.shape[:-1], bool)
    if side == "black":
        # Clipped print on black has lost its colour but not its shape.
        light, clipped = largest(printed), np.asarray((levels > CLIPPED).all(-1))
    chroma, angle = np.hypot(lab[..., 1], lab[..., 2]), np.radians(hues)
    near = lab[..., 1] * np.cos(angle) + lab[..., 2] * np.sin(angle) > _NEAR_COSINE * chroma
    return np.where(clipped, np.inf, np.where(near & (light > LEAST_LIGHT), chroma, 0.0))


@dataclass(frozen=True)
class ContourParams:
    """Weights in log-odds of what contours show, and thresholds in shares of a mark's rim.

    Fitted on rendered tables and collages of them with hands laid on. Half were scored without the faces that are
    there, so that every answer was a false one. The weights before accepted 61 of 2,070 of those; these accept nine.
    """

    base: float = -8.8
    two: float = 3.2
    printed: float = 2.7
    exact_side: float = 3.4
    exact_corner: float = 7.9
    exact_rim: float = 5.4
    exact_part: float = 13.8
    ends: float = 4.0
    part: float = 1.3
    bare: float = -6.4
    layout: float = 0.45
    unprinted: float = -10.0
    enough: float = 0.6
    most_exact: float = 0.8  # of a whole mark: blur and grain leave no more of many
    uncovered: float = 0.5  # without print, where a mark was found
    least_print: float = 0.4  # the least of 150 true cards by one mark was 0.6
    fully_printed: float = 0.75


CONTOUR = ContourParams()


def contour_odds(whole: Flags, layout: Floats, seen: Traces) -> tuple[Floats, Flags]:
    """Return log-odds (n,) by how much of the contours is visible, and how exactly, and which cards have printed rims.

    `whole` (n, 3): which marks were found; `layout` (n,): half the squared misfit of their places, in sigmas.
    """
    two = whole.sum(1) >= 2
    part = np.minimum(seen.rim_seen + 0.4 * seen.rim_cut, CONTOUR.enough)
    rim = np.where(whole, _of_open(seen.rim_seen + 0.7 * seen.rim_cut, seen), 1.0).min(1)
    # The place of a single mark is weak evidence: its rim must also have its colour.
    most_exact = np.where(two, CONTOUR.most_exact, np.minimum(rim, CONTOUR.most_exact))
    # Use the more exact of two opposite sides: the other may be covered.
    exact = np.stack([seen.edge_exact[:, ::2].max(1), seen.edge_exact[:, 1::2].max(1)], axis=1)
    shown = (part * ~whole).sum(1)
    total = CONTOUR.base + CONTOUR.two * two + CONTOUR.printed * two * np.minimum(rim / CONTOUR.enough, 1.0)
    total += CONTOUR.exact_side * exact.max(1) + CONTOUR.exact_corner * exact.min(1)
    total += CONTOUR.ends * (seen.edge_seen.sum(1) + 0.3) / (seen.edge_open.sum(1) + 0.6)
    exact_rim = np.where(whole, _of_open(seen.rim_exact, seen), 1.0).min(1)
    total += CONTOUR.exact_rim * np.minimum(exact_rim, most_exact)
    total += CONTOUR.exact_part * (np.minimum(seen.rim_exact, part) * ~whole).sum(1) + CONTOUR.part * shown
    total += CONTOUR.bare * (seen.rim_bare * ~whole).max(1) + CONTOUR.layout * (1.2 - layout)
    # Grain of a dark, noisy table may look like the right marks, but has no rim. Bleached marks have no rim, either, so
    # such a card stays unclear.
    unprinted = ((seen.rim_bare * whole).max(1) > CONTOUR.uncovered) & (rim < CONTOUR.least_print)
    # Gaps between fingers may look like one mark, but then no print is visible.
    unprinted |= ~two & (rim + shown < CONTOUR.least_print)
    return total + np.where(unprinted, CONTOUR.unprinted, 0.0), rim > CONTOUR.fully_printed


def _of_open(shares: Floats, seen: Traces) -> Floats:
    """Divide shares of rims (n, 3) by the part of each that known cards leave open."""
    return np.asarray(shares / np.maximum(seen.rim_open, CONTOUR.enough))
