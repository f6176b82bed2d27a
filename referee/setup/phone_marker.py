"""A phone as a marker card, laid at one corner after the other: it shows the numbers 0 to 3 in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.survey import Survey
from referee.measured_table import profile_of
from referee.setup.finding import Image, Points
from vision.markers import Marker, table_from_markers
from vision.profile import REACH_MM, TableProfile
from vision.table import Table
from vision.table_texture import small_grey

PHONE_CORNERS = 4
THICK_MM = 8.0
"""How high a phone's screen lies above the table: that of usual phones is 7 to 9 mm."""
_STILL_NS = 500_000_000
_STILL_PX, _STILL = 2.0, 0.04


class PhoneSurvey:
    """Remembers where each number lay still."""

    def __init__(self) -> None:
        self._lay: dict[int, Marker] = {}
        self._coming: dict[int, tuple[int, Marker]] = {}

    @property
    def markers(self) -> tuple[Marker, ...]:
        """What lay still, in the order of the numbers."""
        return tuple(self._lay[number] for number in sorted(self._lay))

    @property
    def whole(self) -> bool:
        """Whether that is enough."""
        return len(self._lay) == PHONE_CORNERS

    @property
    def next_number(self) -> int:
        """The number that the phone is to show now."""
        return next((number for number in range(PHONE_CORNERS) if number not in self._lay), PHONE_CORNERS - 1)

    def look(self, markers: Sequence[Marker], t_ns: int) -> None:
        """Take what is in sight; a number counts where it has lain for half a second, and only once."""
        for marker in markers:
            if marker.id >= PHONE_CORNERS or marker.id in self._lay:
                continue
            since_ns, before = self._coming.get(marker.id, (t_ns, marker))
            if _moved(before, marker):
                since_ns = t_ns
            self._coming[marker.id] = since_ns, marker
            if t_ns - since_ns >= _STILL_NS and all(_apart(marker, other) for other in self._lay.values()):
                self._lay[marker.id] = marker

    def table(self, size_px: tuple[int, int]) -> Table:
        """Give the table, which is lower than the screen was.

        Raises:
            BadTableError: what was seen lies on no flat table.
        """
        return lowered(table_from_markers(self.markers, size_px), THICK_MM)

    def profile(self, bare: Image) -> TableProfile:
        """Give the profile; bare (h, w, 3): the table without the phone.

        Raises:
            BadTableError, BadInputError: what was seen lies on no flat table, or spans none.
        """
        height, width = bare.shape[:2]
        on_top = table_from_markers(self.markers, (width, height))
        table = lowered(on_top, THICK_MM)
        # Below where they were seen: by these points of the picture the table itself is told.
        below = tuple(Marker(one.id, table.to_px(on_top.to_mm(one.corners_px))) for one in self.markers)
        found = profile_of(Survey(table, below, small_grey(bare)), REACH_MM)
        return replace(found, markers_mm={})


def lowered(table: Table, by_mm: float) -> Table:
    """Give the plane that lies `by_mm` farther from the camera, each point below its own."""
    rays = np.linalg.inv(table.camera) @ table.homography
    scale = float(np.sqrt(np.linalg.norm(rays[:, 0]) * np.linalg.norm(rays[:, 1])))
    rays = rays / scale
    away: Points = np.cross(rays[:, 0], rays[:, 1])
    # In front of the camera z grows with distance; the table is seen from above.
    away *= np.sign(rays[2, 2]) * np.sign(away[2])
    lower = rays.copy()
    lower[:, 2] += np.sign(rays[2, 2]) * by_mm * away
    return replace(table, homography=table.camera @ lower * scale)


def _moved(one: Marker, other: Marker) -> bool:
    side = float(np.linalg.norm(one.corners_px[1] - one.corners_px[0]))
    return _way(one, other) > max(_STILL_PX, _STILL * side)


def _apart(one: Marker, other: Marker) -> bool:
    return _way(one, other) > float(np.linalg.norm(one.corners_px[1] - one.corners_px[0]))


def _way(one: Marker, other: Marker) -> float:
    return float(np.linalg.norm(one.corners_px.mean(0) - other.corners_px.mean(0)))
