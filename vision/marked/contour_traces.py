"""Measures the contours of hypothetical cards in a picture, as evidence for or against them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.arrays import Flags, Floats
from vision.channels import largest, smallest
from vision.deck import Deck
from vision.marked.colour import GRAIN_CHROMA, LEAST_CHROMA, linear_of, oklab
from vision.marked.contours import LEAST_STEP, OFFSETS_MM, RIM, SIDE, CardViews, Contours, levels_across, steps_in
from vision.marked.evidence import like_ground
from vision.marked.layouts import Hypotheses
from vision.marked.sampler import Sampler
from vision.quads import within_quads

OUTSIDE_MM = {"white": 1.5, "black": 2.2}  # light blooms over black: its ground is sampled farther out
_WITHIN = 2  # index of the innermost place used across a contour
_EXACT_MM = 0.5  # error of true contours after refining the pose, at a pixel a millimetre
_LEAST_LIGHT = 0.02
_NEAR_COSINE = np.cos(np.radians(28.0))  # of the angle between two hues
_FAR = 1000.0  # a level that no pixel has
_CLIPPED = 248
_NOISE = 10.0
_DEEPEST_SHADOW, _SHADOW_TINT = 0.2, 0.16  # of the levels of white ground


@dataclass(frozen=True, eq=False)
class Traces:
    """Measurements along the contours of n cards, outside the known cards.

    Of each side (n, 4): `edge_open`, the share where the card's ground is visible within it, and `edge_seen`, the share
    where it is visible and ends there. Of each mark (n, 3): `rim_seen`, the share of its rim with its colour within and
    ground outside; `rim_cut`, with its colour within and something else outside; `rim_spilt`, with its colour on both
    sides; `rim_bare`, with ground on both sides; `rim_open`, outside the known cards. `edge_exact` (n, 4), `rim_exact`
    (n, 3): where the strongest step is less than half a mm off; `edge_void` (n, 4): where the table is visible within.
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

    `ground` (n, 3): each card's own, in RGB levels; `rings` (n, 3, 3): the same round each mark, which may be in
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
    """Measure along the contours; `known_mm` (k, 4, 2): corners of known cards."""
    points, normals = contours.points_mm[hypotheses.faces], contours.normals[hypotheses.faces]
    views = CardViews(sampler, hypotheses, deck)
    profiles, outside = levels_across(views, points, normals), views.levels(points + OUTSIDE_MM[side] * normals)
    covered = within_quads(hypotheses.to_table(points + OFFSETS_MM[_WITHIN] * normals), known_mm)
    within = profiles[:, :, _WITHIN]
    sides, marks = slice(0, 4 * SIDE), slice(4 * SIDE, None)
    levels = np.concatenate([profiles[:, sides, _WITHIN : _WITHIN + 4], outside[:, sides, None]], axis=2)
    step = largest(np.abs(levels[:, :, 2:] - levels[:, :, :-2])).max(-1) > LEAST_STEP
    own = colours.ground[:, None]
    plain, shaded = like_ground(within[:, sides], own, side), in_other_light(within[:, sides], own, side)
    edge_open = (plain | (shaded & np.array(side == "white"))) & ~covered[:, sides]
    edge_seen = edge_open & step
    strongest, places = steps_in(profiles)
    exact = (strongest > LEAST_STEP) & (np.abs(places) < _EXACT_MM)
    # Under a reflection black is grey, and so may the table be. But then the card ends where it gets lighter.
    darker = (within[:, sides] < outside[:, sides]).all(-1)
    edge_exact = exact[:, sides] & (edge_open | (shaded & darker & ~covered[:, sides]))
    edge_void = _like_beside(within[:, sides], outside[:, sides], edge_exact) & ~(plain | shaded | covered[:, sides])
    within, outside, hidden = within[:, marks], outside[:, marks], covered[:, marks]
    ground, expected = np.repeat(colours.rings, RIM, axis=1), np.repeat(colours.hues_deg, RIM, axis=1)
    open_outside, other_light = like_ground(outside, ground, side), in_other_light(outside, ground, side)
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


def _like_beside(within: Floats, outside: Floats, ends: Flags) -> Flags:
    """Return whether (n, p) levels (n, p, 3) within sides look like those outside the card's certain ends."""
    levels = np.sort(np.where(ends[..., None], outside, _FAR), axis=1)
    beside = np.take_along_axis(levels, (ends.sum(1) // 2)[:, None, None], axis=1)
    return like_ground(within, beside, "black")


def _shares(good: Flags, parts: int) -> Floats:
    return np.asarray(good.reshape(len(good), parts, -1).mean(2))


def in_other_light(levels: Floats, ground: Floats, side: str) -> Flags:
    """Return whether levels may be a card's ground in a shadow, darker but of the same tint, or glare on black."""
    if side == "black":
        least, most = smallest(levels), largest(levels)
        return np.asarray(most - least < 0.25 * most + 12)
    shares = (levels + _NOISE) / (ground + _NOISE)
    least, most = smallest(shares), largest(shares)
    return np.asarray((most < 1) & (least > _DEEPEST_SHADOW) & (most - least < _SHADOW_TINT * most))


def coloured(levels: Floats, ground: Floats, side: str, hues: Floats) -> Flags:
    """Return whether levels (n, p, 3) show the hues (n, p) on a ground (n, p, 3)."""
    return _chroma_of(levels, ground, side, hues) > LEAST_CHROMA


def _chroma_of(levels: Floats, ground: Floats, side: str, hues: Floats) -> Floats:
    """Return the strength (n, p) of the hues (n, p) in levels (n, p, 3) on a ground (n, p, 3), 0 for other hues."""
    mark, bare = linear_of(levels), linear_of(ground)
    if side == "white":
        lab, light = oklab((mark + 0.002) / (bare + 0.002)), np.ones(levels.shape[:-1])
        clipped: Flags = np.zeros(levels.shape[:-1], dtype=bool)
    else:
        freed = np.maximum(mark - bare, 0)
        lab, light = oklab(freed), largest(freed)
        # Clipped print on black has lost its colour but not its shape.
        clipped = np.asarray((levels > _CLIPPED).all(-1))
    chroma, angle = np.hypot(lab[..., 1], lab[..., 2]), np.radians(hues)
    near = lab[..., 1] * np.cos(angle) + lab[..., 2] * np.sin(angle) > _NEAR_COSINE * chroma
    return np.where(clipped, np.inf, np.where(near & (light > _LEAST_LIGHT), chroma, 0.0))
