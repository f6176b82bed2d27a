"""Draws the clowns of the Piccolino deck: `python -m tools.art.deck_art` writes them into the deck's file.

Every colour has its own hair-style and pattern, for people who cannot distinguish colours. The happy clown wears a tall
white hat and laughs; the sad one has no hat, a tear and a downturned mouth. All lengths in mm.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product

from tools.art.clown_styles import HEAD, INK, LINE, PAPER, STYLES
from tools.art.drawn_deck import DrawnDeck, DrawnFace
from tools.art.svg_shapes import Svg, mixed

CARD_MM = (63.0, 88.0)
CORNER_RADIUS_MM = 3.5
FRAME_MM = (5.0, 5.0, 53.0, 78.0)
PAINTS = {
    "red": "#d7263d",
    "orange": "#f58220",
    "yellow": "#ffd400",
    "green": "#2a9d4a",
    "blue": "#1f6fc4",
    "purple": "#7b2d8e",
    "pink": "#ff8fc4",
    "black": "#1c1c1c",
}
_COUNTS = {"happy": 5, "sad": 2}
_SKIN = "#fff1dc"
_HALO = (31.5, 47.0, 22.5)
_FRAME_RADIUS = 3.0
_BACK_FRAME = "#455a64"


def piccolino_deck() -> DrawnDeck:
    """Return the deck of the rules: 55 cards."""
    fronts = [
        DrawnFace(
            f"{colour}-{mood}",
            {"colour": colour, "mood": mood},
            # There is one sad black clown.
            1 if (colour, mood) == ("black", "sad") else count,
            partial(clown_svg, colour, mood),
        )
        for colour in PAINTS
        for mood, count in _COUNTS.items()
    ]
    back = DrawnFace("back", {}, 0, back_svg, side="back")
    return DrawnDeck("piccolino", "piccolino", CARD_MM, CORNER_RADIUS_MM, (*fronts, back))


def clown_svg(colour: str, mood: str) -> str:
    """Return a face as SVG.

    Raises:
        KeyError: there is no such colour.
    """
    paint = PAINTS[colour]
    dark = colour == "black"
    line = PAPER if dark else INK
    svg = Svg(CARD_MM)
    svg.rect(FRAME_MM, paint, radius=_FRAME_RADIUS)
    hair, pattern = STYLES[colour]
    # White is invisible on yellow.
    pattern(svg, mixed(paint, INK, 0.22) if colour == "yellow" else mixed(paint, PAPER, 0.38))
    svg.circle(_HALO, mixed(paint, PAPER, 0.78 if not dark else 0.62))
    _body(svg, paint, line)
    hair(svg, paint, line)
    _face(svg, paint, mood)
    if mood == "happy":
        _hat(svg, paint, line)
    return svg.text()


def back_svg() -> str:
    """Return the back as SVG: lozenges in all the deck's colours, the same either way up."""
    svg = Svg(CARD_MM)
    x, y, width, height = FRAME_MM
    svg.rect(FRAME_MM, _BACK_FRAME, radius=_FRAME_RADIUS)
    paints = list(PAINTS.values())
    columns, rows = 5, 7
    step_x, step_y = (width - 7) / columns, (height - 7) / rows
    total = columns * rows
    for number, (row, column) in enumerate(product(range(rows), range(columns))):
        left, top = x + 3.5 + column * step_x, y + 3.5 + row * step_y
        lozenge = [
            (left + step_x / 2, top),
            (left + step_x, top + step_y / 2),
            (left + step_x / 2, top + step_y),
            (left, top + step_y / 2),
        ]
        # Counted from both ends to the middle: a card turned by half looks the same.
        svg.polygon(lozenge, paints[min(number, total - 1 - number) * 3 % len(paints)])
        svg.circle((left + step_x / 2, top + step_y / 2, 1.6), PAPER)
    return svg.text()


def _body(svg: Svg, paint: str, line: str) -> None:
    svg.path("M 14 83 C 14 70, 22 66, 31.5 66 C 41 66, 49 70, 49 83", paint, line, LINE)
    points = []
    for step in range(15):
        way = step / 14
        drop = 3.2 if step % 2 else 0.0
        points.append((15.5 + 32 * way, 67 + 4.2 * math.sin(math.pi * way) + drop))
    collar = [*points, (42.5, 60.5), (20.5, 60.5)]
    svg.polygon(collar, PAPER, INK, LINE)
    svg.circle((31.5, 77.6, 2.1), PAPER, INK, 0.6)


def _face(svg: Svg, paint: str, mood: str) -> None:
    x, y, _ = HEAD
    svg.circle(HEAD, _SKIN, INK, LINE)
    for side in (-1, 1):
        svg.ellipse((x + side * 4.9, y - 3.6), (2.1, 3.1), PAPER, INK, 0.6)
        svg.circle((x + side * 4.6, y - (2.6 if mood == "sad" else 3.6), 1.25), INK)
    if mood == "happy":
        svg.path(
            f"M {x - 8.6} {y + 3.4} Q {x} {y + 17.4} {x + 8.6} {y + 3.4} Q {x} {y + 8.2} {x - 8.6} {y + 3.4} Z",
            INK,
            INK,
            0.8,
        )
        svg.path(
            f"M {x - 3.4} {y + 8.8} Q {x} {y + 11.6} {x + 3.4} {y + 8.8} Q {x} {y + 7.4} {x - 3.4} {y + 8.8} Z", PAPER
        )
        for side in (-1, 1):
            svg.circle((x + side * 9.0, y + 1.4, 1.6), mixed(paint, PAPER, 0.45))
    else:
        svg.path(f"M {x - 6.4} {y + 10.4} Q {x} {y + 2.4} {x + 6.4} {y + 10.4}", None, INK, 1.9)
        for side in (-1, 1):
            svg.path(f"M {x + side * 2.6} {y - 9.2} L {x + side * 8.2} {y - 6.9}", None, INK, 1.0)
        svg.path(f"M {x - 7.6} {y - 0.4} q -2.6 4.4 0 5.4 q 2.6 -1 0 -5.4 Z", PAPER, INK, 0.6)
    svg.circle((x, y + 0.8, 3.4), paint, INK, 0.7)


def _hat(svg: Svg, paint: str, line: str) -> None:
    x = HEAD[0]
    svg.polygon([(x, 10.5), (x + 12.6, 38.2), (x - 12.6, 38.2)], PAPER, INK, LINE)
    svg.path(
        f"M {x - 13.6} 37 Q {x} 42.6 {x + 13.6} 37 L {x + 12.4} 33.6 Q {x} 38.4 {x - 12.4} 33.6 Z",
        paint,
        line,
        0.7,
    )
    for place in ((x, 20.2), (x - 4.4, 28.6), (x + 4.4, 28.6)):
        svg.circle((*place, 1.9), paint)
    svg.circle((x, 10.4, 3.0), mixed(paint, PAPER, 0.3), line, 0.7)
