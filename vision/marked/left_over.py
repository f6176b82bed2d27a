"""Reads what marks left open: the finder's places beside the cards that are read, held against faces as prints."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Image
from vision.deck import Deck, Face
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.reader import PrintCard, PrintReader
from vision.quads import shared_area
from vision.reading import CardReading, Reading, UnclearCard
from vision.render_face import face_image
from vision.table import Table


def prints_of(deck: Deck) -> PrintDeck:
    """The deck with each face as a print."""
    faces = tuple(Print(f"{face.side}/{face.id}", "front", {}, face_image(deck, face, 2.0), 1) for face in deck.faces)
    return PrintDeck(deck.name, deck.card_mm, faces, corner_radius_mm=deck.corner_radius_mm)


@lru_cache(maxsize=2)
def _reader_of(deck: Deck) -> PrintReader:
    return PrintReader(prints_of(deck))


def beside(
    image_bgr: Image, deck: Deck, table: Table, white: Floats | None, marked: Reading, markers_px: Floats
) -> Reading:
    reader = _reader_of(deck)
    known = np.concatenate([markers_px, *(card.corners_px[None] for card in marked.cards)])
    found = reader.read_beside(image_bgr, table, white, known)
    cards, unclear = list(marked.cards), list(marked.unclear)
    told = {card.face.id for card in cards}
    for card in found.cards:
        face = _face_of(deck, card)
        assert face is not None
        if face.id in told or card.centre_mm is None:
            unclear.append(_unclear(deck, card, "same card twice"))
            continue
        told.add(face.id)
        cards.append(CardReading(face, card.confidence, card.corners_px, card.centre_mm))
    unclear = [one for one in unclear if not any(_same(one.corners_px, card.corners_px) for card in cards)]
    unclear += [_unclear(deck, card, card.reason or "covered") for card in found.unclear]
    return Reading(tuple(cards), tuple(unclear), marked.cut_short)


def _same(one: Floats, other: Floats) -> bool:
    return len(one) == 4 and shared_area(one, other) > 0.7


def _face_of(deck: Deck, card: PrintCard) -> Face | None:
    if card.face is None:
        return None
    side, number = card.face.id.split("/")
    return deck.by_id[side, number]


def _unclear(deck: Deck, card: PrintCard, reason: str) -> UnclearCard:
    x, y = card.corners_px.mean(axis=0).tolist()
    face = _face_of(deck, card)
    best = None if face is None else (face, card.confidence)
    return UnclearCard(card.corners_px, (x, y), card.centre_mm, reason, best, None if face is None else face.side)
