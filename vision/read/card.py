"""Records of a read card of a deck of prints, and of all cards read in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from vision.arrays import Floats
from vision.read.print_deck import Print


@dataclass(frozen=True, eq=False)
class Card:
    """A card that was found.

    `face` is the print that is up, a front or the back; the likeliest for an unclear card, None without a likely one.
    `confidence` that the face itself is right, not only its meaning in the game; `corners_px` (4, 2) clockwise from the
    face's top left corner; `centre_mm` None without a known table; `reason` None for a certain card, else why it is
    unclear: `covered`, `glare`, `colours`, `aslant`, `no face fits`.
    """

    face: Print | None
    confidence: float
    corners_px: Floats
    centre_mm: tuple[float, float] | None
    reason: str | None = None

    @property
    def front(self) -> Print | None:
        """Return the face that names the card; None where its back is up."""
        return self.face if self.face is not None and self.face.side == "front" else None

    @property
    def attributes(self) -> Mapping[str, str]:
        """Return the game's words for the face."""
        return {} if self.face is None else self.face.attributes

    @property
    def place_mm(self) -> tuple[float, float]:
        """Return its middle on the table.

        Raises:
            ValueError: no table is known.
        """
        if self.centre_mm is None:
            raise ValueError("a card on no known table")
        return self.centre_mm


@dataclass(frozen=True, eq=False)
class PrintReading:
    """All cards that were found in one picture: the certain ones, and the others.

    `places` (n, 4, 2): the finder's in its first pass, `open` (k, 4, 2) those of mostly visible cards; `left`
    (m, 4, 2): places of its last pass at which nothing was read.
    """

    cards: tuple[Card, ...]
    unclear: tuple[Card, ...]
    places: Floats = field(default_factory=lambda: np.zeros((0, 4, 2)))
    open: Floats = field(default_factory=lambda: np.zeros((0, 4, 2)))
    left: Floats = field(default_factory=lambda: np.zeros((0, 4, 2)))
