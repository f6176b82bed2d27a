"""Which reader reads a deck of prints: that of framed pictures where all its faces have a frame, else that of prints.

Both give readings of the same kind.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.piles.sights import ClownReader
from vision.prints.print_deck import PrintDeck
from vision.prints.reader import PrintReading
from vision.table import Table


class CardReader(Protocol):
    """Reads all cards of one deck of prints in single pictures."""

    @property
    def deck(self) -> PrintDeck:
        """The deck that it reads."""

    def read(self, image_bgr: NDArray[np.uint8], table: Table | None = None) -> PrintReading:
        """Read a picture (h, w, 3) uint8 BGR; without a table its markers give one.

        Raises:
            BadTableError: the picture is mirrored, as its markers show.
        """


def print_reader(deck: PrintDeck) -> CardReader:
    """Give what reads a deck's cards in single pictures."""
    if deck.frame_mm is None:
        from vision.prints.reader import PrintReader

        return PrintReader(deck)
    from vision.pictured.picture_reader import PictureReader

    return PictureReader(deck)


def clown_reader(deck: PrintDeck) -> ClownReader:
    """Give what watches a deck's cards while a game is played."""
    if deck.frame_mm is None:
        from vision.prints.pile_reader import PrintClowns

        return PrintClowns(deck)
    from vision.pictured.clowns import PictureClowns

    return PictureClowns(deck)
