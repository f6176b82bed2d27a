"""Seats and places of cards at the simulated table, by the same ring of seats that the referee uses."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from referee.scoring.seats import SeatRing
from simulation.art import FRONT, MARKER_CARD_MM
from simulation.script import CardPose, Person, person_at

AREA_MM = (1150.0, 647.0)
MIDDLE_MM = (AREA_MM[0] / 2, AREA_MM[1] / 2)
COLUMN_MM, ROW_MM = 72.0, 96.0
_EDGE_MM = 24.0
_MOST_COLUMNS = 25


def ring_of(players: int, area_mm: tuple[float, float] = AREA_MM) -> SeatRing:
    """Return the seats round the rectangle through the centres of the marker cards in the corners of an area."""
    inset = MARKER_CARD_MM * 0.75
    right, bottom = area_mm[0] - inset, area_mm[1] - inset
    corners: NDArray[np.float64] = np.array([[right, bottom], [inset, bottom], [inset, inset], [right, inset]])
    return SeatRing(corners, players)


def people_at(ring: SeatRing) -> tuple[Person, ...]:
    """Return a person for each seat."""
    return tuple(person_at(ring.point_at(_middle(ring, seat)), AREA_MM, seat) for seat in range(ring.players))


def spot(ring: SeatRing, seat: int, column: float, row: float, side: str) -> CardPose:
    """Return the place `column` cards clockwise from the seat's middle and `row` cards in from the first row.

    The card's upper edge points away from the player.
    """
    middle = _middle(ring, seat)
    before, here, after = (np.array(ring.point_at(middle + column * COLUMN_MM + step)) for step in (-1.0, 0.0, 1.0))
    along = (after - before) / np.linalg.norm(after - before)
    # The way runs clockwise in the camera's view, so inwards is to its right.
    inwards = np.array([-along[1], along[0]])
    x, y = here + inwards * (row * ROW_MM + _EDGE_MM)
    return CardPose(float(x), float(y), math.degrees(math.atan2(inwards[0], -inwards[1])), side)


def own_columns(ring: SeatRing, seat: int, column: float, forward: float) -> list[int]:
    """Return the columns of cards that fit before a seat, from its middle outwards, on its own edge of the table.

    Columns are `column` widths (COLUMN_MM) apart and begin `forward` rows of cards from the edge (see `spot`).
    """
    middle, found = spot(ring, seat, 0.0, forward, FRONT), []
    for number in range(_MOST_COLUMNS):
        aside = (number + 1) // 2 * (1 if number % 2 else -1)
        ends = [spot(ring, seat, column * (aside + half), forward, FRONT) for half in (-0.5, 0.5)]
        if all(ring.seat_at((end.x_mm, end.y_mm)) == seat and end.angle_deg == middle.angle_deg for end in ends):
            found.append(aside)
    return found


def _middle(ring: SeatRing, seat: int) -> float:
    """Return the middle of the longest straight piece of a seat's edge, as a way along the edge."""
    sides = [float(np.linalg.norm(ring.corners_mm[(i + 1) % 4] - ring.corners_mm[i])) for i in range(4)]
    part = sum(sides) / ring.players
    start, end = (seat - 0.5) * part, (seat + 0.5) * part
    # Corners are ways along the edge from the middle of its first side; the last piece ends on the first side again.
    corners = [sides[0] / 2 + sum(sides[1 : i + 1]) + turn * sum(sides) for turn in (-1, 0, 1) for i in range(4)]
    cuts = [start, *sorted(corner for corner in corners if start < corner < end), end]
    return max((right - left, (left + right) / 2) for left, right in pairwise(cuts))[1]
