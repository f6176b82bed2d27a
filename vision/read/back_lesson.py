"""Learns the back of a deck taught by its faces only, from equal pictures at several places before a game.

Draw piles are before the players then, all with the same picture up, which is not a face of the deck.
"""

from __future__ import annotations

import numpy as np

from vision.arrays import Floats, Image
from vision.read.card_search import CardSearch
from vision.read.places import moved
from vision.read.print_deck import ART_PX_PER_MM, Print, PrintDeck
from vision.read.rectify import Pyramid
from vision.table import Table

BACK = "back"
_MOST_PLACES = 10
_ALIKE = 2  # places that must show the same picture
NEAR = (4.0, np.radians(3.0))  # mm and a turn: piles are untidy
_BUSY = 0.03  # of white, a standard deviation: a sheet with less is a piece of table


def back_shown(
    image_bgr: Image, table: Table, search: CardSearch, taken: list[Floats], white: Floats | None
) -> tuple[Print, Floats] | None:
    """Return the back that is up at two or more places of a picture (h, w, 3), and its possible places (n, 4, 2) px.

    Return None where no two places are equal.

    taken: (4, 2) px each, quads already known: read cards and marker cards. white: (3,) BGR 0..1.
    """
    picture, deck = Pyramid(image_bgr), search.deck
    places = search.outlines(image_bgr, table, (0, 0, image_bgr.shape[1], image_bgr.shape[0]), taken)[:_MOST_PLACES]
    rows, columns = (round(side * ART_PX_PER_MM) for side in reversed(deck.card_mm))
    sheets = picture.straight(places, rows, columns)
    for k, sheet in enumerate(sheets):
        if np.isnan(sheet).any() or float(sheet.std(axis=(0, 1)).max()) < _BUSY:
            continue
        art = np.clip(sheet / (1.0 if white is None else white) * 255, 0, 255).astype(np.uint8)
        back = Print(BACK, "back", {}, art)
        search = CardSearch(PrintDeck(deck.name, deck.card_mm, (back,), has_true_size=deck.has_true_size))
        others = (place for other, place in enumerate(places) if other != k)
        found = (search.at(image_bgr, table, moved(place[None], table, *NEAR)[0], white) for place in others)
        if sum(card is not None and card.reason is None for card in found) >= _ALIKE - 1:
            return back, places
    return None
