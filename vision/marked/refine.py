"""Repeats closer looks at the cards not yet identified: each identified card explains what it hides of the others."""

from __future__ import annotations

import numpy as np

from vision.deck import Deck
from vision.effort import at_most
from vision.marked.assign import left_open, sure_corners, told_of
from vision.marked.contour_terms import not_refuted
from vision.marked.scoring import SURE, Verdicts, joined
from vision.marked.side_reader import SideReader

_LOOKS = 0.7  # of the steps of a reading; the rest must be done in any case


def looked_closer(
    readers: list[SideReader], verdicts: list[Verdicts], deck: Deck, doubt: float
) -> tuple[list[Verdicts], list[Verdicts]]:
    """Look closer at hypotheses that the `verdicts` leave open, round after round, until nothing more is identified.

    It also ends when it takes too long. Verdicts on whole cards come first, one for each of the `readers`; `doubt`: see
    `settled`. Return all verdicts, and those of the first scores that the closer look neither confirmed nor moved.
    """
    # Three whole marks are proof enough; two, or one and an edge, need a closer look.
    told = told_of(verdicts[: len(readers)], deck, doubt)
    verdicts, earlier = _by_side(verdicts), list[Verdicts]()
    with at_most(_LOOKS):
        while True:
            verdicts, known_mm = left_open(verdicts, told, deck), sure_corners(told, deck)
            again = [reader.look_closer(verdicts, told, known_mm) for reader in readers]
            # The more certain ones first: then they cover parts of the others, and may be rivals. A
            # certain card stays certain, however much of it the others explain, unless a rival is now more certain.
            judged = [*again, *left_open(earlier, told, deck)]
            more = _surer(told_of([*told, *judged], deck, doubt)[len(told) :])
            if not any(len(verdict.hypotheses) for verdict in more):
                return [*told, *again], [not_refuted(verdict) for verdict in again]
            told = _by_side([*told, *more])
            earlier = [verdict.take(verdict.sure) for verdict in _by_side(judged)]
    # A hypothesis without a closer look, or without one beside all its possible covers, is only a possible card.
    return told, [verdict.lowered() for verdict in left_open(verdicts, told, deck)]


def _surer(verdicts: list[Verdicts]) -> list[Verdicts]:
    """Return the verdicts nearer to the most certain one than to the threshold of certainty."""
    surest = np.concatenate([verdict.log_odds for verdict in verdicts]).max(initial=SURE)
    return [verdict.take(verdict.log_odds >= (SURE + surest) / 2) for verdict in verdicts]


def _by_side(verdicts: list[Verdicts]) -> list[Verdicts]:
    """Return the same verdicts, those of each side joined."""
    sides = dict.fromkeys(verdict.layouts for verdict in verdicts)
    return [joined([verdict for verdict in verdicts if verdict.layouts is layouts]) for layouts in sides]
