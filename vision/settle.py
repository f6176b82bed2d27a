"""Settles which of the hypotheses are cards: a mark belongs to one card, a card lies once, rivals leave a doubt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, Face
from vision.judge import SURE, Verdicts
from vision.outline import corners_of
from vision.reading import CardReading, Reading, UnclearCard
from vision.table import Table

Floats = NDArray[np.float64]

_SAME_PLACE_MM = 12.0
_NO_RIVAL = -20.0
_COLOURED = 1.5
_WORTH_SAYING = 1.5  # log-odds from which a card that cannot be told is mentioned


@dataclass(frozen=True, eq=False)
class Claim:
    """A hypothesis on its way to a verdict."""

    odds: float
    face: Face
    marks: frozenset[tuple[str, int]]
    corners_mm: Floats
    centre_mm: tuple[float, float]


def claims_of(verdicts: list[Verdicts], deck: Deck) -> list[Claim]:
    """All hypotheses worth a word, the best first."""
    claims = []
    for verdict in verdicts:
        # White specks on black, a marker's cells among them, have no colour: only a sure card may do without.
        coloured = verdict.terms["colour"] > _COLOURED
        chosen = np.flatnonzero(verdict.sure | ((verdict.log_odds > _WORTH_SAYING) & coloured))
        hypotheses = verdict.hypotheses.take(chosen)
        corners = hypotheses.to_table(corners_of(deck))
        middles = corners.mean(1)
        for k, odds in enumerate(verdict.log_odds[chosen]):
            face = verdict.layouts.faces[hypotheses.faces[k]]
            marks = frozenset((face.side, int(m)) for m in hypotheses.marks[k] if m >= 0)
            claims.append(Claim(float(odds), face, marks, corners[k], (float(middles[k, 0]), float(middles[k, 1]))))
    return sorted(claims, key=lambda claim: -claim.odds)


def sure_corners(verdicts: list[Verdicts], deck: Deck) -> Floats:
    """(n, 4, 2) corners in mm of the cards that are sure so far."""
    corners = corners_of(deck)
    return np.concatenate([verdict.hypotheses.take(verdict.sure).to_table(corners) for verdict in verdicts])


def _exclusions(claims: list[Claim]) -> NDArray[np.bool_]:
    """(n, n) which claims exclude each other: sharing a mark, or so close that neither would show half of its face."""
    centres = np.array([claim.centre_mm for claim in claims]).reshape(-1, 2)
    found = np.abs(centres[:, None] - centres[None]).max(-1) < _SAME_PLACE_MM
    holders: dict[tuple[str, int], list[int]] = {}
    for rank, claim in enumerate(claims):
        for mark in claim.marks:
            holders.setdefault(mark, []).append(rank)
    for ranks in holders.values():
        found[np.ix_(ranks, ranks)] = True
    return np.asarray(found)


def settled(verdicts: list[Verdicts], deck: Deck, table: Table, doubt: float) -> Reading:
    """Choose the best of the hypotheses that exclude each other: a mark belongs to one card, a card lies once.

    `doubt` is taken off the log-odds of cards told by fewer than three marks: they trust the table's scale.
    """
    claims = claims_of(verdicts, deck)
    chosen: list[int] = []
    cards: list[CardReading] = []
    unclear: list[UnclearCard] = []
    used: set[str] = set()
    excluded = _exclusions(claims)
    corners_px = table.to_px(np.array([claim.corners_mm for claim in claims]).reshape(-1, 2)).reshape(-1, 4, 2)
    for rank, claim in enumerate(claims):
        if excluded[rank, chosen].any():
            continue
        rivals = (claims[k] for k in np.flatnonzero(excluded[rank, rank + 1 :]) + rank + 1)
        strongest = (c.odds for c in rivals if c.face.id not in used and c.face is not claim.face)
        margin = claim.odds - next(strongest, _NO_RIVAL)
        odds = min(claim.odds, margin) - (doubt if len(claim.marks) < 3 else 0.0)
        confidence = float(1 / (1 + np.exp(-odds)))
        chosen.append(rank)
        if odds > SURE and claim.face.id not in used:
            used.add(claim.face.id)
            cards.append(CardReading(claim.face, confidence, corners_px[rank], claim.centre_mm))
        else:
            reason = "same card twice" if claim.face.id in used else "covered"
            x, y = corners_px[rank].mean(0)
            unclear.append(
                UnclearCard(corners_px[rank], (float(x), float(y)), claim.centre_mm, reason, (claim.face, confidence))
            )
    return Reading(tuple(cards), tuple(unclear))
