"""Chooses between hypotheses: a mark belongs to one card, a face appears once, no two cards are at one place.

Each identified card explains what it hides of the others, so these are scored again, round after round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Flags, Floats
from vision.deck import Face
from vision.marked.marks import coincide
from vision.marked.side_reader import SideReader
from vision.marked.verdicts import SURE, Verdicts, faces_of, joined
from vision.reading import Card, Reading
from vision.table import Table

_SAME_PLACE_MM = 12.0
_NO_RIVAL = -20.0
_COLOURED = 1.0
_WORTH_SAYING = 1.5  # log-odds from which an unidentified card is reported


@dataclass(frozen=True, eq=False)
class Claim:
    """A hypothesis before its verdict; `origin`: index of its verdicts, and its index there.

    `marks`: side and number of the found ones; `places` (3, 3): see `_mark_places`; `corners_mm` (4, 2).
    """

    origin: tuple[int, int]
    odds: float
    face: Face
    marks: frozenset[tuple[str, int]]
    places: Floats
    corners_mm: Floats

    @property
    def centre_mm(self) -> tuple[float, float]:
        """Return its middle on the table."""
        x, y = self.corners_mm.mean(axis=0).tolist()
        return x, y


def _claims_of(verdicts: list[Verdicts]) -> list[Claim]:
    """Return all hypotheses worth reporting, the best first."""
    claims = []
    for number, verdict in enumerate(verdicts):
        found, layouts = verdict.hypotheses, verdict.layouts
        # White specks on black, such as a marker's cells, have no colour: only a certain card may do without.
        chosen = verdict.sure | ((verdict.log_odds > _WORTH_SAYING) & (verdict.colour > _COLOURED))
        corners, places = found.to_table(layouts.corners_mm), _mark_places(verdict)
        for k in np.flatnonzero(chosen).tolist():
            face, odds = layouts.faces[found.faces[k]], float(verdict.log_odds[k])
            marks = frozenset((layouts.side, int(m)) for m in found.marks[k] if m >= 0)
            claims.append(Claim((number, k), odds, face, marks, places[k], corners[k]))
    return sorted(claims, key=lambda claim: -claim.odds)


def _corners(verdicts: list[Verdicts]) -> Floats:
    """Return the corners (n, 4, 2) in mm of all hypotheses."""
    found = (verdict.hypotheses.to_table(verdict.layouts.corners_mm) for verdict in verdicts)
    return np.concatenate([np.zeros((0, 4, 2)), *found])


def sure_corners(verdicts: list[Verdicts]) -> Floats:
    """Return the corners (n, 4, 2) in mm of the cards that are certain so far."""
    return _corners([verdict.take(verdict.sure) for verdict in verdicts])


def _mark_places(verdict: Verdicts) -> Floats:
    """Return (n, 3, 3) places in mm on the table of each hypothesis's found marks, and their radii; else nan."""
    found, layouts = verdict.hypotheses, verdict.layouts
    radii = np.sqrt(layouts.areas_mm2[found.faces] / np.pi)
    places = np.concatenate([found.to_table(layouts.centres_mm[found.faces]), radii[..., None]], axis=2)
    return np.asarray(np.where((found.marks >= 0)[..., None], places, np.nan))


def _share_a_mark(some: Floats, others: Floats) -> Flags:
    """Return whether (n, m) cards with marks at these places, (n, 3, 3) and (m, 3, 3), claim the same mark."""
    one, other = some[:, None, :, None], others[None, :, None]
    return np.asarray(coincide(one[..., :2], one[..., 2], other[..., :2], other[..., 2]).any((2, 3)))


def _exclusions(claims: list[Claim]) -> Flags:
    """Return which claims exclude each other (n, n): they share a mark, or are too close.

    So close, neither would show half of its face.
    """
    centres = np.array([claim.centre_mm for claim in claims]).reshape(-1, 2)
    places = np.array([claim.places for claim in claims]).reshape(-1, 3, 3)
    near = np.abs(centres[:, None] - centres[None]).max(-1) < _SAME_PLACE_MM
    found = np.asarray(near | _share_a_mark(places, places))
    for k, claim in enumerate(claims):
        found[k] |= [not claim.marks.isdisjoint(other.marks) for other in claims]
    return found


@dataclass(frozen=True)
class ChosenClaim:
    """A claim that no better one excludes; `named`: certain enough to be announced."""

    claim: Claim
    confidence: float
    named: bool
    twice: bool


def _chosen_of(verdicts: list[Verdicts], doubt: float) -> list[ChosenClaim]:
    """Choose the best of the hypotheses that exclude each other.

    `doubt` is taken off the log-odds of cards with fewer than three marks: they trust the table's scale.
    """
    claims = _claims_of(verdicts)
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
        named = odds > SURE and not twice
        if named:
            used.add(claim.face.id)
        choices.append(ChosenClaim(claim, float(1 / (1 + np.exp(-odds))), named, twice))
    return choices


