"""Scores hypothetical cards by log-odds: first by their marks alone, then by their visible contours."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.marked.contours import Traces
from vision.marked.layouts import Hypotheses, Layouts, concatenated
from vision.marked.side_marks import SideMarks

SURE = 4.5  # log-odds above which a card is announced; `assign.py` decides, beside its rivals and doubts
# Prior log-odds by the number of marks found: three in the right places seldom meet by chance, two often do.
_PRIOR = np.array([-np.inf, 1.2, 3.7, 7.0])
_RESIDUAL_MM = 0.35
_WORTH_A_LOOK = 1.0
_MOST_LOOKS = 40  # of one side
_ENOUGH = 0.6  # of a rim
_MOST_EXACT = 0.8  # of a whole mark's rim: blur and grain leave no more of many
_SAME_MM, _SAME_RAD = 4.0, 0.07
_REFUTED = -1.0
_PRINTED = 0.75  # of a mark's rim


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Hypotheses of one side with their `log_odds` (n,) of being a card that is there.

    `colour` (n,): the log ratio of their marks' hues under the face's colours to any hues at all.
    """

    layouts: Layouts
    hypotheses: Hypotheses
    log_odds: Floats
    colour: Floats

    @property
    def sure(self) -> Flags:
        """Return whether (n,) the log-odds are enough to announce each card."""
        return self.log_odds > SURE

    @property
    def face_ids(self) -> set[str]:
        """Return the ids of their faces."""
        return {self.layouts.faces[face].id for face in self.hypotheses.faces}

    def take(self, which: Flags | NDArray[np.intp]) -> Verdicts:
        """Return the chosen verdicts."""
        return Verdicts(self.layouts, self.hypotheses.take(which), self.log_odds[which], self.colour[which])

    def moved(self, hypotheses: Hypotheses) -> Verdicts:
        """Return the same verdicts on the same cards in other poses."""
        return replace(self, hypotheses=hypotheses)

    def lowered(self) -> Verdicts:
        """Return the same verdicts, no longer certain."""
        return replace(self, log_odds=np.minimum(self.log_odds, SURE - 0.5))


def faces_of(verdicts: list[Verdicts]) -> set[str]:
    """Return the ids of the faces of several verdicts."""
    return set[str]().union(*(verdict.face_ids for verdict in verdicts))


def joined(verdicts: list[Verdicts]) -> Verdicts:
    """Return several verdicts on one side as one."""
    log_odds, colour = (np.concatenate([getattr(v, name) for v in verdicts]) for name in ("log_odds", "colour"))
    return Verdicts(verdicts[0].layouts, concatenated([v.hypotheses for v in verdicts]), log_odds, colour)


def judged(layouts: Layouts, found: Hypotheses, marks: SideMarks) -> Verdicts:
    """Score hypotheses by the number, places and colours of their marks; leave out the unlikely ones."""
    seen = found.marks >= 0
    density = np.take_along_axis(marks.densities[found.marks], layouts.colours[found.faces][..., None], 2)[..., 0]
    colour = (np.log(360 * density) * seen).sum(1)
    log_odds = _PRIOR[seen.sum(1)] + colour - 0.5 * (found.residual_mm / _RESIDUAL_MM) ** 2
    return Verdicts(layouts, found, log_odds, colour).take(log_odds > _WORTH_A_LOOK)


def worth_a_look(verdicts: Verdicts) -> Verdicts:
    """Keep the likeliest hypotheses, and of nearly equal poses the best one."""
    kept: list[int] = []
    found = verdicts.hypotheses
    for k in np.argsort(-verdicts.log_odds, kind="stable").tolist():
        near = [
            j
            for j in kept
            if found.faces[j] == found.faces[k]
            and np.abs(found.shift_mm[j] - found.shift_mm[k]).max() < _SAME_MM
            and abs((found.turn[j] - found.turn[k] + np.pi) % (2 * np.pi) - np.pi) < _SAME_RAD
        ]
        if not near:
            kept.append(k)
        if len(kept) == _MOST_LOOKS:
            break
    return verdicts.take(np.array(kept, dtype=np.intp))


# Fitted on rendered tables and collages of them with hands laid on. Half were scored without the faces that are there,
# so that every answer was a false one. The weights before accepted 61 of 2,070 of those; these accept nine.
_WEIGHTS = {
    "two": 3.2,
    "printed": 2.7,
    "exact_side": 3.4,
    "exact_corner": 7.9,
    "exact_rim": 5.4,
    "exact_part": 13.8,
    "ends": 4.0,
    "part": 1.3,
    "bare": -6.4,
    "layout": 0.45,
}
_BASE = -8.8
_BARE, _NO_RIM, _UNPRINTED = 0.5, 0.4, -10.0


def judged_again(first: Verdicts, seen: Traces) -> tuple[Verdicts, Verdicts]:
    """Score hypotheses by their contours: how much of them is visible, and how exactly it is in place.

    Also return those that are not refuted, with their first log-odds but no longer certain: coins and counters on a
    grey table have no ground all round them.
    """
    whole = first.hypotheses.marks >= 0
    two = whole.sum(1) >= 2
    part = np.minimum(seen.rim_seen + 0.4 * seen.rim_cut, _ENOUGH)
    rim = np.where(whole, _of_open(seen.rim_seen + 0.7 * seen.rim_cut, seen), 1.0).min(1)
    # The place of a single mark is weak evidence: its rim must also have its colour.
    most_exact = np.where(two, _MOST_EXACT, np.minimum(rim, _MOST_EXACT))
    # Use the more exact of two opposite sides: the other may be covered.
    exact = np.stack([seen.edge_exact[:, ::2].max(1), seen.edge_exact[:, 1::2].max(1)], axis=1)
    shown = (part * ~whole).sum(1)
    terms = {
        "two": two.astype(float),
        "printed": two * np.minimum(rim / _ENOUGH, 1.0),
        "exact_side": exact.max(1),
        "exact_corner": exact.min(1),
        "ends": (seen.edge_seen.sum(1) + 0.3) / (seen.edge_open.sum(1) + 0.6),
        "exact_rim": np.minimum(np.where(whole, _of_open(seen.rim_exact, seen), 1.0).min(1), most_exact),
        "exact_part": (np.minimum(seen.rim_exact, part) * ~whole).sum(1),
        "part": shown,
        "bare": (seen.rim_bare * ~whole).max(1),
        "layout": 1.2 - 0.5 * (first.hypotheses.residual_mm / _RESIDUAL_MM) ** 2,
    }
    total = _BASE + np.sum([weight * terms[name] for name, weight in _WEIGHTS.items()], axis=0)
    # Grain of a dark, noisy table may look like the right marks, but has no rim. Bleached marks have no rim, either, so
    # such a card stays unclear.
    unprinted = ((seen.rim_bare * whole).max(1) > _BARE) & (rim < _NO_RIM)
    # Gaps between fingers may look like one mark, but then no print is visible. The least of 150 true cards by one mark
    # was 0.6.
    unprinted |= ~two & (rim + shown < _NO_RIM)
    total += np.where(unprinted, _UNPRINTED, 0.0)
    possible = (total > _REFUTED) | (rim > _PRINTED)
    return replace(first, log_odds=total), first.take(possible).lowered()


def _of_open(shares: Floats, seen: Traces) -> Floats:
    """Divide shares of rims (n, 3) by the part of each that known cards leave open."""
    return np.asarray(shares / np.maximum(seen.rim_open, _ENOUGH))
