"""Measures the colour of white paper in a picture, by the marker cards on the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.arrays import Floats, Image
from vision.markers import Marker, find_markers, whites_of
from vision.table import Table

_ASKED_AGAIN = 100  # readings after which marker cards are searched once more


def white_of(image_bgr: Image, markers: Sequence[Marker]) -> Floats | None:
    """Return white paper (3,), BGR 0..1, by the markers'."""
    if not markers:
        return None
    return np.asarray(np.median(whites_of(image_bgr, markers), axis=0)[::-1] / 255, np.float64)


class LampWhite:
    """White paper under the lamp, by the marker cards on one table at their first places."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._markers: tuple[Marker, ...] = ()
        self._asked = 0

    @property
    def markers_px(self) -> list[Floats]:
        """Return the marker cards' corners (4, 2) each, at their first places."""
        return [np.asarray(marker.corners_px, np.float64) for marker in self._markers]

    def of(self, image_bgr: Image, table: Table) -> Floats | None:
        """Return white paper (3,), BGR 0..1, in a whole picture; None where no marker card was seen."""
        if self._table is not table:
            self._table, self._markers, self._asked = table, (), 0
        if not self._markers and self._asked % _ASKED_AGAIN == 0:
            # Arms may cover all of them, and a calibrated table needs none.
            self._markers = tuple(find_markers(image_bgr))
        self._asked += 1
        if not self._markers:
            return None
        return white_of(image_bgr, self._markers)
