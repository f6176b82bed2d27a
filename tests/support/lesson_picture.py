"""A table on which a family lays cards apart, to teach them: any art, among marker cards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulation.art import Piece, marker_piece, marker_places, piece_patch
from simulation.drawing import finish, surface
from simulation.view import Look, Place, corners_mm, view_of
from vision.arrays import Image

_GAP_MM = 22.0
_SIDE_MM = 70.0  # left free for the marker cards
_LEAST_WIDTH_MM = 560.0


def lesson_picture(
    art: Sequence[Image],
    card_mm: tuple[float, float],
    seed: int,
    size: tuple[int, int] = (1280, 720),
    *,
    touching: bool = False,
    markers: tuple[int, ...] = (0, 1, 2, 3),
    look: Look | None = None,
) -> Image:
    """Return a picture, (h, w, 3) uint8 BGR, of cards in rows, each a little turned and half of them upside down.

    `touching`: the second card is against the first.
    """
    look = look or Look()
    random = np.random.default_rng(seed)
    step = (card_mm[0] + _GAP_MM, card_mm[1] + _GAP_MM)
    width = _LEAST_WIDTH_MM
    while len(art) > _columns(width, step) * _rows(width * size[1] / size[0], step):
        width += 20.0
    area = (width, width * size[1] / size[0])
    view = view_of(area, size, look)
    pieces = [marker_piece(number, place) for number, place in marker_places(random, markers, area).items()]
    for number, (picture, place) in enumerate(zip(art, _places(random, len(art), step, area), strict=True)):
        if touching and number == 1:
            place = place[0] - _GAP_MM - 4.0, place[1], place[2]
        pieces.append(Piece(picture, corners_mm(card_mm, place), 3.0))
    image = surface(random, look.table, view.homography, area, size)
    for piece in pieces:
        patch = piece_patch(piece, view.to_px(piece.corners_mm), size)
        if patch is not None:
            patch.blend(image)
    return finish(random, image, look)


def _columns(width: float, step: tuple[float, float]) -> int:
    return int((width - 2 * _SIDE_MM) // step[0])


def _rows(height: float, step: tuple[float, float]) -> int:
    return max(1, int((height - _GAP_MM) // step[1]))


def _places(
    random: np.random.Generator, count: int, step: tuple[float, float], area: tuple[float, float]
) -> list[Place]:
    columns = _columns(area[0], step)
    left = (area[0] - (columns - 1) * step[0]) / 2
    rows = -(-count // columns)
    top = (area[1] - (rows - 1) * step[1]) / 2
    return [
        (
            left + (k % columns) * step[0],
            top + (k // columns) * step[1],
            float(180 * random.integers(2) + random.uniform(-4, 4)),
        )
        for k in range(count)
    ]
