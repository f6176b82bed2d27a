"""Reads the levels at places of a table from one picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.effort import spend
from vision.marked.marks import WorkImage
from vision.table import Table

_BROAD = 1024


class Sampler:
    """One picture of a table, sampled by places on the table."""

    def __init__(self, work: WorkImage, table: Table) -> None:
        self._work = work
        self.table = table
        self._height, self._width = work.bgr.shape[:2]

    def levels(self, points_mm: Floats) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return RGB levels (..., 3) at table points (..., 2), and whether each is in the picture."""
        rows, columns, inside = self.pixels(points_mm)
        return self.at(rows, columns), inside

    def at(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Return RGB levels (..., 3) at work px (...)."""
        spend(5 + rows.size / 60)
        return np.asarray(self._work.smooth.reshape(-1, 3).take(rows * self._width + columns, axis=0), np.uint8)

    def pixels(self, points_mm: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Return row and column of the work px nearest to table points (..., 2), and whether each is in the picture."""
        spend(10 + points_mm.size / 60)
        flat = self._work.to_work(self.table.to_px(points_mm.reshape(-1, 2)))
        columns, rows = np.rint(flat.T).astype(np.intp).reshape(2, *points_mm.shape[:-1])
        inside = (columns >= 0) & (columns < self._width) & (rows >= 0) & (rows < self._height)
        if not inside.all():
            rows, columns = rows.clip(0, self._height - 1), columns.clip(0, self._width - 1)
        return rows, columns, inside

    def fine_levels(self, points_px: Floats) -> Floats:
        """Return interpolated RGB levels (..., 3) at picture points (..., 2); black outside the picture."""
        spend(10 + points_px.size / 30)
        flat = self._work.to_work(points_px.reshape(-1, 2))
        # OpenCV takes at most 32767 rows, so the points form a broad picture.
        places = np.zeros((2, -(-len(flat) // _BROAD), _BROAD), np.float32)
        places.reshape(2, -1)[:, : len(flat)] = flat.T
        levels = cv2.remap(self._work.bgr, places[0], places[1], cv2.INTER_LINEAR).reshape(-1, 3)[: len(flat)]
        return np.asarray(levels.reshape(*points_px.shape[:-1], 3)[..., ::-1], np.float64)
