"""Tracks arms over a table, frame by frame; an arm belongs to the seat at whose edge it entered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hardware.camera.frames import Frame
from referee.scoring.seats import SeatRing
from vision.arms import Arm, ArmFinder
from vision.arrays import Floats
from vision.table import Table

_OWN_SHARE = 0.36  # of a seat's part of the edge, either way from its middle: an arm outside may be a neighbour's
_SAME_MM = 60.0  # distance of an arm's entry from its entry a frame ago


@dataclass(frozen=True, eq=False)
class ArmRegion:
    """Region of the arm tracker: the table, its seats, and the size of the pictures."""

    table: Table
    ring: SeatRing

    @cached_property
    def parts_mm(self) -> tuple[Floats, ...]:
        """Points (n, 2) along each seat's part of the edge, cached because every frame needs them."""
        return tuple(self.ring.part_of(seat) for seat in range(self.ring.players))


class TableArms:
    """Tracks the arms over one table; it starts again when the table is found again."""

    def __init__(self) -> None:
        self._finder: tuple[ArmRegion, ArmFinder] | None = None
        self._came_in: list[tuple[int, Floats]] = []  # of each seat: entries of arms in the last frame, mm

    def look(self, place: ArmRegion, frame: Frame, spots_px: Floats) -> list[tuple[int | None, Arm]]:
        """Return the seat of each arm in the next frame, and the arm with its distance to the nearest of spots (k, 2).

        The seat is None where two seats meet, and for arms that cannot be separated. An arm that entered at a certain
        seat may move to where two seats meet.
        """
        if self._finder is None or self._finder[0].table is not place.table:
            edge = place.table.to_px(place.ring.corners_mm)
            self._finder = place, ArmFinder(place.table.size_px, edge)
        finder = self._finder[1]
        arms = finder.arms(finder.look(frame.bgr()), spots_px)
        return list(zip(self._owners(place, arms), arms, strict=True))

    def settle(self) -> None:
        """Take the last frame as the table without an arm."""
        if self._finder is not None:
            self._finder[1].settle()
        self._came_in = []

    def _owners(self, place: ArmRegion, arms: Sequence[Arm]) -> list[int | None]:
        """Return the seat of each arm by its entry."""
        owners: list[int | None] = []
        came_in: list[tuple[int, Floats]] = []
        for arm in arms:
            entries = place.table.to_mm(arm.entries_px)
            seats = {self._seat_of(place, entry) for entry in entries}
            owner = next(iter(seats)) if len(seats) == 1 else None
            owners.append(owner)
            if owner is not None:
                came_in += [(owner, entry) for entry in entries]
        self._came_in = came_in
        return owners

    def _seat_of(self, place: ArmRegion, entry_mm: Floats) -> int | None:
        """Return the seat of an arm that enters there, or did so a frame ago."""
        seat = _seat_at(place, entry_mm)
        if seat is not None:
            return seat
        seats = {seat for seat, there in self._came_in if np.linalg.norm(there - entry_mm) < _SAME_MM}
        return seats.pop() if len(seats) == 1 else None


def _seat_at(place: ArmRegion, point_mm: Floats) -> int | None:
    """Return the seat whose part of the edge holds a point, unless the point is near the part's end."""
    distances = [np.linalg.norm(part - point_mm, axis=1) for part in place.parts_mm]
    seat = int(np.argmin([there.min() for there in distances]))
    share = int(distances[seat].argmin()) / (len(distances[seat]) - 1)
    return seat if abs(share - 0.5) <= _OWN_SHARE else None