def settled(verdicts: list[Verdicts], doubtful: list[Verdicts], table: Table, doubt: float) -> Reading:
    """Return the identified and the unclear cards, also those of `doubtful` verdicts at other places."""
    chosen = _chosen_of(verdicts, doubt)
    known = np.array([choice.claim.centre_mm for choice in chosen]).reshape(-1, 2)
    for choice in _chosen_of(doubtful, doubt):
        near = np.abs(known - choice.claim.centre_mm).max(-1) < 2 * _SAME_PLACE_MM
        if not choice.named and not near.any():
            chosen.append(choice)
    cards: list[Card] = []
    unclear: list[Card] = []
    for choice in chosen:
        claim = choice.claim
        card = Card(claim.face, choice.confidence, table.to_px(claim.corners_mm), claim.centre_mm)
        if choice.named:
            cards.append(card)
        else:
            unclear.append(replace(card, reason="same card twice" if choice.twice else "covered"))
    return Reading(tuple(cards), tuple(unclear), table)


def _named_of(verdicts: list[Verdicts], doubt: float) -> list[Verdicts]:
    """Return the identified hypotheses."""
    origins = [choice.claim.origin for choice in _chosen_of(verdicts, doubt) if choice.named]
    return [
        verdict.take(np.array([k for other, k in origins if other == number], np.intp))
        for number, verdict in enumerate(verdicts)
    ]


def _left_open(verdicts: list[Verdicts], named: list[Verdicts]) -> list[Verdicts]:
    """Return the hypotheses that the identified cards leave open: other marks, other places, other faces."""
    faces = faces_of(named)
    marks = {
        (card.layouts.side, mark) for card in named for mark in card.hypotheses.marks.ravel().tolist() if mark >= 0
    }
    places = np.concatenate([np.zeros((0, 3, 3)), *map(_mark_places, named)])
    middles = _corners(named).mean(1)
    parts = []
    for verdict in verdicts:
        found, side = verdict.hypotheses, verdict.layouts.side
        centres = found.to_table(verdict.layouts.corners_mm).mean(1)
        keep = ~(np.abs(centres[:, None] - middles[None]).max(-1) < _SAME_PLACE_MM).any(1)
        keep &= np.array([verdict.layouts.faces[face].id not in faces for face in found.faces], dtype=bool)
        taken = [any(m >= 0 and (side, m) in marks for m in seen) for seen in found.marks.tolist()]
        keep &= ~np.array(taken, dtype=bool)
        parts.append(verdict.take(keep & ~_share_a_mark(_mark_places(verdict), places).any(1)))
    return parts


def looked_closer(
    readers: list[SideReader], verdicts: list[Verdicts], doubt: float
) -> tuple[list[Verdicts], list[Verdicts]]:
    """Look closer at hypotheses that the `verdicts` leave open, round after round, until nothing more is identified.

    Verdicts on whole cards come first, one for each of the `readers`; `doubt`: see `_chosen_of`. Return all verdicts,
    and those of the first scores that the closer look neither confirmed nor moved.
    """
    # Three whole marks are proof enough; two, or one and an edge, need a closer look.
    named = _named_of(verdicts[: len(readers)], doubt)
    sides = zip(readers, _left_open(_by_side(verdicts), named), strict=True)
    verdicts, earlier = [reader.refined(verdict) for reader, verdict in sides], list[Verdicts]()
    while True:
        verdicts, known_mm = _left_open(verdicts, named), sure_corners(named)
        looks = [reader.look_closer(verdict, known_mm) for reader, verdict in zip(readers, verdicts, strict=True)]
        again = [confirmed for confirmed, _ in looks]
        # The more certain ones first: then they cover parts of the others, and may be rivals. A
        # certain card stays certain, however much of it the others explain, unless a rival is now more certain.
        judged = [*again, *_left_open(earlier, named)]
        more = _surer(_named_of([*named, *judged], doubt)[len(named) :])
        if not any(len(verdict.hypotheses) for verdict in more):
            return [*named, *again], [possible for _, possible in looks]
        named = _by_side([*named, *more])
        earlier = [verdict.take(verdict.sure) for verdict in _by_side(judged)]


def _surer(verdicts: list[Verdicts]) -> list[Verdicts]:
    """Return the verdicts nearer to the most certain one than to the threshold of certainty."""
    surest = np.concatenate([verdict.log_odds for verdict in verdicts]).max(initial=SURE)
    return [verdict.take(verdict.log_odds >= (SURE + surest) / 2) for verdict in verdicts]


def _by_side(verdicts: list[Verdicts]) -> list[Verdicts]:
    """Return the same verdicts, those of each side joined."""
    sides = dict.fromkeys(verdict.layouts for verdict in verdicts)
    return [joined([verdict for verdict in verdicts if verdict.layouts is layouts]) for layouts in sides]
