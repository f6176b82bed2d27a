"""Reads all cards of a deck in one picture: finds them, takes certain cards, reports doubtful ones.

The finder only proposes places. The one verifier identifies the face at a place and the explained share of it.
`occlusion` takes cards from the top, and a taken card's cells are no evidence against the next. Of a deck of marks,
the term of marks identifies cards before that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from vision.arrays import Box, Flags, Floats, Image
from vision.channels import smallest
from vision.deck import MARKS, Deck, Face
from vision.find.above import FlatView, TableView, area_in_sight
from vision.find.finder import CardFinder, CardHypotheses
from vision.find.unknown import KnownSize, find_unknown
from vision.marked.term import MarkedCards, MarkTerm, shows_another
from vision.markers import Marker, markers_in, table_if_shown, white_of
from vision.quads import enlarged, shared_area, stacked
from vision.read.occlusion import LAYER, Find, Layers, Passes, Place
from vision.read.places import is_flat, same_place, table_of
from vision.read.rectify import Covers, Pyramid
from vision.read.verdict import (
    TWICE,
    Verdict,
    confidence_of,
    doubt_of,
    doubt_of_nameless,
    is_certainly_there,
    worth,
)
from vision.read.verifier import Verifier
from vision.reading import Card, Reading
from vision.render_face import drawn
from vision.table import Table

ASLANT = "aslant"
"""The reason of a card that is held over the table, or not of its size."""
_ALL, _ONCE = Passes(), Passes(most=1, promise=0.3, score=0.5)
# Print alone named three wrong faces from strips on 150 synthetic tables of Confetti; the finder gave 0.64 for one.
_BESIDE_MARKS = Passes(most=3, promise=0.3, score=0.5, in_sight=0.7)
_SHEET = 1.3  # a marker card by its square
_PROMISING = 0.3  # of the ranking's scores, above that of an empty card
_NO_QUADS = np.zeros((0, 4, 2))
_TOUCH = 0.15  # of a place's area that may be on other cards found
_GLARE = 0.15  # of a card: share wiped out by light
_SOME_GLARE = 0.03  # of a likely card that no face fits: 0.05 was bleached where a lamp was mirrored in a black card
_CELLS = 24  # across and down
_CLIPPED = 247 / 255  # of white: as bright as the camera can measure
# Of 113 faces that stayed under a moving hand 84 have both; of 24 that changed none; of 302 hidden ones 1.
_WELL_RANKED, _CLEARLY_RANKED = 0.65, 0.02  # of the ranking's scores, and before the next meaning
_LEAST_SIDE_PX = 40
# Shared area of a finder's place with a read card: the least of a card partly under it, and the least of that same
# card. 21 of 24 such places on 27 tables of Confetti were a card.
_UNDER, _THE_SAME = 0.2, 0.9


@dataclass(frozen=True, eq=False)
class PartReading:
    """Reading of a part of a picture, and places (n, 4, 2) px of the finder's first pass, `likely` ones of cards."""

    reading: Reading
    places: Floats
    likely: Floats


@dataclass(frozen=True, eq=False)
class _Shot:
    """A picture, its markers, and `white` (3,) BGR 0..1 of white paper, None where unknown."""

    image_bgr: Image
    picture: Pyramid
    markers: Sequence[Marker]
    white: Floats | None


