"""Finds marks: compact patches that differ in colour from the card's ground around them, on white and on black.

A mark is darker than the white ground in at least one channel (brighter than the black ground on the other side),
whatever the lamp: the ground itself, as a grey-scale closing (opening) shows it, is the reference. The threshold is
a share of the mark's own contrast, so glare and shadow move the contrast but not the outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import within_quads
from vision.table import Table

Image = NDArray[np.uint8]

WORK_PX_PER_MM = 0.85
_WIDER = 1.08  # than a window that no mark holds
_DARK = 8.0  # grey levels of sensor noise that no ratio should amplify
_LEAST_CONTRAST = {"white": 18, "black": 12}  # of 255
# Where a lens blurs light, a mark on black ends at half of the light, which is two thirds of the step in grey levels.
_HALF_LIGHT = 0.66
_LEAST_CORE = 0.75  # less of a mark is left where it lies half in shadow: there half of the grey levels must do
_OVER_TEXTURE = 3.0
_CALM_MM = 36.0  # within this window about any mark some plain ground is seen
_BRIGHT = 90
_LEAST_TINT = 0.12
_LIGHT = 0.45
_LEAST_FILL = {"white": 0.42, "black": 0.25}  # of the bounding box: a circle fills 0.79, a crescent a third
_MOST_ASPECT = 3.0
_LEAST_CHROMA = {"white": 0.15, "black": 0.25}  # of the contrast: shadows and gaps are grey


@dataclass(frozen=True, eq=False)
class WorkImage:
    """A picture brought to the working scale; `scale` is work px per picture px."""

    bgr: Image
    scale: float

    def to_work(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Picture points to work points (pixel centres at whole numbers in both)."""
        return (np.asarray(points_px) + 0.5) * self.scale - 0.5

    def to_picture(self, points_work: NDArray[np.float64]) -> NDArray[np.float64]:
        """Work points to picture points."""
        return (np.asarray(points_work) + 0.5) / self.scale - 0.5


