"""Reads the tops of piles of a deck of prints, behind the seam of those that watch piles (`vision.piles.sights`).

A pile remembers: where its last card lay is where the next one most likely lies, and a card that looks as it did when
it was read is the same card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.piles.sights import MOVED_MM, Box, Effort, Kind, PilePlace, PileSight, Region, nothing_at, region_of
from vision.prints.back_lesson import NEAR, back_shown
from vision.prints.card_search import CardSearch, FoundCard
from vision.prints.lamp_white import LampWhite
from vision.prints.outlines import card_outlines, printed
from vision.prints.places import Near, moved
from vision.prints.print_deck import PrintDeck
from vision.prints.remembered import Look, Memory, look_at
from vision.quads import shared_area
from vision.table import Table

_LEAST_SIDE_PX = 16
_WORK_PX_PER_MM = 1.25
_BUSY_MM, _BUSY, _EDGE = 60.0, 0.05, 190  # share of a place that shows edges, from which it is not bare table
_TURNS = np.radians([0.0, -5.0, 5.0])
_ON_MARKER = 0.3  # of the smaller area


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
        self._looks: dict[int, Look] = {}  # by the numbers of sights
        self._last: list[Floats | None] = [None] * len(self.places)

    def read_place(self, image_bgr: Image, number: int, *, moves: bool = False) -> PileSight:
        """Read the pile at one place, see `PlaceReader`; where something moves, by the panels of a deck with such."""
        place, region = self.places[number], self.regions[number]
        crop = region.crop(image_bgr)
        if min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return nothing_at(place, "covered", "edge of picture")
        card = self._best(self._memory.still_there(image_bgr, self.table, _box(region)), region)
        if card is not None:
            return self._sight(image_bgr, number, card)
        white = self._lamp.of(image_bgr, self.table)
        by_panel, last = self._search.panel is not None, self._last[number]
        # What is in doubt while something moves is read when it has come to rest, or when a ring hangs on it.
        quick = by_panel and moves

        def outlined() -> list[FoundCard]:
            return self._search.outlined(image_bgr, self.table, _box(region), white, _near(region), quick=quick)

        # A panel's outline tells a new card sooner than a look at where the last one lay tells that it lies there.
        found = outlined() if by_panel else []
        if last is not None and not (found if quick else _any_sure(found)):
            card = self._search.at(image_bgr, self.table, self._near(last), white, quick=quick)
            found += [] if card is None else [card]
        if not by_panel and not _any_sure(found):
            found += outlined()
        if not quick and not _any_sure(found):
            found += self._search.cards(image_bgr, self.table, _box(region), white, _near(region))
        card = self._best(found, region)
        if card is not None and self._belongs(card, region):
            return self._sight(image_bgr, number, card)
        nothing = self._no_card(place, crop, region)
        return nothing if nothing.kind == "covered" else self._stranger(image_bgr, place, region) or nothing

    def read_part(self, image_bgr: Image, number: int) -> PileSight | None:
        """Read a face of which a part is hidden, with more tries; None unless what is in sight proves it."""
        region = self.regions[number]
        white = self._lamp.of(image_bgr, self.table)
        found = self._search.cards(image_bgr, self.table, _box(region), white, _near(region), hidden=True)
        card = self._best(found, region)
        if card is None or card.reason is not None or card.face is None:
            return None
        return self._sight(image_bgr, number, card)

    def still_there(self, image_bgr: Image, sight: PileSight) -> bool:
        """Tell, with little work, whether a face that was seen certainly lies there as it lay, most of it in sight."""
        look = next((look for look in self._looks.values() if look.corners_px is sight.corners_px), None)
        return sight.kind == "face" and look is not None and look.is_same_but_for_an_arm(image_bgr)

    def _near(self, corners_px: Floats) -> Floats:
        """Places (n, 4, 2) px about corners (4, 2): nobody lays cards quite straight."""
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

    def _best(self, cards: Sequence[FoundCard], region: Region) -> FoundCard | None:
        """The surest card near a place's middle, a face rather than a back."""
        near = [card for card in cards if self._belongs(card, region)]
        return min(near, key=lambda card: (card.reason is not None, card.face is None, -card.confidence), default=None)

    def _belongs(self, card: FoundCard, region: Region) -> bool:
        aside = float(np.linalg.norm(card.corners_px.mean(axis=0) - region.centre_px))
        return aside < MOVED_MM * region.px_per_mm

    def _sight(self, image_bgr: Image, number: int, card: FoundCard) -> PileSight:
        place = self.places[number]
        meaning = card.print.attributes
        kind: Kind = "face" if card.face is not None else "back"
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
        """A card of another deck, by its outline."""
        for outline in card_outlines(image_bgr, self.table, self._search.deck.card_mm, _box(region)):
            if np.linalg.norm(outline.mean(axis=0) - region.centre_px) < MOVED_MM * region.px_per_mm:
                return PileSight(place.seat, "unclear", None, None, 0.0, outline, "stranger")
        return None

    def _no_card(self, place: PilePlace, crop: Image, region: Region) -> PileSight:
        """Tell bare table from something in the way: bare tables show no strong edges."""
        scale = min(1.0, _WORK_PX_PER_MM / region.px_per_mm)
        work = np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        x, y = (
            (value - start) * scale for value, start in zip(region.centre_px, (region.left, region.top), strict=True)
        )
        mask = np.zeros(work.shape[:2], np.uint8)
        cv2.circle(mask, (round(x), round(y)), round(_BUSY_MM * region.px_per_mm * scale), 1, -1)
        ink = printed(work, region.px_per_mm * scale)
        busy = float((ink[mask > 0] < _EDGE).mean()) if mask.any() else 1.0
        return nothing_at(place, "empty", None) if busy < _BUSY else nothing_at(place, "covered", "covered")


