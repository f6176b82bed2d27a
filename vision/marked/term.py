"""Names cards by their marks: the term of the reader for decks of marks.

Proposed cards exclude each other: a mark belongs to one card, a face appears once, no two cards are at one place.
Each identified card explains what it hides of the others, so these are weighed again, round after round.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Image
from vision.deck import Deck
from vision.errors import BadTableError
from vision.marked.colour import lamp_of
from vision.marked.layouts import Hypotheses
from vision.marked.picture_marks import PictureMarks
from vision.markers import SQUARE_MM, Marker, whites_of
from vision.quads import enlarged, stacked, within_quads
from vision.read.verdict import VERDICT, doubt_of_marks
from vision.reading import Card
from vision.table import Table
from vision.table_fit import FlatShape, fit_table


@dataclass(frozen=True)
class TermParams:
    """Thresholds for the choice among cards, and for tables of vague scale; odds are log-odds."""

    spare_marks: int = 2  # of the three on a card: a thing may have a spot like one
    same_place_mm: float = 12.0  # between middles: so close, neither would show half of its face
    worth_saying: float = 1.5  # odds from which an unidentified card is reported
    coloured: float = 1.0  # the same, of its marks' colours: white specks on black, such as a marker's cells, have none
    sheet: float = 1.25  # a marker card by its square
    # Relative difference from the printed size that a card may measure: on a good table, on a vague one, and there in
    # standard errors of its scale.
    reach: float = 0.05
    most_reach: float = 0.15
    reach_errors: float = 3.0
    most_fits: int = 5
    # Odds taken off covered cards on a table from few or no markers, before and after whole cards confirmed it.
    unproven: float = 20.0
    vague: float = 2.0
    # Relative scale error above which the cards refine the table, too. Fewer markers fit a table in any picture, and in
    # a cropped one lengths far from them are off by a tenth.
    vague_scale: float = 0.008
    enough_markers: int = 3
    marker_sigma_px: float = 1.0  # beside the marks, which bloom does not move
    card_sigma_px: float = 0.8


TERM = TermParams()


@dataclass(frozen=True, eq=False)
class MarkedCards:
    """Cards by their marks: certain ones, and unclear ones. `table` is in the cards' own scale.

    `spare_px` (n, 2): clear whole marks on no certain card.
    """

    cards: list[Card]
    unclear: list[Card]
    table: Table
    spare_px: Floats


@dataclass(frozen=True)
class _Choice:
    """A card, by its number, that no better one excludes; `log_odds` beside its rivals."""

    number: int
    log_odds: float
    doubt: str | None


class MarkTerm:
    """Names the cards of one deck by their marks."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck

    def fitted_to_markers(self, image_bgr: Image, table: Table, markers: Sequence[Marker]) -> tuple[Table, float]:
        """Return the table of some markers, fitted to cards, too, where its scale is vague, and `read`'s doubt."""
        if table.scale_error < TERM.vague_scale and len(markers) >= TERM.enough_markers:
            return table, 0.0
        squares = [FlatShape(SQUARE_MM, marker.corners_px, TERM.marker_sigma_px) for marker in markers]
        return self._fitted(image_bgr, table, markers, squares)

    def fitted_to_cards(self, image_bgr: Image, cards_px: Floats) -> tuple[Table, float] | None:
        """Return the table of some cards (n, 4, 2) px, and `read`'s doubt; None if they show no plane."""
        corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * self._deck.card_mm
        pieces = [FlatShape(corners, card, TERM.card_sigma_px) for card in cards_px]
        try:
            table, places = fit_table(pieces, (image_bgr.shape[1], image_bgr.shape[0]))
        except BadTableError:
            return None
        return self._fitted(image_bgr, table.moved(places[0, :2]), (), pieces)

    def _fitted(
        self, image_bgr: Image, table: Table, markers: Sequence[Marker], known: Sequence[FlatShape]
    ) -> tuple[Table, float]:
        """Fit a table of vague scale to the `known` pieces and to the whole cards beside them.

        In a cropped picture lengths far from the markers are off by a tenth, and only the last cards reach the next.
        """
        doubt, count = TERM.unproven, 0
        with suppress(BadTableError):
            for _ in range(TERM.most_fits):
                reach = min(max(TERM.reach_errors * table.scale_error, TERM.reach), TERM.most_reach)
                view = self._view(image_bgr, table, markers)
                marks = view.pieces(view.whole_cards(reach))
                if len(marks) <= count:
                    break
                count = len(marks)
                fitted, places = fit_table([*known, *marks], (image_bgr.shape[1], image_bgr.shape[0]))
                table, doubt = fitted.moved(places[0, :2]), TERM.vague
        return table, doubt

    def read(self, image_bgr: Image, table: Table, markers: Sequence[Marker], doubt: float = 0.0) -> MarkedCards:
        """Return the cards in a picture; `doubt` is taken off the log-odds of cards with fewer than three marks."""
        view = self._view(image_bgr, table, markers)
        found = [view.whole_cards(TERM.reach)]
        found.append(view.part_cards(_corners(view, found[0].take(found[0].log_odds > VERDICT.marked))))
        found.append(view.lone_cards())
        cards, possible = _weighed(view, found[0], Hypotheses.joined(found), doubt)
        chosen = [(cards, choice) for choice in _chosen(view, cards, doubt)]
        middles = _corners(view, cards.take(np.array([choice.number for _, choice in chosen], np.intp))).mean(1)
        for choice in _chosen(view, possible, doubt):
            near = np.abs(middles - _corners(view, possible.take(np.array([choice.number]))).mean(1)).max(1)
            if choice.doubt is not None and near.min(initial=np.inf) >= 2 * TERM.same_place_mm:
                chosen.append((possible, choice))
        certain = np.array([choice.number for _, choice in chosen if choice.doubt is None], np.intp)
        spare_px = view.spare_px(cards.take(certain))
        named: list[Card] = []
        unclear: list[Card] = []
        for these, choice in chosen:
            one = these.take(np.array([choice.number]))
            card = _card(view, one, choice)
            if (one.marks < 0).sum() > 1 and shows_another(spare_px, card.corners_px):
                # An untaught card was named by one mark like this face's, beside two that are not.
                card = replace(card, reason=card.reason or "covered")
            (named if card.reason is None else unclear).append(card)
        return MarkedCards(named, unclear, view.table, spare_px)

    def _view(self, image_bgr: Image, table: Table, markers: Sequence[Marker]) -> PictureMarks:
        keep_out = enlarged(stacked(marker.corners_px for marker in markers), TERM.sheet)
        return PictureMarks(image_bgr, table, self._deck, keep_out, lamp_of(whites_of(image_bgr, markers)))


