"""Outlines of animals, one for each colour of the Coloretto deck, made of a few round and pointed pieces.

An animal is a list of polygons in a square from -1 to 1. The pieces overlap and form the outline together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tools.art.svg_shapes import Svg

Point = tuple[float, float]
Piece = list[Point]

_STEPS = 40


def _oval(x: float, y: float, across: float, down: float, turn_deg: float = 0.0) -> Piece:
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    angles = [2 * math.pi * step / _STEPS for step in range(_STEPS)]
    round_points = [(across * math.cos(angle), down * math.sin(angle)) for angle in angles]
    return [(x + cos * dx - sin * dy, y + sin * dx + cos * dy) for dx, dy in round_points]


def _both(piece: Piece) -> list[Piece]:
    """Return a piece and its mirror image."""
    return [piece, [(-x, y) for x, y in reversed(piece)]]


def _crab() -> list[Piece]:
    claws = _both([(0.52, -0.3), (0.62, -0.92), (0.98, -0.8), (0.74, -0.66), (1.0, -0.45), (0.72, -0.2)])
    legs = [p for k in range(3) for p in _both([(0.4, 0.1 + 0.2 * k), (0.98, 0.12 + 0.3 * k), (0.4, 0.3 + 0.2 * k)])]
    eyes = _both([(0.14, -0.2), (0.14, -0.62), (0.34, -0.62), (0.34, -0.2)])
    return [_oval(0, 0.15, 0.62, 0.5), *claws, *legs, *eyes]


def _fox() -> list[Piece]:
    ears = _both([(0.1, -0.35), (0.62, -1.0), (0.8, -0.1)])
    return [[(-0.85, -0.15), (0.85, -0.15), (0.95, 0.2), (0.0, 1.0), (-0.95, 0.2)], _oval(0, -0.12, 0.72, 0.36), *ears]


def _bird() -> list[Piece]:
    tail = [(-0.5, 0.1), (-1.0, -0.35), (-0.95, 0.25)]
    beak = [(0.75, -0.62), (1.0, -0.42), (0.7, -0.32)]
    legs = [[(x, 0.6), (x + 0.12, 0.6), (x + 0.12, 1.0), (x, 1.0)] for x in (-0.22, 0.12)]
    return [_oval(-0.1, 0.25, 0.7, 0.5, -12), _oval(0.48, -0.48, 0.36, 0.36), tail, beak, *legs]


def _turtle() -> list[Piece]:
    feet = [piece for y in (-0.5, 0.62) for piece in _both(_oval(0.58, y, 0.32, 0.17, 40 if y > 0 else -40))]
    return [_oval(0, 0.06, 0.62, 0.66), _oval(0, -0.78, 0.24, 0.24), *feet, [(-0.1, 0.65), (0, 1.0), (0.1, 0.65)]]


def _fish() -> list[Piece]:
    fins = [[(-0.15, -0.3), (0.3, -0.85), (0.4, -0.25)], [(0.0, 0.35), (0.25, 0.8), (0.35, 0.25)]]
    return [_oval(0.25, 0, 0.72, 0.45), [(-0.3, 0.0), (-1.0, -0.62), (-0.78, 0.0), (-1.0, 0.62)], *fins]


def _butterfly() -> list[Piece]:
    wings = [*_both(_oval(0.55, -0.38, 0.42, 0.52, 35)), *_both(_oval(0.42, 0.5, 0.33, 0.42, -30))]
    feelers = _both([(0.02, -0.6), (0.22, -1.0), (0.32, -0.96), (0.1, -0.55)])
    return [_oval(0, 0.05, 0.13, 0.75), *wings, *feelers]


def _rabbit() -> list[Piece]:
    return [_oval(0, 0.38, 0.6, 0.56), *_both(_oval(0.3, -0.45, 0.17, 0.55, 12)), *_both(_oval(0.52, 0.62, 0.25, 0.2))]


ANIMALS: dict[str, list[Piece]] = {
    "red": _crab(),
    "orange": _fox(),
    "yellow": _bird(),
    "green": _turtle(),
    "blue": _fish(),
    "purple": _butterfly(),
    "pink": _rabbit(),
}


def draw_animal(svg: Svg, pieces: Sequence[Piece], at: tuple[float, float, float], paints: tuple[str, str]) -> None:
    """Draw an animal at (x, y); the third number of `at` is half its width, mm, upside down if negative.

    `paints`: of its body and of its outline.
    """
    x, y, size = at
    body, line = paints
    placed = [[(x + size * dx, y + size * dy) for dx, dy in piece] for piece in pieces]
    for piece in placed:
        svg.polygon(piece, line, line, 0.12 * abs(size))
    for piece in placed:
        svg.polygon(piece, body)
