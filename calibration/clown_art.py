"""Draws the clowns of the Piccolino deck: `python -m calibration.deck_art` puts them into the deck's file.

Every colour has a hair-style and a pattern of its own, so that nobody has to tell colours; the happy clown wears a
tall white hat and laughs, the sad one has no hat, a tear and the corners of the mouth down. All lengths in mm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from calibration.drawn_deck import DrawnDeck, DrawnFace
from calibration.svg_shapes import Svg, mixed

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
_INK, _PAPER, _SKIN = "#1a1a1a", "#ffffff", "#fff1dc"
_LINE = 0.9
_HEAD = (31.5, 47.0, 13.5)
_HALO = (31.5, 47.0, 22.5)
_FRAME_RADIUS = 3.0
_BACK_FRAME = "#455a64"

Hair = Callable[[Svg, str, str], None]
Pattern = Callable[[Svg, str], None]


def piccolino_deck() -> DrawnDeck:
    """The deck of the rules: 55 cards."""
    fronts = [
        DrawnFace(
            f"{colour}-{mood}",
            {"colour": colour, "mood": mood},
            # There is one sad clown in black.
            1 if (colour, mood) == ("black", "sad") else count,
            partial(clown_svg, colour, mood),
        )
        for colour in PAINTS
        for mood, count in _COUNTS.items()
    ]
    back = DrawnFace("back", {}, 0, back_svg, side="back")
    return DrawnDeck("piccolino", "piccolino", CARD_MM, CORNER_RADIUS_MM, (*fronts, back), FRAME_MM)


def clown_svg(colour: str, mood: str) -> str:
    """Draw one face.

    Raises:
        KeyError: there is no such colour.
    """
    paint = PAINTS[colour]
    dark = colour == "black"
    line = _PAPER if dark else _INK
    svg = Svg(CARD_MM)
    svg.rect(FRAME_MM, paint, radius=_FRAME_RADIUS)
    hair, pattern = STYLES[colour]
    # White does not show on yellow.
    pattern(svg, mixed(paint, _INK, 0.22) if colour == "yellow" else mixed(paint, _PAPER, 0.38))
    svg.circle(_HALO, mixed(paint, _PAPER, 0.78 if not dark else 0.62))
    _body(svg, paint, line)
    hair(svg, paint, line)
    _face(svg, paint, mood)
    if mood == "happy":
        _hat(svg, paint, line)
    return svg.text()


def back_svg() -> str:
    """Draw the back: lozenges in all the deck's colours, the same either way up."""
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
        # Counted from both ends to the middle, so that a card turned by half looks the same.
        svg.polygon(lozenge, paints[min(number, total - 1 - number) * 3 % len(paints)])
        svg.circle((left + step_x / 2, top + step_y / 2, 1.6), _PAPER)
    return svg.text()


def _body(svg: Svg, paint: str, line: str) -> None:
    svg.path("M 14 83 C 14 70, 22 66, 31.5 66 C 41 66, 49 70, 49 83", paint, line, _LINE)
    points = []
    for step in range(15):
        way = step / 14
        drop = 3.2 if step % 2 else 0.0
        points.append((15.5 + 32 * way, 67 + 4.2 * math.sin(math.pi * way) + drop))
    collar = [*points, (42.5, 60.5), (20.5, 60.5)]
    svg.polygon(collar, _PAPER, _INK, _LINE)
    svg.circle((31.5, 77.6, 2.1), _PAPER, _INK, 0.6)


def _face(svg: Svg, paint: str, mood: str) -> None:
    x, y, _ = _HEAD
    svg.circle(_HEAD, _SKIN, _INK, _LINE)
    for side in (-1, 1):
        svg.ellipse((x + side * 4.9, y - 3.6), (2.1, 3.1), _PAPER, _INK, 0.6)
        svg.circle((x + side * 4.6, y - (2.6 if mood == "sad" else 3.6), 1.25), _INK)
    if mood == "happy":
        svg.path(
            f"M {x - 8.6} {y + 3.4} Q {x} {y + 17.4} {x + 8.6} {y + 3.4} Q {x} {y + 8.2} {x - 8.6} {y + 3.4} Z",
            _INK,
            _INK,
            0.8,
        )
        svg.path(
            f"M {x - 3.4} {y + 8.8} Q {x} {y + 11.6} {x + 3.4} {y + 8.8} Q {x} {y + 7.4} {x - 3.4} {y + 8.8} Z", _PAPER
        )
        for side in (-1, 1):
            svg.circle((x + side * 9.0, y + 1.4, 1.6), mixed(paint, _PAPER, 0.45))
    else:
        svg.path(f"M {x - 6.4} {y + 10.4} Q {x} {y + 2.4} {x + 6.4} {y + 10.4}", None, _INK, 1.9)
        for side in (-1, 1):
            svg.path(f"M {x + side * 2.6} {y - 9.2} L {x + side * 8.2} {y - 6.9}", None, _INK, 1.0)
        svg.path(f"M {x - 7.6} {y - 0.4} q -2.6 4.4 0 5.4 q 2.6 -1 0 -5.4 Z", _PAPER, _INK, 0.6)
    svg.circle((x, y + 0.8, 3.4), paint, _INK, 0.7)


