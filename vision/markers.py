"""The marker cards: ArUco `DICT_4X4_50`, ids 0-15, 50 mm, anywhere near the table's edge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.table import Piece, Table, fit_table

MARKER_MM = 50.0
MARKER_IDS = range(16)
_SEARCHES = ((960, 23), (1920, 23), (960, 13))  # picture width and the threshold's window, both in px
_ENOUGH = 4

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
    markers: dict[int, Marker] = {}
    for width, window in _SEARCHES:
        shrink = max(1.0, grey.shape[1] / width)
        size = (round(grey.shape[1] / shrink), round(grey.shape[0] / shrink))
        small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA) if shrink > 1 else grey
        found, ids, _ = _detector(window).detectMarkers(small)
        for corners, number in zip(found, [] if ids is None else ids.ravel(), strict=True):
            if int(number) in MARKER_IDS and int(number) not in markers:
                rough = ((corners.reshape(4, 2) + 0.5) * shrink - 0.5).astype(np.float32)
                markers[int(number)] = Marker(int(number), _refined(grey, rough))
        if len(markers) >= _ENOUGH:
            break
    return tuple(markers[number] for number in sorted(markers))


def _refined(grey: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.float64]:
    side = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).min())
    window = max(2, int(side / 14))
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
    fine = cv2.cornerSubPix(grey, corners.reshape(-1, 1, 2).copy(), (window, window), (-1, -1), criteria)
    fine = np.asarray(fine, np.float64).reshape(4, 2)
    # A corner that ran away sat on something else: keep the detector's own.
    lost = np.linalg.norm(fine - corners, axis=1) > window + 1
    fine[lost] = corners[lost]
    return fine


def table_from_markers(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table:
    """The table whose origin is the centre of the lowest-numbered marker.

    Raises:
        BadTableError: no marker, or markers that no flat table could show.
    """
    table, places = fit_table([Piece(SQUARE_MM, marker.corners_px) for marker in markers], size_px)
    return table.moved(places[0, :2])
