"""Colour of white paper in a picture, by the marker cards on the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.arrays import Floats, Image
from vision.markers import Marker, find_markers, whites_of
from vision.table import Table

_ASKED_AGAIN = 100  # readings after which marker cards are looked for once more


def white_of(image_bgr: Image, markers: Sequence[Marker]) -> Floats | None:
    """(3,) BGR 0..1 of white paper, by the markers'."""
    if not markers:
        return None
    return np.asarray(np.median(whites_of(image_bgr, markers), axis=0)[::-1] / 255, np.float64)


class LampWhite:
    """White paper under the lamp, by the marker cards on one table, wherever they lay when they were first seen."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._markers: tuple[Marker, ...] = ()
        self._asked = 0

    @property
    def markers_px(self) -> list[Floats]:
        """(4, 2) each, the marker cards' corners where they were seen."""
        return [np.asarray(marker.corners_px, np.float64) for marker in self._markers]

    def of(self, image_bgr: Image, table: Table) -> Floats | None:
        """(3,) BGR 0..1 of white paper in a whole picture, None where no marker card was seen."""
        if self._table is not table:
            self._table, self._markers, self._asked = table, (), 0
        if not self._markers and self._asked % _ASKED_AGAIN == 0:
            # Arms may cover all of them, and a table that was calibrated needs none.
            self._markers = tuple(find_markers(image_bgr))
        self._asked += 1
        if not self._markers:
            return None
        return white_of(image_bgr, self._markers)
