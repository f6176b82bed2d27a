"""Measures which patches of a picture look like print, and their colours."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from vision.arrays import Flags, Floats
from vision.marked.evidence import look_at
from vision.marked.layouts import OUT_OF_SHAPE, Layouts, size_candidates
from vision.marked.marks import Marks
from vision.marked.sampler import Sampler

_LEAST_AREA_MM2, _LEAST_FULLNESS = 25.0, 0.6  # of the visible part of a covered mark


@dataclass(frozen=True, eq=False)
class MarkLooks:
    """Looks of n patches, each (n,); `free`: of a whole mark's size and shape, standing out; `faint`: faintly.

    `plain`, `hues_deg`, `spread_deg` and `rings` (n, 3): see `MarkLook`. A patch that is neither a whole mark nor a
    part of
    one is not measured.
    """

    free: Flags
    faint: Flags
    plain: Flags
    hues_deg: Floats
    spread_deg: Floats
    rings: Floats

    def and_also(self, more: MarkLooks) -> MarkLooks:
        """Return these with `more` after them."""
        both = (np.concatenate([getattr(self, f.name), getattr(more, f.name)]) for f in fields(self))
        return MarkLooks(*both)


def looks_of(sampler: Sampler, layouts: Layouts, marks: Marks, towards: Floats | None = None) -> MarkLooks:
    """Measure n marks; `towards` (n, RING): directions of their visible outlines, None for whole outlines."""
    whole = size_candidates(layouts, marks, OUT_OF_SHAPE).any(1)
    part = (marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS)
    chosen = np.flatnonzero(whole | part)
    look = look_at(sampler, marks, chosen, layouts.side, None if towards is None else towards[chosen])
    free, faint, plain = np.zeros((3, len(marks)), dtype=bool)
    free[chosen], faint[chosen], plain[chosen] = look.stands_out, look.faint, look.plain
    hues, spread, rings = np.zeros(len(marks)), np.full(len(marks), 180.0), np.zeros((len(marks), 3))
    hues[chosen], spread[chosen], rings[chosen] = look.hues_deg, look.spread_deg, look.ring
    return MarkLooks(free & whole, faint & whole, plain, hues, spread, rings)
