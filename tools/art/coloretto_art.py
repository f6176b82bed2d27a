"""Draws the cards of the Coloretto deck: `python -m tools.art.deck_art` writes them into the deck's file.

Every colour has its own animal and pattern, for people who cannot distinguish colours. A row of small animals at each
end stays visible when cards overlap in columns. All lengths in mm.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tools.art.animals import ANIMALS, draw_animal
from tools.art.clown_art import PAINTS as CLOWN_PAINTS
from tools.art.clown_styles import STYLES
from tools.art.drawn_deck import DrawnDeck, DrawnFace
from tools.art.svg_shapes import Svg, mixed

CARD_MM = (63.0, 88.0)
CORNER_RADIUS_MM = 3.5
PAINTS = {colour: paint for colour, paint in CLOWN_PAINTS.items() if colour != "black"}
_INK, _PAPER = "#1a1a1a", "#ffffff"
_PANEL = (3.0, 3.0, 57.0, 82.0)
_RADIUS = 3.0
_MIDDLE = (31.5, 44.0)
_ENDS = ((10.5, 5.2), (77.5, -5.2))  # y of the rows of small animals, and their size, negative for upside down
_BROWN, _GREEN, _STEEL, _NIGHT = "#9a6a3c", "#5aa469", "#b9c4cc", "#20283f"


def coloretto_deck() -> DrawnDeck:
    """Return the deck of K1, with five summary cards: 90 cards."""
    faces = [
        DrawnFace(colour, {"kind": "colour", "colour": colour}, 9, _made(_colour_card, colour)) for colour in PAINTS
    ]
    faces += [
        DrawnFace("plus2", {"kind": "+2"}, 10, _made(_plus2)),
        DrawnFace("joker", {"kind": "joker"}, 3, _made(_joker)),
        DrawnFace("last-round", {"kind": "last round"}, 1, _made(_last_round)),
        DrawnFace("row-brown", {"kind": "row", "room": "3"}, 5, _made(_row, _BROWN, 3)),
        *(
            DrawnFace(f"row-green-{room}", {"kind": "row", "room": str(room)}, 1, _made(_row, _GREEN, room))
            for room in (1, 2, 3)
        ),
        DrawnFace("summary-brown", {"kind": "summary"}, 5, _made(_summary, _BROWN, (1, 3, 6, 10, 15, 21)), GREY),
        DrawnFace(GREY, {"kind": "summary"}, 0, _made(_summary, "#8d8d8d", (1, 4, 8, 7, 6, 5))),
        DrawnFace("back", {}, 0, _made(_back), side="back"),
    ]
    return DrawnDeck("coloretto", "coloretto", CARD_MM, CORNER_RADIUS_MM, tuple(faces))


GREY = "summary-grey"


def _made(draw: Callable[..., None], *wanted: object) -> Callable[[], str]:
    def text() -> str:
        svg = Svg(CARD_MM)
        draw(svg, *wanted)
        return svg.text()

    return text


def _colour_card(svg: Svg, colour: str) -> None:
    paint = PAINTS[colour]
    svg.rect(_PANEL, paint, radius=_RADIUS)
    STYLES[colour][1](svg, mixed(paint, _INK, 0.2) if colour == "yellow" else mixed(paint, _PAPER, 0.36))
    svg.circle((*_MIDDLE, 23.0), mixed(paint, _INK, 0.25))
    draw_animal(svg, ANIMALS[colour], (*_MIDDLE, 18.5), (_PAPER, _INK))
    for y, size in _ENDS:
        svg.rect((5.0, y - 6.4, 53.0, 12.8), paint)
        for x in (12.5, 31.5, 50.5):
            draw_animal(svg, ANIMALS[colour], (x, y, size), (_PAPER, _INK))


def _plus2(svg: Svg) -> None:
    svg.rect(_PANEL, _STEEL, radius=_RADIUS)
    for step in range(12):
        angle = math.radians(30 * step)
        x, y = _MIDDLE[0] + 24.5 * math.cos(angle), _MIDDLE[1] + 24.5 * math.sin(angle)
        svg.circle((x, y, 2.2), _PAPER, _INK, 0.5)
    svg.circle((*_MIDDLE, 20.0), _PAPER, _INK, 1.2)
    svg.words((_MIDDLE[0], _MIDDLE[1] + 8.6), "+2", 25.0, _INK)
    for y, turned in ((15.0, False), (73.0, True)):
        for x in (12.0, 51.0):
            svg.words((x, y), "+2", 12.0, _INK, turned=turned)


def _joker(svg: Svg) -> None:
    width = _PANEL[2] / len(PAINTS)
    for number, paint in enumerate(PAINTS.values()):
        svg.rect((_PANEL[0] + number * width, _PANEL[1], width + 0.05, _PANEL[3]), paint)
    svg.polygon(_star((*_MIDDLE, 25.0)), _PAPER, _INK, 1.2)
    for (x, y, size), paint in zip(_ring(7, 8.2), PAINTS.values(), strict=True):
        svg.circle((x, y, size), paint, _INK, 0.5)
    for y in (12.0, 76.0):
        for x in (12.5, 50.5):
            svg.polygon(_star((x, y, 7.0), up=y < _MIDDLE[1]), _PAPER, _INK, 0.7)


def _star(at: tuple[float, float, float], *, up: bool = True) -> list[tuple[float, float]]:
    x, y, size = at
    turn = -90 if up else 90
    corners = [(math.radians(turn + 180 / 7 * step), size * (0.52 if step % 2 else 1.0)) for step in range(14)]
    return [(x + reach * math.cos(angle), y + reach * math.sin(angle)) for angle, reach in corners]


def _ring(count: int, radius: float) -> list[tuple[float, float, float]]:
    angles = [math.radians(-90 + 360 / count * step) for step in range(count)]
    return [(_MIDDLE[0] + radius * math.cos(angle), _MIDDLE[1] + radius * math.sin(angle), 3.0) for angle in angles]


def _last_round(svg: Svg) -> None:
    svg.rect(_PANEL, _NIGHT, radius=_RADIUS)
    svg.circle((*_MIDDLE, 24.0), _PAPER, _PAPER, 0.5)
    x, y = _MIDDLE
    for way in (1, -1):
        svg.polygon([(x - 13 * way, y - 17 * way), (x + 13 * way, y - 17 * way), (x, y)], "#e8b23a", _INK, 1.2)
        svg.rect((x - 15.5, y - 17 - 3.0 if way > 0 else y + 17, 31.0, 3.0), _INK)
    for y, turned in ((14.0, False), (74.0, True)):
        svg.words((x, y), "LAST ROUND", 8.0, _PAPER, turned=turned)


def _row(svg: Svg, paint: str, room: int) -> None:
    svg.rect(_PANEL, mixed(paint, _PAPER, 0.55), radius=_RADIUS)
    svg.rect((6.0, 6.0, 51.0, 76.0), mixed(paint, _PAPER, 0.15), radius=2.0)
    step = 24.0
    for number in range(room):
        y = _MIDDLE[1] + (number - (room - 1) / 2) * step
        svg.rect((14.5, y - 10.5, 34.0, 21.0), _INK, radius=2.0)
        svg.rect((15.7, y - 9.3, 31.6, 18.6), mixed(paint, _PAPER, 0.8), radius=1.4)
        svg.words((31.5, y + 5.2), str(number + 1), 15.0, _INK)


def _summary(svg: Svg, paint: str, points: tuple[int, ...]) -> None:
    svg.rect(_PANEL, mixed(paint, _PAPER, 0.7), radius=_RADIUS)
    svg.rect((3.0, 3.0, 57.0, 12.0), paint)
    for number, worth in enumerate(points):
        y = 26.0 + 10.6 * number
        for card in range(number + 1):
            svg.rect((7.5 + 4.6 * card, y - 6.4, 3.8, 6.6), paint, radius=0.6)
        svg.words((48.5, y + 0.4), str(worth), 8.6, _INK)


def _back(svg: Svg) -> None:
    svg.rect(_PANEL, "#37474f", radius=_RADIUS)
    paints = list(PAINTS.values())
    for row in range(9):
        for column in range(6):
            x, y = 8.5 + 9.2 * column, 8.0 + 9.0 * row
            number = min(6 * row + column, 53 - 6 * row - column)
            svg.circle((x, y, 3.4), paints[number % len(paints)], _PAPER, 0.6)
