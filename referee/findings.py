"""Findings in a picture, for programs, for people and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.language import Language
from referee.sayings.cards import say_face, say_marked, say_place, say_print, say_unread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.deck import Deck, Face
    from vision.image import Picture
    from vision.reading import Card, Reading


@dataclass(frozen=True)
class Found:
    """Findings in one picture: for programs, for people (a line a card), and drawn."""

    cards: list[dict[str, Any]]
    unclear: list[dict[str, Any]]
    words: list[str]
    draw: Callable[[], NDArray[np.uint8]]


def found_in(picture: Picture, reading: Reading, deck: Deck | None, language: Language) -> Found:
    """Return the cards that were read in a picture. deck: theirs, None: any, then cards have places and no faces."""
    from referee.scoring.evidence_picture import draw_reading

    unclear = [_unclear(card, deck, picture) for card in reading.unclear]
    words = [say_face(_called(card, picture, language), card.confidence, language) for card in reading.cards]
    for card in reading.unclear:
        words.append(say_unread(card.reason, _middle(card, picture), _likely(card, language), language))
    return Found(
        [_card(card, deck, picture) for card in reading.cards],
        unclear,
        words,
        lambda: draw_reading(picture.image, reading, language),
    )


def meaning_of(face: Face) -> dict[str, Any]:
    """Return a face's `marks`, or the `attributes` of a face without marks."""
    from vision.deck import program_attributes

    if not face.marks:
        return {"attributes": program_attributes(face.attributes)}
    return {"marks": [{"size": mark.size, "colour": mark.colour, "shape": mark.shape} for mark in face.marks]}


def _card(card: Card, deck: Deck | None, picture: Picture) -> dict[str, Any]:
    placed, confidence = _placed(card, deck, picture), round(card.confidence, 4)
    if deck is None:
        return {**placed, "confidence": confidence}
    face = card.front
    unknown = {"attributes": dict.fromkeys(key for one in deck.fronts[:1] for key in one.attributes)}
    return {
        "face": face and face.id,
        "side": card.side,
        "confidence": confidence,
        **(unknown if face is None else meaning_of(face)),
        **placed,
        "seat": None,
    }


def _unclear(card: Card, deck: Deck | None, picture: Picture) -> dict[str, Any]:
    best = card.face and {"face": card.face.id, "confidence": round(card.confidence, 4)}
    return {**_placed(card, deck, picture), "reason": card.reason, "best": best}


def _placed(card: Card, deck: Deck | None, picture: Picture) -> dict[str, Any]:
    corners = {"corners_px": _points(picture.to_file(card.corners_px))}
    if deck is None:
        return {**corners, "centre_px": _points(np.array([_middle(card, picture)]))[0]}
    return {**corners, "centre_mm": card.centre_mm and [round(value, 1) for value in card.centre_mm]}


def _middle(card: Card, picture: Picture) -> tuple[float, float]:
    """Return a card's middle in the file's pixels."""
    x, y = picture.to_file(np.array([card.centre_px]))[0].tolist()
    return x, y


def _called(card: Card, picture: Picture, language: Language) -> str:
    face = card.face
    if face is None:
        return say_place(_middle(card, picture), language)
    if face.marks:
        marks = [(mark.size, mark.colour, mark.shape) for mark in face.marks]
        return say_marked(face.id, face.side, marks, language)
    return say_print(face.id, face.side, face.attributes, language)


def _likely(card: Card, language: Language) -> str:
    """Return the likeliest face of an unclear card, "" without one."""
    if card.face is None:
        return ""
    return say_face(say_print(card.face.id, card.face.side, {}, language), card.confidence, language)


def _points(points: NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]
