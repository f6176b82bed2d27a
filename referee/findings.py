"""Findings in a picture, for programs, for people and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.language import Language
from referee.sayings.cards import say_face, say_marked, say_print, say_unread

if TYPE_CHECKING:
    import numpy as np
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


def found_in(picture: Picture, reading: Reading, deck: Deck, language: Language) -> Found:
    """Return the cards of a deck that were read in a picture."""
    from referee.scoring.evidence_picture import draw_reading

    unclear = [_unclear(card, picture) for card in reading.unclear]
    words = [say_face(_called(card, language), card.confidence, language) for card in reading.cards]
    words += [say_unread(card.reason, card.centre_px, _likely(card, language), language) for card in reading.unclear]
    if reading.cut_short:
        unclear.append({"corners_px": [], "centre_mm": None, "reason": "cut short", "best": None})
        words.append(language.text("cards.unclear_cut_short_picture_is"))
    return Found(
        [_card(card, deck, picture) for card in reading.cards],
        unclear,
        words,
        lambda: draw_reading(picture.image, reading, language),
    )


def meaning_of(face: Face) -> dict[str, Any]:
    """Return a face's `marks`, or the `attributes` of a face without marks."""
    from vision.deck import attributes_told

    if not face.marks:
        return {"attributes": attributes_told(face.attributes)}
    return {"marks": [{"size": mark.size, "colour": mark.colour, "shape": mark.shape} for mark in face.marks]}


def _card(card: Card, deck: Deck, picture: Picture) -> dict[str, Any]:
    face = card.front
    unknown = {"attributes": dict.fromkeys(key for one in deck.fronts[:1] for key in one.attributes)}
    return {
        "face": face and face.id,
        "side": card.side,
        "confidence": round(card.confidence, 4),
        **(unknown if face is None else meaning_of(face)),
        **_placed(card, picture),
        "seat": None,
    }


def _unclear(card: Card, picture: Picture) -> dict[str, Any]:
    best = card.face and {"face": card.face.id, "confidence": round(card.confidence, 4)}
    return {**_placed(card, picture), "reason": card.reason, "best": best}


def _placed(card: Card, picture: Picture) -> dict[str, Any]:
    return {"corners_px": points_of(picture.to_file(card.corners_px)), "centre_mm": millimetres(card.centre_mm)}


def _called(card: Card, language: Language) -> str:
    face = card.named
    if face.marks:
        marks = [(mark.size, mark.colour, mark.shape) for mark in face.marks]
        return say_marked(face.id, face.side, marks, language)
    return say_print(face.id, face.side, face.attributes, language)


def _likely(card: Card, language: Language) -> str:
    """Return the likeliest face of an unclear card, "" without one."""
    if card.face is None:
        return ""
    return say_face(say_print(card.face.id, card.face.side, {}, language), card.confidence, language)


def points_of(points: NDArray[np.float64]) -> list[list[float]]:
    """Points (n, 2) px as JSON has them."""
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def millimetres(point: tuple[float, float] | None) -> list[float] | None:
    """A place on the table as JSON has it."""
    return None if point is None else [round(point[0], 1), round(point[1], 1)]
