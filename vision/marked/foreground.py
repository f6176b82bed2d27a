"""Segments the foreground from a card's ground, on white and on black: patches of which some are marks.

A mark is darker than the white ground in at least one channel, under any lamp. On the other side it is brighter than
the black ground. The reference is the ground, by a grey-scale closing (opening). The threshold is a share of the
mark's own contrast, so glare and shadow move the contrast but not the outline.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.effort import spend
from vision.marked.marks import Foreground, Marks, WorkImage, find_marks, least_area_px
from vision.table import Table

_WIDER = 1.08  # than a window that no mark holds
_DARK = 8  # grey levels of sensor noise that no ratio should amplify
_LEAST_CONTRAST = {"white": 18, "black": 12}  # of 255
_NEAR_MM = 4.0  # the strongest contrast of a mark is this near to any place on it
_BRIGHT = 90
_LEAST_CHROMA = {"white": 0.15, "black": 0.25}  # of the contrast: shadows and gaps are grey
_OF_A_PIXEL = 1 / 12  # the variance of a square of side 1


def foreground_and_marks(
    work: WorkImage, table: Table, ground: str, area_range_mm2: tuple[float, float], px_per_mm: float
) -> tuple[Foreground, Marks]:
    """Segment the foreground on a `white` or `black` ground; also return its patches that may be marks.

    `area_range_mm2`: of the marks; `px_per_mm`: the greatest work scale.
    """
    mask = _mask(work, ground, area_range_mm2[1], px_per_mm)
    foreground = Foreground(mask, *_patches_of(mask, least_area_px(area_range_mm2[0], px_per_mm)))
    return foreground, find_marks(work, table, foreground, ground, area_range_mm2, px_per_mm)


def _patches_of(mask: Image, least_px: float) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return boxes, centres and spreads, see `Foreground`, of the patches of a 0/1 mask with at least `least_px`."""
    spend(mask.size / 80)
    _, labels, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
    large = stats[:, 4] >= least_px
    large[0] = False
    at = np.flatnonzero(mask)
    number = labels.ravel()[at]
    at, number = at[large[number]], number[large[number]]
    row, column = np.divmod(at, mask.shape[1])
    x, y = column - centres[number, 0], row - centres[number, 1]
    sums = [np.bincount(number, values, len(stats))[large] for values in (x * x, y * y, x * y)]
    # Pixels are squares, not points.
    spreads = np.stack(sums, axis=1) / stats[large, 4:] + (_OF_A_PIXEL, _OF_A_PIXEL, 0.0)
    return stats[large].astype(np.intp), centres[large].astype(np.float64), spreads


def _mask(work: WorkImage, ground: str, most_mm2: float, px_per_mm: float) -> Image:
    """Return the foreground's 0/1 mask (h, w)."""
    height, width = work.bgr.shape[:2]
    # No mark holds a square window of more than its own area, so the ground closes over it. A much wider window would
    # not fit into a card's corners, where the table would then look like the ground. Grain needs a slightly wider one.
    reach = max(3, int(_WIDER * np.sqrt(most_mm2) * px_per_mm / 2)) | 1
    way = cv2.MORPH_CLOSE if ground == "white" else cv2.MORPH_OPEN
    plain = np.asarray(cv2.morphologyEx(work.half, way, np.ones((reach, reach), np.uint8)), np.uint8)
    level = cv2.resize(plain, (width, height))
    if ground == "white":
        noise = np.full(level.shape, _DARK, np.uint8)
        level = cv2.add(level, noise)
        gap = cv2.subtract(level, cv2.add(work.bgr, noise))
        contrast, least = _extremes(np.asarray(cv2.divide(gap, level, scale=255), np.uint8))
    else:
        contrast, least = _extremes(np.asarray(cv2.subtract(work.bgr, level), np.uint8))
    near = _window(_NEAR_MM, px_per_mm)
    peak = np.asarray(cv2.dilate(contrast, np.ones((near, near), np.uint8)), np.uint8)
    mask = _over(cv2.add(contrast, contrast), peak) & _over_level(contrast, _LEAST_CONTRAST[ground])
    coloured = _over(cv2.subtract(contrast, least), _times(contrast, _LEAST_CHROMA[ground]))
    if ground == "black":
        # No shadow is bright, and clipped print has lost its colour.
        coloured |= _over_level(contrast, _BRIGHT)
    mask &= coloured
    return np.asarray(mask & 1, np.uint8)


def _window(reach_mm: float, px_per_mm: float) -> int:
    return 2 * max(1, round(reach_mm * px_per_mm)) + 1


def _extremes(bgr: Image) -> tuple[Image, Image]:
    """Return the greatest and the least of each pixel's channels."""
    blue, green, red = cv2.split(bgr)
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    return np.asarray(most, np.uint8), np.asarray(least, np.uint8)


def _times(image: cv2.typing.MatLike, factor: float) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=factor), np.uint8)


def _over(image: cv2.typing.MatLike, other: cv2.typing.MatLike) -> Image:
    """Return a 0/255 mask of pixels greater in the first image."""
    return np.asarray(cv2.compare(image, other, cv2.CMP_GT), np.uint8)


def _over_level(image: Image, level: float) -> Image:
    """Return a 0/255 mask of pixels greater than a level."""
    return np.asarray(cv2.threshold(image, level, 255, cv2.THRESH_BINARY)[1], np.uint8)
