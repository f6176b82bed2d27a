"""Segments the foreground from a card's ground, on white and on black: patches of which some are marks.

A mark is darker than the white ground in at least one channel, under any lamp. On the other side it is brighter than
the black ground. The reference is the ground, by a grey-scale closing (opening). The threshold is a share of the
mark's own contrast, so glare and shadow move the contrast but not the outline.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Image
from vision.marked.colour import CLIPPED
from vision.marked.layouts import Layouts
from vision.marked.marks import Marks, WorkImage
from vision.table import Table

_WIDER = 1.08  # than a window that no mark holds
_DARK = 8  # grey levels of sensor noise that no ratio should amplify; white that clips shows none
_LEAST_CONTRAST = {"white": 18, "black": 12}  # of 255
# Beside white that clips: the share of a mark's own contrast, as half of its light clips, too; and the least of 255.
_CLIPPED_SHARE, _CLIPPED_CONTRAST = 0.3, 8
_NEAR_MM = 4.0  # the strongest contrast of a mark is this near to any place on it
_BRIGHT = 90
_LEAST_CHROMA = {"white": 0.15, "black": 0.25}  # of the contrast: shadows and gaps are grey
_LEAST_FILL = {"white": 0.42, "black": 0.25}  # of the bounding box: a circle fills 0.79, a crescent a third
_MOST_ASPECT = 3.0
_OF_A_PIXEL = 1 / 12  # the variance of a square of side 1
_LEAST_SCALE, _MOST_SCALE = 0.4, 1.5  # of the picture's greatest, before the exact scale is known


@dataclass(frozen=True, eq=False)
class Foreground:
    """What stands out from the `ground` of this number: a 0/1 `mask` (h, w) in work px."""

    ground: int
    mask: Image


def foreground_and_marks(
    work: WorkImage, table: Table, layouts: Layouts, number: int, px_per_mm: float
) -> tuple[Foreground, Marks]:
    """Segment the foreground on the ground of this number; also return its patches that may be marks by their size.

    `px_per_mm`: the greatest work scale.
    """
    ground, (least_mm2, most_mm2) = layouts.grounds[number], layouts.area_range_mm2(number)
    mask = _mask(work, ground, most_mm2, px_per_mm)
    _, labels, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
    # Half a scale of slack: only the patches left get their exact scale.
    sides, areas = stats[:, 2:4].astype(np.float64), stats[:, 4].astype(np.float64)
    keep = (areas >= least_mm2 * (_LEAST_SCALE * px_per_mm) ** 2) & (areas < most_mm2 * (_MOST_SCALE * px_per_mm) ** 2)
    keep &= (areas > _LEAST_FILL[ground] * sides.prod(1)) & (sides.max(1) < _MOST_ASPECT * sides.min(1))
    chosen = 1 + np.flatnonzero(keep[1:])
    centres_px = work.to_picture(centres[chosen].astype(np.float64))
    scale = table.px_per_mm(centres_px)
    areas_mm2 = areas[chosen] / np.maximum(scale * work.scale, 1e-6) ** 2
    fits = (areas_mm2 > least_mm2) & (areas_mm2 < most_mm2)
    chosen, centres_px, areas_mm2, scale = chosen[fits], centres_px[fits], areas_mm2[fits], scale[fits]
    fullness = np.array([_fullness(labels, stats[k].tolist(), k) for k in chosen.tolist()])
    on = np.full(len(chosen), number)
    return Foreground(number, mask), Marks(on, centres_px, table.to_mm(centres_px), areas_mm2, scale, fullness)


def _fullness(labels: cv2.typing.MatLike, box: list[int], number: int) -> float:
    """Return a patch's area over that of the ellipse with the same second moments: 1 for ellipses at any tilt."""
    left, top, width, height, area = box
    part = labels[top : top + height, left : left + width] == number
    moments = cv2.moments(part.view(np.uint8), binaryImage=True)
    # Pixels are squares, not points.
    xx, yy = moments["mu20"] / area + _OF_A_PIXEL, moments["mu02"] / area + _OF_A_PIXEL
    xy = moments["mu11"] / area
    return float(area / (4 * np.pi * np.sqrt(max(xx * yy - xy * xy, 1e-9))))


def _mask(work: WorkImage, ground: str, most_mm2: float, px_per_mm: float) -> Image:
    """Return the foreground's 0/1 mask (h, w)."""
    height, width = work.bgr.shape[:2]
    # No mark holds a square window of more than its own area, so the ground closes over it. A much wider window would
    # not fit into a card's corners, where the table would then look like the ground. Grain needs a slightly wider one.
    reach = max(3, int(_WIDER * np.sqrt(most_mm2) * px_per_mm / 2)) | 1
    way = cv2.MORPH_CLOSE if ground == "white" else cv2.MORPH_OPEN
    closed = np.asarray(cv2.morphologyEx(work.half, way, np.ones((reach, reach), np.uint8)), np.uint8)
    level = np.asarray(cv2.resize(closed, (width, height)), np.uint8)
    clipped = np.zeros((height, width), np.uint8)
    if ground == "white":
        clipped = _over_level(_extremes(level)[1], CLIPPED)
        noise = cv2.merge([_times(cv2.bitwise_not(clipped), _DARK / 255)] * 3)
        raised = cv2.add(level, noise)
        gap = cv2.subtract(raised, cv2.add(work.bgr, noise))
        contrast, least = _extremes(np.asarray(cv2.divide(gap, raised, scale=255), np.uint8))
    else:
        contrast, least = _extremes(np.asarray(cv2.subtract(work.bgr, level), np.uint8))
    near = _window(_NEAR_MM, px_per_mm)
    peak = np.asarray(cv2.dilate(contrast, np.ones((near, near), np.uint8)), np.uint8)
    mask = _over(cv2.add(contrast, contrast), peak) & _over_level(contrast, _LEAST_CONTRAST[ground])
    mask |= clipped & _over(contrast, _times(peak, _CLIPPED_SHARE)) & _over_level(contrast, _CLIPPED_CONTRAST)
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
