"""Measures patches that may be marks: their contrast and colour against the ground round them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from vision.arrays import Flags, Floats
from vision.marked.colour import CLIPPED, freed, hue_deg, like_ground, linear_of, oklab
from vision.marked.layouts import OUT_OF_SHAPE, Layouts, size_candidates
from vision.marked.marks import Marks, Sampler

RING = 16  # sample points round each mark
_RING_MM = {"white": 1.7, "black": 2.5}  # from a mark to the ring round it: light blooms over black
_IN_MIDDLE, _AT_OUTLINE = 0.3, 0.7  # of a mark's radius, where its colour is read
_CALM_RING = 0.35  # the rest may be covered, or under a reflection's edge
_CLEAR_SPREAD_DEG, _BLEACH_SPREAD_DEG = 30.0, 25.0  # of hue; the latter where all of a mark's channels are clipped
# Of linear light, mark to ground, in the strongest channel; and how grey black ground must be.
_CLEAR_RATIO, _WEAK_RATIO = 0.4, 0.78
_CLIPPED_RATIO = 0.9  # beside white that clips, and so has no grain
_CLEAR_GREY, _WEAK_GREY = 0.4, 0.22
_LEAST_AREA_MM2, _LEAST_FULLNESS = 25.0, 0.6  # of the visible part of a covered mark


@dataclass(frozen=True, eq=False)
class MarkLooks:
    """Contrast and colour of n patches against the ground round them, each (n,).

    `free`: of a whole mark's size and shape, standing out from the grain of wood or cloth, also under a reflection;
    `clear`: as clear as fresh print in even light; `hues_deg`, `spread_deg`, `chroma`: the colour of those that stand
    out; `rings` (n, 3): the RGB levels of the ground round them. A patch that is neither a whole mark nor a part of one
    is not measured.
    """

    free: Flags
    clear: Flags
    hues_deg: Floats
    spread_deg: Floats
    chroma: Floats
    rings: Floats

    @staticmethod
    def joined(parts: Sequence[MarkLooks]) -> MarkLooks:
        """Return several lists of looks as one."""
        return MarkLooks(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(MarkLooks)))


def looks_of(sampler: Sampler, layouts: Layouts, marks: Marks, side: str, towards: Floats | None = None) -> MarkLooks:
    """Measure n marks on the ground of a side, each against the ring round it.

    `towards` (n, RING): directions in rad of their visible outlines; None for whole outlines.
    """
    whole: Flags = np.asarray(size_candidates(layouts, marks, OUT_OF_SHAPE).any(1))
    chosen = whole | ((marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS))
    some = marks.take(chosen)
    angle = np.linspace(0, 2 * np.pi, RING, endpoint=False)[None] if towards is None else towards[chosen]
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    depth = _IN_MIDDLE if towards is None else _AT_OUTLINE
    radius = some.radii_mm[:, None, None]
    centres = some.centres_mm[:, None]
    inner = sampler.smooth_levels(centres + depth * radius * circle)
    # A star or a crescent is lighter than the circle round it.
    outer = radius / np.clip(some.fullness, 0.4, 1)[:, None, None] + _RING_MM[side]
    around = sampler.smooth_levels(centres + outer * circle)
    ring, level = np.median(around, axis=1), np.median(inner, axis=1)
    middle, ground = (linear_of(v) + 0.005 for v in (level, ring))
    ratio = (middle / ground).min(1) if side == "white" else 1 / (middle / ground).max(1)
    grey = ground.min(1) / ground.max(1) if side == "black" else np.ones(len(ground))
    calm = like_ground(around, ring[:, None], side).mean(1) > _CALM_RING
    least = np.where((ring >= CLIPPED).all(-1), _CLIPPED_RATIO, _WEAK_RATIO)
    stands_out = calm & (ratio < least) & (grey > _WEAK_GREY)
    printed = freed(inner, ring[:, None], side)
    lab, points = oklab(np.median(printed, axis=1)), oklab(printed)
    chroma = np.maximum(np.hypot(lab[:, 1], lab[:, 2]), 1e-6)
    spread = np.degrees(np.arctan2(points[..., 1:].std(axis=1).mean(-1) + 0.01, chroma))
    clear = stands_out & (ratio < _CLEAR_RATIO) & (grey > _CLEAR_GREY) & (spread < _CLEAR_SPREAD_DEG)
    spread += _BLEACH_SPREAD_DEG * (level >= CLIPPED).mean(-1)

    every = np.zeros((8, len(marks)))
    every[3] = 180.0
    every[:, chosen] = [stands_out & whole[chosen], clear, hue_deg(lab), spread, chroma, *ring.T]
    hues, spreads, strengths = every[2:5]
    return MarkLooks(every[0] > 0, every[1] > 0, hues, spreads, strengths, every[5:].T)
