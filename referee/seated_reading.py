"""Reads a table together with its seats, picture after picture of the same camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from referee.seats import SeatRing, marker_rectangle, what_is_missing
from vision.deck import Deck
from vision.marked.reader import read_picture
from vision.markers import Marker, check_not_mirrored, find_markers
from vision.profile import REACH_MM, TableProfile
from vision.reading import Reading
from vision.table import Table

_ALL = 4
_PROOF = 2  # markers in sight that show the table to be where it was
_SAME_PLACE_MM = 8.0


@dataclass(frozen=True, eq=False)
class SeatedReading:
    """What lies on a table, and who sits round it."""

    reading: Reading
    table: Table
    ring: SeatRing


@dataclass(frozen=True, eq=False)
class Survey:
    """A table as a picture showed it: `markers_mm` are the centres of the marker cards by id."""

    table: Table
    ring: SeatRing
    markers_mm: dict[int, NDArray[np.float64]]

    def fits(self, markers: Sequence[Marker], size_px: tuple[int, int]) -> bool:
        """Tell whether enough markers in a picture lie where they lay: else camera or markers have been moved."""
        return (
            self.table.size_px == size_px
            and len(markers) >= min(_PROOF, len(self.markers_mm))
            and all(
                marker.id in self.markers_mm
                and np.linalg.norm(self._centre_mm(marker) - self.markers_mm[marker.id]) < _SAME_PLACE_MM
                for marker in markers
            )
        )

    def _centre_mm(self, marker: Marker) -> NDArray[np.float64]:
        return np.asarray(self.table.to_mm(marker.corners_px).mean(0))


class SeatedReader:
    """Reads pictures of one table.

    Without a profile every picture's own markers tell table and seats. Where they do not, because an arm covers them,
    those of an earlier picture still hold, as long as two markers are in sight and lie where they lay.
    """

    def __init__(self, deck: Deck, profile: TableProfile | None, players: int) -> None:
        self._deck = deck
        self._profile = profile
        self._players = players
        self.survey: Survey | None = None

    def read(self, image: NDArray[np.uint8]) -> SeatedReading:
        """Read a picture, (h, w, 3) BGR.

        Raises:
            BadInputError: too few markers are in sight to know the seats.
            BadTableError: the markers lie on no flat table, or are mirrored, or the picture does not fit the profile.
        """
        size_px = (image.shape[1], image.shape[0])
        profile = self._profile
        edge_mm = None if profile is None else profile.edge_mm
        markers = find_markers(image)
        before = self.survey
        if edge_mm is None and len(markers) < _ALL and before is not None and before.fits(markers, size_px):
            reading, table = read_picture(image, self._deck, before.table, markers)
            return SeatedReading(reading, table or before.table, before.ring)
        if edge_mm is None and not markers:
            check_not_mirrored(image)
            raise BadInputError(what_is_missing(()))
        surveyed = None if profile is None else profile.table_for(size_px)
        reading, table = read_picture(image, self._deck, surveyed, markers)
        if table is None:
            raise BadInputError(what_is_missing(()))
        if surveyed is None or edge_mm is None:
            rectangle = marker_rectangle(markers, table)
        else:
            # The cards have put the scale right; the edge stays where it is in the picture.
            rectangle = table.to_mm(surveyed.to_px(edge_mm))
        ring = SeatRing(rectangle, self._players, REACH_MM if profile is None else profile.reach_mm)
        places = {marker.id: np.asarray(table.to_mm(marker.corners_px).mean(0)) for marker in markers}
        self.survey = Survey(table, ring, places)
        return SeatedReading(reading, table, ring)
