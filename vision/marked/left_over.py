"""Reads places that marks left open: the finder's detections beside the read cards, matched against faces as prints."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Image
from vision.deck import Deck, Face
from vision.quads import shared_area
from vision.read.card import Card
from vision.read.places import same_place
from vision.read.print_deck import ART_PX_PER_MM, Print, PrintDeck
from vision.read.reader import CardReader
from vision.reading import CardReading, Reading, UnclearCard
from vision.render_face import face_image
from vision.table import Table

# Shared area of a finder's place with a read card: the least of a card partly under it, and the least of that same
# card. 21 of 24 such places on 27 tables were a card.
_UNDER, _THE_SAME = 0.2, 0.9


@lru_cache(maxsize=2)
def print_reader(deck: Deck) -> CardReader:
    """Return the reader of a deck's faces as prints."""
    faces = tuple(
        Print(f"{face.side}/{face.id}", "front", {}, face_image(deck, face, ART_PX_PER_MM), 1) for face in deck.faces
    )
    return CardReader(PrintDeck(deck.name, deck.card_mm, faces, corner_radius_mm=deck.corner_radius_mm))


def beside(
    image_bgr: Image, deck: Deck, table: Table, white: Floats | None, marked: Reading, markers_px: Floats
) -> Reading:
    """Return the cards identified by marks, with those beside them and under them, certain or unclear.

    `white` (3,): BGR 0..1 of white paper; `markers_px` (n, 4, 2): marker cards.
    """
    known = np.concatenate([markers_px, *(card.corners_px[None] for card in marked.cards)])
    found = print_reader(deck).read_beside(image_bgr, table, white, known)
    cards, unclear = list(marked.cards), list(marked.unclear)
    told = {card.face.id for card in cards}
    doubted: list[UnclearCard] = []
    for card in found.cards:
        face = _face_of(deck, card)
        if face is None or face.id in told:
            doubted.append(_unclear(deck, card, "same card twice"))
        elif not any(same_place(card.corners_px, quad) for quad in found.open):
            # Print alone named three wrong faces from strips on 150 synthetic tables.
            doubted.append(_hidden(card.corners_px, table))
        else:
            told.add(face.id)
            cards.append(CardReading(face, card.confidence, card.corners_px, card.centre_mm))
    read = [card.corners_px for card in cards]
    # The finder may propose a sandtimer as a card. Glare wipes the print off a card, and off few other things.
    likely = (card for card in found.unclear if card.face is not None or card.reason == "glare")
    doubted += [_unclear(deck, card, card.reason or "covered") for card in likely]
    for place in found.left:
        under = max((shared_area(place, quad) for quad in read), default=0.0)
        if _UNDER <= under <= _THE_SAME:
            doubted.append(_hidden(place, table))
    places = [one.corners_px for one in cards]
    unclear = [one for one in unclear if not _is_at(one, places)]
    for one in doubted:
        if not _is_at(one, [*places, *(other.corners_px for other in unclear)]):
            unclear.append(one)
    return Reading(tuple(cards), tuple(unclear))


def _hidden(quad: Floats, table: Table) -> UnclearCard:
    x, y = quad.mean(axis=0).tolist()
    return UnclearCard(quad, (x, y), table.centre_mm(quad), "covered", None)


def _is_at(card: UnclearCard, places_px: list[Floats]) -> bool:
    return any(len(other) == 4 and same_place(card.corners_px, other) for other in places_px)


def _face_of(deck: Deck, card: Card) -> Face | None:
    side, _, number = ("" if card.face is None else card.face.id).partition("/")
    return deck.by_id.get((side, number))


def _unclear(deck: Deck, card: Card, reason: str) -> UnclearCard:
    x, y = card.corners_px.mean(axis=0).tolist()
    face = _face_of(deck, card)
    best = None if face is None else (face, card.confidence)
    return UnclearCard(card.corners_px, (x, y), card.centre_mm, reason, best, None if face is None else face.side)
