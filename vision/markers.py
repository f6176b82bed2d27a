"""The marker cards: ArUco `DICT_4X4_50`, ids 0-15, 50 mm, anywhere near the table's edge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.table import Piece, Table, fit_table
from vision.white_edges import moved_to_white

MARKER_MM = 50.0
MARKER_IDS = range(16)
# Picture width and the threshold's window, both in px, and whether in the light: grey levels show better what is dim.
_SEARCHES = ((960, 23, True), (1920, 23, True), (960, 13, True), (960, 23, False))
_BRIGHTEST = 99.5  # percentile
_BEYOND_PX = 12
_ENOUGH = 4
_STRAIGHT = 0.6
_MOST_MOVED = 0.16  # of the shortest side

SQUARE_MM = MARKER_MM / 2 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


@dataclass(frozen=True, eq=False)
class Marker:
    """A marker card seen in a picture; `corners_px` (4, 2), clockwise from the print's own top-left corner."""

    id: int
    corners_px: NDArray[np.float64]


@cache
def _detector(window: int) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    # One window at a time: with several, the detector keeps the worse of two finds of one marker and loses it.
    parameters.adaptiveThreshWinSizeMin = window
    parameters.adaptiveThreshWinSizeMax = window
    parameters.minMarkerPerimeterRate = 0.05
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)


def find_markers(grey: NDArray[np.uint8]) -> tuple[Marker, ...]:
    """Find the marker cards in a grey picture (h, w), in the order of their ids.

    The search runs on a small copy, then on a larger one and with another threshold where that shows fewer than four;
    the corners are then refined in the full picture.
    """
    rough: dict[int, NDArray[np.float64]] = {}
    for width, window, in_light in _SEARCHES:
        shrink = max(1.0, grey.shape[1] / width)
        size = (round(grey.shape[1] / shrink), round(grey.shape[0] / shrink))
        small = grey
        if shrink > 1:
            small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
        # A marker is lost where its white rim nearly touches the picture's edge: there the picture is made larger.
        wider = cv2.copyMakeBorder(_light(small) if in_light else small, *4 * (_BEYOND_PX,), cv2.BORDER_REPLICATE)
        found, ids, _ = _detector(window).detectMarkers(wider)
        for corners, number in zip(found, [] if ids is None else ids.ravel(), strict=True):
            if int(number) in MARKER_IDS and int(number) not in rough:
                rough[int(number)] = (corners.reshape(4, 2).astype(np.float64) - _BEYOND_PX + 0.5) * shrink - 0.5
        if len(rough) >= _ENOUGH:
            break
    numbers = sorted(rough)
    if not numbers:
        return ()
    fine = _refined(grey, np.stack([rough[number] for number in numbers]))
    return tuple(Marker(number, corners) for number, corners in zip(numbers, fine, strict=True))


def _light(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """About how much light there was, by the brightest; lenses blur light, and black keeps its size in it."""
    brightest = max(1.0, float(np.percentile(grey[::8, ::8], _BRIGHTEST)))
    levels = 255 * np.minimum((np.arange(256) / brightest) ** 2, 1)
    return np.asarray(cv2.LUT(grey, levels.astype(np.uint8)), np.uint8)


def _refined(grey: NDArray[np.uint8], rough: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squares (n, 4, 2) with their corners where lines along the sides meet: a blurred corner itself is round."""
    side = np.linalg.norm(rough - np.roll(rough, 1, axis=1), axis=2).min(axis=1)
    fine, straight = moved_to_white(grey, rough, linear=True)
    # Sides that ran away lie on something else: then the detector's own are kept.
    moved = np.linalg.norm(fine - rough, axis=2).max(axis=1)
    kept = (straight > _STRAIGHT) & (moved < _MOST_MOVED * side + 1)
    return np.where(kept[:, None, None], fine, rough)


def table_from_markers(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table:
    """The table whose origin is the centre of the lowest-numbered marker.

    Raises:
        BadTableError: no marker, or markers that no flat table could show.
    """
    table, places = fit_table([Piece(SQUARE_MM, marker.corners_px) for marker in markers], size_px)
    return table.moved(places[0, :2])
