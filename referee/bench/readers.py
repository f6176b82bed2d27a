"""The readers as the bench measures them: what `ringmaster read` does with a picture and no table profile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.bench.teaching import Reader, TaughtRead
from vision.deck import Deck
from vision.marked import reader
from vision.print_readers import print_reader
from vision.prints.print_deck import PrintDeck
from vision.reading import Reading

Image = NDArray[np.uint8]


def read_picture(image: Image, deck: Deck) -> Reading:
    """Read a picture, (h, w, 3) uint8 BGR, by its markers or, without any, by its cards."""
    return reader.read_picture(image, deck)[0]


def reader_of(deck: Deck | PrintDeck) -> Reader:
    """What reads a deck that can be taught; see `TaughtRead`."""
    if isinstance(deck, Deck):

        def read_marks(image: Image) -> list[TaughtRead]:
            reading = read_picture(image, deck)
            cards = [TaughtRead(card.face.id, card.confidence, card.corners_px, None) for card in reading.cards]
            for card in reading.unclear:
                face, confidence = card.best or (None, 0.0)
                cards.append(TaughtRead(face.id if face else None, confidence, card.corners_px, card.reason))
            return cards

        return read_marks
    prints = print_reader(deck)

    def read(image: Image) -> list[TaughtRead]:
        reading = prints.read(image)
        return [
            TaughtRead(
                card.face.id if card.face is not None and card.face.side == "front" else None,
                card.confidence,
                card.corners_px,
                card.reason,
            )
            for card in (*reading.cards, *reading.unclear)
        ]

    return read
