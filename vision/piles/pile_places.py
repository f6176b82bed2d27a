"""Finds where the piles lie, from a picture in which they are in sight: the cards before each seat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.piles.sights import PilePlace, SeenCard

Floats = NDArray[np.float64]

_REACH = 2.6  # how far before its seat a pile may lie, by a card's diagonal
_CLEARLY = 1.15  # a pile belongs to a seat only if the next seat is further away by so much


def find_piles(cards: Sequence[SeenCard], seats: Sequence[Floats], diagonal_mm: float) -> tuple[PilePlace, ...]:
    """Find each seat's discard pile (a face) and draw pile (a back), at most one of each.

    `seats[k]` is (n, 2), points along seat k's part of the table's edge: in mm with cards that have a place in mm, else
    in px. A card belongs to the seat that it is clearly nearest to; loose cards in the middle belong to none. Seats
    whose piles are not in sight are left out. `diagonal_mm` is that of a card.
    """
    found: dict[tuple[int, str], tuple[float, PilePlace]] = {}
    for card in cards:
        middle_px = card.corners_px.mean(axis=0)
        diagonal_px = float(np.linalg.norm(card.corners_px[0] - card.corners_px[2]))
        here, diagonal = (middle_px, diagonal_px) if card.centre_mm is None else (card.centre_mm, diagonal_mm)
        distances = np.array([np.linalg.norm(points - np.asarray(here), axis=1).min() for points in seats])
        if not len(distances):
            return ()
        order = np.argsort(distances, kind="stable")
        seat, distance = int(order[0]), float(distances[order[0]])
        if distance > _REACH * diagonal or (len(order) > 1 and distances[order[1]] < _CLEARLY * distance):
            continue
        place = PilePlace(
            seat,
            centre_mm=card.centre_mm,
            centre_px=(float(middle_px[0]), float(middle_px[1])),
            px_per_mm=diagonal_px / diagonal_mm,
            pile="draw" if card.face is None else "discard",
        )
        key = (seat, place.pile)
        if key not in found or distance < found[key][0]:
            found[key] = (distance, place)
    return tuple(found[key][1] for key in sorted(found))
