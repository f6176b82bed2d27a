"""Gives the reader of a deck: whichever deck it is, a caller reads a picture in one way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from vision.arrays import Image
from vision.deck import MARKS, Deck
from vision.markers import Marker
from vision.reading import Reading
from vision.table import Table


class Reader(Protocol):
    """Reads the cards of one deck."""

    def read(self, image_bgr: Image, table: Table | None = None, markers: Sequence[Marker] | None = None) -> Reading:
        """Read a picture (h, w, 3) uint8 BGR; without `table` its markers give one, without markers its cards.

        `markers` are those already found in the picture, None to find them here.

        Raises:
            BadTableError: the picture is mirrored, as its markers show.
        """


def reader_of(deck: Deck | None) -> Reader:
    """Return the reader of a deck; None: of any deck, without names."""
    if deck is None:
        from vision.find.any_deck import AnyDeckReader

        return AnyDeckReader()
    if deck.kind == MARKS:
        from vision.marked.reader import MarkReader

        return MarkReader(deck)
    from vision.read.reader import CardReader

    return CardReader(deck)
