"""A clown deck of another edition: printed to the card's edge, no frame, no white; happy clowns wear hats."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Image
from vision.deck import Deck, Face

CARD_MM = (56.0, 87.0)
_PX_PER_MM = 6.0
_HAPPY, _SAD = 6, 1
_LINE = (38, 30, 34)
_SKIN = (186, 212, 243)
# BGR: the clown's colour, and the background.
_PAINTS: dict[str, tuple[tuple[int, int, int], tuple[int, int, int]]] = {
    "red": ((40, 36, 208), (214, 196, 120)),
    "blue": ((196, 96, 28), (120, 204, 240)),
    "green": ((70, 150, 30), (196, 178, 232)),
    "yellow": ((40, 208, 246), (168, 112, 92)),
    "orange": ((28, 128, 240), (150, 170, 96)),
    "purple": ((150, 48, 128), (150, 222, 196)),
    "pink": ((176, 110, 240), (176, 190, 70)),
    "black": ((44, 40, 42), (132, 176, 204)),
}


def full_bleed_clowns() -> Deck:
    """Return the deck as it is printed; six happy clowns and a sad one of each colour, 56 cards."""
    fronts = tuple(
        Face(f"{colour}-{mood}", "front", {"colour": colour, "mood": mood}, _clown(colour, mood == "happy"), count)
        for colour in _PAINTS
        for mood, count in (("happy", _HAPPY), ("sad", _SAD))
    )
    return Deck("full-bleed clowns", CARD_MM, (*fronts, Face("back", "back", {}, _back())), game="piccolino")


def _sheet(paint: tuple[int, int, int]) -> Image:
    return np.full((round(CARD_MM[1] * _PX_PER_MM), round(CARD_MM[0] * _PX_PER_MM), 3), paint, np.uint8)


def _at(x_mm: float, y_mm: float) -> tuple[int, int]:
    return round(x_mm * _PX_PER_MM), round(y_mm * _PX_PER_MM)


def _disc(card: Image, x_mm: float, y_mm: float, radius_mm: float, paint: tuple[int, int, int]) -> None:
    cv2.circle(card, _at(x_mm, y_mm), round(radius_mm * _PX_PER_MM), paint, -1, cv2.LINE_AA)


def _shape(card: Image, points: list[tuple[float, float]], paint: tuple[int, int, int]) -> None:
    corners = np.array([_at(*point) for point in points], np.int32)
    cv2.fillPoly(card, [corners], paint, cv2.LINE_AA)
    cv2.polylines(card, [corners], True, _LINE, 4, cv2.LINE_AA)


def _clown(colour: str, happy: bool) -> Image:
    paint, ground = _PAINTS[colour]
    card = _sheet(ground)
    darker = tuple(round(0.82 * value) for value in ground)
    for start_mm in range(-70, 60, 14):
        # Diagonal stripes of a marquee, to the edge.
        _stripe(card, start_mm, darker)
    _shape(card, [(4, 87), (12, 66), (44, 66), (52, 87)], paint)
    for x_mm in (20.0, 28.0, 36.0):
        _disc(card, x_mm, 77, 2.6, (240, 240, 240))
    for x_mm in (9.5, 46.5):
        _disc(card, x_mm, 42, 8, paint)
    _disc(card, 28, 46, 19.5, _LINE)
    _disc(card, 28, 46, 19, _SKIN)
    if happy:
        _shape(card, [(14, 31), (28, 4), (42, 31)], paint)
        _disc(card, 28, 5, 3.6, (246, 246, 246))
    for x_mm in (21.0, 35.0):
        _disc(card, x_mm, 41, 4.4, (248, 248, 248))
        _disc(card, x_mm, 41.5, 1.9, _LINE)
    _disc(card, 28, 48, 4, paint if colour != "black" else (60, 60, 200))
    ends = (15, 165) if happy else (195, 345)
    middle = _at(28, 53 if happy else 61)
    axes = _at(9, 6.5)
    cv2.ellipse(card, middle, axes, 0, *ends, (40, 40, 160), round(1.8 * _PX_PER_MM), cv2.LINE_AA)
    return card


def _stripe(card: Image, x_mm: float, paint: tuple[int, ...]) -> None:
    corners = [_at(x_mm, 87), _at(x_mm + 7, 87), _at(x_mm + 57, 0), _at(x_mm + 50, 0)]
    cv2.fillPoly(card, [np.array(corners, np.int32)], paint, cv2.LINE_AA)


def _back() -> Image:
    card = _sheet((104, 52, 74))
    for row in range(9):
        for column in range(6):
            _disc(card, 2 + 10.4 * column + 5 * (row % 2), 4 + 10 * row, 3.2, (150, 190, 240))
    return card
