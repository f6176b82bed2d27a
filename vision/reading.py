"""Gives the reader of any deck, and what all readers return: certain cards, and unclear ones with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from vision.arrays import Floats, Image
from vision.deck import Deck, Face
from vision.markers import Marker
from vision.table import Table

PLACES = ("camera", "out of sight", "hand", "thing", "light", "darkness", "blur", "between", "apart")
"""Reasons for a place at which a card may be unseen: nothing shows how the camera stands, the place is not in the
picture, a person's hand or a thing is there, or there is light that clips the picture,
darkness, or blur; or a card is on the border of two seats."""
_NO_OUTLINE = np.zeros((0, 2))


@dataclass(frozen=True, eq=False)
class Card:
    """A card that was found, certain or unclear.

    `face` is the side that is up, the likeliest for an unclear card, None without a likely one; `confidence` is the
    probability that the face is right, not only its meaning in the game. `corners_px` is (4, 2), clockwise from the
    face's own top-left corner (centre of the picture's top-left pixel is (0, 0)); of an unclear card (k, 2), what is
    known of its outline, or (0, 2). `centre_mm` is (x, y) on the table or None without a table.

    `reason` is None for a certain card, else one of `covered`, `glare`, `colours`, `dark`, `blurred`, `aslant`,
    `no face fits`, `edge of picture`, `same card twice`, or one of `PLACES`. `spot_px` is the middle where the outline
    does not give it; `side_up` is the side that is up where no face is likely, None where nothing shows it.
    """

    face: Face | None
    confidence: float
    corners_px: Floats
    centre_mm: tuple[float, float] | None
    reason: str | None = None
    spot_px: tuple[float, float] | None = None
    side_up: str | None = None

    @property
    def named(self) -> Face:
        """Return the face of a card that has one, as every certain card does.

        Raises:
            ValueError: no face is likely.
        """
        if self.face is None:
            raise ValueError("a card without a likely face")
        return self.face

    @property
    def front(self) -> Face | None:
        """Return the face that names the card; None where its back is up."""
        return self.face if self.face is not None and self.face.side != "back" else None

    @property
    def side(self) -> str | None:
        """Return the side that is up as far as anything shows it."""
        return self.side_up if self.face is None else self.face.side

    @property
    def attributes(self) -> Mapping[str, str]:
        """Return the game's words for the face."""
        return {} if self.face is None else self.face.attributes

    @property
    def centre_px(self) -> tuple[float, float]:
        """Return its middle in the picture."""
        if self.spot_px is not None:
            return self.spot_px
        x, y = self.corners_px.mean(axis=0).tolist()
        return x, y

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
class Reading:
    """All that was read in one picture.

    `table` is that of the places in mm, with its scale corrected by the cards; None where nothing shows its origin.
    """

    cards: tuple[Card, ...]
    unclear: tuple[Card, ...]
    table: Table | None = None

    def and_unclear(self, more: Iterable[Card]) -> Reading:
        """Return the reading with more unclear cards."""
        return replace(self, unclear=(*self.unclear, *more))

    def placeless(self) -> Reading:
        """Return the reading without places on a table: the origin of its table is unknown."""
        cards, unclear = (
            tuple(replace(card, centre_mm=None) for card in group) for group in (self.cards, self.unclear)
        )
        return replace(self, cards=cards, unclear=unclear, table=None)


def doubt_at(
    spot_mm: Floats, table: Table, reason: str, outline_px: Floats = _NO_OUTLINE, side: str | None = None
) -> Card:
    """Return an unclear card for a place (2,) on the table at which one may be unseen."""
    x_px, y_px = table.to_px(spot_mm[None])[0].tolist()
    x, y = spot_mm.tolist()
    return Card(None, 0.0, outline_px, (x, y), reason, (x_px, y_px), side)


def reasons_of(cards: Iterable[Card]) -> list[str]:
    """Return the different reasons of unclear cards, sorted."""
    return sorted({card.reason for card in cards if card.reason is not None})


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
    from vision.read.reader import CardReader

    return CardReader(deck)
