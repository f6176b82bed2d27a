"""People's hands on the table: what lies under them is not counted, because nobody can see it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.scoring.seated_reading import SeatedReading
from referee.scoring.seats import SeatRing
from vision.deck import Deck
from vision.people_hands import HandFinder
from vision.prints.print_deck import PrintDeck
from vision.reading import UnclearCard
from vision.table import Table

Points = NDArray[np.float64]

_AROUND_MM = 100.0  # outside the markers' rectangle hands still reach over cards
_HIDES_A_CARD = 0.5  # of a card: so much of a seat's place lies under a hand, and most of a card may
_GRID_MM = 5.0


class HandsOff:
    """Doubts the seats over whose places people's hands lie."""

    def __init__(self, deck: Deck | PrintDeck) -> None:
        self._card_mm = deck.card_mm
        self._finder = HandFinder()

    def doubt(self, image: NDArray[np.uint8], seated: SeatedReading) -> SeatedReading:
        """Give a reading of a picture, (h, w, 3) BGR, with an unclear card more where a hand may hide one.

        There is at most one for each hand and seat, with the reason `hand`. No single picture shows whether a card lies
        under a hand. This takes a few times as long as the reading.
        """
        table, corners = seated.table, seated.ring.corners_mm
        around = corners + _AROUND_MM * np.sign(corners - corners.mean(0))
        doubts = []
        for hand in self._finder.find(image, table, around):
            outline = hand.hides_mm(table)
            for spot in self._one_a_seat(_grid_within(outline), seated.ring):
                doubts.append(_hand_doubt(spot, table.to_px(outline), table))
        return replace(seated, reading=replace(seated.reading, unclear=(*seated.reading.unclear, *doubts)))

    def _one_a_seat(self, spots_mm: Points, ring: SeatRing) -> list[Points]:
        """Give, for each seat that owns enough of a grid's spots (n, 2) for a card to lie there, their middle one."""
        owners = [ring.seat_at((float(x), float(y))) for x, y in spots_mm]
        enough = _HIDES_A_CARD * self._card_mm[0] * self._card_mm[1] / _GRID_MM**2
        middles = []
        for seat in sorted({owner for owner in owners if owner is not None}):
            own = spots_mm[[owner == seat for owner in owners]]
            if len(own) >= enough:
                middles.append(own[np.linalg.norm(own - own.mean(0), axis=1).argmin()])
        return middles


def _grid_within(outline_mm: Points) -> Points:
    """Give the points (n, 2) of a grid that lie within an outline (k, 2)."""
    origin = outline_mm.min(0)
    columns, rows = np.ceil((outline_mm.max(0) - origin) / _GRID_MM).astype(int) + 1
    within = np.zeros((rows, columns), np.uint8)
    cv2.fillPoly(within, [np.rint((outline_mm - origin) / _GRID_MM).astype(np.int32)], 1)
    return np.asarray(np.argwhere(within)[:, ::-1] * _GRID_MM + origin)


def _hand_doubt(spot_mm: Points, outline_px: Points, table: Table) -> UnclearCard:
    x, y = table.to_px(spot_mm[None])[0]
    return UnclearCard(outline_px, (float(x), float(y)), (float(spot_mm[0]), float(spot_mm[1])), "hand", None)
