"""Chooses which hypotheses are cards: a mark belongs to one card, a face appears once, rivals leave a doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck, Face
from vision.marked.marks import coincide
from vision.marked.outline import corners_of
from vision.marked.scoring import SURE, Verdicts, faces_of
from vision.quads import stacked
from vision.reading import Card, Reading
from vision.table import Table

_SAME_PLACE_MM = 12.0
_NO_RIVAL = -20.0
_COLOURED = 1.5
_WORTH_SAYING = 1.5  # log-odds from which an unidentified card is reported


@dataclass(frozen=True, eq=False)
class Claim:
    """A hypothesis before its verdict; `origin`: index of its verdicts, and its index there.

    `marks`: side and number of the found ones; `places` (3, 3): see `_mark_places`; `lies`: a card is there for
    certain, fully visible, whatever face it shows.
    """

    origin: tuple[int, int]
    odds: float
    face: Face
    marks: frozenset[tuple[str, int]]
    places: Floats
    corners_mm: Floats
    centre_mm: tuple[float, float]
    lies: bool


def claims_of(verdicts: list[Verdicts], deck: Deck) -> list[Claim]:
    """Return all hypotheses worth reporting, the best first."""
    claims = []
    for number, verdict in enumerate(verdicts):
        # White specks on black, such as a marker's cells, have no colour: only a certain card may do without.
        coloured = verdict.terms["colour"] > _COLOURED
        lies = verdict.terms["there"] > 0
        chosen = np.flatnonzero(verdict.sure | ((verdict.log_odds > _WORTH_SAYING) & coloured) | lies)
        if not len(chosen):
            continue
        hypotheses = verdict.hypotheses.take(chosen)
        corners = hypotheses.to_table(corners_of(deck))
        middles, places = corners.mean(1), _mark_places(verdict)[chosen]
        for k, odds in enumerate(verdict.log_odds[chosen]):
            face = verdict.layouts.faces[hypotheses.faces[k]]
            marks = frozenset((face.side, int(m)) for m in hypotheses.marks[k] if m >= 0)
            middle = (float(middles[k, 0]), float(middles[k, 1]))
            origin, is_there = (number, int(chosen[k])), bool(lies[chosen[k]])
            claims.append(Claim(origin, float(odds), face, marks, places[k], corners[k], middle, is_there))
    return sorted(claims, key=lambda claim: -claim.odds)


def sure_corners(verdicts: list[Verdicts], deck: Deck) -> Floats:
    """Return the corners (n, 4, 2) in mm of the cards that are certain so far."""
    corners = corners_of(deck)
    found = (verdict.hypotheses.take(verdict.sure).to_table(corners) for verdict in verdicts if verdict.sure.any())
    return np.concatenate([np.zeros((0, 4, 2)), *found])


def _mark_places(verdict: Verdicts) -> Floats:
    """Return (n, 3, 3) places in mm on the table of each hypothesis's found marks, and their radii; else nan."""
    found, layouts = verdict.hypotheses, verdict.layouts
    radii = np.sqrt(layouts.areas_mm2[found.faces] / np.pi)
    places = np.concatenate([found.to_table(layouts.centres_mm[found.faces]), radii[..., None]], axis=2)
    return np.asarray(np.where((found.marks >= 0)[..., None], places, np.nan))


def _share_a_mark(some: Floats, others: Floats) -> NDArray[np.bool_]:
    """Return whether (n, m) cards with marks at these places, (n, 3, 3) and (m, 3, 3), claim the same mark."""
    one, other = some[:, None, :, None], others[None, :, None]
    return np.asarray(coincide(one[..., :2], one[..., 2], other[..., :2], other[..., 2]).any((2, 3)))


def _exclusions(claims: list[Claim]) -> NDArray[np.bool_]:
    """Return which claims exclude each other (n, n): they share a mark, or are too close.

    So close, neither would show half of its face.
    """
    centres = np.array([claim.centre_mm for claim in claims]).reshape(-1, 2)
    found = np.abs(centres[:, None] - centres[None]).max(-1) < _SAME_PLACE_MM
    holders: dict[tuple[str, int], list[int]] = {}
    for rank, claim in enumerate(claims):
        for mark in claim.marks:
            holders.setdefault(mark, []).append(rank)
    for ranks in holders.values():
        if len(ranks) > 1:
            found[np.ix_(ranks, ranks)] = True
    places = np.array([claim.places for claim in claims]).reshape(-1, 3, 3)
    return np.asarray(found | _share_a_mark(places, places))


