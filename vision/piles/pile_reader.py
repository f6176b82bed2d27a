"""Reads the cards of a deck of prints on a watched table, and the tops of its piles.

A pile remembers: the next card is most likely at the last one's place, and a card that looks as it did when it was read
is the same card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.arrays import Box, Floats, Image
from vision.deck import ART_PX_PER_MM, Deck, Face
from vision.markers import Marker, find_markers, white_of
from vision.piles.observations import Kind, PilePlace, PileSight
from vision.piles.small_copies import is_busy
from vision.piles.unchanged import CardMemory
from vision.quads import shared_area, stacked
from vision.read.card_search import CardSearch
from vision.read.places import moved
from vision.read.rectify import Pyramid
from vision.reading import Card
from vision.table import Table

_LEAST_SIDE_PX = 16
_ASKED_AGAIN = 100  # pictures after which marker cards are searched once more
_LAID_OFF = (0.0, np.radians(5.0))  # mm and a turn: nobody lays cards quite straight
_ASIDE = (4.0, np.radians(3.0))  # mm and a turn: a doubtful card on a pile, and backs of an untidy one
_MOST_PILES = 10
_OVER = 0.3  # of a place's area: two whole cards share less
_BUSY = 0.03  # of white, a standard deviation: a place with less is a piece of table


class PrintTableReader:
    """Reads the cards of one deck of prints anywhere on a table, and their piles."""

    def __init__(self, deck: Deck) -> None:
        self.search = CardSearch(deck)
        self.memory = CardMemory(deck.card_mm)
        self._table: Table | None = None
        self._markers: tuple[Marker, ...] = ()
        self._asked = 0

    def read_all(self, image_bgr: Image, table: Table) -> tuple[tuple[Card, ...], Floats]:
        """Read the certain cards of a table, and the outlines (n, 4, 2) px of likely ones with any print."""
        white = self.white(image_bgr, table)
        found, outlines = self.search.look(image_bgr, table, (0, 0, *table.size_px), white)
        certain = [card for card in found if card.reason is None]
        strange = self.without_markers(outlines)
        has_back = self.search.deck.back is not None
        # A back's pattern repeats itself: a pose that is off by one of its dots is another one.
        doubtful = [*(card.corners_px for card in found if card.reason is not None and has_back), *strange]
        free = [quad for quad in doubtful if all(shared_area(quad, card.corners_px) < _OVER for card in certain)]
        look = self._certain_at if has_back else self._backs_learned
        certain += look(image_bgr, table, stacked(free[:_MOST_PILES]), white)
        self.memory.keep(image_bgr, certain)
        return tuple(certain), strange

    def read_part(self, image_bgr: Image, table: Table, box_px: Box, *, moves: bool = False) -> tuple[Card, ...]:
        """Read the certain cards within a part of a picture.

        moves: something moves there, an arm most likely; slow work may wait until nothing moves.
        """
        white = self.white(image_bgr, table)
        known = self.memory.still_there(image_bgr, box_px)
        found = self.search.look(image_bgr, table, box_px, white, known, moves=moves)[0]
        certain = (*known, *(card for card in found if card.reason is None))
        self.memory.keep(image_bgr, certain)
        return certain

    def white(self, image_bgr: Image, table: Table) -> Floats | None:
        """Return white paper (3,), BGR 0..1, by the marker cards at their first places; None without any."""
        if self._table is not table:
            self._table, self._markers, self._asked = table, (), 0
            self.memory.clear()
        if not self._markers and self._asked % _ASKED_AGAIN == 0:
            # Arms may cover all of them, and a calibrated table needs none.
            self._markers = tuple(find_markers(image_bgr))
        self._asked += 1
        return white_of(image_bgr, self._markers)

    def without_markers(self, quads: Floats) -> Floats:
        """Return the quads (n, 4, 2) px that are on no marker card."""
        marked = [np.asarray(marker.corners_px, np.float64) for marker in self._markers]
        free = [all(shared_area(quad, other) < _OVER for other in marked) for quad in quads]
        return np.asarray(quads[np.array(free, bool)], np.float64)

    def _backs_learned(self, image_bgr: Image, table: Table, places: Floats, white: Floats | None) -> list[Card]:
        """Learn the back, the one picture that is up at two or more places (n, 4, 2) px, and return the backs."""
        deck = self.search.deck
        rows, columns = (round(side * ART_PX_PER_MM) for side in reversed(deck.card_mm))
        for k, sheet in enumerate(Pyramid(image_bgr).straight(places, rows, columns)):
            if np.isnan(sheet).any() or float(sheet.std(axis=(0, 1)).max()) < _BUSY:
                continue
            art = np.clip(sheet / (1.0 if white is None else white) * 255, 0, 255).astype(np.uint8)
            back = Face("back", "back", {}, art)
            alone = CardSearch(Deck(deck.name, deck.card_mm, (back,), has_true_size=deck.has_true_size))
            near = moved(np.delete(places, k, axis=0), table, *_ASIDE)
            alike = (alone.at(image_bgr, table, quads, white) for quads in near)
            if any(card is not None and card.reason is None for card in alike):
                self.search = CardSearch(replace(deck, faces=(*deck.faces, back)))
                return self._certain_at(image_bgr, table, places, white)
        return []

    def _certain_at(self, image_bgr: Image, table: Table, places: Floats, white: Floats | None) -> list[Card]:
        near = moved(places, table, *_ASIDE)
        cards = (self.search.at(image_bgr, table, quads, white) for quads in near)
        return [card for card in cards if card is not None and card.reason is None]

    def read_pile(
        self, image_bgr: Image, table: Table, place: PilePlace, last_px: Floats | None = None, *, moves: bool = False
    ) -> PileSight:
        """Read the pile at one place; last_px: the corners (4, 2) of the face seen there last.

        moves: something moves there, an arm most likely; doubtful tops are read once nothing moves, or a ring asks.
        """
        crop = place.crop(image_bgr)
        if min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return PileSight(place.seat, "covered")
        card = _best(self.memory.still_there(image_bgr, place.core), place)
        if card is None:
            white = self.white(image_bgr, table)
            found, outlines = self.search.look(image_bgr, table, place.core, white, moves=moves)
            if not any(card.reason is None for card in found):
                # The finder's corners may be 5 mm off where a card comes down on another, under a hand.
                doubtful = stacked(card.corners_px for card in found if place.has(card.corners_px))
                near = moved(doubtful, table, *_ASIDE).reshape(-1, 4, 2)
                if last_px is not None:
                    laid = moved(self.search.deck.art_first(last_px[None]), table, *_LAID_OFF)
                    near = np.concatenate([near, laid[0]])
                there = self.search.at(image_bgr, table, near, white, quick=moves) if len(near) else None
                found += [] if there is None else [there]
            card = _best(found, place)
            if card is None:
                return self._without_card(crop, place, outlines)
        return self._sight(image_bgr, place, card)

    def still_there(self, image_bgr: Image, table: Table, sight: PileSight, *, moves: bool = False) -> bool:
        """Return, with little work, whether a face identified before is still there, most of it visible.

        moves: see `read_pile`; then the face that the ranking alone puts first is enough.
        """
        if sight.kind != "face" or sight.corners_px is None:
            return False
        look = self.memory.look_at(sight.corners_px)
        if look is None or look.is_there(image_bgr):
            return look is not None
        white = self.white(image_bgr, table)
        return moves and self.search.is_likeliest(image_bgr, look.card, white)

    def _sight(self, image_bgr: Image, place: PilePlace, card: Card) -> PileSight:
        kind: Kind = "face" if card.front is not None else "back"
        match card.reason:
            case None if kind == "face":
                self.memory.keep(image_bgr, [card])
            case "aslant":
                kind = "turning"
            case "covered":
                return PileSight(place.seat, "covered")
            case str():
                kind = "unclear"
        colour, mood = (card.attributes.get(key) for key in ("colour", "mood"))
        return PileSight(place.seat, kind, colour, mood, card.corners_px)

    def _without_card(self, crop: Image, place: PilePlace, outlines: Floats) -> PileSight:
        """Return the sight of a place at which no card of the deck was found: a stranger, a cover, or nothing."""
        if is_busy(crop, place):
            return PileSight(place.seat, "covered")
        near = next((quad for quad in self.without_markers(outlines) if place.has(quad)), None)
        return PileSight(place.seat, "empty" if near is None else "unclear", corners_px=near)


def _best(cards: Sequence[Card], place: PilePlace) -> Card | None:
    """Return the most certain card on a pile, a face rather than a back."""
    near = [card for card in cards if place.has(card.corners_px)]
    return min(near, key=lambda card: (card.reason is not None, card.front is None, -card.confidence), default=None)
