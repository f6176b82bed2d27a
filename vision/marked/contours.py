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
_GREY_SHARE, _GREY_LEVELS = 0.25, 12.0  # of a grey's level, and levels, between its channels
_NEAR_COSINE = np.cos(np.radians(28.0))  # of the angle between two hues


def _levels_at(sampler: Sampler, cards: Hypotheses, layouts: Layouts, points_mm: Floats) -> Floats:
    """Return RGB levels (n, ..., 3) at the points (n, ..., 2) of n cards, at each card's pose in the picture."""
    corners_px = sampler.table.to_px(cards.to_table(layouts.corners_mm))
    return sampler.levels(points_within(corners_px, points_mm / layouts.corners_mm[2]))


def _levels_across(sampler: Sampler, cards: Hypotheses, layouts: Layouts) -> Floats:
    """Return RGB levels (n, p, `_OFFSETS_MM`, 3) across each contour point, outwards."""
    points, normals = layouts.points_mm[cards.faces], layouts.normals[cards.faces]
    return _levels_at(sampler, cards, layouts, points[:, :, None] + _OFFSETS_MM[:, None] * normals[:, :, None])


def refined(sampler: Sampler, hypotheses: Hypotheses, layouts: Layouts, seen_mm: Floats) -> Hypotheses:
    """Move every hypothesis to the contours in the picture, a few mm at most.

    `seen_mm` (n, 3, 2): found positions of the small, medium and big mark on the table, nan for unseen.
    """
    points, normals = layouts.points_mm[hypotheses.faces], layouts.normals[hypotheses.faces]
    steps, places = _steps_in(_levels_across(sampler, hypotheses, layouts))
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


@dataclass(frozen=True)
class ContourParams:
    """Weights in log-odds of what contours show, and thresholds in shares of a mark's rim.

    Fitted on rendered tables and collages of them with hands laid on. Half were scored without the faces that are
    there, so that every answer was a false one.
    """

    base: float = -8.5
    two: float = 3.2
    printed: float = 2.7
    exact_side: float = 3.4
    exact_corner: float = 7.9
    exact_rim: float = 5.4
    exact_part: float = 13.8
    ends: float = 4.0
    bare: float = -6.4
    unprinted: float = -10.0
    cut: float = 0.7  # of a rim with something else than ground outside, of a whole mark, and of a part of one
    cut_part: float = 0.4
    enough: float = 0.6
    most_exact: float = 0.8  # of a whole mark: blur and grain leave no more of many
    uncovered: float = 0.5  # without print, where a mark was found
    least_print: float = 0.4  # the least of 150 true cards by one mark was 0.6
    fully_printed: float = 0.75


CONTOUR = ContourParams()


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


def contour_odds(
    sampler: Sampler, cards: Hypotheses, layouts: Layouts, colours: CardColours, known_mm: Floats, side: str
) -> tuple[Floats, Flags]:
    """Return log-odds (n,) of cards with one `side` up by their contours, and which of them have printed rims.

    `known_mm` (k, 4, 2): corners of known cards, under which nothing counts.
    """
    points, normals = layouts.points_mm[cards.faces], layouts.normals[cards.faces]
    profiles = _levels_across(sampler, cards, layouts)
    outside = _levels_at(sampler, cards, layouts, points + _OUTSIDE_MM[side] * normals)
    is_open = ~within_quads(cards.to_table(points + _OFFSETS_MM[_WITHIN] * normals), known_mm)
    strongest, places = _steps_in(profiles)
    exact = (strongest > _LEAST_STEP) & (np.abs(places) < _EXACT_MM) & is_open
    edges, rims = slice(0, 4 * SIDE), slice(4 * SIDE, None)
    inside = profiles[:, edges, _WITHIN]
    on_ground = like_ground(inside, colours.ground[:, None], side) & is_open[:, edges]
    on_card = on_ground
    if side == "black":
        # Under a reflection black is grey, and so may the table be. But then the card ends where it gets lighter.
        grey = largest(inside) - smallest(inside) < _GREY_SHARE * largest(inside) + _GREY_LEVELS
        on_card = on_ground | (grey & (inside < outside[:, edges]).all(-1))
    edge = _edge_odds(profiles[:, edges], outside[:, edges], on_ground, exact[:, edges] & on_card)
    within = profiles[:, rims, _WITHIN]
    rim, printed = _rim_odds(
        within, outside[:, rims], is_open[:, rims], exact[:, rims], cards.marks >= 0, colours, side
    )
    return CONTOUR.base + edge + rim, printed