def shows_another(spare_px: Floats, corners_px: Floats) -> bool:
    """Return whether a card's place (4, 2) px has spare marks (n, 2) px of a face that the deck does not have."""
    return bool(within_quads(spare_px, corners_px[None]).sum() >= TERM.spare_marks)


def _corners(view: PictureMarks, cards: Hypotheses) -> Floats:
    """Return the corners (n, 4, 2) in mm of cards."""
    return cards.to_table(view.layouts.corners_mm)


def _card(view: PictureMarks, one: Hypotheses, choice: _Choice) -> Card:
    corners = _corners(view, one)[0]
    x, y = corners.mean(axis=0).tolist()
    confidence = float(1 / (1 + np.exp(-choice.log_odds)))
    return Card(view.layouts.faces[one.faces[0]], confidence, view.table.to_px(corners), (x, y), choice.doubt)


def _exclusions(view: PictureMarks, some: Hypotheses, others: Hypotheses) -> Flags:
    """Return which cards exclude which others (n, m): they share a mark, or are too close."""
    middles, other_middles = _corners(view, some).mean(1), _corners(view, others).mean(1)
    near = np.abs(middles[:, None] - other_middles[None]).max(-1) < TERM.same_place_mm
    one, other = some.marks[:, None, :, None], others.marks[None, :, None]
    return np.asarray(near | ((one == other) & (one >= 0)).any((2, 3)))


def _chosen(view: PictureMarks, cards: Hypotheses, doubt: float) -> list[_Choice]:
    """Choose the best of the cards that exclude each other, the likeliest first."""
    worth = cards.log_odds > VERDICT.marked
    worth |= (cards.log_odds > TERM.worth_saying) & (cards.colour > TERM.coloured)
    order = np.flatnonzero(worth)
    order = order[np.argsort(-cards.log_odds[order], kind="stable")]
    claims = cards.take(order)
    excluded = _exclusions(view, claims, claims)
    names = [view.layouts.faces[face].id for face in claims.faces]
    few = (claims.marks >= 0).sum(1) < claims.marks.shape[1]
    choices: list[_Choice] = []
    used: set[str] = set()
    closed = np.zeros(len(claims), dtype=bool)
    for rank, own in enumerate(claims.log_odds.tolist()):
        if closed[rank]:
            continue
        closed |= excluded[rank]
        rivals = np.flatnonzero(excluded[rank, rank + 1 :]) + rank + 1
        odds = (claims.log_odds[k] for k in rivals if claims.faces[k] != claims.faces[rank])
        odds = min(own, own - float(next(odds, 0.0))) - (doubt if few[rank] else 0.0)
        choices.append(_Choice(int(order[rank]), odds, doubt_of_marks(odds, is_twice=names[rank] in used)))
        if choices[-1].doubt is None:
            used.add(names[rank])
    return choices


def _named(view: PictureMarks, cards: Hypotheses, doubt: float) -> NDArray[np.intp]:
    """Return the numbers of the identified cards."""
    return np.array([choice.number for choice in _chosen(view, cards, doubt) if choice.doubt is None], np.intp)


def _left_open(view: PictureMarks, cards: Hypotheses, named: Hypotheses) -> Hypotheses:
    """Return the cards that the identified ones leave open: other marks, other places, other faces."""
    faces = {view.layouts.faces[face].id for face in named.faces}
    free = np.array([view.layouts.faces[face].id not in faces for face in cards.faces], bool)
    return cards.take(free & ~_exclusions(view, cards, named).any(1))


def _weighed(view: PictureMarks, whole: Hypotheses, first: Hypotheses, doubt: float) -> tuple[Hypotheses, Hypotheses]:
    """Weigh cards that the certain ones leave open, round after round, until nothing more is identified.

    Return all cards, and those that the contours neither confirmed nor moved, with their first odds.
    """
    # Three whole marks are proof enough; two, or one and an edge, need a closer look.
    named = whole.take(_named(view, whole, doubt))
    left = view.fitted(_left_open(view, first, named))
    while True:
        left = _left_open(view, left, named)
        again, possible = view.weighed(left, _corners(view, named))
        every = Hypotheses.joined([named, again])
        more = _named(view, every, doubt)
        more = more[more >= len(named)]
        if not len(more):
            return every, possible
        # A certain card stays certain, however much of it the others explain.
        named = Hypotheses.joined([named, every.take(more)])