@dataclass(frozen=True)
class ChosenClaim:
    """A claim that no better one excludes; `told`: certain enough to be announced."""

    claim: Claim
    confidence: float
    told: bool
    twice: bool


def chosen_of(verdicts: list[Verdicts], deck: Deck, doubt: float) -> list[ChosenClaim]:
    """Choose the best of the hypotheses that exclude each other: a mark belongs to one card, a face appears once.

    `doubt` is taken off the log-odds of cards with fewer than three marks: they trust the table's scale.
    """
    claims = claims_of(verdicts, deck)
    choices: list[ChosenClaim] = []
    used: set[str] = set()
    excluded = _exclusions(claims)
    closed = np.zeros(len(claims), dtype=bool)
    for rank, claim in enumerate(claims):
        if closed[rank]:
            continue
        closed |= excluded[rank]
        rivals = (claims[k] for k in np.flatnonzero(excluded[rank, rank + 1 :]) + rank + 1)
        strongest = (c.odds for c in rivals if c.face.id not in used and c.face is not claim.face)
        margin = claim.odds - next(strongest, _NO_RIVAL)
        odds = min(claim.odds, margin) - (doubt if len(claim.marks) < 3 else 0.0)
        twice = claim.face.id in used
        told = odds > SURE and not twice
        if told:
            used.add(claim.face.id)
        choices.append(ChosenClaim(claim, float(1 / (1 + np.exp(-odds))), told, twice))
    return choices


def settled(verdicts: list[Verdicts], deck: Deck, table: Table, doubt: float) -> Reading:
    """Return the identified and the unclear cards; see `chosen_of`."""
    choices = chosen_of(verdicts, deck, doubt)
    corners_px = table.to_px(stacked(c.claim.corners_mm for c in choices))
    cards: list[Card] = []
    unclear: list[Card] = []
    for choice, corners in zip(choices, corners_px, strict=True):
        card = Card(choice.claim.face, choice.confidence, corners, choice.claim.centre_mm)
        if choice.told:
            cards.append(card)
            continue
        # A card that is neither identified nor covered is bleached by light.
        reason = "same card twice" if choice.twice else "glare" if choice.claim.lies else "covered"
        unclear.append(replace(card, reason=reason))
    return Reading(tuple(cards), tuple(unclear), table)


def told_of(verdicts: list[Verdicts], deck: Deck, doubt: float) -> list[Verdicts]:
    """Return the identified hypotheses; see `chosen_of`."""
    origins = {choice.claim.origin for choice in chosen_of(verdicts, deck, doubt) if choice.told}
    return [
        verdict.take(np.array([(number, k) in origins for k in range(len(verdict.hypotheses))], dtype=bool))
        for number, verdict in enumerate(verdicts)
    ]


def left_open(verdicts: list[Verdicts], told: list[Verdicts], deck: Deck) -> list[Verdicts]:
    """Return the hypotheses that the identified cards leave open: other marks, other places, other faces."""
    told = [card for card in told if len(card.hypotheses)]
    if not told:
        return verdicts
    faces = faces_of(told)
    marks = {(card.layouts.side, mark) for card in told for mark in card.hypotheses.marks.ravel().tolist() if mark >= 0}
    places = np.concatenate([_mark_places(card) for card in told])
    middles = np.concatenate([card.hypotheses.to_table(corners_of(deck)).mean(1) for card in told])
    parts = []
    for verdict in verdicts:
        if not len(verdict.hypotheses):
            parts.append(verdict)
            continue
        found, side = verdict.hypotheses, verdict.layouts.side
        centres = found.to_table(corners_of(deck)).mean(1)
        keep = ~(np.abs(centres[:, None] - middles[None]).max(-1) < _SAME_PLACE_MM).any(1)
        keep &= np.array([verdict.layouts.faces[face].id not in faces for face in found.faces], dtype=bool)
        keep &= np.array([not any((side, m) in marks for m in seen) for seen in found.marks.tolist()], dtype=bool)
        keep &= ~_share_a_mark(_mark_places(verdict), places).any(1)
        parts.append(verdict.take(keep))
    return parts


def also_unclear(reading: Reading, doubtful: Reading) -> Reading:
    """Add the unclear cards of a second reading to a first one, except at places that the first one has."""
    known = [card.centre_mm for card in reading.cards] + [card.centre_mm for card in reading.unclear]
    places = np.array([centre for centre in known if centre is not None]).reshape(-1, 2)
    more = [
        card
        for card in doubtful.unclear
        if card.centre_mm is not None
        and not (np.abs(places - np.array(card.centre_mm)).max(-1) < 2 * _SAME_PLACE_MM).any()
    ]
    return reading.and_unclear(more)