def work_image(bgr: Image, px_per_mm: float) -> WorkImage:
    """Shrink a picture so that a millimetre in its middle is about `WORK_PX_PER_MM` pixels; never enlarge it."""
    shrink = max(1, round(px_per_mm / WORK_PX_PER_MM))
    height, width = bgr.shape[0] // shrink, bgr.shape[1] // shrink
    # The few px that do not divide lie at the picture's border.
    small = bgr[: height * shrink, : width * shrink]
    halves = shrink
    while halves >= 2:
        # Halving is the one shrinking that is fast; the rest of it costs little on the smaller picture.
        small = _resized(small, (small.shape[1] // 2, small.shape[0] // 2))
        halves //= 2
    if small.shape[:2] != (height, width):
        small = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return WorkImage(small, 1 / shrink)


@dataclass(frozen=True, eq=False)
class Marks:
    """Patches that may be marks, all found on one kind of ground.

    `centres_px` (n, 2) and `centres_mm` (n, 2): centroids; `areas_mm2` (n,); `px_per_mm` (n,): the picture's scale
    there; `fullness` (n,): see `_fullness`.
    """

    ground: str
    centres_px: NDArray[np.float64]
    centres_mm: NDArray[np.float64]
    areas_mm2: NDArray[np.float64]
    px_per_mm: NDArray[np.float64]
    fullness: NDArray[np.float64]

    def on(self, table: Table) -> Marks:
        """The same patches measured on another table."""
        scale = table.px_per_mm(self.centres_px)
        areas = self.areas_mm2 * (self.px_per_mm / scale) ** 2
        return replace(self, centres_mm=table.to_mm(self.centres_px), areas_mm2=areas, px_per_mm=scale)

    def outside(self, quads_px: NDArray[np.float64]) -> Marks:
        """Those that lie in none of the quads (m, 4, 2)."""
        keep = ~within_quads(self.centres_px, quads_px)
        return Marks(
            self.ground,
            self.centres_px[keep],
            self.centres_mm[keep],
            self.areas_mm2[keep],
            self.px_per_mm[keep],
            self.fullness[keep],
        )

    def and_also(self, more: Marks) -> Marks:
        """These and, after them, some more."""
        return Marks(
            self.ground,
            np.concatenate([self.centres_px, more.centres_px]),
            np.concatenate([self.centres_mm, more.centres_mm]),
            np.concatenate([self.areas_mm2, more.areas_mm2]),
            np.concatenate([self.px_per_mm, more.px_per_mm]),
            np.concatenate([self.fullness, more.fullness]),
        )

    def __len__(self) -> int:
        return len(self.areas_mm2)


def mark_mask(work: WorkImage, ground: str, most_mm2: float, px_per_mm: float) -> tuple[Image, Image]:
    """(h, w) 0/1 mask of what stands out from a `white` or `black` ground, and that ground's levels (h, w, 3), BGR.

    `most_mm2`: the area of the biggest mark; `px_per_mm`: the greatest work scale.
    """
    height, width = work.bgr.shape[:2]
    half = _resized(work.bgr, (width // 2, height // 2))
    # No mark holds a square window of more than its own area, so the ground closes over it; a much wider one would not
    # fit into the corners of a card, where the table would then pass for the ground. Grain wants it a little wider.
    reach = max(3, int(_WIDER * np.sqrt(most_mm2) * px_per_mm / 2)) | 1
    kernel = np.ones((reach, reach), np.uint8)
    if ground == "white":
        level = cv2.resize(cv2.morphologyEx(half, cv2.MORPH_CLOSE, kernel), (width, height))
        level = cv2.add(level, np.full(level.shape, int(_DARK), np.uint8))
        gap = cv2.subtract(level, cv2.add(work.bgr, np.full(level.shape, int(_DARK), np.uint8)))
        contrast, least = _extremes(np.asarray(cv2.divide(gap, level, scale=255), np.uint8))
    else:
        level = cv2.resize(cv2.morphologyEx(half, cv2.MORPH_OPEN, kernel), (width, height))
        contrast, least = _extremes(np.asarray(cv2.subtract(work.bgr, level), np.uint8))
    near = 2 * max(1, round(4 * px_per_mm)) + 1
    peak = np.asarray(cv2.dilate(contrast, np.ones((near, near), np.uint8)), np.uint8)
    restless = cv2.resize(_restlessness(contrast, px_per_mm), (width, height))
    floor = np.maximum(_times(restless, _OVER_TEXTURE), np.uint8(_LEAST_CONTRAST[ground]))
    half = _over(cv2.add(contrast, contrast), peak) & _over(contrast, floor)
    mask = half if ground == "white" else _half_lit(half, _over(contrast, _times(peak, _HALF_LIGHT)))
    coloured = _over(cv2.subtract(contrast, least), _times(contrast, _LEAST_CHROMA[ground]))
    if ground == "white":
        # A black card beside a coloured mark differs from that mark, too, but has no tint of its own.
        coloured &= _tinted_or_light(work.bgr)
    else:
        # Print that the camera clips has lost its colour but not its shape, and no shadow is bright.
        coloured |= _over_level(contrast, _BRIGHT)
    mask &= coloured
    return np.asarray(mask & 1, np.uint8), np.asarray(level, np.uint8)


def _half_lit(half: Image, core: Image) -> Image:
    """The core (h, w) 0/255 of each patch of `half`, or all of the patch where little of it is core."""
    core = np.asarray(core & half, np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(half, connectivity=4, ltype=cv2.CV_32S)
    kept = np.bincount(labels[core > 0], minlength=count)
    weak = kept < _LEAST_CORE * stats[:, cv2.CC_STAT_AREA]
    weak[0] = False
    return np.where(weak[labels], half, core)


def _tinted_or_light(bgr: Image) -> Image:
    """0/255 mask of what has a tint beside the picture's lightest parts, or is too light to be a black card."""
    sample = bgr[::8, ::8].reshape(-1, 3)
    least = sample.min(1)
    white = np.median(sample[least >= np.percentile(least, 95)], axis=0) + 1.0
    most, least = _extremes(bgr, (white.max() / white).tolist())
    tinted = _over(cv2.subtract(most, least), _times(most, _LEAST_TINT))
    return np.asarray(tinted | _over_level(most, _LIGHT * float(white.max())), np.uint8)


def _restlessness(contrast: Image, px_per_mm: float) -> Image:
    """The least mean contrast of any small place nearby, at quarter size: low on a card's ground, high on wood."""
    small = _resized(contrast, (contrast.shape[1] // 4, contrast.shape[0] // 4))
    patch = max(1, round(4 * px_per_mm / 4))
    calm = cv2.blur(small, (patch, patch))
    near = max(3, round(_CALM_MM * px_per_mm / 4)) | 1
    return np.asarray(cv2.erode(calm, np.ones((near, near), np.uint8)), np.uint8)


def _resized(image: cv2.typing.MatLike, size_px: tuple[int, int]) -> Image:
    return np.asarray(cv2.resize(image, size_px, interpolation=cv2.INTER_AREA), np.uint8)


def _extremes(bgr: Image, gains: Sequence[float] = (1.0, 1.0, 1.0)) -> tuple[Image, Image]:
    """The greatest and the least of each pixel's channels, after each channel's gain."""
    channels = (c if gain == 1 else _times(c, gain) for c, gain in zip(cv2.split(bgr), gains, strict=True))
    blue, green, red = channels
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    return np.asarray(most, np.uint8), np.asarray(least, np.uint8)


def _times(image: cv2.typing.MatLike, factor: float) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=factor), np.uint8)


def _over(image: cv2.typing.MatLike, other: cv2.typing.MatLike) -> Image:
    """0/255 mask of where one image is greater than the other."""
    return np.asarray(cv2.compare(image, other, cv2.CMP_GT), np.uint8)


def _over_level(image: Image, level: float) -> Image:
    """0/255 mask of where the image is greater than a level."""
    return np.asarray(cv2.threshold(image, level, 255, cv2.THRESH_BINARY)[1], np.uint8)


@dataclass(frozen=True, eq=False)
class Foreground:
    """What stands out from the ground: a 0/1 `mask` (h, w) and the ground's `level` (h, w, 3), BGR; see `mark_mask`.

    `labels` (h, w): which patch each pixel belongs to, 0 for none. Of all n patches, the first of which is what belongs
    to none, `boxes` (n, 5): left, top, width, height and area, and `centres` (n, 2): centroids; in work px.
    """

    mask: Image
    level: Image
    labels: NDArray[np.int32]
    boxes: NDArray[np.int32]
    centres: NDArray[np.float64]


def find_foreground(work: WorkImage, ground: str, most_mm2: float, px_per_mm: float) -> Foreground:
    """Find what stands out from a `white` or `black` ground; see `mark_mask`."""
    mask, level = mark_mask(work, ground, most_mm2, px_per_mm)
    _, labels, boxes, centres = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
    return Foreground(
        mask, level, np.asarray(labels, np.int32), np.asarray(boxes, np.int32), np.asarray(centres, np.float64)
    )


def find_marks(
    work: WorkImage,
    table: Table,
    foreground: Foreground,
    ground: str,
    area_range_mm2: tuple[float, float],
    px_per_mm: float,
) -> Marks:
    """Find the patches on a `white` or `black` ground whose area on the table lies in `area_range_mm2`.

    `px_per_mm` is the greatest scale in the work image.
    """
    stats, centres = foreground.boxes, foreground.centres
    sides = stats[:, 2:4].astype(np.float64)
    areas = stats[:, 4].astype(np.float64)
    # Half a scale of slack: the scale at each patch is only worked out for what is left.
    keep = (areas > area_range_mm2[0] * (0.4 * px_per_mm) ** 2) & (areas < area_range_mm2[1] * (1.5 * px_per_mm) ** 2)
    keep &= (areas > _LEAST_FILL[ground] * sides.prod(1)) & (sides.max(1) < _MOST_ASPECT * sides.min(1))
    keep[0] = False
    chosen = np.flatnonzero(keep)
    centres_px = work.to_picture(centres[chosen])
    scale = table.px_per_mm(centres_px)
    areas_mm2 = areas[chosen] / np.maximum(scale * work.scale, 1e-6) ** 2
    fits = (areas_mm2 > area_range_mm2[0]) & (areas_mm2 < area_range_mm2[1])
    chosen, centres_px, areas_mm2, scale = chosen[fits], centres_px[fits], areas_mm2[fits], scale[fits]
    fullness = _fullness(foreground.labels, stats, chosen)
    return Marks(ground, centres_px, table.to_mm(centres_px), areas_mm2, scale, fullness)


def _fullness(labels: NDArray[np.int32], boxes: NDArray[np.int32], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """Area over that of the ellipse with the same second moments: 1 for any filled ellipse, whatever its tilt.

    It does not change under an affine map, so every printed shape has a fullness of its own from any viewpoint.
    """
    fullness = np.zeros(len(chosen))
    for k, number in enumerate(chosen):
        left, top, width, height = boxes[number, :4]
        patch = (labels[top : top + height, left : left + width] == number).astype(np.uint8)
        moments = cv2.moments(patch, binaryImage=True)
        # A pixel is a square, not a point: it adds 1/12 to each variance.
        xx, yy = (moments[key] / moments["m00"] + 1 / 12 for key in ("mu20", "mu02"))
        spread = xx * yy - (moments["mu11"] / moments["m00"]) ** 2
        fullness[k] = moments["m00"] / (4 * np.pi * np.sqrt(max(spread, 1e-9)))
    return fullness
