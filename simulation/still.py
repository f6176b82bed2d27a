"""Still pictures of a card table, drawn quickly from the deck, with the truth about every card.

Simpler than a photograph (no thickness, reflections or hands): for tests, benchmarks and the demo. The truth has the
format of the rendered scenes: see `referee/accuracy.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.art import MARKER_MM, Piece, marker_piece, marker_places, piece_patch
from simulation.drawing import finish, surface
from simulation.view import Look, Place, View, corners_mm, place_mm, to_px, view_of
from vision.arrays import Image, Points
from vision.deck import Deck, Face
from vision.render_face import face_image, mark_outline_mm

_FREE_CELL_MM = 112.0
_DENSE_CELL_MM = (90.0, 112.0)
_MARGIN_MM = 60.0


@dataclass(frozen=True)
class Laid:
    """Poses of cards on an area (width, height in mm) that the picture shows."""

    area_mm: tuple[float, float]
    places: tuple[Place, ...]


def table_picture(
    deck: Deck,
    n_cards: int,
    seed: int,
    size: tuple[int, int] = (1920, 1080),
    *,
    side: str = "white",
    overlap: bool = False,
    markers: Sequence[int] = (0, 1, 2, 3),
    look: Look | None = None,
    laid: Laid | None = None,
) -> tuple[Image, dict[str, Any]]:
    """Draw a table with `n_cards` different cards, `side` up, and at most four markers in its corners.

    Returns the picture, (h, w, 3) uint8 BGR with `size` = (width, height), and its truth; the same arguments always
    give the same picture. Without `overlap` every card is free. With it cards are in a heap, later ones over earlier
    ones. `laid` gives the poses and the area instead.

    Raises:
        ValueError: more cards than the deck has, or more than four markers.
    """
    faces = deck.side(side)
    if n_cards > len(faces) or len(markers) > 4:
        raise ValueError(f"asked for {n_cards} cards of {len(faces)} and {len(markers)} markers of 4")
    look = look or Look()
    random = np.random.default_rng(seed)
    chosen = [faces[i] for i in random.permutation(len(faces))[:n_cards]]
    area = laid.area_mm if laid else _area_mm(n_cards, size, overlap)
    spread = _heap if overlap else _free
    places = list(laid.places) if laid else spread(random, n_cards, area)
    view = view_of(area, size, look)
    homography, px_per_mm = view.homography, view.px_per_mm(area[0] / 2, area[1] / 2)
    marked = marker_places(random, tuple(markers), area)
    pieces = [marker_piece(number, place) for number, place in marked.items()]
    pieces += [
        Piece(face_image(deck, face, px_per_mm), corners_mm(deck.card_mm, place), deck.corner_radius_mm)
        for face, place in zip(chosen, places, strict=True)
    ]
    image = surface(random, look.table, homography, area, size)
    owner = np.zeros((size[1], size[0]), dtype=np.int16)
    for number, piece in enumerate(pieces, start=1):
        _lay(image, owner, piece, view, number)
    image = finish(random, image, look)
    # Table coordinates have their origin at the marker with the lowest number.
    origin = marked[min(marked)][:2] if marked else (area[0] / 2, area[1] / 2)
    shift = np.array([[1, 0, origin[0]], [0, 1, origin[1]], [0, 0, 1]])
    truth = {
        "image": f"still-{side}-{seed}.jpg",
        "size": list(size),
        "scenario": "still_heap" if overlap else "still",
        "seed": seed,
        "deck": deck.name,
        "up": side,
        "camera": {"H_table_mm_to_px": (homography @ shift).tolist()},
        "markers": [_marker_truth(number, place, homography, origin) for number, place in marked.items()],
        "cards": [
            _card_truth(deck, face, place, homography, origin, owner, len(marked) + index)
            for index, (face, place) in enumerate(zip(chosen, places, strict=True), start=1)
        ],
    }
    return image, truth


def _area_mm(n_cards: int, size: tuple[int, int], overlap: bool) -> tuple[float, float]:
    """Return the area that the picture shows, at least 760 mm wide and large enough for free cards."""
    aspect = size[0] / size[1]
    width = 760.0
    while not overlap and math.prod(_grid(n_cards, (width, width / aspect))[:2]) < n_cards:
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


def _heap(random: np.random.Generator, n_cards: int, area: tuple[float, float]) -> list[Place]:
    spread = np.clip(random.normal(0, 1, (n_cards, 2)), -1.6, 1.6) * (area[0] / 6, area[1] / 7)
    places = spread + np.array(area) / 2
    return [(float(x), float(y), float(random.uniform(0, 360))) for x, y in places]


def _lay(image: Image, owner: NDArray[np.int16], piece: Piece, view: View, number: int) -> None:
    """Draw the piece with a soft shadow, and mark its pixels in `owner`."""
    patch = piece_patch(piece, view.to_px(piece.corners_mm), view.size)
    if patch is None:
        return
    patch.blend(image)
    left, top, right, bottom = patch.box
    owner[top:bottom, left:right][patch.cover[:, :, 0] > 0.5] = number


def _marker_truth(number: int, place: Place, homography: Points, origin: tuple[float, float]) -> dict[str, Any]:
    corners = corners_mm((MARKER_MM, MARKER_MM), place)
    return {
        "id": number,
        "size_mm": MARKER_MM,
        "center_mm": [place[0] - origin[0], place[1] - origin[1]],
        "corners_px": to_px(corners, homography).tolist(),
    }


def _card_truth(
    deck: Deck,
    face: Face,
    place: Place,
    homography: Points,
    origin: tuple[float, float],
    owner: NDArray[np.int16],
    number: int,
) -> dict[str, Any]:
    """Return a card's truth; fractions count its uncovered pixels within the picture."""
    corners_px = to_px(corners_mm(deck.card_mm, place), homography)
    # The round corners, 0.2 % of the card, count as visible.
    area = float(cv2.contourArea(corners_px.astype(np.float32)))
    visible = min(1.0, int((owner == number).sum()) / (0.998 * area))
    marks = []
    for mark in face.marks:
        outline = to_px(place_mm(mark_outline_mm(deck, mark), deck.card_mm, place), homography)
        centre = to_px(place_mm(np.array([[mark.x_mm, mark.y_mm]]), deck.card_mm, place), homography)[0]
        marks.append(
            {
                "size": mark.size,
                "colour": mark.colour,
                "shape": mark.shape,
                "diameter_mm": mark.diameter_mm,
                "center_px": centre.tolist(),
                "visible_fraction": _visible(outline, owner, number),
            }
        )
    return {
        "id": face.id,
        "side": "front",
        "corners_px": corners_px.tolist(),
        "center_mm": [place[0] - origin[0], place[1] - origin[1]],
        "visible_fraction": visible,
        "marks": marks,
    }


def _visible(outline_px: Points, owner: NDArray[np.int16], number: int) -> float:
    low = np.floor(outline_px.min(axis=0)).astype(int)
    high = np.ceil(outline_px.max(axis=0)).astype(int) + 1
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), dtype=np.uint8)
    cv2.fillPoly(mask, [np.rint((outline_px - low) * 16).astype(np.int32)], 1, shift=4)
    whole = int(mask.sum())
    x, y = max(low[0], 0), max(low[1], 0)
    seen = owner[y : max(high[1], 0), x : max(high[0], 0)] == number
    inside = mask[y - low[1] : y - low[1] + seen.shape[0], x - low[0] : x - low[0] + seen.shape[1]]
    return float((seen & (inside > 0)).sum() / max(whole, 1))
