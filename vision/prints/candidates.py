"""Places of one picture at which cards may lie, with all that is known of each."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from vision.arrays import Flags, Floats, Singles


@dataclass(eq=False)
class Candidates:
    """Places at which cards may lie, and what is known of each.

    `quads` (n, 4, 2) px; `seen` (n,) how much of its sides shows, `open` (n,) how much of it lies open; `scores` (n, k)
    and `promise` (n,) what the ranking says; `part` (n,): it lies partly under cards that were taken, `sticks` (n,):
    and a card sticks out there by its edges; `closed` (n,): it is not looked at any more, for a card was taken there or
    next to nothing of it shows.
    """

    quads: Floats
    seen: Floats
    scores: Singles
    promise: Floats
    open: Floats
    part: Flags
    sticks: Flags
    closed: Flags

    @classmethod
    def at(cls, quads: Floats, seen: Floats, looks: int, *, part: bool) -> Candidates:
        """Places of which the ranking has said nothing yet; it tells so many looks apart."""
        count = len(quads)
        scores, no = np.zeros((count, looks), np.float32), np.zeros(count, bool)
        return cls(quads.copy(), seen, scores, np.zeros(count), np.ones(count), np.full(count, part), no, no.copy())

    def and_(self, others: Candidates) -> Candidates:
        """With others after them."""
        names = [field.name for field in fields(self)]
        return Candidates(*(np.concatenate([getattr(self, name), getattr(others, name)]) for name in names))
