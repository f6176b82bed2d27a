"""Hair and pattern of each colour, for people who cannot distinguish colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

from tools.art.svg_shapes import Svg

INK, PAPER = "#1a1a1a", "#ffffff"
LINE = 0.9
HEAD = (31.5, 47.0, 13.5)

Hair = Callable[[Svg, str, str], None]
Pattern = Callable[[Svg, str], None]


def _spikes(svg: Svg, paint: str, line: str) -> None:
    """Draw hair in spikes on all sides."""
    x, y, radius = HEAD
    points = []
    for step in range(19):
        angle = math.radians(160 + step * 220 / 18)
        reach = radius + (7.4 if step % 2 else 0.6)
        points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
    svg.polygon(points, paint, line, LINE)


def _puffs(svg: Svg, paint: str, line: str) -> None:
    """Draw a bunch of curls on each side."""
    x, y, _ = HEAD
    for side in (-1, 1):
        for dx, dy, radius in ((15.5, -6.5, 4.8), (17.4, 0.6, 4.8), (15.0, 7.0, 4.4)):
            svg.circle((x + side * dx, y + dy, radius), paint, line, LINE)


def _bob(svg: Svg, paint: str, line: str) -> None:
    """Draw straight hair to the shoulders."""
    x, y, _ = HEAD
    svg.path(
        f"M {x - 18.5} {y + 14} L {x - 18.5} {y - 4} Q {x - 17} {y - 17.5} {x} {y - 17.5} "
        f"Q {x + 17} {y - 17.5} {x + 18.5} {y - 4} L {x + 18.5} {y + 14} Z",
        paint,
        line,
        LINE,
    )


def _crest(svg: Svg, paint: str, line: str) -> None:
    """Draw wings of hair, pointing up and out."""
    x, y, _ = HEAD
    for side in (-1, 1):
        svg.path(
            f"M {x + side * 10} {y + 9} Q {x + side * 20} {y + 4} {x + side * 23} {y - 17} "
            f"Q {x + side * 15} {y - 15} {x + side * 6} {y - 11} Z",
            paint,
            line,
            LINE,
        )


def _waves(svg: Svg, paint: str, line: str) -> None:
    """Draw long wavy hair."""
    x, y, _ = HEAD
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
    svg.path(d + f"Q {x} {y - 20} {x - 9} {y - 14} Z", paint, line, LINE)


def _plaits(svg: Svg, paint: str, line: str) -> None:
    """Draw two plaits on each side."""
    x, y, radius = HEAD
    svg.circle((x, y - 2.4, radius + 2.4), paint, line, LINE)
    for side in (-1, 1):
        for number in range(3):
            centre = (x + side * (15.4 + 2.9 * number), y + 0.5 + 5.4 * number)
            svg.ellipse(centre, (3.5, 3.3), paint, line, LINE)


def _cloud(svg: Svg, paint: str, line: str) -> None:
    """Draw a round cloud of hair."""
    x, y, _ = HEAD
    for step in range(12):
        angle = math.radians(150 + step * 240 / 11)
        svg.circle((x + 15.4 * math.cos(angle), y + 15.4 * math.sin(angle), 5.2), paint, line, LINE)
    svg.circle((x, y, 15.6), paint)


def _tufts(svg: Svg, paint: str, line: str) -> None:
    """Draw three straight strands on each side."""
    x, y, _ = HEAD
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
                LINE,
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
