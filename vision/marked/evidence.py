"""Measures the evidence for and against a hypothetical card: its ground, its marks and their colours, its edges."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.channels import largest, smallest
from vision.marked.colour import LINEAR, NEUTRAL, hue_deg, linear_of, oklab
from vision.marked.layouts import Hypotheses
from vision.marked.marks import Marks
from vision.marked.sample_points import GROUND, INNER, RING, RING_MM
from vision.marked.sampler import Sampler
from vision.quads import within_quads

_CLIPPED = 248
BLEACH_SPREAD_DEG = 25.0  # of hue, where all of a mark's channels are clipped
_CLEAR_SPREAD_DEG = 30.0
# Of linear light, mark to ground, in the strongest channel; and how grey black ground must be.
_PLAIN_RATIO, _WEAK_RATIO = 0.4, 0.78
_FAINT_RATIO = 0.98  # on white that is clipped, and so without grain
_PLAIN_GREY, _WEAK_GREY = 0.4, 0.22
_IN_MIDDLE, _AT_OUTLINE = 0.3, 0.7  # of a mark's radius, where its colour is read
_CALM_RING = 0.35  # the rest may be covered, or under a reflection's edge


@dataclass(frozen=True, eq=False)
class Evidence:
    """Measurements of n hypotheses.

    `ground_rgb` (n, 3): linear, 0 to 1; `plain` (n, 3·RING + GROUND): sample points that look like the card's ground;
    `mark_plain` (n, 3, INNER): the same inside the marks; `hues_deg` and `hue_spread_deg` (n, 3): each mark's colour
    freed of its ground; `chroma` (n, 3): its strength; `clipping` (n, 3): the share of the mark's channels that the
    camera clips; `open_plain` (n,): the share of the card's ground outside known cards that looks like ground, nan
    where
    they cover it all; `open_share` (n,): the share that they leave open; `rings` (n, 3, 3): the RGB levels of the
    ground
    round each mark, of the card's where the mark was not found.
    """

    ground_rgb: Floats
    plain: NDArray[np.bool_]
    mark_plain: NDArray[np.bool_]
    hues_deg: Floats
    hue_spread_deg: Floats
    chroma: Floats
    clipping: Floats
    open_plain: Floats
    open_share: Floats
    rings: Floats

    def take(self, which: NDArray[np.bool_]) -> Evidence:
        """Return the chosen measurements."""
        return Evidence(*(getattr(self, field.name)[which] for field in fields(self)))


def gather(
    sampler: Sampler, hypotheses: Hypotheses, points_mm: Floats, side: str, known_mm: Floats, lamp: Floats = NEUTRAL
) -> Evidence:
    """Measure all hypotheses of one side; `points_mm`: see `sample_points`.

    `known_mm` (k, 4, 2): corners of cards already identified; points inside them are no evidence of the unseen marks of
    another card. `lamp` (3,): linear RGB of white; white ground shows it itself.
    """
    n = len(hypotheses)
    on_table = hypotheses.to_table(points_mm[hypotheses.faces])
    levels, inside = sampler.levels(on_table)
    inner = levels[:, : 3 * INNER].reshape(n, 3, INNER, 3)
    ring = levels[:, 3 * INNER : 3 * (INNER + RING)].reshape(n, 3, RING, 3)
    outer = levels[:, 3 * INNER :]
    seen = hypotheses.marks >= 0
    ring_level = np.median(ring, axis=2)
    if seen.all():
        ground_level = np.median(ring_level, axis=1)
    else:
        # One of two marks may be in a shadow, and no card has a ground between the two.
        ground_level = _lightest(np.where(seen[..., None], ring_level, -1.0), side)
    plain = like_ground(outer, ground_level[:, None], side) & inside[:, 3 * INNER :]
    # A mark that was not found has no ring of its own: compare with the card's ground.
    ring_level = np.where(seen[..., None], ring_level, ground_level[:, None]).astype(np.float64)
    mark_plain = like_ground(inner, ring_level[:, :, None], side)
    explained = within_quads(on_table[:, : 3 * INNER], known_mm).reshape(n, 3, INNER) & ~seen[..., None]
    uncovered = ~within_quads(on_table[:, -GROUND:], known_mm)
    open_points = uncovered.sum(1)
    mark_plain &= ~explained
    hues, spread, chroma = _freed(inner, ring_level, side, lamp)
    return Evidence(
        ground_rgb=linear_of(ground_level),
        plain=plain,
        mark_plain=mark_plain,
        hues_deg=hues,
        hue_spread_deg=spread,
        chroma=chroma,
        clipping=(np.median(inner, axis=2) >= _CLIPPED).mean(-1),
        open_share=open_points / GROUND,
        open_plain=np.where(
            open_points > 0, (plain[:, -GROUND:] & uncovered).sum(1) / np.maximum(open_points, 1), np.nan
        ),
        rings=ring_level,
    )


def _lightest(levels: Floats, side: str) -> Floats:
    """Return the lightest (n, 3) of the levels (n, m, 3), and on black the darkest; negative ones do not count."""
    light = levels.sum(-1)
    order = light if side == "white" else np.where(light < 0, -np.inf, -light)
    return np.asarray(np.take_along_axis(levels, order.argmax(1)[:, None, None], 1)[:, 0])


def like_ground(levels: NDArray[np.uint8] | Floats, ground: Floats, side: str) -> NDArray[np.bool_]:
    """Return whether levels look like a card's ground in any light: of its colour on white, as dark on black."""
    noise = 10.0
    if side == "white":
        shares = (levels + noise) / (ground + noise)
        least, most = smallest(shares), largest(shares)
        return np.asarray((least > 0.6) & (most < 1.5) & (most - least < 0.16 * most))
    off = levels - ground
    least, most = smallest(off), largest(off)
    return np.asarray((most < 28) & (least > -28) & (most - least < 20))


