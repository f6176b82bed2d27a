"""Reads the cards of a deck of prints on a watched table, and the tops of its piles.

A pile remembers: the next card is most likely at the last one's place, and a card that looks as it did when it was read
is the same card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.arrays import Floats, Image
from vision.markers import Marker, find_markers, white_of
from vision.piles.observations import MOVED_MM, Box, Kind, PilePlace, PileSight, Region, region_of
from vision.piles.small_copies import is_busy
from vision.piles.unchanged import CardMemory
from vision.read.card import Card
from vision.read.card_search import CardSearch
from vision.read.places import moved
from vision.read.print_deck import ART_PX_PER_MM, Print, PrintDeck
from vision.read.rectify import Pyramid
from vision.table import Table

_LEAST_SIDE_PX = 16
_ASKED_AGAIN = 100  # pictures after which marker cards are searched once more
_LAID_OFF = (0.0, np.radians(5.0))  # mm and a turn: nobody lays cards quite straight
# Of the back of a deck taught by its faces only: draw piles show it before the first card.
_BACK_OFF = (4.0, np.radians(3.0))  # mm and a turn: piles are untidy
_MOST_PILES = 10
_BUSY = 0.03  # of white, a standard deviation: a place with less is a piece of table


class PrintTableReader:
    """Reads the cards of one deck of prints anywhere on a table, and their piles."""

    def __init__(self, deck: PrintDeck) -> None:
        self.search = CardSearch(deck)
        self.memory = CardMemory(deck.card_mm)
        self._table: Table | None = None
        self._markers: tuple[Marker, ...] = ()
        self._asked = 0

    def read_part(self, image_bgr: Image, table: Table, box_px: Box, *, moves: bool = False) -> tuple[Card, ...]:
        """Read the certain cards within a part of a picture.

        moves: something moves there, an arm most likely; slow work may wait until nothing moves.
        """
        white = self.white(image_bgr, table)
        known = self.memory.still_there(image_bgr, box_px)
        found = known + self.search.cards(image_bgr, table, box_px, white, known, moves=moves)
        certain = [card for card in found if card.reason is None]
        whole = (box_px[2] - box_px[0], box_px[3] - box_px[1]) == table.size_px
        if whole and self.search.deck.back is None:
            certain += self._backs_learned(image_bgr, table, certain, white)
        self.memory.keep(image_bgr, certain)
        return tuple(certain)

    def outlines(self, image_bgr: Image, table: Table, box_px: Box) -> Floats:
        """Return quads (n, 4, 2) px with a card's outline in a part of a picture, whatever is printed within it."""
        return self.search.outlines(image_bgr, table, box_px, self._markers_px())

    def piles(self, table: Table, size_px: tuple[int, int], places: Sequence[PilePlace]) -> PrintPiles:
        """Return the reader of piles at some places of a table."""
        return PrintPiles(self, table, size_px, places)

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

    def _markers_px(self) -> list[Floats]:
        return [np.asarray(marker.corners_px, np.float64) for marker in self._markers]

    def _backs_learned(self, image_bgr: Image, table: Table, found: Sequence[Card], white: Floats | None) -> list[Card]:
        """Learn the back, the one picture that is up at two or more places, and return the backs."""
        deck, taken = self.search.deck, [*(card.corners_px for card in found), *self._markers_px()]
        whole = (0, 0, image_bgr.shape[1], image_bgr.shape[0])
        places = self.search.outlines(image_bgr, table, whole, taken)[:_MOST_PILES]
        rows, columns = (round(side * ART_PX_PER_MM) for side in reversed(deck.card_mm))
        for k, sheet in enumerate(Pyramid(image_bgr).straight(places, rows, columns)):
            if np.isnan(sheet).any() or float(sheet.std(axis=(0, 1)).max()) < _BUSY:
                continue
            art = np.clip(sheet / (1.0 if white is None else white) * 255, 0, 255).astype(np.uint8)
            back = Print("back", "back", {}, art)
            alone = CardSearch(PrintDeck(deck.name, deck.card_mm, (back,), has_true_size=deck.has_true_size))
            others = [moved(place[None], table, *_BACK_OFF)[0] for other, place in enumerate(places) if other != k]
            alike = [alone.at(image_bgr, table, near, white) for near in others]
            if any(card is not None and card.reason is None for card in alike):
                self.search = CardSearch(replace(deck, faces=(*deck.faces, back)))
                return self._certain_at(image_bgr, table, places, white)
        return []

    def _certain_at(self, image_bgr: Image, table: Table, places: Floats, white: Floats | None) -> list[Card]:
        near = moved(places, table, *_BACK_OFF)
        cards = (self.search.at(image_bgr, table, quads, white) for quads in near)
        return [card for card in cards if card is not None and card.reason is None]


