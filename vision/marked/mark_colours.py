"""How all patches of a picture that may be marks look: whether as print does, and in which colour."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from vision.arrays import Flags, Floats
from vision.marked.evidence import look_at
from vision.marked.foreign_marks import print_like
from vision.marked.layouts import OUT_OF_SHAPE, Layouts, size_candidates
from vision.marked.marks import Marks
from vision.marked.sampler import Sampler


@dataclass(frozen=True, eq=False)
class MarkLooks:
    """Of n patches, each (n,): whether one has a whole mark's size and shape and stands out (`free`) or is `faint`.

    `plain`, `hues_deg`, `spread_deg` and `rings` (n, 3): see `MarkLook`; a patch that is neither a whole mark nor a
    part of one is not looked at.
    """

    free: Flags
    faint: Flags
    plain: Flags
    hues_deg: Floats
    spread_deg: Floats
    rings: Floats

    def and_also(self, more: MarkLooks) -> MarkLooks:
        """These and, after them, some more."""
        both = (np.concatenate([getattr(self, f.name), getattr(more, f.name)]) for f in fields(self))
        return MarkLooks(*both)


def looks_of(sampler: Sampler, layouts: Layouts, marks: Marks, towards: Floats | None = None) -> MarkLooks:
    """Look at n marks; `towards` (n, RING): in which directions their outlines show, None where all of them do."""
    whole = size_candidates(layouts, marks, OUT_OF_SHAPE).any(1)
    chosen = np.union1d(np.flatnonzero(whole), print_like(marks))
    look = look_at(sampler, marks, chosen, layouts.side, None if towards is None else towards[chosen])
    free, faint, plain = np.zeros((3, len(marks)), dtype=bool)
    free[chosen], faint[chosen], plain[chosen] = look.stands_out, look.faint, look.plain
    hues, spread, rings = np.zeros(len(marks)), np.full(len(marks), 180.0), np.zeros((len(marks), 3))
    hues[chosen], spread[chosen], rings[chosen] = look.hues_deg, look.spread_deg, look.ring
    return MarkLooks(free & whole, faint & whole, plain, hues, spread, rings)