class PrintClowns:
    """Reads the cards of one deck of prints wherever they lie on a table, and their piles."""

    def __init__(self, deck: PrintDeck) -> None:
        self._search = CardSearch(deck)
        self._lamp = LampWhite()
        self._memory = Memory(deck.card_mm)

    @property
    def glance_suffices(self) -> bool:
        """See `ClownReader`."""
        return self._search.panel is not None

    def read_part(self, image_bgr: Image, table: Table, box_px: Box, effort: Effort = "plain") -> tuple[FoundCard, ...]:
        """Read the cards in a part of a picture, see `ClownReader`."""
        white = self._lamp.of(image_bgr, table)
        known = self._memory.still_there(image_bgr, table, box_px)
        if effort == "quick":
            found = known + self._search.outlined(image_bgr, table, box_px, white, taken=known)
        else:
            hidden = effort == "hidden"
            found = known + self._search.cards(image_bgr, table, box_px, white, taken=known, hidden=hidden)
        whole = (box_px[2] - box_px[0], box_px[3] - box_px[1]) == table.size_px
        if whole and self._search.deck.back is None:
            found += self._backs_learned(image_bgr, table, found, white)
        certain = tuple(card for card in found if card.reason is None)
        self._memory.keep(image_bgr, certain)
        return certain

    def _backs_learned(
        self, image_bgr: Image, table: Table, found: Sequence[FoundCard], white: Floats | None
    ) -> list[FoundCard]:
        """Learn the back from the draw piles of a game that begins, and give those."""
        deck, taken = self._search.deck, [card.corners_px for card in found if card.reason is None]
        shown = back_shown(image_bgr, table, deck, [*taken, *self._lamp.markers_px], white)
        if shown is None:
            return []
        back, places = shown
        self._search = CardSearch(replace(deck, faces=(*deck.faces, back)))
        cards: list[FoundCard] = []
        for place in places:
            card = self._search.at(image_bgr, table, moved(place[None], table, *NEAR)[0], white)
            if card is None or card.reason is not None:
                room = 0.3 * float(np.ptp(place, axis=0).max())
                low, high = (place.min(axis=0) - room).astype(int), (place.max(axis=0) + room).astype(int)
                box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
                cards += self._search.cards(image_bgr, table, box, white, hidden=True)
            else:
                cards.append(card)
        return cards

    def outlines(self, image_bgr: Image, table: Table, box_px: Box) -> Floats:
        """(n, 4, 2) px, what has a card's outline in a part of a picture."""
        found = card_outlines(image_bgr, table, self._search.deck.card_mm, box_px)
        # A marker card may be as large as the deck's.
        markers = self._lamp.markers_px
        free = [all(shared_area(quad, marker) < _ON_MARKER for marker in markers) for quad in found]
        return np.asarray(found[np.array(free, bool)], np.float64)

    def piles(self, table: Table, size_px: tuple[int, int], places: Sequence[PilePlace]) -> PrintPiles:
        """Give what reads piles at some places of a table."""
        return PrintPiles(self._search, self._lamp, self._memory, table, size_px, places)


def _any_sure(cards: Sequence[FoundCard]) -> bool:
    return any(card.reason is None for card in cards)


def _near(region: Region) -> Near:
    return Near(region.centre_px, MOVED_MM * region.px_per_mm)


def _box(region: Region) -> Box:
    return region.left, region.top, region.right, region.bottom
