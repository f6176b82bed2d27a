"""What reads the cards of a deck of prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from referee.errors import WorkFailedError
from vision.prints.print_deck import Print, PrintDeck
from vision.table import Table


class PrintCard(Protocol):
    """A card that was found.

    `face` is None where no face can be named, a back's where the card lies with its back up; for an unclear card it is
    the likeliest; `reason` is None for a certain card; `corners_px` (4, 2) clockwise from the face's top-left corner,
    (k, 2) of an unclear one; `confidence` is the probability that the face is right.
    """

    @property
    def face(self) -> Print | None:
        """The face."""

    @property
    def confidence(self) -> float:
        """0 to 1."""

    @property
    def corners_px(self) -> NDArray[np.float64]:
        """(4, 2)."""

    @property
    def centre_mm(self) -> tuple[float, float] | None:
        """On the table, None without one."""

    @property
    def reason(self) -> str | None:
        """Why it is unclear."""


class PrintsReading(Protocol):
    """All cards that were found in one picture: the certain ones, and the others."""

    @property
    def cards(self) -> Sequence[PrintCard]:
        """The certain ones."""

    @property
    def unclear(self) -> Sequence[PrintCard]:
        """The others."""


class PrintsReader(Protocol):
    """Reads pictures (h, w, 3) uint8 BGR; without a table their markers give one, or the cards themselves."""

    def read(self, image: NDArray[np.uint8], table: Table | None = None, /) -> PrintsReading:
        """Read one picture."""


def reader_of(deck: PrintDeck) -> PrintsReader:
    """Give what reads this deck.

    Raises:
        WorkFailedError: there is nothing yet that reads decks of prints.
    """
    raise WorkFailedError(f"the deck {deck.name} is one of prints, which can be taught but not yet be read")
