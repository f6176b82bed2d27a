"""Hands as people lay them: each before its seat, card beside card, none on the border of two seats."""

from __future__ import annotations

import random

import cv2
import numpy as np

from referee.demo.seating import ring_of, spot
from referee.scoring.seats import SeatRing
from simulation.still import Laid
from simulation.view import Place, corners_mm

_CARD_MM = (63.0, 88.0)
_WIDE_MM = 900.0  # of the table that is in the picture
_COLUMNS, _ROWS = 3, 2
_FEWEST = 2  # cards of a hand
_LOOSER = 1.25  # of the places that the demo's people lay theirs at
_AWRY_MM, _AWRY_DEG = 3.0, 4.0
_OFF_BORDER_MM = 12.0


def hands_laid(players: int, seed: int, aspect: float) -> Laid:
    """Lay a hand of two to six cards before each seat; the same seed always lays the same ones.

    aspect: of the picture, width to height.
    """
    area = (_WIDE_MM, _WIDE_MM / aspect)
    ring, luck = ring_of(players, area), random.Random(seed)
    places: list[Place] = []
    for seat in range(players):
        free = [(column, row) for row in range(_ROWS) for column in range(_COLUMNS)]
        count, looser = luck.randint(_FEWEST, len(free)), luck.uniform(1.0, _LOOSER)
        for column, row in free[:count]:
            middle = (_COLUMNS - 1) / 2
            lying = spot(ring, seat, (column - middle) * looser, row * looser, "white")
            x, y = (at + luck.uniform(-_AWRY_MM, _AWRY_MM) for at in (lying.x_mm, lying.y_mm))
            place = (x, y, lying.angle_deg + luck.uniform(-_AWRY_DEG, _AWRY_DEG))
            if _plainly_at(ring, seat, place) and not any(_touch(place, other) for other in places):
                places.append(place)
    return Laid(area, tuple(places))


def _plainly_at(ring: SeatRing, seat: int, place: Place) -> bool:
    turns = np.arange(8) * np.pi / 4
    around = np.array(place[:2]) + _OFF_BORDER_MM * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return all(ring.seat_at((float(x), float(y))) == seat for x, y in around)


def _touch(one: Place, other: Place) -> bool:
    first, second = (corners_mm(_CARD_MM, place).astype(np.float32) for place in (one, other))
    return bool(cv2.intersectConvexConvex(first, second)[0] > 0)