def _hat(svg: Svg, paint: str, line: str) -> None:
    x = _HEAD[0]
    svg.polygon([(x, 10.5), (x + 12.6, 38.2), (x - 12.6, 38.2)], _PAPER, _INK, _LINE)
    svg.path(
        f"M {x - 13.6} 37 Q {x} 42.6 {x + 13.6} 37 L {x + 12.4} 33.6 Q {x} 38.4 {x - 12.4} 33.6 Z",
        paint,
        line,
        0.7,
    )
    for place in ((x, 20.2), (x - 4.4, 28.6), (x + 4.4, 28.6)):
        svg.circle((*place, 1.9), paint)
    svg.circle((x, 10.4, 3.0), mixed(paint, _PAPER, 0.3), line, 0.7)


def _spikes(svg: Svg, paint: str, line: str) -> None:
    """Hair in spikes all round."""
    x, y, radius = _HEAD
    points = []
    for step in range(19):
        angle = math.radians(160 + step * 220 / 18)
        reach = radius + (7.4 if step % 2 else 0.6)
        points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
    svg.polygon(points, paint, line, _LINE)


def _puffs(svg: Svg, paint: str, line: str) -> None:
    """A bunch of curls on either side."""
    x, y, _ = _HEAD
    for side in (-1, 1):
        for dx, dy, radius in ((15.5, -6.5, 4.8), (17.4, 0.6, 4.8), (15.0, 7.0, 4.4)):
            svg.circle((x + side * dx, y + dy, radius), paint, line, _LINE)


def _bob(svg: Svg, paint: str, line: str) -> None:
    """Straight hair to the shoulders, cut straight."""
    x, y, _ = _HEAD
    svg.path(
        f"M {x - 18.5} {y + 14} L {x - 18.5} {y - 4} Q {x - 17} {y - 17.5} {x} {y - 17.5} "
        f"Q {x + 17} {y - 17.5} {x + 18.5} {y - 4} L {x + 18.5} {y + 14} Z",
        paint,
        line,
        _LINE,
    )


def _crest(svg: Svg, paint: str, line: str) -> None:
    """Wings of hair, pointing up and out."""
    x, y, _ = _HEAD
    for side in (-1, 1):
        svg.path(
            f"M {x + side * 10} {y + 9} Q {x + side * 20} {y + 4} {x + side * 23} {y - 17} "
            f"Q {x + side * 15} {y - 15} {x + side * 6} {y - 11} Z",
            paint,
            line,
            _LINE,
        )


def _waves(svg: Svg, paint: str, line: str) -> None:
    """Long wavy hair."""
    x, y, _ = _HEAD
    d = f"M {x - 9} {y - 14} "
    for side, low in ((-1, True), (1, False)):
        rows = range(4) if low else range(3, -1, -1)
        if not low:
            d += f"L {x + 10} {y + 17} "
        for row in rows:
            start, end = y - 13 + 7.5 * row, y - 13 + 7.5 * (row + 1)
            if not low:
                start, end = end, start
            out = 21.5
            d += f"Q {x + side * out} {(start + end) / 2} {x + side * 15.6} {end} "
        if low:
            d += f"L {x - 10} {y + 17} "
    svg.path(d + f"Q {x} {y - 20} {x - 9} {y - 14} Z", paint, line, _LINE)


