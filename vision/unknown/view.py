"""A picture as it is searched for cards of any deck: a smaller copy, the straight edges in it, and what is no card."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Image, Singles
from vision.search_scale import shrinking
from vision.unknown.card_proposals import MIN_SEGMENT_PX
from vision.unknown.line_segments import line_segments, without_hatching
from vision.unknown.marker_sheets import find_marker_sheets, on_marker_sheet

WORKING_PX = 1280  # cards are looked for on a copy with about this longer side


@dataclass(frozen=True, eq=False)
class View:
    """A picture and what all looks for cards share.

    `image_bgr` is the picture, `small_bgr` (h, w, 3) a copy of it at `scale`, `lab` the same as 8-bit Lab and `grey`
    (h, w); in that copy `segments` (n, 4) are straight edges, longest first, and `markers` (m, 4, 2) sheets that are no
    cards.
    """

    image_bgr: Image
    scale: float
    small_bgr: Image
    lab: Image
    grey: Image
    segments: Singles
    markers: Singles

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height of the copy."""
        return self.grey.shape[1], self.grey.shape[0]


def view_of(image_bgr: Image) -> View:
    """Prepare an (h, w, 3) picture."""
    height, width = image_bgr.shape[:2]
    scale = 1 / shrinking(max(height, width), height * width, WORKING_PX)
    small = image_bgr
    if scale < 1:
        small = np.asarray(cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    segments, markers = line_segments(grey, lab, MIN_SEGMENT_PX), find_marker_sheets(grey)
    segments = without_hatching(segments[~on_marker_sheet(segments, markers)])
    return View(image_bgr, scale, small, lab, grey, segments, markers)
