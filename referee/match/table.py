"""The table: its calibration, and its place in the picture.

Pictures are stored without anything outside of it, to protect people round it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from referee.files import set_aside, write_whole
from referee.scoring.seats import marker_rectangle
from vision.arrays import Image
from vision.errors import VisionError
from vision.markers import sight_markers, table_from_markers
from vision.profile import TableProfile, load_profile, profile_text
from vision.profile_check import table_now
from vision.table import Table

Polygon = NDArray[np.float64]

PROFILE = "table.json"
"""The file of the measured table in the state folder."""
MARGIN_MM = 80.0
"""The table's reach beyond the rectangle of its marker cards."""


class TableArea:
    """The table's calibration and place.

    profile: the calibrated table, None: marker cards show it. outline: (n, 2) in shares of the picture's size, None
    while unknown. folder: where `keep` keeps calibrations.
    """

    def __init__(self, profile: TableProfile | None = None, folder: Path = Path()) -> None:
        self.profile, self._path = profile, folder / PROFILE
        self.outline: Polygon | None = None

    def survey(self, image: Image) -> None:
        """Find the table in a BGR picture; where its markers are covered the last place stays."""
        height, width = image.shape[:2]
        corners = self._corners_px(image)
        if corners is not None:
            self.outline = corners / (width, height)

    def keep(self, profile: TableProfile | None) -> None:
        """Use and keep a new calibration; None: another camera is there, and the one before is put away.

        Raises WorkFailedError: the disk does not take it.
        """
        if profile is not None:
            write_whole(self._path, profile_text(profile).encode())
        else:
            with contextlib.suppress(OSError):
                self._path.replace(self._path.with_name(f"{self._path.stem}-of-the-camera-before{self._path.suffix}"))
        self.profile, self.outline = profile, None

    def cut(self, image: Image) -> tuple[Image, tuple[int, int]] | None:
        """Return the part of a picture with the table, black outside of it, and its top left corner, px.

        None while the table's place is unknown, or outside of the picture.
        """
        if self.outline is None:
            return None
        height, width = image.shape[:2]
        x, y, w, h = cv2.boundingRect((self.outline * (width, height)).astype(np.float32))
        left, top = max(x, 0), max(y, 0)
        part = self.shroud(image)[top : max(y + h, 0), left : max(x + w, 0)]
        return (part, (left, top)) if part.size else None

    def shroud(self, image: Image) -> Image:
        """Return a picture of the same size, black outside of the table; whole while its place is unknown."""
        if self.outline is None:
            return image
        height, width = image.shape[:2]
        mask = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(mask, np.rint(self.outline * (width, height)).astype(np.int32), 255)
        return np.asarray(cv2.bitwise_and(image, image, mask=mask))

    def _corners_px(self, image: Image) -> Polygon | None:
        height, width = image.shape[:2]
        size_px = (width, height)
        try:
            sight = sight_markers(image)
            known = None if self.profile is None else table_now(self.profile, image, sight)[0]
            if known is not None and self.profile is not None and self.profile.edge_mm is not None:
                return outline_of(known, self.profile.edge_mm)
            table = known or table_from_markers(sight.markers, size_px)
            return outline_of(table, marker_rectangle(sight.markers, table))
        except (VisionError, BadInputError):
            return None


def outline_of(table: Table, rectangle_mm: Polygon) -> Polygon:
    """Return the outline (n, 2), in px, of a rectangle (4, 2) on a table with a margin round it."""
    sides = np.roll(rectangle_mm, -1, axis=0) - rectangle_mm
    along = sides / np.linalg.norm(sides, axis=1, keepdims=True)
    outwards = np.roll(along, 1, axis=0) - along
    grown = rectangle_mm + MARGIN_MM * outwards
    edge = np.concatenate([np.linspace(grown[i], grown[(i + 1) % 4], 8, endpoint=False) for i in range(4)])
    outline = table.to_px(edge)
    return np.asarray(outline, np.float64)


def kept_profile(folder: Path) -> TableProfile | None:
    """Return the calibrated table; without it the marker cards in each picture show it."""
    path = folder / PROFILE
    try:
        return load_profile(path) if path.exists() else None
    except VisionError:
        # The page reports files that were set aside, at each start.
        set_aside(path)
        return None
