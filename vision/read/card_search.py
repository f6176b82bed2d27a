"""Finds the visible cards of a deck of prints in a part of a picture, for watched tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.arrays import Box, Floats, Image
from vision.deck import Deck
from vision.quads import shared_area, stacked
from vision.read.places import box_round, cut_table, wider
from vision.read.reader import CardReader
from vision.read.rectify import Pyramid
from vision.reading import Card
from vision.table import Table

_LEAST_SIDE_PX = 24  # of the smallest part of a picture that is searched
_RECENT = 4  # pictures that were read
_NO_QUADS = np.zeros((0, 4, 2))
_OVER = 0.3  # of a place's area: two whole cards share less


class CardSearch:
    """Searches parts of pictures for the cards of one deck."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self._reader = CardReader(deck)
        # The last pictures, and possible places of cards in the parts that were read.
        self._seen: deque[tuple[Image, list[Floats]]] = deque(maxlen=_RECENT + 1)

    def cards(self, image_bgr: Image, table: Table, box: Box, white: Floats | None) -> list[Card]:
        """Return all cards, certain or not, with their middle in a part of a picture (h, w, 3)."""
        return self.look(image_bgr, table, box, white)[0]

    def look(
        self,
        image_bgr: Image,
        table: Table,
        box: Box,
        white: Floats | None,
        taken: Sequence[Card] = (),
        *,
        moves: bool = False,
    ) -> tuple[list[Card], Floats]:
        """Return the cards with their middle in a part of a picture, and outlines (n, 4, 2) px there, with any print.

        white: (3,) BGR 0..1 of white paper, None where unknown. `taken` are already identified: their places give no
        other card. moves: something moves there, so only cards that were there in a recent picture are read.
        """
        left, top, right, bottom = box
        if min(right - left, bottom - top) < _LEAST_SIDE_PX:
            return [], _NO_QUADS
        found: list[Card] = []
        if not self._seen or self._seen[-1][0] is not image_bgr:
            self._seen.append((image_bgr, [_NO_QUADS]))
        wide, here, offset = self._cut(image_bgr, table, box)
        known = stacked(card.corners_px - offset for card in taken)
        before = [quads for _, parts in list(self._seen)[:-1] for quads in parts]
        steady = np.concatenate([_NO_QUADS, *before]) - offset if moves else None
        x, y = round(offset[0]), round(offset[1])
        within = left - x, top - y, right - x, bottom - y
        part = self._reader.read_open(wide, here, white, known, steady, within)
        self._seen[-1][1].append(part.places + offset)
        for card in (*part.reading.cards, *part.reading.unclear):
            if card.face is not None:
                _keep(found, _found(card, table, offset))
        return found, part.likely + offset

    def at(
        self, image_bgr: Image, table: Table, quads: Floats, white: Floats | None, *, quick: bool = False
    ) -> Card | None:
        """Return the card at the likeliest of some places (n, 4, 2) px; see `CardReader.at`."""
        box = box_round(quads.reshape(-1, 2), image_bgr)
        if min(box[2] - box[0], box[3] - box[1]) < _LEAST_SIDE_PX:
            return None
        offset = np.array(box[:2], np.float64)
        picture = Pyramid(image_bgr[box[1] : box[3], box[0] : box[2]])
        card = self._reader.at(picture, quads - offset, cut_table(table, box), white, quick=quick)
        return None if card is None else _found(card, table, offset)

    def is_likeliest(self, image_bgr: Image, card: Card, white: Floats | None) -> bool:
        """Return whether the ranking alone puts the face of a card read before first at its place."""
        left, top, right, bottom = box_round(card.corners_px, image_bgr)
        if card.face is None or min(right - left, bottom - top) < _LEAST_SIDE_PX:
            return False
        picture = Pyramid(image_bgr[top:bottom, left:right])
        return self._reader.is_likeliest(picture, card.face, card.corners_px - (left, top), white)

    def _cut(self, image_bgr: Image, table: Table, box: Box) -> tuple[Image, Table, Floats]:
        """Return a part of a picture with room for whole cards, the table in it, and its top left corner."""
        middle = np.array([[(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]])
        room = int(np.ceil(max(self.deck.card_mm) / 2 * float(table.px_per_mm(middle)[0])))
        wide = wider(box, room, (image_bgr.shape[1], image_bgr.shape[0]))
        crop = image_bgr[wide[1] : wide[3], wide[0] : wide[2]]
        return crop, cut_table(table, wide), np.array(wide[:2], np.float64)


def _found(card: Card, table: Table, offset: Floats) -> Card:
    """Return a card found in a part of a picture with its place in the whole picture."""
    corners = card.corners_px + offset
    return replace(card, corners_px=corners, centre_mm=table.centre_mm(corners))


def _keep(found: list[Card], card: Card) -> None:
    """Add a card unless a more certain one is at its place: more certain cards come first."""
    if all(shared_area(other.corners_px, card.corners_px) < _OVER for other in found):
        found.append(card)
