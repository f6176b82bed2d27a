"""A closer look at the cards that the first one left open: what shows of their contours, after all moved into place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.marked.colour import LINEAR
from vision.marked.contours import Traces
from vision.marked.evidence import Evidence
from vision.marked.judge import SURE, Verdicts

Floats = NDArray[np.float64]

WORTH_A_LOOK = -1.0  # log-odds of the first look
MOST_LOOKS = 40  # of one side
_ENOUGH = 0.6
_SAME_MM = 4.0
_SAME_RAD = 0.07
_REFUTED = -5.0
_PRINTED = 0.75  # of a mark's rim


def worth_a_look(verdicts: Verdicts) -> Verdicts:
    """Leave the likeliest, and of those that differ by a little in their pose the best one."""
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
    """(n, 3) the ground's RGB levels."""
    return np.searchsorted(LINEAR, evidence.ground_rgb).astype(np.float64)


def rims_of(seen: Traces) -> Floats:
    """(n, 3) how much of each mark's rim shows, of what known cards leave open."""
    return np.asarray((seen.rim_seen + 0.7 * seen.rim_cut) / np.maximum(seen.rim_open, _ENOUGH))


def features(first: Verdicts, seen: Traces) -> dict[str, Floats]:
    """What speaks for and against each hypothesis, each term (n,)."""
    whole = first.hypotheses.marks >= 0
    count = whole.sum(1)
    across = np.sort(np.stack([seen.edge_seen[:, ::2].max(1), seen.edge_seen[:, 1::2].max(1)], axis=1), axis=1)
    part = np.minimum(seen.rim_seen + 0.4 * seen.rim_cut, _ENOUGH)
    rim = np.where(whole, rims_of(seen), 1.0).min(1)
    return {
        "first": np.clip(first.log_odds, -2.0, 8.0),
        "two": (count >= 2).astype(float),
        "printed": (count >= 2) * np.minimum(rim / _ENOUGH, 1.0),
        "colour": first.terms["colour"],
        "edge": across[:, 1],
        "corner": across[:, 0],
        "ends": (seen.edge_seen.sum(1) + 0.3) / (seen.edge_open.sum(1) + 0.6),
        "part": (part * ~whole).sum(1),
        "bare": (seen.rim_bare * ~whole).max(1),
        "bare_whole": (seen.rim_bare * whole).max(1),
        "spilt": (seen.rim_spilt * ~whole).max(1),
        "spilt_whole": (seen.rim_spilt * whole).max(1),
        "rim": rim,
        "strays": first.terms["strays"],
        "open": first.terms["open"],
        "layout": first.terms["layout"],
        "searched": first.terms["searched"],
    }


# Fitted on rendered tables and collages of them, half of them judged without the faces that are covered there, so that
# every answer was a false one: those reach 2.6.
_WEIGHTS = {
    "first": 0.25,
    "two": 3.8,
    "printed": 2.7,
    "edge": 1.6,
    "corner": 3.8,
    "ends": 4.6,
    "part": 12.4,
    "bare": -7.4,
    "spilt": -1.6,
    "rim": 3.0,
    "strays": 2.4,
    "open": 1.6,
    "layout": 0.6,
    "searched": 1.0,
}
_BASE = -10.7
# What the first look was sure of by mistake had one whole mark and reached -1.6, or two and reached -8, where no better
# explanation was at hand.
_SURE_OF_ONE, _SURE_OF_TWO = 5.0, 7.5
_BARE, _NO_RIM, _FAINT, _UNPRINTED = 0.5, 0.4, 0.2, -10.0
_JUST_SURE = 6.0  # log-odds of the first look


def judged_again(first: Verdicts, seen: Traces, cut: NDArray[np.bool_] | bool = False) -> Verdicts:
    """Weigh the contours; of a card that the first look was sure of they are asked less, with two whole marks least.

    `cut`, (n,) or of all: whether a mark was found by a part of its outline; then nothing is taken on trust.
    """
    terms = features(first, seen)
    total = _BASE + np.sum([weight * terms[name] for name, weight in _WEIGHTS.items()], axis=0)
    # Grain of a dark, noisy table may pass for marks that lie right, but has no rim; bleached marks have none, either,
    # so such a card stays a doubt.
    unprinted = (terms["bare_whole"] > _BARE) & (terms["rim"] < _NO_RIM)
    # Lamps that mirror in a bell's dome may lie like two marks, but nothing else of a card is there, but for a piece of
    # the dome's rim that passes for an edge; the first look is only just sure of such a card.
    least_edge = np.where(terms["first"] < _JUST_SURE, 2 * _FAINT, _FAINT)
    unprinted |= (terms["rim"] < _FAINT) & (terms["edge"] < least_edge) & (terms["part"] < _FAINT)
    terms["unprinted"] = np.where(unprinted, _UNPRINTED, 0.0)
    # Of two faces for one mark, one just above the bound and one just below it, neither is the surer one.
    lone = _SURE_OF_ONE * np.clip((first.log_odds - SURE) / (_JUST_SURE - SURE), 0, 1)
    trusted = first.sure & np.logical_not(cut)
    terms["sure"] = np.where(trusted, np.where(terms["two"] > 0, _SURE_OF_TWO, lone), 0.0)
    return Verdicts(first.layouts, first.hypotheses, total + terms["sure"] + terms["unprinted"], terms)


def not_refuted(again: Verdicts) -> Verdicts:
    """Those that may still be there after the closer look, with the odds of the first one, but none of them sure.

    Coins and counters on a table that happens to be grey have no ground right round them. Of poses that were searched
    for, some fit anything a little.
    """
    if not len(again.hypotheses):
        return again
    kept = (again.log_odds > _REFUTED) | (again.terms["rim"] > _PRINTED)
    left = again.take(kept & (again.terms["searched"] == 0))
    return replace(left, log_odds=left.terms["first"]).lowered()