def _edge_odds(profiles: Floats, outside: Floats, on_ground: Flags, exact: Flags) -> Floats:
    """Return log-odds (n,) by the sides: points (n, p) on the card's ground, where it ends, and exactly placed ones."""
    levels = np.concatenate([profiles[:, :, _WITHIN : _WITHIN + 4], outside[:, :, None]], axis=2)
    ends = largest(np.abs(levels[:, :, 2:] - levels[:, :, :-2])).max(-1) > _LEAST_STEP
    shares = _shares(exact, 4)
    # Use the more exact of two opposite sides: the other may be covered.
    best = np.stack([shares[:, ::2].max(1), shares[:, 1::2].max(1)], axis=1)
    seen, shown = (_shares(points, 4).sum(1) for points in (on_ground & ends, on_ground))
    return np.asarray(
        CONTOUR.exact_side * best.max(1)
        + CONTOUR.exact_corner * best.min(1)
        + CONTOUR.ends * (seen + 0.3) / (shown + 0.6)
    )


def _rim_odds(
    within: Floats, outside: Floats, is_open: Flags, exact: Flags, whole: Flags, colours: CardColours, side: str
) -> tuple[Floats, Flags]:
    """Return log-odds (n,) by the rims of marks, and which cards have printed ones.

    `within`, `outside` (n, p, 3): levels beside rims; `whole` (n, 3): which marks were found.
    """
    ground, hues = np.repeat(colours.rings, RIM, axis=1), np.repeat(colours.hues_deg, RIM, axis=1)
    shown = like_ground(outside, ground, side)
    # Relative to the ground right beside it, a mark keeps its colour in shadow and under a reflection.
    chroma = _chroma_of(within, np.where(shown[..., None], outside, ground), side, hues)
    tinted = (chroma > colours.least_chroma[:, None]) & is_open
    bare = like_ground(within, ground, side) & is_open
    if side == "white":
        # Under haze or glare print may be as pale as a shadow, but not as grey. Where a mark was not found, a little
        # colour is enough not to count as missing.
        bare &= chroma <= np.repeat(np.where(whole, colours.least_chroma[:, None], GRAIN_CHROMA), RIM, axis=1)
    else:
        tinted &= ~bare
    spilt = _chroma_of(outside, ground, side, hues) > LEAST_CHROMA
    seen, cut, missing = (_shares(part, 3) for part in (tinted & shown, tinted & ~shown & ~spilt, bare & shown))
    of_open = np.maximum(_shares(is_open, 3), CONTOUR.enough)
    part = np.minimum(seen + CONTOUR.cut_part * cut, CONTOUR.enough)
    rim = np.where(whole, (seen + CONTOUR.cut * cut) / of_open, 1.0).min(1)
    two = whole.sum(1) >= 2
    # The place of a single mark is weak evidence: its rim must also have its colour.
    most_exact = np.where(two, CONTOUR.most_exact, np.minimum(rim, CONTOUR.most_exact))
    exact_rims = _shares(exact, 3)
    total = CONTOUR.two * two + CONTOUR.printed * two * np.minimum(rim / CONTOUR.enough, 1.0)
    total += CONTOUR.exact_rim * np.minimum(np.where(whole, exact_rims / of_open, 1.0).min(1), most_exact)
    total += CONTOUR.exact_part * (np.minimum(exact_rims, part) * ~whole).sum(1)
    total += CONTOUR.bare * (missing * ~whole).max(1)
    # Grain of a dark, noisy table may look like the right marks, but has no rim, and gaps between fingers like one mark
    # without other print. Bleached marks have no rim, either, so such a card stays unclear.
    unprinted = ((missing * whole).max(1) > CONTOUR.uncovered) & (rim < CONTOUR.least_print)
    unprinted |= ~two & (rim + (part * ~whole).sum(1) < CONTOUR.least_print)
    return total + CONTOUR.unprinted * unprinted, rim > CONTOUR.fully_printed


def _shares(good: Flags, parts: int) -> Floats:
    return np.asarray(good.reshape(len(good), parts, -1).mean(2))


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