class PrintPiles:
    """Reads piles at known places of a table in pictures of one size."""

    def __init__(
        self, cards: PrintTableReader, table: Table, size_px: tuple[int, int], places: Sequence[PilePlace]
    ) -> None:
        self.table = table
        self.size_px = size_px
        self.places = tuple(places)
        self.regions = tuple(region_of(place, table, size_px) for place in self.places)
        self._cards = cards
        self._last: list[Floats | None] = [None] * len(self.places)

    def read_place(self, image_bgr: Image, number: int, *, moves: bool = False) -> PileSight:
        """Read the pile at one place, see `PlaceReader`; doubtful tops are read once nothing moves."""
        place, region = self.places[number], self.regions[number]
        crop = region.crop(image_bgr)
        if min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return PileSight(place.seat, "covered")
        box = _box(region)
        card = _best(self._cards.memory.still_there(image_bgr, box), region)
        if card is None:
            last, search = self._last[number], self._cards.search
            white = self._cards.white(image_bgr, self.table)
            found = search.cards(image_bgr, self.table, box, white, moves=moves)
            if last is not None and not any(card.reason is None for card in found):
                there = search.at(image_bgr, self.table, moved(last[None], self.table, *_LAID_OFF)[0], white)
                found += [] if there is None else [there]
            card = _best(found, region)
        if card is not None:
            return self._sight(image_bgr, number, card)
        if is_busy(crop, region):
            return PileSight(place.seat, "covered")
        return self._stranger(image_bgr, place, region) or PileSight(place.seat, "empty")

    def read_part(self, image_bgr: Image, number: int) -> PileSight | None:
        """Read a partly hidden face; None unless its visible part proves it."""
        region = self.regions[number]
        white = self._cards.white(image_bgr, self.table)
        card = _best(self._cards.search.cards(image_bgr, self.table, _box(region), white), region)
        if card is None or card.reason is not None or card.front is None:
            return None
        return self._sight(image_bgr, number, card)

    def still_there(self, image_bgr: Image, sight: PileSight) -> bool:
        """Return, with little work, whether a face identified before is still there, most of it visible."""
        return sight.kind == "face" and self._cards.memory.is_there(image_bgr, sight.corners_px)

    def _sight(self, image_bgr: Image, number: int, card: Card) -> PileSight:
        kind: Kind = "face" if card.front is not None else "back"
        match card.reason:
            case None if kind == "face":
                self._last[number] = self._cards.search.deck.art_first(card.corners_px[None])[0]
                self._cards.memory.keep(image_bgr, [card])
            case "aslant":
                kind = "turning"
            case "covered":
                return PileSight(self.places[number].seat, "covered")
            case str():
                kind = "unclear"
        colour, mood = (card.attributes.get(key) for key in ("colour", "mood"))
        return PileSight(self.places[number].seat, kind, colour, mood, card.corners_px)

    def _stranger(self, image_bgr: Image, place: PilePlace, region: Region) -> PileSight | None:
        """Return the sight of a card of another deck, None without one."""
        outlines = self._cards.outlines(image_bgr, self.table, _box(region))
        near = next((quad for quad in outlines if _belongs(quad, region)), None)
        return None if near is None else PileSight(place.seat, "unclear", corners_px=near)


def _best(cards: Sequence[Card], region: Region) -> Card | None:
    """Return the most certain card near a place's middle, a face rather than a back."""
    near = [card for card in cards if _belongs(card.corners_px, region)]
    return min(near, key=lambda card: (card.reason is not None, card.front is None, -card.confidence), default=None)


def _belongs(corners_px: Floats, region: Region) -> bool:
    aside = float(np.linalg.norm(corners_px.mean(axis=0) - region.centre_px))
    return aside < MOVED_MM * region.px_per_mm


def _box(region: Region) -> Box:
    """Return the part of a picture with the middle of the pile's top card."""
    (x, y), reach = region.centre_px, MOVED_MM * region.px_per_mm
    return int(x - reach), int(y - reach), int(x + reach) + 1, int(y + reach) + 1
