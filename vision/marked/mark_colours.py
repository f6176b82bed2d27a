"""Measures which patches of a picture look like print, and their colours."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from vision.arrays import Flags, Floats
from vision.marked.colour import linear_of
from vision.marked.evidence import BLEACH_SPREAD_DEG, CLIPPED, freed_of, like_ground
from vision.marked.layouts import OUT_OF_SHAPE, Layouts, size_candidates
from vision.marked.marks import Marks
from vision.marked.sample_points import RING, RING_MM
from vision.marked.sampler import Sampler

_CLEAR_SPREAD_DEG = 30.0
# Of linear light, mark to ground, in the strongest channel; and how grey black ground must be.
_PLAIN_RATIO, _WEAK_RATIO = 0.4, 0.78
_FAINT_RATIO = 0.98  # on white that is clipped, and so without grain
_PLAIN_GREY, _WEAK_GREY = 0.4, 0.22
_IN_MIDDLE, _AT_OUTLINE = 0.3, 0.7  # of a mark's radius, where its colour is read
_CALM_RING = 0.35  # the rest may be covered, or under a reflection's edge
_LEAST_AREA_MM2, _LEAST_FULLNESS = 25.0, 0.6  # of the visible part of a covered mark


@dataclass(frozen=True, eq=False)
class MarkLooks:
    """Contrast and colour of n patches that belong to no card yet, against the ground round them, each (n,).

    `free`: of a whole mark's size and shape, standing out from the grain of wood or cloth, also under a reflection;
    `faint`: of that size and shape, standing out at all, on white that is clipped; `clear`: as clear as fresh print in
    even light; `hues_deg`, `spread_deg`: the colour of those that stand out or are faint; `rings` (n, 3): the RGB
    levels of the ground round them. A patch that is neither a whole mark nor a part of one is not measured.
    """

    free: Flags
    faint: Flags
    clear: Flags
    hues_deg: Floats
    spread_deg: Floats
    rings: Floats

    def and_also(self, more: MarkLooks) -> MarkLooks:
        """Return these with `more` after them."""
        both = (np.concatenate([getattr(self, f.name), getattr(more, f.name)]) for f in fields(self))
        return MarkLooks(*both)


def looks_of(sampler: Sampler, layouts: Layouts, marks: Marks, towards: Floats | None = None) -> MarkLooks:
    """Measure n marks, each against the ring round it.

    `towards` (n, RING): directions in rad of their visible outlines; None for whole outlines.
    """
    side, count = layouts.side, len(marks)
    whole: Flags = np.asarray(size_candidates(layouts, marks, OUT_OF_SHAPE).any(1))
    part = (marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS)
    chosen = whole | part
    some = marks.take(chosen)
    angle = np.linspace(0, 2 * np.pi, RING, endpoint=False)[None] if towards is None else towards[chosen]
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    depth = _IN_MIDDLE if towards is None else _AT_OUTLINE
    radius = np.sqrt(some.areas_mm2 / np.pi)[:, None, None]
    centres = some.centres_mm[:, None]
    inner, _ = sampler.levels(centres + depth * radius * circle)
    # A star or a crescent is lighter than the circle round it.
    outer = radius / np.clip(some.fullness, 0.4, 1)[:, None, None] + RING_MM[side]
    around, inside = sampler.levels(centres + outer * circle)
    ring = np.median(around, axis=1)
    level = np.median(inner, axis=1)
    middle, ground = (linear_of(v) + 0.005 for v in (level, ring))
    ratio = (middle / ground).min(1) if side == "white" else 1 / (middle / ground).max(1)
    grey = ground.min(1) / ground.max(1) if side == "black" else np.ones(len(ground))
    calm = (like_ground(around, ring[:, None], side) & inside).mean(1) > _CALM_RING
    stands_out = calm & (ratio < _WEAK_RATIO) & (grey > _WEAK_GREY)
    faint = calm & (ratio < _FAINT_RATIO) & (ring >= CLIPPED).all(-1) & np.array(side == "white")
    hues, spread = np.zeros(len(some)), np.full(len(some), 180.0)
    # Most patches are grain or shadows; their colour is not needed.
    seen = stands_out | faint
    hues[seen], spread[seen] = (v[:, 0] for v in freed_of(inner[seen, None], ring[seen, None], side)[:2])
    clear = stands_out & (ratio < _PLAIN_RATIO) & (grey > _PLAIN_GREY) & (spread < _CLEAR_SPREAD_DEG)
    looks = MarkLooks(
        free=np.zeros(count, bool),
        faint=np.zeros(count, bool),
        clear=np.zeros(count, bool),
        hues_deg=np.zeros(count),
        spread_deg=np.full(count, 180.0),
        rings=np.zeros((count, 3)),
    )
    looks.free[chosen] = stands_out & whole[chosen]
    looks.faint[chosen] = faint & whole[chosen]
    looks.clear[chosen] = clear
    looks.hues_deg[chosen] = hues
    looks.spread_deg[chosen] = spread + BLEACH_SPREAD_DEG * (level >= CLIPPED).mean(-1)
    looks.rings[chosen] = ring
    return looks
