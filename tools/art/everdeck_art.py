"""Draws a simple Everdeck: eight suits of fifteen ranks, in the layout of the published deck.

Attributes give each card's role in Coloretto (E1): no game then needs to know this deck. Cards that Coloretto leaves
out have a suit and a rank only. All lengths in mm from the card's top left corner.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from tools.art.drawn_deck import DrawnDeck, DrawnFace
from tools.art.svg_shapes import Svg, mixed

CARD_MM = (63.1, 88.5)
CORNER_RADIUS_MM = 3.5
SUITS = ("club", "spade", "heart", "diamond", "coin", "crown", "moon", "star")
RANKS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "X", "J", "Q", "K", "A")
_NUMBERS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_WORDS = (*_NUMBERS, "Ten", "Jack", "Queen", "King", "Ace")
_BLACK, _PAPER = "#141110", "#ffffff"
_INKS = {
    "club": _BLACK,
    "spade": _BLACK,
    "heart": "#ec1d27",
    "diamond": "#ec1d27",
    "coin": "#e1ad12",
    "crown": "#e1ad12",
    "moon": "#346ebf",
    "star": "#346ebf",
}
_PICTURE = (12.8, 14.1, 38.1, 50.6)
_BORDERED = "XJQKA"
_STROKES = ((11.7, 3.2, 22.9, 1.3), (12.5, 84.1, 38.6, 1.3), (2.4, 32.0, 1.3, 36.5), (59.4, 20.0, 1.3, 36.4))
_PIPS = 5
_PLACE = tuple[float, float, float]  # middle, and half the width


def everdeck() -> DrawnDeck:
    """Return all 120 cards."""
    faces = [
        DrawnFace(
            f"{rank}-{suit}", {"suit": suit, "rank": rank, **_in_coloretto(suit, rank)}, 1, partial(_card, suit, rank)
        )
        for suit in SUITS
        for rank in RANKS
    ]
    back = DrawnFace("back", {}, 0, _back, side="back")
    return DrawnDeck("everdeck", "coloretto", CARD_MM, CORNER_RADIUS_MM, (*faces, back))


def _in_coloretto(suit: str, rank: str) -> dict[str, str]:
    """Return a card's role in Coloretto (E1); two suits of which only one is played share a role."""
    dark = suit in ("club", "spade")
    if rank == "X":
        return {"kind": "last round"} if dark else {}
    if suit != "club" and rank in "123456789":
        return {"kind": "colour", "colour": suit}
    if dark or rank not in "0QK":
        return {}
    return {"kind": "joker" if rank == "0" else "+2"}


def _card(suit: str, rank: str) -> str:
    svg, number = Svg(CARD_MM), SUITS.index(suit) * len(RANKS) + RANKS.index(rank)
    ink = _INKS[suit]
    if rank in _BORDERED:
        for stroke in _STROKES:
            svg.rect(stroke, _BLACK)
    x, y, width, height = _PICTURE
    svg.rect(_PICTURE, mixed(ink, _PAPER, 0.72), radius=2.0)
    _symbol(svg, suit, (x + width / 2, y + 15.5, 11.5), turned=False)
    svg.words((x + width / 2, y + height - 4.5), rank, 24.0, _BLACK)
    _corner(svg, suit, rank, number, turned=False)
    _corner(svg, suit, rank, number, turned=True)
    svg.words((50.2, 12.4), f"{number:02d}" if number < 100 else str(number), 8.2, mixed(_BLACK, _PAPER, 0.35))
    svg.words((28.5, 79.2), f"{_WORDS[RANKS.index(rank)]} of {suit.capitalize()}s", 4.2, _BLACK)
    return svg.text()


def _corner(svg: Svg, suit: str, rank: str, number: int, *, turned: bool) -> None:
    """Draw rank, suit and pips at the top left or, turned, at the bottom right."""

    def placed(x: float, y: float) -> tuple[float, float]:
        return (CARD_MM[0] - x, CARD_MM[1] - y) if turned else (x, y)

    svg.words(placed(5.95, 9.0), rank, 8.1, _BLACK, turned=turned)
    _symbol(svg, suit, (*placed(5.8, 14.2), 3.2), turned=turned)
    for pip in range(number % _PIPS + 1):
        svg.circle((*placed(4.1, 20.6 + 2.55 * pip), 1.2), _BLACK)


