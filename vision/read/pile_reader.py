"""Reads the tops of piles of a deck of prints, behind the seam of the pile watchers (`vision.piles.observations`).

A pile remembers: the next card is most likely at the last one's place, and a card that looks as it did when it was read
is the same card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.arrays import Floats, Image
from vision.piles.bare import bare_or_covered
from vision.piles.observations import MOVED_MM, Box, Kind, PilePlace, PileSight, Region, nothing_at, region_of
from vision.read.back_lesson import NEAR, back_shown
from vision.read.card import Card
from vision.read.card_search import CardSearch
from vision.read.lamp_white import LampWhite
from vision.read.places import moved
from vision.read.print_deck import PrintDeck
from vision.read.unchanged import CardLook, Memory, look_at
from vision.table import Table

_LEAST_SIDE_PX = 16
_TURNS = np.radians([0.0, -5.0, 5.0])


class PrintPiles:
    """Reads piles at known places of a table in pictures of one size."""

    def __init__(
        self,
        search: CardSearch,
        lamp: LampWhite,
        memory: Memory,
        table: Table,
        size_px: tuple[int, int],
        places: Sequence[PilePlace],
    ) -> None:
        self.table = table
        self.size_px = size_px
        self.places = tuple(places)
        self.regions = tuple(region_of(place, table, size_px) for place in self.places)
        self._search = search
        self._lamp = lamp
        self._memory = memory
        self._looks: dict[int, CardLook] = {}  # by the numbers of sights
        self._last: list[Floats | None] = [None] * len(self.places)

    def read_place(self, image_bgr: Image, number: int, *, moves: bool = False) -> PileSight:
        """Read the pile at one place, see `PlaceReader`; doubtful tops are read once nothing moves."""
        place, region = self.places[number], self.regions[number]
        crop = region.crop(image_bgr)
        if min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return nothing_at(place, "covered", "edge of picture")
        card = self._best(self._memory.still_there(image_bgr, self.table, _box(region)), region)
        if card is not None:
            return self._sight(image_bgr, number, card)
        white, last = self._lamp.of(image_bgr, self.table), self._last[number]
        found = self._search.cards(image_bgr, self.table, _box(region), white, moves=moves)
        if last is not None and not any(card.reason is None for card in found):
            there = self._search.at(image_bgr, self.table, self._near(last), white)
            found += [] if there is None else [there]
        card = self._best(found, region)
        if card is not None:
            return self._sight(image_bgr, number, card)
        nothing = bare_or_covered(place, crop, region)
        return nothing if nothing.kind == "covered" else self._stranger(image_bgr, place, region) or nothing

    def read_part(self, image_bgr: Image, number: int) -> PileSight | None:
        """Read a partly hidden face; None unless its visible part proves it."""
        region = self.regions[number]
        white = self._lamp.of(image_bgr, self.table)
        found = self._search.cards(image_bgr, self.table, _box(region), white)
        card = self._best(found, region)
        if card is None or card.reason is not None or card.front is None:
            return None
        return self._sight(image_bgr, number, card)

    def still_there(self, image_bgr: Image, sight: PileSight) -> bool:
        """Return, with little work, whether a face identified before is still there, most of it visible."""
        look = next((look for look in self._looks.values() if look.corners_px is sight.corners_px), None)
        return sight.kind == "face" and look is not None and look.is_there(image_bgr)

    def _near(self, corners_px: Floats) -> Floats:
        """Return places (n, 4, 2) px about corners (4, 2): nobody lays cards quite straight."""
        corners = self.table.to_mm(corners_px)
        middle = corners.mean(axis=0)
        turned = []
        for turn in _TURNS:
            cos, sin = np.cos(turn), np.sin(turn)
            turned.append((corners - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle)
        short_first = self._short_first(np.array(turned))
        return self.table.to_px(short_first.reshape(-1, 2)).reshape(-1, 4, 2)

    def _short_first(self, quads: Floats) -> Floats:
        width, height = self._search.deck.card_mm
        return quads if width <= height else np.roll(quads, 1, axis=1)

    def _best(self, cards: Sequence[Card], region: Region) -> Card | None:
        """Return the most certain card near a place's middle, a face rather than a back."""
        near = [card for card in cards if self._belongs(card, region)]
        return min(near, key=lambda card: (card.reason is not None, card.front is None, -card.confidence), default=None)

    def _belongs(self, card: Card, region: Region) -> bool:
        aside = float(np.linalg.norm(card.corners_px.mean(axis=0) - region.centre_px))
        return aside < MOVED_MM * region.px_per_mm

    def _sight(self, image_bgr: Image, number: int, card: Card) -> PileSight:
        place = self.places[number]
        meaning = card.attributes
        kind: Kind = "face" if card.front is not None else "back"
        match card.reason:
            case None if kind == "face":
                self._looks[number] = look_at(image_bgr, card.corners_px, self._search.deck.card_mm)
                self._last[number] = card.corners_px
                self._memory.keep(image_bgr, [card])
            case "aslant":
                kind = "turning"
            case "covered":
                return nothing_at(place, "covered", "covered")
            case str():
                kind = "unclear"
        return PileSight(
            place.seat,
            kind,
            meaning.get("colour"),
            meaning.get("mood"),
            card.confidence,
            card.corners_px,
            "not lying flat" if card.reason == "aslant" else card.reason,
            1 - card.confidence,
        )

    def _stranger(self, image_bgr: Image, place: PilePlace, region: Region) -> PileSight | None:
        """Return the sight of a card of another deck, None without one."""
        for outline in self._search.outlines(image_bgr, self.table, _box(region)):
            if np.linalg.norm(outline.mean(axis=0) - region.centre_px) < MOVED_MM * region.px_per_mm:
                return PileSight(place.seat, "unclear", None, None, 0.0, outline, "stranger")
        return None


