"""Finds the table in frames, and keeps it while markers are covered; makes the notice for frames without a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from referee.engine.events import Header
from referee.engine.session import Notice
from referee.errors import BadInputError
from referee.scoring.seats import SeatRing, marker_rectangle
from referee.watchers.table_arms import ArmRegion
from vision.arrays import Image
from vision.errors import DoubledMarkerError, MirroredError, MovedCameraError, VisionError
from vision.markers import (
    Marker,
    MarkerSight,
    check_not_doubled,
    find_markers,
    markers_near,
    table_from_markers,
    unmirrored_markers,
)
from vision.profile import REACH_MM, TableProfile
from vision.profile_check import not_shown_to_stand, stand_of

if TYPE_CHECKING:
    from vision.deck import Deck


@dataclass(frozen=True)
class WatchSetup:
    """Set-up of a watcher.

    deck: the deck on the table; None: the one in the game's options, or the game's own. profile: the calibration; None:
    the markers in the picture. state: the folder with taught decks; None: the usual one. find_hands: whether people's
    hands are searched before a count, which takes longest and only adds doubts.
    """

    deck: Deck | None = None
    profile: TableProfile | None = None
    state: Path | None = None
    find_hands: bool = True

    def deck_for(self, header: Header) -> Deck:
        """Return the deck on the table.

        Raises:
            BadDeckError: the deck is missing or broken.
            BadInputError: the deck does not fit the game.
        """
        from referee.decks.game_deck import deck_of

        return deck_of(header, self.state).deck if self.deck is None else self.deck


SEATS_REACH_MM = 1.6 * REACH_MM  # piles may be further in than hands of cards
_MOVED_PX = 3.0
_ENOUGH_MARKERS, _TELLING_MARKERS = 4, 2


class TableFinder:
    """Tracks the table: `place` is None until it is found; `notice` gives the reason.

    searched_ns: time of the last search; None: the next one is due at once.
    """

    def __init__(self, profile: TableProfile | None, players: int) -> None:
        self._profile = profile
        self._players = players
        self._markers_px: dict[int, NDArray[np.float64]] = {}  # their places when the table was found
        self._calibrated: ArmRegion | None = None  # by the profile, while that holds
        self.place: ArmRegion | None = None
        self.notice: Notice | None = None
        self.searched_ns: int | None = None

    @property
    def is_exact(self) -> bool:
        """Return whether four markers or the profile gave the table: a corner without marker may be 60 mm off."""
        return self._calibrated is not None or len(self._markers_px) >= _ENOUGH_MARKERS

    def search(self, image: Image, t_ns: int, every_ns: int) -> bool:
        """Find table and seats unless the last search is newer than `every_ns`; return whether it was done."""
        if self.searched_ns is not None and t_ns - self.searched_ns < every_ns:
            return False
        self.searched_ns, self.notice = t_ns, Notice(t_ns, "no_table", None, {})
        try:
            self.look(image)
        except (BadInputError, VisionError) as error:
            self.notice = no_table_notice(error, t_ns)
        if self.place is not None:
            self.notice = None
        return True

    def look(self, image: Image) -> None:
        """Find table and seats in a picture (h, w, 3) BGR; without new information the known ones stay.

        Raises:
            BadInputError, BadTableError: the picture shows no table; `place` may still hold the known one.
        """
        if self.place is not None and self.place.table.size_px != (image.shape[1], image.shape[0]):
            self.place = None
        self.place = self._survey(image) or self.place

    def is_in_sight(self, image: Image) -> bool:
        """Return whether enough of the markers by which the table was found are still at their places in a picture.

        Arms cover one or two of them; without any the camera was pushed, or an object hides the table. With too few
        markers at the beginning nothing is known.
        """
        near = markers_near(image, self._markers_px)
        if len(near) >= _TELLING_MARKERS and not self._have_moved(near):
            return True
        markers = [marker for marker in find_markers(image) if marker.id in self._markers_px]
        if len(self._markers_px) < _ENOUGH_MARKERS:
            return len(markers) < _TELLING_MARKERS or not self._have_moved(markers)
        return len(markers) >= _TELLING_MARKERS and not self._have_moved(markers)

    def _survey(self, image: Image) -> ArmRegion | None:
        sight = unmirrored_markers(image)
        if (place := self._by_profile(image, sight)) is not None:
            self._markers_px = {marker.id: marker.corners_px for marker in sight.markers} or self._markers_px
            return place
        markers, size = sight.markers, (image.shape[1], image.shape[0])
        if len(markers) < _ENOUGH_MARKERS:
            check_not_doubled(sight)
        # Arms cover markers all the time.
        if not markers or (self.place is not None and len(markers) < _ENOUGH_MARKERS):
            return None
        enough = len(self._markers_px) >= _ENOUGH_MARKERS
        if self.place is not None and enough and not self._have_moved(markers):
            return None
        table = table_from_markers(markers, size)
        ring = self._ring(marker_rectangle(markers, table))
        self._markers_px = {marker.id: marker.corners_px for marker in markers}
        return ArmRegion(table, ring)

    def _ring(self, rectangle_mm: NDArray[np.float64]) -> SeatRing:
        places = None if self._profile is None else self._profile.seats.get(self._players)
        return SeatRing(rectangle_mm, self._players, SEATS_REACH_MM, places)

    def _by_profile(self, image: Image, sight: MarkerSight) -> ArmRegion | None:
        """Return table and seats of the profile while the camera has not moved; None: use the markers.

        Raises:
            MovedCameraError: the camera was moved, and too few markers are visible.
        """
        if self._profile is None or self._profile.edge_mm is None:
            return None
        size = (image.shape[1], image.shape[0])
        stand = stand_of(self._profile, image, sight.markers)
        # Arms may cover everything that shows the camera's place.
        if stand.stands or (stand.stands is None and self._calibrated is not None):
            if self._calibrated is None or self._calibrated.table.size_px != size:
                self._calibrated = ArmRegion(self._profile.table_for(size), self._ring(self._profile.edge_mm))
            return self._calibrated
        if self._calibrated is not None:
            self.place = self._calibrated = None
        if self.place is None and len(sight.markers) < _ENOUGH_MARKERS:
            check_not_doubled(sight)
            raise not_shown_to_stand(self._profile, stand)
        return None

    def _have_moved(self, markers: Sequence[Marker]) -> bool:
        """Return whether most markers have moved in the picture, as they all do with the camera.

        A new fit to unmoved markers may differ by more than that, and would lose the watched places.
        """
        gaps_px = [
            float(np.linalg.norm(marker.corners_px - self._markers_px[marker.id], axis=1).mean())
            for marker in markers
            if marker.id in self._markers_px
        ]
        return not gaps_px or float(np.median(gaps_px)) > _MOVED_PX


def no_table_notice(error: BadInputError | VisionError, t_ns: int) -> Notice:
    """Return the notice: `mirrored`, `two_markers` (`number`), `camera_moved` or `no_table`, each with its `text`."""
    said = {"text": str(error)}
    match error:
        case MirroredError():
            return Notice(t_ns, "mirrored", None, said)
        case DoubledMarkerError(ids=(number, *_)):
            return Notice(t_ns, "two_markers", None, {"number": number, **said})
        case MovedCameraError():
            return Notice(t_ns, "camera_moved", None, said)
        case _:
            return Notice(t_ns, "no_table", None, said)
