"""Reads places that marks left open: the finder's detections beside the read cards, matched against faces as prints."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Image
from vision.deck import Deck
from vision.quads import shared_area
from vision.read.places import same_place
from vision.read.reader import CardReader
from vision.reading import Card, Reading
from vision.render_face import drawn
from vision.table import Table

# Shared area of a finder's place with a read card: the least of a card partly under it, and the least of that same
# card. 21 of 24 such places on 27 tables were a card.
_UNDER, _THE_SAME = 0.2, 0.9


@lru_cache(maxsize=2)
def print_reader(deck: Deck) -> CardReader:
    """Return the reader of a deck's faces as prints."""
    return CardReader(drawn(deck))


def beside(
    image_bgr: Image, deck: Deck, table: Table, white: Floats | None, marked: Reading, markers_px: Floats
) -> Reading:
    """Return the cards identified by marks, with those beside them and under them, certain or unclear.

    `white` (3,): BGR 0..1 of white paper; `markers_px` (n, 4, 2): marker cards.
    """
    known = np.concatenate([markers_px, *(card.corners_px[None] for card in marked.cards)])
    part = print_reader(deck).read_beside(image_bgr, table, white, known)
    cards, unclear = list(marked.cards), list(marked.unclear)
    told = {card.named.id for card in cards}
    doubted: list[Card] = []
    for card in part.reading.cards:
        if card.named.id in told:
            doubted.append(replace(card, reason="same card twice"))
        elif not any(same_place(card.corners_px, quad) for quad in part.open):
            # Print alone named three wrong faces from strips on 150 synthetic tables.
            doubted.append(_hidden(card.corners_px, table))
        else:
            told.add(card.named.id)
            cards.append(card)
    read = [card.corners_px for card in cards]
    # The finder may propose a sandtimer as a card. Glare wipes the print off a card, and off few other things.
    doubted += [card for card in part.reading.unclear if card.face is not None or card.reason == "glare"]
    for place in part.left:
        under = max((shared_area(place, quad) for quad in read), default=0.0)
        if _UNDER <= under <= _THE_SAME:
            doubted.append(_hidden(place, table))
    places = [one.corners_px for one in cards]
    unclear = [one for one in unclear if not _is_at(one, places)]
    for one in doubted:
        if not _is_at(one, [*places, *(other.corners_px for other in unclear)]):
            unclear.append(one)
    return replace(marked, cards=tuple(cards), unclear=tuple(unclear))


def _hidden(quad: Floats, table: Table) -> Card:
    return Card(None, 0.0, quad, table.centre_mm(quad), "covered")


def _is_at(card: Card, places_px: list[Floats]) -> bool:
    return any(len(other) == 4 and same_place(card.corners_px, other) for other in places_px)
