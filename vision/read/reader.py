"""Reads all cards of a deck of prints in one picture: finds them, takes certain cards, reports doubtful ones.

The finder only proposes places. The one verifier identifies the face at a place and the explained share of it.
`occlusion` takes cards from the top, and a taken card's cells are no evidence against the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Box, Flags, Floats, Image
from vision.channels import smallest
from vision.deck import Deck, Face
from vision.find.above import FlatView, TableView, area_in_sight
from vision.find.finder import CardFinder, CardHypotheses
from vision.find.unknown import KnownSize, find_unknown
from vision.markers import Marker, markers_in, table_if_shown, white_of
from vision.quads import enlarged, shared_area, stacked
from vision.read.occlusion import LAYER, Find, Layers, Passes, Place
from vision.read.places import lies_flat, same_place, table_of
from vision.read.rectify import Covers, Pyramid
from vision.read.verdict import Verdict, confidence_of, doubt_of, doubt_of_nameless, lies_there, worth
from vision.read.verifier import Verifier
from vision.reading import Card, Reading
from vision.table import Table

ASLANT = "aslant"
"""The reason of a card that is held over the table, or not of its size."""
_ALL, _ONCE = Passes(), Passes(most=1, promise=0.3, score=0.5)
_BESIDE = Passes(most=3, promise=0.3, score=0.5)
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
_MOSTLY_OPEN = 0.7  # of a card, visible: the finder gave 0.64 for a strip


@dataclass(frozen=True, eq=False)
class PartReading:
    """Reading of a part of a picture, and places (n, 4, 2) px of the finder.

    `places` are those of its first pass, `open` of them those of mostly visible cards, `likely` those of cards whatever
    their faces; `left` are places of its last pass at which nothing was read.
    """

    reading: Reading
    places: Floats
    open: Floats
    likely: Floats
    left: Floats


class CardReader:
    """Reads the cards of one deck of prints."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.verifier = Verifier(deck)
        self._finder = CardFinder()

    def read(self, image_bgr: Image, table: Table | None = None, markers: Sequence[Marker] | None = None) -> Reading:
        """Read a picture, see `vision.reading.Reader`."""
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return Reading((), (), table)
        if markers is None:
            markers = markers_in(image_bgr)
        if table is None:
            table = table_if_shown(tuple(markers), (image_bgr.shape[1], image_bgr.shape[0]))
        known = enlarged(stacked(marker.corners_px for marker in markers), _SHEET)
        white = white_of(image_bgr, markers)
        return self._read(image_bgr, table, white, known, _ALL)

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
        return self._part(self._layers(image_bgr, table, white, known_px, passes), table)

    def read_beside(self, image_bgr: Image, table: Table, white: Floats | None, known_px: Floats) -> PartReading:
        """Read the cards beside the known ones and marker cards, `known_px` (n, 4, 2)."""
        return self._part(self._layers(image_bgr, table, white, known_px, _BESIDE), table)

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
        reason = "" if verdict is None else self._reason(verdict, verdict.open_under(Covers(_NO_QUADS)), 0.0, table)
        return None if verdict is None or reason == "" else self._card(verdict, reason, table)

    def is_likeliest(self, picture: Pyramid, face: Face, quad: Floats, white: Floats | None) -> bool:
        """Return whether the ranking, clearly and alone, puts a face first at its known corners (4, 2) px."""
        ranker = self.verifier.ranker
        scores = ranker.rank(picture, quad[None], white).scores[0]
        best = int(scores.argmax())
        others = scores[self.deck.meanings[ranker.faces] != self.deck.meanings[ranker.faces[best]]]
        clear = scores[best] >= _WELL_RANKED and scores[best] >= others.max(initial=0.0) + _CLEARLY_RANKED
        return bool(clear and self.deck.faces[ranker.faces[best]] is face and ranker.turns[best] == 0)

    def _read(
        self, image_bgr: Image, table: Table | None, white: Floats | None, known: Floats, passes: Passes
    ) -> Reading:
        return self._reading(self._layers(image_bgr, table, white, known, passes), table)

    def _layers(
        self, image_bgr: Image, table: Table | None, white: Floats | None, known: Floats, passes: Passes
    ) -> Layers:
        picture = Pyramid(image_bgr)
        find = self._find(image_bgr, table, len(known))
        layers = Layers(find, self.verifier, picture, white, Covers(known), passes)

        def is_certain(verdict: Verdict, cells: Flags, score: float) -> bool:
            return self._reason(verdict, cells, score, table, sized=len(layers.taken) > 1) is None

        def is_there(verdict: Verdict, cells: Flags, score: float) -> bool:
            return lies_there(verdict, cells, score) and self._lies_flat(verdict.quad, table)

        layers.read(is_certain, is_there)
        return layers

    def _reading(self, layers: Layers, table: Table | None) -> Reading:
        cards = [self._card(verdict, None, table) for verdict in layers.taken]
        unclear = [self._card(each, doubt_of_nameless(each), table) for each in layers.nameless]
        unclear += self._unclear(layers.left, layers.covers, table)
        taken = [card.corners_px for card in (*cards, *unclear)]
        unclear += self._strangers(layers.picture, layers.left, taken, table)
        return Reading(tuple(cards), tuple(unclear), table)

    def _part(self, layers: Layers, table: Table | None) -> PartReading:
        places = stacked(place.quad for place in layers.found)
        is_open = np.array([place.in_sight >= _MOSTLY_OPEN for place in layers.found], bool)
        is_likely = np.array([place.score >= LAYER.likely for place in layers.found], bool)
        left = stacked(place.quad for place in layers.left)
        return PartReading(self._reading(layers, table), places, places[is_open], places[is_likely], left)

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
        self, verdict: Verdict, cells: Flags, score: float, table: Table | None, *, sized: bool = False
    ) -> str | None:
        """Return why a card is unclear, None where it is certain, "" where there is no card.

        sized: other cards give the size of cards without a table.
        """
        reason = doubt_of(verdict, cells, score, on_table=sized or table is not None)
        return reason if reason is not None or self._lies_flat(verdict.quad, table) else ASLANT

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

    def _unclear(self, places: list[Place], covers: Covers, table: Table | None) -> list[Card]:
        """Return possible cards beside the certain ones, the likeliest first."""
        unclear: list[Card] = []
        left = [place.verdict for place in places if place.verdict is not None]
        while left:
            opened = [verdict.open_under(covers) for verdict in left]
            best = int(np.argmax([worth(*pair) for pair in zip(left, opened, strict=True)]))
            verdict, reason = left[best], self._reason(left[best], opened[best], 0.0, table)
            left = [other for k, other in enumerate(left) if k != best and not same_place(other.quad, verdict.quad)]
            if reason:
                unclear.append(self._card(verdict, reason, table))
                covers = covers.and_(verdict.sheet)
        return unclear

    def _lies_flat(self, quad: Floats, table: Table | None) -> bool:
        return table is None or not self.deck.has_true_size or lies_flat(table, quad, self.deck.card_mm)

    def _card(self, verdict: Verdict, reason: str | None, table: Table | None) -> Card:
        confidence = confidence_of(min(verdict.margin, verdict.lead))
        centre = None if table is None else table.centre_mm(verdict.quad)
        return Card(self.deck.faces[verdict.face], confidence, verdict.quad, centre, reason)