class CardReader:
    """Reads the cards of one deck."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self._finder = CardFinder()
        self._marks = MarkTerm(deck) if deck.kind == MARKS else None

    @cached_property
    def verifier(self) -> Verifier:
        """Return the verifier of the faces' art."""
        return _verifier_of(self.deck)

    def read(self, image_bgr: Image, table: Table | None = None, markers: Sequence[Marker] | None = None) -> Reading:
        """Read a picture, see `vision.reading.Reader`."""
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return Reading((), (), table)
        if markers is None:
            markers = markers_in(image_bgr)
        doubt = 0.0
        if table is None:
            table = table_if_shown(tuple(markers), (image_bgr.shape[1], image_bgr.shape[0]))
            if table is not None and self._marks is not None:
                table, doubt = self._marks.fitted_to_markers(image_bgr, table, markers)
        shot = _Shot(image_bgr, Pyramid(image_bgr), markers, white_of(image_bgr, markers))
        reading = self._read(shot, table, doubt)
        if table is not None or self._marks is None:
            return reading
        fitted = self._marks.fitted_to_cards(image_bgr, stacked(card.corners_px for card in reading.cards))
        return reading if fitted is None else self._read(shot, *fitted).placeless()

    def _read(self, shot: _Shot, table: Table | None, doubt: float = 0.0) -> Reading:
        """Read a picture; `doubt`: see `MarkTerm.read`."""
        known = enlarged(stacked(marker.corners_px for marker in shot.markers), _SHEET)
        if self._marks is None:
            return self._reading(self._layers(shot, table, known, _ALL), table)
        marked = None if table is None else self._marks.read(shot.image_bgr, table, shot.markers, doubt)
        cards = [] if marked is None else marked.cards
        table = None if marked is None else marked.table
        known = np.concatenate([known, *(card.corners_px[None] for card in cards)])
        layers = self._layers(shot, table, known, _BESIDE_MARKS, cards)
        return self._with_marks(layers, marked, self._reading(layers, table, cards))

    def read_open(
        self,
        image_bgr: Image,
        table: Table | None,
        white: Floats | None,
        known_px: Floats,
        steady_px: Floats | None,
        within_px: Box | None = None,
    ) -> PartReading:
        """Read the visible cards in a part of a picture, without looking under those that are taken.

        white: (3,) BGR 0..1 of white paper, None where unknown. `known_px` (n, 4, 2) are identified already.
        `steady_px`, `within_px`: see `Passes`.
        """
        passes = replace(_ONCE, steady=steady_px, within=within_px)
        layers = self._layers(_Shot(image_bgr, Pyramid(image_bgr), (), white), table, known_px, passes)
        places = stacked(place.quad for place in layers.found)
        is_likely = np.array([place.score >= LAYER.likely for place in layers.found], bool)
        return PartReading(self._reading(layers, table), places, places[is_likely])

    def at(
        self, picture: Pyramid, quads: Floats, table: Table, white: Floats | None, *, quick: bool = False
    ) -> Card | None:
        """Return the card at the likeliest of some places (n, 4, 2) px; None if none looks like one.

        quick: without a closer look at a doubtful one.
        """
        ranks = self.verifier.ranker.rank(picture, quads, white)
        best = np.array([np.argmax(ranks.promise)])
        if ranks.promise[best] < _PROMISING:
            return None
        verdict = self.verifier.judge(picture, quads[best], ranks.take(best), white, quick=quick)[0]
        if verdict is None:
            return None
        reason = self._reason(verdict, verdict.open_under(Covers(_NO_QUADS)), 0.0, table)
        return None if reason == "" else self._card(verdict, reason, table)

    def is_likeliest(self, picture: Pyramid, face: Face, quad: Floats, white: Floats | None) -> bool:
        """Return whether the ranking, clearly and alone, puts a face first at its known corners (4, 2) px."""
        ranker = self.verifier.ranker
        scores = ranker.rank(picture, quad[None], white).scores[0]
        best = int(scores.argmax())
        others = scores[self.deck.meanings[ranker.faces] != self.deck.meanings[ranker.faces[best]]]
        clear = scores[best] >= _WELL_RANKED and scores[best] >= others.max(initial=0.0) + _CLEARLY_RANKED
        return bool(clear and self.deck.faces[ranker.faces[best]] is face and ranker.turns[best] == 0)

    def _layers(
        self,
        shot: _Shot,
        table: Table | None,
        known: Floats,
        passes: Passes,
        marked: Sequence[Card] = (),
    ) -> Layers:
        """Take cards layer by layer beside the `known` ones, some of them `marked` with a name."""
        find = self._find(shot.image_bgr, table, len(known))
        layers = Layers(find, self.verifier, shot.picture, shot.white, Covers(known), passes)
        named = {card.named.id for card in marked}

        def is_certain(verdict: Verdict, cells: Flags, score: float) -> bool:
            if self._reason(verdict, cells, score, table, named, sized=len(layers.taken) > 1) is not None:
                return False
            if self._marks is not None:
                named.add(self.deck.faces[verdict.face].id)
            return True

        def is_there(verdict: Verdict, cells: Flags, score: float) -> bool:
            return is_certainly_there(verdict, cells, score) and self._is_flat(verdict.quad, table)

        layers.read(is_certain, is_there)
        return layers

    def _reading(self, layers: Layers, table: Table | None, marked: Sequence[Card] = ()) -> Reading:
        cards = [*marked, *(self._card(verdict, None, table) for verdict in layers.taken)]
        unclear = [self._card(each, doubt_of_nameless(each), table) for each in layers.nameless]
        named = {card.named.id for card in cards} if self._marks is not None else set()
        unclear += self._unclear(layers.left, layers.covers, table, named)
        taken = [card.corners_px for card in (*cards, *unclear)]
        unclear += self._strangers(layers.picture, layers.left, taken, table)
        return Reading(tuple(cards), tuple(unclear), table)

    def _with_marks(self, layers: Layers, marked: MarkedCards | None, beside: Reading) -> Reading:
        """Return a reading with the unclear cards that marks show, and those under its cards."""
        places = [card.corners_px for card in beside.cards]
        doubted = [] if marked is None else list(marked.unclear)
        # The finder may propose a sandtimer as a card. Glare wipes the print off a card, and off few other things;
        # marks are on a card whose face the deck does not have.
        spare_px = np.zeros((0, 2)) if marked is None else marked.spare_px
        doubted += [
            card
            for card in beside.unclear
            if card.face is not None or card.reason == "glare" or shows_another(spare_px, card.corners_px)
        ]
        for place in layers.left:
            under = max((shared_area(place.quad, quad) for quad in places), default=0.0)
            if _UNDER <= under <= _THE_SAME:
                centre = None if beside.table is None else beside.table.centre_mm(place.quad)
                doubted.append(Card(None, 0.0, place.quad, centre, "covered"))
        unclear: list[Card] = []
        for card in doubted:
            if not any(same_place(card.corners_px, place) for place in places):
                unclear.append(card)
                places.append(card.corners_px)
        return replace(beside, unclear=tuple(unclear))

    def _find(self, image_bgr: Image, table: Table | None, beside: int) -> Find:
        """Return what finds cards in a picture, of whose known quads the first `beside` are no cards of this deck."""
        view: TableView = FlatView(image_bgr) if table is None else TableView(image_bgr, table, area_in_sight(table))
        card = self.deck.card_mm
        if table is not None and self.deck.has_true_size:
            return lambda known: self._finder.find(view, card, known).distinct()
        wanted, size_px = KnownSize(aspect=max(card) / min(card)), (image_bgr.shape[1], image_bgr.shape[0])

        def find(known: Sequence[Floats]) -> CardHypotheses:
            nonlocal view, wanted
            # Seen obliquely, other cards are larger or smaller than those read first, but they are on one plane.
            plane = None if table is not None else table_of(stacked(known[beside:]), card, size_px)
            if plane is not None:
                return self._finder.find(TableView(image_bgr, plane, area_in_sight(plane)), card, known).distinct()
            found = find_unknown(self._finder, view, known, wanted)
            view, wanted = found.view, KnownSize(found.card)
            return found.hypotheses.distinct()

        return find

    def _reason(
        self,
        verdict: Verdict,
        cells: Flags,
        score: float,
        table: Table | None,
        named: Collection[str] = (),
        *,
        sized: bool = False,
    ) -> str | None:
        """Return why a card is unclear, None where it is certain, "" where there is no card.

        `named` are the ids of faces that other cards have, of a deck of marks. sized: other cards give the size of
        cards without a table.
        """
        reason = doubt_of(verdict, cells, score, on_table=sized or table is not None)
        if reason is None and not self._is_flat(verdict.quad, table):
            return ASLANT
        is_twice = reason is None and self.deck.faces[verdict.face].id in named
        return TWICE if is_twice else reason

    def _strangers(self, picture: Pyramid, left: list[Place], taken: list[Floats], table: Table | None) -> list[Card]:
        """Return likely cards without a face of the deck, where nothing else was found."""
        found: list[Card] = []
        sheets = picture.straight(stacked(place.quad for place in left), _CELLS, _CELLS)
        for place, bleached in zip(left, (smallest(sheets) >= _CLIPPED).mean(axis=(1, 2)), strict=True):
            is_likely = place.score >= LAYER.likely
            is_glare = bleached >= (_SOME_GLARE if is_likely else _GLARE)
            likely = is_likely or (is_glare and place.score >= LAYER.bleached)
            if likely and all(shared_area(place.quad, other) < _TOUCH for other in taken):
                taken.append(place.quad)
                centre = None if table is None else table.centre_mm(place.quad)
                found.append(Card(None, 0.0, place.quad, centre, "glare" if is_glare else "no face fits"))
        return found

    def _unclear(self, places: list[Place], covers: Covers, table: Table | None, named: Collection[str]) -> list[Card]:
        """Return possible cards beside the certain ones, the likeliest first."""
        unclear: list[Card] = []
        left = [place.verdict for place in places if place.verdict is not None]
        while left:
            opened = [verdict.open_under(covers) for verdict in left]
            best = int(np.argmax([worth(*pair) for pair in zip(left, opened, strict=True)]))
            verdict, reason = left[best], self._reason(left[best], opened[best], 0.0, table, named)
            left = [other for k, other in enumerate(left) if k != best and not same_place(other.quad, verdict.quad)]
            if reason:
                unclear.append(self._card(verdict, reason, table))
                covers = covers.and_(verdict.sheet)
        return unclear

    def _is_flat(self, quad: Floats, table: Table | None) -> bool:
        return table is None or not self.deck.has_true_size or is_flat(table, quad, self.deck.card_mm)

    def _card(self, verdict: Verdict, reason: str | None, table: Table | None) -> Card:
        confidence = confidence_of(min(verdict.margin, verdict.lead))
        centre = None if table is None else table.centre_mm(verdict.quad)
        return Card(self.deck.faces[verdict.face], confidence, verdict.quad, centre, reason)


@lru_cache(maxsize=2)
def _verifier_of(deck: Deck) -> Verifier:
    """Return the verifier of a deck's faces, those of a deck of marks as they are drawn."""
    return Verifier(drawn(deck) if deck.kind == MARKS else deck)
