"""Pictures of a deck's cards for drawn tables, whatever kind of deck it is."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np

from simulation.pieces import cutout
from simulation.view import Image
from vision.deck import Deck
from vision.prints.print_deck import AnyDeck as AnyDeck
from vision.prints.print_deck import PrintDeck
from vision.render_face import face_image

FRONT, BACK = "front", "back"
_PLAIN_BACK = (120, 70, 60)  # BGR


class CardArt(Protocol):
    """What a drawn table asks of a deck."""

    @property
    def card_mm(self) -> tuple[float, float]:
        """A card's width and height, mm."""

    @property
    def cutout(self) -> Image:
        """(h, w) uint8, 255 where the card is and 0 in its round corners; of the same shape as the pictures."""

    def picture(self, face: str, side: str) -> Image:
        """Give one side of a card, (h, w, 3) uint8 BGR."""


class MarkArt:
    """The art of a deck of marks, whose cards have two faces; `side` is one of the deck's."""

    def __init__(self, deck: Deck, px_per_mm: float) -> None:
        self._deck = deck
        self._px_per_mm = px_per_mm
        self._pictures: dict[tuple[str, str], Image] = {}
        self.card_mm = deck.card_mm
        blank = np.zeros((round(deck.card_mm[1] * px_per_mm), round(deck.card_mm[0] * px_per_mm), 3), np.uint8)
        self.cutout = cutout(blank, deck.corner_radius_mm / deck.card_mm[0])

    def picture(self, face: str, side: str) -> Image:
        """Give a face, drawn when it is first wanted."""
        if (face, side) not in self._pictures:
            self._pictures[face, side] = face_image(self._deck, self._deck.by_id[side, face], self._px_per_mm)
        return self._pictures[face, side]


class PrintArt:
    """The art of a deck of prints; `side` is FRONT or BACK. A deck whose back nobody knows has a plain one."""

    def __init__(self, deck: PrintDeck, px_per_mm: float) -> None:
        self._size = (round(deck.card_mm[0] * px_per_mm), round(deck.card_mm[1] * px_per_mm))
        self._faces = {face.id: face.art for face in deck.fronts}
        plain = np.full((self._size[1], self._size[0], 3), _PLAIN_BACK, np.uint8)
        self._back = plain if deck.back is None else deck.back.art
        self._pictures: dict[str, Image] = {}
        self.card_mm = deck.card_mm
        self.cutout = cutout(plain, deck.corner_radius_mm / deck.card_mm[0])

    def picture(self, face: str, side: str) -> Image:
        """Give a face, or the back that all cards share."""
        name = face if side == FRONT else ""
        if name not in self._pictures:
            art = self._faces[face] if side == FRONT else self._back
            self._pictures[name] = np.asarray(cv2.resize(art, self._size, interpolation=cv2.INTER_AREA), np.uint8)
        return self._pictures[name]


def art_of(deck: AnyDeck, px_per_mm: float) -> CardArt:
    """Give a deck's art, drawn with so many pixels to the mm."""
    if isinstance(deck, Deck):
        return MarkArt(deck, px_per_mm)
    return PrintArt(deck, px_per_mm)