def _plaits(svg: Svg, paint: str, line: str) -> None:
    """Two plaits that stand off."""
    x, y, radius = _HEAD
    svg.circle((x, y - 2.4, radius + 2.4), paint, line, _LINE)
    for side in (-1, 1):
        for number in range(3):
            centre = (x + side * (15.4 + 2.9 * number), y + 0.5 + 5.4 * number)
            svg.ellipse(centre, (3.5, 3.3), paint, line, _LINE)


def _cloud(svg: Svg, paint: str, line: str) -> None:
    """One great round cloud of hair."""
    x, y, _ = _HEAD
    for step in range(12):
        angle = math.radians(150 + step * 240 / 11)
        svg.circle((x + 15.4 * math.cos(angle), y + 15.4 * math.sin(angle), 5.2), paint, line, _LINE)
    svg.circle((x, y, 15.6), paint)


def _tufts(svg: Svg, paint: str, line: str) -> None:
    """Three straight strands on either side."""
    x, y, _ = _HEAD
    for side in (-1, 1):
        for dy in (-9.0, -2.0, 5.0):
            svg.polygon(
                [
                    (x + side * 8, y + dy - 1.5),
                    (x + side * 22.5, y + dy - 3.2),
                    (x + side * 22.5, y + dy + 1.6),
                    (x + side * 8, y + dy + 3.8),
                ],
                paint,
                line,
                _LINE,
            )


def _grid(step: float, odd_shift: float = 0.0) -> Sequence[tuple[float, float]]:
    places, row, y = [], 0, 9.5
    while y <= 79.5:
        x = 9.5 + (odd_shift if row % 2 else 0.0)
        while x <= 53.5 + 1e-6:
            places.append((x, y))
            x += step
        row, y = row + 1, y + step
    return places


def _stripes(svg: Svg, tint: str) -> None:
    for number in range(6):
        svg.rect((9.1 + 8.4 * number, 7.0, 2.8, 74.0), tint)


def _dots(svg: Svg, tint: str) -> None:
    for x, y in _grid(11.0, 5.5):
        if x <= 54.5:
            svg.circle((x, y, 2.3), tint)


def _zigzag(svg: Svg, tint: str) -> None:
    for y in range(10, 84, 9):
        points = [(7.5 + 6 * step, y + (3.2 if step % 2 else -1.2)) for step in range(9)]
        if y + 3.2 < 82:
            svg.path("M " + " L ".join(f"{x} {dy}" for x, dy in points), None, tint, 2.0)


def _checks(svg: Svg, tint: str) -> None:
    for row, column in product(range(12), range(8)):
        if (row + column) % 2 == 0:
            svg.rect((7.5 + 6 * column, 8 + 6 * row, 6, 6), tint)


def _ripples(svg: Svg, tint: str) -> None:
    for y in range(10, 82, 8):
        d = f"M 7.5 {y} " + "".join(f"q 4 {-4 if step % 2 else 4} 8 0 " for step in range(6))
        svg.path(d, None, tint, 2.0)


def _stars(svg: Svg, tint: str) -> None:
    for x, y in _grid(11.0, 5.5):
        if x <= 54.5:
            angles = [math.radians(-90 + 36 * step) for step in range(10)]
            reach = [3.6 if step % 2 == 0 else 1.5 for step in range(10)]
            svg.polygon([(x + r * math.cos(a), y + r * math.sin(a)) for a, r in zip(angles, reach, strict=True)], tint)


def _hearts(svg: Svg, tint: str) -> None:
    for x, y in _grid(11.0, 5.5):
        if x <= 54.5:
            svg.path(
                f"M {x} {y + 3.1} C {x - 6} {y - 1}, {x - 2.6} {y - 4.4}, {x} {y - 1.4} "
                f"C {x + 2.6} {y - 4.4}, {x + 6} {y - 1}, {x} {y + 3.1} Z",
                tint,
            )


def _crosses(svg: Svg, tint: str) -> None:
    for x, y in _grid(11.0):
        for way in (1, -1):
            svg.path(f"M {x - 2.5} {y - 2.5 * way} L {x + 2.5} {y + 2.5 * way}", None, tint, 1.4)


STYLES: dict[str, tuple[Hair, Pattern]] = {
    "red": (_spikes, _stripes),
    "orange": (_puffs, _dots),
    "yellow": (_bob, _zigzag),
    "green": (_crest, _checks),
    "blue": (_waves, _ripples),
    "purple": (_plaits, _stars),
    "pink": (_cloud, _hearts),
    "black": (_tufts, _crosses),
}
