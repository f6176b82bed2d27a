"""Decks of prints read as decks of marks are: the same reading, of faces that have no marks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, Face
from vision.marked.reader import read_picture
from vision.markers import Marker, table_if_shown
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.reader import PrintCard, PrintReader
from vision.reading import CardReading, Reading, UnclearCard
from vision.table import Table

Image = NDArray[np.uint8]
ReadPicture = Callable[[Image, Table | None, tuple[Marker, ...]], tuple[Reading, Table | None]]
"""Reads a picture (h, w, 3) BGR on a table, by the markers in sight where that is None, and gives the table."""


def reading_of(deck: Deck | PrintDeck) -> ReadPicture:
    """Give what reads pictures of a deck's cards."""
    if isinstance(deck, Deck):
        marked = deck
        return lambda image, table, markers: read_picture(image, marked, table, markers)
    reader = PrintReader(deck)

    def read(image: Image, table: Table | None, markers: tuple[Marker, ...]) -> tuple[Reading, Table | None]:
        table = table or table_if_shown(markers, (image.shape[1], image.shape[0]))
        printed = reader.read(image, table)
        cards = tuple(
            CardReading(_face(card.face), card.confidence, card.corners_px, card.centre_mm)
            for card in printed.cards
            if card.face is not None
        )
        return Reading(cards, tuple(map(_unclear_print, printed.unclear))), table

    return read


def _unclear_print(card: PrintCard) -> UnclearCard:
    x, y = card.corners_px.mean(axis=0).tolist()
    best = None if card.face is None else (_face(card.face), card.confidence)
    side = None if card.face is None else card.face.side
    return UnclearCard(card.corners_px, (x, y), card.centre_mm, card.reason or "covered", best, side)


def _face(face: Print) -> Face:
    return Face(face.id, face.side, ())
