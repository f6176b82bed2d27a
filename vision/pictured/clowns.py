"""The reader of framed pictures behind the seam of those that watch piles (`vision.piles.sights`)."""

from __future__ import annotations

from collections.abc import Sequence

from vision.arrays import Floats, Image
from vision.pictured.outlines import card_outlines
from vision.pictured.picture_reader import PictureReader
from vision.pictured.piles import PileReader
from vision.piles.sights import Box, Effort, PilePlace
from vision.prints.card_search import FoundCard
from vision.prints.print_deck import PrintDeck
from vision.table import Table


class PictureClowns:
    """Reads the cards of one deck of framed pictures, and their piles."""

    def __init__(self, deck: PrintDeck) -> None:
        self._reader = PictureReader(deck)

    def read_part(self, image_bgr: Image, table: Table, box_px: Box, effort: Effort = "plain") -> tuple[FoundCard, ...]:
        """Read the cards in a part of a picture, see `ClownReader`."""
        return self._reader.read_part(image_bgr, table, box_px, hidden=effort == "hidden")

    def outlines(self, image_bgr: Image, table: Table, box_px: Box) -> Floats:
        """(n, 4, 2) px, what has a card's outline in a part of a picture."""
        return card_outlines(image_bgr, table, self._reader.deck.card_mm, box_px)

    def piles(self, table: Table, size_px: tuple[int, int], places: Sequence[PilePlace]) -> PileReader:
        """Give what reads piles at some places of a table."""
        return PileReader(self._reader.deck, table, size_px, places, self._reader.fitter)
