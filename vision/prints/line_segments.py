"""Straight edges in a picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.effort import spend
from vision.prints.segment_map import SegmentMap

_MOST_FOUND = 3000
_BOOST = 4
_KNOWN = 0.6  # share of a faint segment that one found before covers


def line_segments(grey: NDArray[np.uint8], lab: NDArray[np.uint8], min_length_px: float) -> Singles:
    """Straight edges of an (h, w) grey picture, the same as (h, w, 3) 8-bit Lab, as (n, 4) x1 y1 x2 y2, longest first.

    The detector judges every segment against chance (von Gioi et al., LSD, 2012), so there is no contrast threshold
    to tune to a table or a lamp. What is too faint for it is looked for in a coarser, boosted copy, and so are edges
    between things as light as one another, a black card and a deep blue cloth, in the colour.
    """
    found = detected(grey, min_length_px)
    # As fractions, for the mean of four pixels tells shades between two grey levels.
    coarse = cv2.resize(grey.astype(np.float32), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    tints = cv2.resize(lab, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    seen = SegmentMap(found, (grey.shape[0], grey.shape[1]))
    for copy in (wrapped(np.asarray(coarse * _BOOST, np.float32)), *cv2.split(tints)[1:]):
        faint = (detected(np.asarray(copy, np.uint8), 0.75 * min_length_px) + 0.5) * 2 - 0.5
        new = faint[seen.coverage_of_lines(faint) < _KNOWN]
        seen.add(new)
        found = np.concatenate([found, new])
    return found[np.argsort(-length_of(found), kind="stable")][:_MOST_FOUND]


def detected(grey: NDArray[np.uint8], min_length_px: float) -> Singles:
    """Straight edges (n, 4) that the detector sees in an (h, w) grey picture."""
    spend(grey.size / 25)
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 0.8).detect(grey)[0]
    segments = np.zeros((0, 4), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 4)
    return segments[length_of(segments) >= min_length_px]


def length_of(segments: Singles) -> Singles:
    """How long each of the segments (n, 4) is (n,)."""
    return np.asarray(np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1]), np.float32)


def wrapped(grey: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A picture whose faint contrasts, white cards on a white table, were stretched far beyond white, in 8 bits.

    Lightness is folded back at black and white like a map; so there are no halos along strong edges.
    """
    return np.asarray(255 - np.abs(255 - grey % 510), np.uint8)