def _symbol(svg: Svg, suit: str, at: _PLACE, *, turned: bool) -> None:
    x, y, half = at
    way = -half if turned else half

    def placed(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x + way * dx, y + way * dy) for dx, dy in points]

    _SYMBOLS[suit](svg, placed, (x, y, way), _INKS[suit])


_Placed = Callable[[list[tuple[float, float]]], list[tuple[float, float]]]


def _round(dx: float, dy: float, radius: float) -> list[tuple[float, float]]:
    angles = [2 * math.pi * step / 32 for step in range(32)]
    return [(dx + radius * math.cos(angle), dy + radius * math.sin(angle)) for angle in angles]


def _crescent() -> list[tuple[float, float]]:
    """Return a disc with a bite: its outer rim, and the bite's rim backwards."""
    bite, middle = _round(0.52, -0.2, 0.66), (0.52, -0.2)
    rim = [point for point in _round(0, 0, 0.98) if math.dist(point, middle) > 0.66]
    within = [point for point in bite if math.hypot(*point) < 0.98]
    first = math.atan2(middle[1], middle[0])
    rim.sort(key=lambda point: (math.atan2(point[1], point[0]) - first) % (2 * math.pi))
    within.sort(key=lambda point: -((math.atan2(point[1] - middle[1], point[0] - middle[0]) - first) % (2 * math.pi)))
    return [*rim, *within]


_STEM = [(-0.3, 0.98), (0.3, 0.98), (0.07, 0.1), (-0.07, 0.1)]


def _club(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    for dx, dy in ((0.0, -0.5), (-0.52, 0.22), (0.52, 0.22)):
        svg.polygon(placed(_round(dx, dy, 0.46)), ink)
    svg.polygon(placed(_STEM), ink)


def _heart_shape(up: float) -> list[tuple[float, float]]:
    points = []
    for step in range(40):
        angle = 2 * math.pi * step / 40
        reach = 13 * math.cos(angle) - 5 * math.cos(2 * angle) - 2 * math.cos(3 * angle) - math.cos(4 * angle)
        points.append((math.sin(angle) ** 3, -up * (reach + 2.5) / 15.0))
    return points


def _spade(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    svg.polygon(placed([(dx * 0.92, dy * 0.85 - 0.12) for dx, dy in _heart_shape(-1.0)]), ink)
    svg.polygon(placed(_STEM), ink)


def _heart(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    svg.polygon(placed(_heart_shape(1.0)), ink)


def _diamond(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    svg.polygon(placed([(0, -1), (0.78, 0), (0, 1), (-0.78, 0)]), ink)


def _coin(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    svg.polygon(placed(_round(0, 0, 0.98)), ink)
    svg.polygon(placed([(-0.36, -0.36), (0.36, -0.36), (0.36, 0.36), (-0.36, 0.36)]), _PAPER)


def _crown(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    points = [(-0.95, -0.75), (-0.45, -0.05), (0.0, -0.95), (0.45, -0.05), (0.95, -0.75), (0.75, 0.85), (-0.75, 0.85)]
    svg.polygon(placed(points), ink)


def _moon(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    svg.polygon(placed(_CRESCENT), ink)


def _star(svg: Svg, placed: _Placed, at: _PLACE, ink: str) -> None:
    corners = [(math.radians(-90 + 36 * step), 0.42 if step % 2 else 1.0) for step in range(10)]
    svg.polygon(placed([(reach * math.cos(angle), reach * math.sin(angle)) for angle, reach in corners]), ink)


_CRESCENT = _crescent()
_SYMBOLS: dict[str, Callable[[Svg, _Placed, _PLACE, str], None]] = {
    "club": _club,
    "spade": _spade,
    "heart": _heart,
    "diamond": _diamond,
    "coin": _coin,
    "crown": _crown,
    "moon": _moon,
    "star": _star,
}


def _back() -> str:
    svg = Svg(CARD_MM)
    svg.rect((3.0, 3.0, 57.1, 82.5), "#2f3542", radius=3.0)
    for number in range(6):
        inset = 5.5 + 4.2 * number
        svg.rect((inset, inset, CARD_MM[0] - 2 * inset, CARD_MM[1] - 2 * inset), _PAPER, radius=2.5)
        inset += 1.6
        svg.rect((inset, inset, CARD_MM[0] - 2 * inset, CARD_MM[1] - 2 * inset), "#346ebf", radius=2.0)
    return svg.text()
