"""Finds a table and its seats in pictures of one camera, by a profile or by the marker cards, and finds them again.

Marker cards that are covered change nothing once a table is found; `vision/marked/reader.py` is what reads a picture by
few of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from referee.scoring.seats import SeatRing, marker_rectangle
from referee.watchers.table_arms import Place
from vision.camera_moved import stand_of, what_is_wrong
from vision.errors import MovedCameraError
from vision.markers import (
    Marker,
    MarkerSight,
    check_not_doubled,
    find_markers,
    table_from_markers,
    unmirrored_markers,
)
from vision.profile import REACH_MM, TableProfile

SEATS_REACH_MM = 1.6 * REACH_MM  # piles may lie further in than hands of cards
_MOVED_PX = 3.0
_SURE_MARKERS, _TELLING_MARKERS = 4, 2

Image = NDArray[np.uint8]


class TableFinder:
    """Knows the table of the last pictures: `place`, None as long as nothing shows where it is."""

    def __init__(self, profile: TableProfile | None, players: int) -> None:
        self._profile = profile
        self._players = players
        self._markers_px: dict[int, NDArray[np.float64]] = {}  # as they lay when the table was found
        self._calibrated: Place | None = None  # by the profile, as long as that holds
        self.place: Place | None = None

    def look(self, image: Image) -> None:
        """Find table and seats in a picture (h, w, 3) BGR; where it says nothing new, what was known stays.

        Raises:
            BadInputError, BadTableError: the picture shows no table; `place` may still be what was known.
        """
        if self.place is not None and self.place.table.size_px != (image.shape[1], image.shape[0]):
            self.place = None
        self.place = self._survey(image) or self.place

    def is_in_sight(self, image: Image) -> bool:
        """Tell whether enough of the markers that were seen when the table was found still lie there in a picture.

        Arms cover one or two of them; where none can be seen, the camera was pushed, or something hides the table.
        Where too few were seen then, nothing is known.
        """
        markers = [marker for marker in find_markers(image) if marker.id in self._markers_px]
        if len(self._markers_px) < _SURE_MARKERS:
            return len(markers) < _TELLING_MARKERS or not self._have_moved(markers)
        return len(markers) >= _TELLING_MARKERS and not self._have_moved(markers)

    def _survey(self, image: Image) -> Place | None:
        sight = unmirrored_markers(image)
        if (place := self._by_profile(image, sight)) is not None:
            self._markers_px = {marker.id: marker.corners_px for marker in sight.markers} or self._markers_px
            return place
        markers, size = sight.markers, (image.shape[1], image.shape[0])
        if len(markers) < _SURE_MARKERS:
            check_not_doubled(sight)
        # Arms cover markers all the time.
        if not markers or (self.place is not None and len(markers) < _SURE_MARKERS):
            return None
        sure = len(self._markers_px) >= _SURE_MARKERS
        if self.place is not None and sure and not self._have_moved(markers):
            return None
        table = table_from_markers(markers, size)
        ring = self._ring(marker_rectangle(markers, table))
        self._markers_px = {marker.id: marker.corners_px for marker in markers}
        return Place(table, ring)

    def _ring(self, rectangle_mm: NDArray[np.float64]) -> SeatRing:
        places = None if self._profile is None else self._profile.seats.get(self._players)
        return SeatRing(rectangle_mm, self._players, SEATS_REACH_MM, places)

    def _by_profile(self, image: Image, sight: MarkerSight) -> Place | None:
        """Give table and seats of the profile as long as the camera stands as it stood; None: the markers are to tell.

        Raises:
            MovedCameraError: it was moved, and too few markers are in sight.
        """
        if self._profile is None or self._profile.edge_mm is None:
            return None
        size = (image.shape[1], image.shape[0])
        stand = stand_of(self._profile, image, sight.markers)
        # Arms may cover all by which it could be shown.
        if stand.stands or (stand.stands is None and self._calibrated is not None):
            if self._calibrated is None or self._calibrated.table.size_px != size:
                self._calibrated = Place(self._profile.table_for(size), self._ring(self._profile.edge_mm))
            return self._calibrated
        if self._calibrated is not None:
            self.place = self._calibrated = None
        if self.place is None and len(sight.markers) < _SURE_MARKERS:
            check_not_doubled(sight)
            raise MovedCameraError(what_is_wrong(self._profile, stand))
        return None

    def _have_moved(self, markers: Sequence[Marker]) -> bool:
        """Tell whether most markers lie elsewhere in the picture, as they all do if the camera was moved.

        A table fitted anew to the same markers may differ by more than that: what was watched would be lost.
        """
        gaps_px = [
            float(np.linalg.norm(marker.corners_px - self._markers_px[marker.id], axis=1).mean())
            for marker in markers
            if marker.id in self._markers_px
        ]
        return not gaps_px or float(np.median(gaps_px)) > _MOVED_PX
