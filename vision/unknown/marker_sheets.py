"""Marker cards are sheets of about a card's size: they must not be taken for cards."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.markers import MARKER_IDS
from vision.quads import enlarged, hold_any, within_quads

_MARKER_RIM = 1.3  # the sheet's white rim by the size of the marker


def find_marker_sheets(grey: NDArray[np.uint8]) -> Singles:
    """Corners (n, 4, 2) of the marker cards in the picture: sheets of about a card's size that are none."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    found, numbers, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(grey)
    # The marks on a dark card may look like one of the other numbers.
    ours = np.isin(np.zeros(0) if numbers is None else numbers.ravel(), MARKER_IDS)
    return np.asarray(found, np.float32).reshape(-1, 4, 2)[ours]


def on_marker_sheet(segments: Singles, markers: Singles) -> NDArray[np.bool_]:
    """Which segments (n, 4) lie in a marker or on the rim of its sheet."""
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    return within_quads(middle, enlarged(markers, _MARKER_RIM))


def holds_marker(quads: Singles, markers: Singles) -> NDArray[np.bool_]:
    """Which quadrilaterals (n, 4, 2) have the middle or a corner of a marker inside them."""
    return hold_any(quads, np.concatenate([markers.mean(axis=1), markers.reshape(-1, 2)]))