def _freed(inner: NDArray[np.uint8], ring_level: Floats, side: str, lamp: Floats = NEUTRAL) -> tuple[Floats, ...]:
    """Return the marks' hues without lamp and, on black ground, without reflection.

    `inner` (n, m, k, 3): levels within m marks; `ring_level` (n, m, 3): levels round them; `lamp`: see `gather`. Return
    hues, their spread, both in degrees, and chroma, each (n, m).
    """
    marks = LINEAR[inner]
    ring = linear_of(ring_level)[:, :, None]
    freed = (marks + 0.002) / (ring + 0.002) if side == "white" else np.maximum(marks - ring, 0) / lamp
    middle, points = oklab(np.median(freed, axis=2)), oklab(freed)
    scatter = points[..., 1:].std(axis=2).mean(-1)
    strength = np.maximum(np.hypot(middle[..., 1], middle[..., 2]), 1e-6)
    spread = np.degrees(np.arctan2(scatter + 0.01, strength))
    return hue_deg(middle), spread, strength


@dataclass(frozen=True, eq=False)
class MarkLook:
    """Contrast and colour of marks that belong to no card yet, against the ground round them, each (k,).

    `stands_out`: more than the grain of wood or cloth, also under a reflection; `faint`: at all, on white that is
    clipped;
    `plain`: as much as fresh print in even light; `hues_deg`, `spread_deg`: the colour of those that stand out or are
    faint; `ring` (k, 3): the RGB levels of the ground round them.
    """

    hues_deg: Floats
    spread_deg: Floats
    stands_out: NDArray[np.bool_]
    faint: NDArray[np.bool_]
    plain: NDArray[np.bool_]
    ring: Floats


def look_at(
    sampler: Sampler, marks: Marks, chosen: NDArray[np.intp], side: str, towards: Floats | None = None
) -> MarkLook:
    """Measure the chosen (k,) marks, each against the ring round it.

    `towards` (k, RING): directions in rad of their visible outlines; None for whole outlines.
    """
    angle = np.linspace(0, 2 * np.pi, RING, endpoint=False)[None] if towards is None else towards
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    depth = _IN_MIDDLE if towards is None else _AT_OUTLINE
    radius = np.sqrt(marks.areas_mm2[chosen] / np.pi)[:, None, None]
    centres = marks.centres_mm[chosen][:, None]
    inner, _ = sampler.levels(centres + depth * radius * circle)
    # A star or a crescent is lighter than the circle round it.
    outer = radius / np.clip(marks.fullness[chosen], 0.4, 1)[:, None, None] + RING_MM[side]
    around, inside = sampler.levels(centres + outer * circle)
    ring = np.median(around, axis=1)
    level = np.median(inner, axis=1)
    middle, ground = (linear_of(v) + 0.005 for v in (level, ring))
    ratio = (middle / ground).min(1) if side == "white" else 1 / (middle / ground).max(1)
    grey = ground.min(1) / ground.max(1) if side == "black" else np.ones(len(ground))
    calm = (like_ground(around, ring[:, None], side) & inside).mean(1) > _CALM_RING
    stands_out = calm & (ratio < _WEAK_RATIO) & (grey > _WEAK_GREY)
    faint = calm & (ratio < _FAINT_RATIO) & (ring >= _CLIPPED).all(-1) & np.array(side == "white")
    hues, spread = np.zeros(len(chosen)), np.full(len(chosen), 180.0)
    # Most patches are grain or shadows; their colour is not needed.
    seen = stands_out | faint
    hues[seen], spread[seen] = (v[:, 0] for v in _freed(inner[seen, None], ring[seen, None], side)[:2])
    return MarkLook(
        hues,
        spread + BLEACH_SPREAD_DEG * (level >= _CLIPPED).mean(-1),
        stands_out,
        faint,
        stands_out & (ratio < _PLAIN_RATIO) & (grey > _PLAIN_GREY) & (spread < _CLEAR_SPREAD_DEG),
        ring,
    )
