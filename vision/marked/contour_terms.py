"""Verifies the cards that the first scores left open, by the visible contours after refining the poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.arrays import Floats
from vision.marked.colour import LINEAR
from vision.marked.contour_traces import Traces
from vision.marked.evidence import Evidence
from vision.marked.scoring import LOOKED_AT, Verdicts

WORTH_A_LOOK = -1.0  # log-odds of the first scores
MOST_LOOKS = 40  # of one side
_ENOUGH = 0.6
_SOME_VOID = 0.2  # of a side: a cover may have the table's colour
_MOST_EXACT = 0.8  # of a whole mark's rim: blur and grain leave no more of many
_SAME_MM = 4.0
_SAME_RAD = 0.07
_REFUTED = -1.0
_PRINTED = 0.75  # of a mark's rim


def worth_a_look(verdicts: Verdicts) -> Verdicts:
    """Keep the likeliest hypotheses, and of nearly equal poses the best one."""
    order = np.argsort(-verdicts.log_odds, kind="stable")
    order = order[verdicts.log_odds[order] >= WORTH_A_LOOK]
    kept: list[int] = []
    found = verdicts.hypotheses
    for k in order.tolist():
        near = [
            j
            for j in kept
            if found.faces[j] == found.faces[k]
            and np.abs(found.shift_mm[j] - found.shift_mm[k]).max() < _SAME_MM
            and abs((found.turn[j] - found.turn[k] + np.pi) % (2 * np.pi) - np.pi) < _SAME_RAD
        ]
        if not near:
            kept.append(k)
        if len(kept) == MOST_LOOKS:
            break
    return verdicts.take(np.array(kept, dtype=np.intp))


def ground_levels(evidence: Evidence) -> Floats:
    """Return the ground's RGB levels (n, 3)."""
    return np.searchsorted(LINEAR, evidence.ground_rgb).astype(np.float64)


def rims_of(seen: Traces) -> Floats:
    """Return the visible share of each mark's rim (n, 3), of the part that known cards leave open."""
    return _of_open(seen.rim_seen + 0.7 * seen.rim_cut, seen)


def _of_open(shares: Floats, seen: Traces) -> Floats:
    """Divide shares of rims (n, 3) by the part of each that known cards leave open."""
    return np.asarray(shares / np.maximum(seen.rim_open, _ENOUGH))


def features(first: Verdicts, seen: Traces) -> dict[str, Floats]:
    """Return the terms for and against each hypothesis, each (n,)."""
    whole = first.hypotheses.marks >= 0
    count = whole.sum(1)
    part = np.minimum(seen.rim_seen + 0.4 * seen.rim_cut, _ENOUGH)
    rim = np.where(whole, rims_of(seen), 1.0).min(1)
    # The place of a single mark is weak evidence: its rim must also have its colour.
    most_exact = np.where(count < 2, np.minimum(rim, _MOST_EXACT), _MOST_EXACT)
    return {
        "first": np.clip(first.log_odds, -2.0, 8.0),
        "two": (count >= 2).astype(float),
        "printed": (count >= 2) * np.minimum(rim / _ENOUGH, 1.0),
        **side_terms(seen),
        "exact_rim": np.minimum(np.where(whole, _of_open(seen.rim_exact, seen), 1.0).min(1), most_exact),
        "exact_part": (np.minimum(seen.rim_exact, part) * ~whole).sum(1),
        "part": (part * ~whole).sum(1),
        "bare": (seen.rim_bare * ~whole).max(1),
        "bare_whole": (seen.rim_bare * whole).max(1),
        "rim": rim,
        **{name: first.terms[name] for name in LOOKED_AT},
    }


def side_terms(seen: Traces) -> dict[str, Floats]:
    """Return the terms from the sides of each card, each (n,)."""
    # Use the more exact of two opposite sides: the other may be covered.
    exact = np.stack([seen.edge_exact[:, ::2].max(1), seen.edge_exact[:, 1::2].max(1)], axis=1)
    return {
        "exact_side": exact.max(1),
        "exact_corner": exact.min(1),
        "ends": (seen.edge_seen.sum(1) + 0.3) / (seen.edge_open.sum(1) + 0.6),
        "void": np.maximum(seen.edge_void.sum(1) - _SOME_VOID, 0.0),
    }


# Fitted on rendered tables and collages of them with hands laid on. Half were scored without the faces that are there,
# so that every answer was a false one. The weights before accepted 61 of 2,070 of those; these accept nine.
_WEIGHTS = {
    "first": 0.15,
    "two": 3.2,
    "printed": 2.7,
    "exact_side": 3.4,
    "exact_corner": 7.9,
    "exact_rim": 5.4,
    "exact_part": 13.8,
    "ends": 4.0,
    "void": -5.0,
    "part": 1.3,
    "bare": -6.4,
    "layout": 0.45,
}
_BASE = -9.3
_BARE, _NO_RIM, _UNPRINTED = 0.5, 0.4, -10.0


def judged_again(first: Verdicts, seen: Traces) -> Verdicts:
    """Score the hypotheses again by their contours: how much of them is visible, and how exactly it is in place."""
    terms = features(first, seen)
    total = _BASE + np.sum([weight * terms[name] for name, weight in _WEIGHTS.items()], axis=0)
    # Grain of a dark, noisy table may look like the right marks, but has no rim. Bleached marks have no rim, either, so
    # such a card stays unclear.
    unprinted = (terms["bare_whole"] > _BARE) & (terms["rim"] < _NO_RIM)
    # Gaps between fingers may look like one mark, but then no print is visible. The least of 150 true cards by one mark
    # was 0.6.
    unprinted |= (terms["two"] == 0) & (terms["rim"] + terms["part"] < _NO_RIM)
    terms["bared"] = _WEIGHTS["bare"] * terms["bare"]
    terms["unprinted"] = np.where(unprinted, _UNPRINTED, 0.0)
    return Verdicts(first.layouts, first.hypotheses, total + terms["unprinted"], terms)


def not_refuted(again: Verdicts) -> Verdicts:
    """Return the hypotheses still possible after the closer look, with the first log-odds, lowered below acceptance.

    Coins and counters on a grey table have no ground all round them.
    """
    if not len(again.hypotheses):
        return again
    kept = (again.log_odds > _REFUTED) | (again.terms["rim"] > _PRINTED)
    left = again.take(kept)
    return replace(left, log_odds=left.terms["first"]).lowered()
