"""Reads a picture of cards whose deck is not known: where each card lies and which marks are on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_marks import CardMark, find_marks
from vision.unknown.find_cards import find_cards
from vision.unknown.inks import names_together


@dataclass(frozen=True, eq=False)
class UnknownCard:
    """A card of an unknown deck.

    `corners_px` is (4, 2), clockwise (centre of the picture's top-left pixel is (0, 0)); `confidence` from 0 to 1.
    """

    corners_px: NDArray[np.float64]
    centre_px: tuple[float, float]
    confidence: float
    marks: tuple[CardMark, ...]


@dataclass(frozen=True, eq=False)
class UnclearOutline:
    """Something that may be a card; `corners_px` (4, 2) is where its corners must be, `reason` what is in the way."""

    corners_px: NDArray[np.float64]
    centre_px: tuple[float, float]
    confidence: float
    reason: str


@dataclass(frozen=True)
class UnknownReading:
    """All cards found in one picture, and those that are partly covered or cut off."""

    cards: tuple[UnknownCard, ...]
    unclear: tuple[UnclearOutline, ...]


def find_unknown_cards(image_bgr: NDArray[np.uint8]) -> UnknownReading:
    """Find the cards of any deck in an (h, w, 3) picture; neither markers nor the deck are needed."""
    found = find_cards(image_bgr)
    cards, unclear = [], []
    for corners, confidence, reason in zip(found.corners_px, found.confidence, found.reasons, strict=True):
        quad = corners.astype(np.float64)
        centre = _crossing(quad)
        if reason:
            unclear.append(UnclearOutline(quad, centre, float(confidence), reason))
        else:
            cards.append(UnknownCard(quad, centre, float(confidence), find_marks(image_bgr, quad, found.aspect)))
    return UnknownReading(_named_together(cards), tuple(unclear))


def _named_together(cards: list[UnknownCard]) -> tuple[UnknownCard, ...]:
    """The cards with the colours of their marks told by those of all others in the picture, too."""
    names = iter(names_together(mark.ink for card in cards for mark in card.marks))
    return tuple(replace(card, marks=tuple(replace(mark, colour=next(names)) for mark in card.marks)) for card in cards)


def _crossing(quad: NDArray[np.float64]) -> tuple[float, float]:
    """Where the diagonals cross: the card's middle also when seen from the side."""
    p, d = quad[0], quad[2] - quad[0]
    q, e = quad[1], quad[3] - quad[1]
    cross = d[0] * e[1] - d[1] * e[0]
    if abs(cross) < 1e-9:
        x, y = quad.mean(axis=0).tolist()
        return x, y
    s = ((q - p)[0] * e[1] - (q - p)[1] * e[0]) / cross
    x, y = (p + s * d).tolist()
    return x, y
