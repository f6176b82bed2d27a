"""Still pictures of a card table, drawn quickly from the deck, with the truth about every card.

Simpler than a photograph (no thickness, reflections or hands): for tests, benchmarks and the demo. The truth has the
format of the rendered scenes: see `referee/accuracy.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulation.art import Piece, marker_piece, marker_places, piece_patch
from simulation.drawing import finish, surface
from simulation.view import Look, Place, corners_mm, view_of
from vision.arrays import Image
from vision.deck import Deck
from vision.render_face import face_image

_FREE_CELL_MM = 112.0
_DENSE_CELL_MM = (90.0, 112.0)
_MARGIN_MM = 60.0


def table_picture(
    deck: Deck,
    n_cards: int,
    seed: int,
    size: tuple[int, int] = (1920, 1080),
    *,
    side: str = "white",
    markers: Sequence[int] = (0, 1, 2, 3),
    look: Look | None = None,
) -> tuple[Image, dict[str, Any]]:
    """Draw a table with `n_cards` different, separate cards, `side` up, and at most four markers in its corners.

    Returns the picture, (h, w, 3) uint8 BGR with `size` = (width, height), and its truth; the same arguments always
    give the same picture.

    Raises:
        ValueError: more cards than the deck has, or more than four markers.
    """
    faces = deck.side(side)
    if n_cards > len(faces) or len(markers) > 4:
        raise ValueError(f"asked for {n_cards} cards of {len(faces)} and {len(markers)} markers of 4")
    look = look or Look()
    random = np.random.default_rng(seed)
    chosen = [faces[i] for i in random.permutation(len(faces))[:n_cards]]
    area = _area_mm(n_cards, size)
    places = _free(random, n_cards, area)
    view = view_of(area, size, look)
    px_per_mm = view.px_per_mm(area[0] / 2, area[1] / 2)
    pieces = [marker_piece(number, place) for number, place in marker_places(random, tuple(markers), area).items()]
    outlines = [corners_mm(deck.card_mm, place) for place in places]
    pieces += [
        Piece(face_image(deck, face, px_per_mm), outline, deck.corner_radius_mm)
        for face, outline in zip(chosen, outlines, strict=True)
    ]
    image = surface(random, look.table, view.homography, area, size)
    for piece in pieces:
        patch = piece_patch(piece, view.to_px(piece.corners_mm), size)
        if patch is not None:
            patch.blend(image)
    cards = [
        {"id": face.id, "side": "front", "corners_px": view.to_px(outline).tolist(), "visible_fraction": 1.0}
        for face, outline in zip(chosen, outlines, strict=True)
    ]
    truth = {"image": f"still-{side}-{seed}.jpg", "scenario": "still", "up": side, "cards": cards}
    return finish(random, image, look), truth


def _area_mm(n_cards: int, size: tuple[int, int]) -> tuple[float, float]:
    """Return the area that the picture shows, at least 760 mm wide and large enough for the cards."""
    aspect = size[0] / size[1]
    width = 760.0
    while math.prod(_grid(n_cards, (width, width / aspect))[:2]) < n_cards:
        width += 20.0
    return width, width / aspect


def _grid(n_cards: int, area: tuple[float, float]) -> tuple[int, int, float, float]:
    """Return columns, rows and the cell's sides in mm: up to 24 cards have any angle, more are nearly straight."""
    cell = (_FREE_CELL_MM, _FREE_CELL_MM) if n_cards <= 24 else _DENSE_CELL_MM
    return int((area[0] - 2 * _MARGIN_MM) // cell[0]), int((area[1] - 2 * _MARGIN_MM) // cell[1]), *cell


def _free(random: np.random.Generator, n_cards: int, area: tuple[float, float]) -> list[Place]:
    """Return places (x_mm, y_mm, clockwise angle in degrees) at which no card touches another."""
    columns, rows, cell_width, cell_height = _grid(n_cards, area)
    cells = random.permutation(columns * rows)[:n_cards]
    left, top = (area[0] - columns * cell_width) / 2, (area[1] - rows * cell_height) / 2
    places = []
    for cell in cells:
        row, column = divmod(int(cell), columns)
        angle = random.uniform(0, 360) if n_cards <= 24 else random.choice([0, 180]) + random.uniform(-9, 9)
        x, y = left + (column + 0.5) * cell_width, top + (row + 0.5) * cell_height
        places.append((x + random.uniform(-1, 1), y + random.uniform(-1, 1), float(angle)))
    return places
