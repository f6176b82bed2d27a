"""Findings in a picture, for programs, for people and drawn: cards of decks of prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.language import Language
from referee.sayings.cards import say_face, say_print, say_unread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.image import Picture
    from vision.read.card import Card
    from vision.read.reader import CardReader
    from vision.table import Table


@dataclass(frozen=True)
class Found:
    """Findings in one picture: for programs, for people (a line a card), and drawn."""

    cards: list[dict[str, Any]]
    unclear: list[dict[str, Any]]
    words: list[str]
    draw: Callable[[], NDArray[np.uint8]]


def prints_found(picture: Picture, reader: CardReader, table: Table | None, language: Language) -> Found:
    """Read the cards of a deck of prints; without `table` the picture's own markers define it."""
    from referee.scoring.evidence_picture import draw_outlines
    from vision.read.print_deck import attributes_told

    reading = reader.read(picture.image, table)
    unknown: dict[str, None] = dict.fromkeys(key for face in reader.deck.fronts[:1] for key in face.attributes)

    cards, words = [], []
    for card in reading.cards:
        front = card.face if card.face is not None and card.face.side == "front" else None
        cards.append(
            {
                "face": front and front.id,
                "side": "back" if front is None else "front",
                "confidence": round(card.confidence, 4),
                "attributes": unknown if front is None else attributes_told(front.attributes),
                **_placed(card, picture),
                "seat": None,
            }
        )
        words.append(say_face(_print_called(card, language), card.confidence, language))
    for card in reading.unclear:
        perhaps = "" if card.face is None else _print_called(card, language)
        words.append(say_unread(card.reason, None, perhaps, language))
    return Found(
        cards,
        [_unclear(card, picture) for card in reading.unclear],
        words,
        lambda: draw_outlines(picture.image, [card.corners_px for card in reading.cards]),
    )


def _print_called(card: Card, language: Language) -> str:
    if card.face is None:
        return say_print(None, None, {}, language)
    return say_print(card.face.id, card.face.side, card.face.attributes, language)


def _unclear(card: Card, picture: Picture) -> dict[str, Any]:
    best = card.face and {"face": card.face.id, "confidence": round(card.confidence, 4)}
    return {**_placed(card, picture), "reason": card.reason, "best": best}


def _placed(card: Card, picture: Picture) -> dict[str, Any]:
    return {"corners_px": points_of(picture.to_file(card.corners_px)), "centre_mm": millimetres(card.centre_mm)}


def points_of(points: NDArray[np.float64]) -> list[list[float]]:
    """Return points (n, 2) px for JSON."""
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def millimetres(point: tuple[float, float] | None) -> list[float] | None:
    """Return a place on the table for JSON."""
    return None if point is None else [round(point[0], 1), round(point[1], 1)]
