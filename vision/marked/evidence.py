"""Measures the evidence for and against a hypothetical card: its ground, its marks and their colours, its edges."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.channels import largest, smallest
from vision.marked.colour import LINEAR, NEUTRAL, hue_deg, linear_of, oklab
from vision.marked.layouts import Hypotheses
from vision.marked.sample_points import GROUND, INNER, RING
from vision.marked.sampler import Sampler
from vision.quads import within_quads

CLIPPED = 248
BLEACH_SPREAD_DEG = 25.0  # of hue, where all of a mark's channels are clipped


@dataclass(frozen=True, eq=False)
class Evidence:
    """Measurements of n hypotheses.

    `ground_rgb` (n, 3): linear, 0 to 1; `plain` (n, 3·RING + GROUND): sample points that look like the card's ground;
    `mark_plain` (n, 3, INNER): the same inside the marks; `hues_deg` and `hue_spread_deg` (n, 3): each mark's colour
    freed of its ground; `chroma` (n, 3): its strength; `clipping` (n, 3): the share of the mark's channels that the
    camera clips; `open_plain` (n,): the share of the card's ground outside known cards that looks like ground, nan
    where they cover it all; `open_share` (n,): the share that they leave open; `rings` (n, 3, 3): the RGB levels of the
    ground round each mark, of the card's where the mark was not found.
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
    hues, spread, chroma = freed_of(inner, ring_level, side, lamp)
    return Evidence(
        ground_rgb=linear_of(ground_level),
        plain=plain,
        mark_plain=mark_plain,
        hues_deg=hues,
        hue_spread_deg=spread,
        chroma=chroma,
        clipping=(np.median(inner, axis=2) >= CLIPPED).mean(-1),
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


def freed_of(inner: NDArray[np.uint8], ring_level: Floats, side: str, lamp: Floats = NEUTRAL) -> tuple[Floats, ...]:
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