class PrintTableReader:
    """Reads the cards of one deck of prints anywhere on a table, and their piles."""

    def __init__(self, deck: PrintDeck) -> None:
        self._search = CardSearch(deck)
        self._lamp = LampWhite()
        self._memory = Memory(deck.card_mm)

    def read_part(self, image_bgr: Image, table: Table, box_px: Box, *, moves: bool = False) -> tuple[Card, ...]:
        """Read the cards in a part of a picture, see `ClownReader`."""
        white = self._lamp.of(image_bgr, table)
        known = self._memory.still_there(image_bgr, table, box_px)
        found = known + self._search.cards(image_bgr, table, box_px, white, known, moves=moves)
        whole = (box_px[2] - box_px[0], box_px[3] - box_px[1]) == table.size_px
        if whole and self._search.deck.back is None:
            found += self._backs_learned(image_bgr, table, found, white)
        certain = tuple(card for card in found if card.reason is None)
        self._memory.keep(image_bgr, certain)
        return certain

    def _backs_learned(self, image_bgr: Image, table: Table, found: Sequence[Card], white: Floats | None) -> list[Card]:
        """Learn the back from the draw piles of a game that begins, and return those."""
        deck, taken = self._search.deck, [card.corners_px for card in found if card.reason is None]
        shown = back_shown(image_bgr, table, self._search, [*taken, *self._lamp.markers_px], white)
        if shown is None:
            return []
        back, places = shown
        self._search = CardSearch(replace(deck, faces=(*deck.faces, back)))
        cards: list[Card] = []
        for place in places:
            card = self._search.at(image_bgr, table, moved(place[None], table, *NEAR)[0], white)
            if card is None or card.reason is not None:
                room = 0.3 * float(np.ptp(place, axis=0).max())
                low, high = (place.min(axis=0) - room).astype(int), (place.max(axis=0) + room).astype(int)
                box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
                cards += self._search.cards(image_bgr, table, box, white)
            else:
                cards.append(card)
        return cards

    def outlines(self, image_bgr: Image, table: Table, box_px: Box) -> Floats:
        """Return quads (n, 4, 2) px with a card's outline in a part of a picture."""
        return self._search.outlines(image_bgr, table, box_px, self._lamp.markers_px)

    def piles(self, table: Table, size_px: tuple[int, int], places: Sequence[PilePlace]) -> PrintPiles:
        """Return the reader of piles at some places of a table."""
        return PrintPiles(self._search, self._lamp, self._memory, table, size_px, places)


def _box(region: Region) -> Box:
    """Return the part of a picture with the middle of the pile's top card."""
    (x, y), reach = region.centre_px, MOVED_MM * region.px_per_mm
    return int(x - reach), int(y - reach), int(x + reach) + 1, int(y + reach) + 1
