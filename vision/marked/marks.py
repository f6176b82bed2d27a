"""Finds and measures marks that may be on cards: compact patches that differ in colour from the ground around them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.quads import distances, within_quads
from vision.table import Table

WORK_PX_PER_MM = 0.85
# Twice the pixels take twice the time. A small picture is read fast, and half-covered cards gain.
_LARGER, _PARTLY, _MANY_PX = 1.25, 1.5, 1_500_000
_LEAST_FILL = {"white": 0.42, "black": 0.25}  # of the bounding box: a circle fills 0.79, a crescent a third
_MOST_ASPECT = 3.0
_SAME_AREA = 0.1
_SAME_MARK = 0.5  # of a mark's radius, between two middles: no two marks can be visible there


@dataclass(frozen=True, eq=False)
class WorkImage:
    """A picture brought to the working scale; `scale` is work px per picture px."""

    bgr: Image
    scale: float

    @cached_property
    def smooth(self) -> Image:
        """Return the picture (h, w, 3) RGB without its finest grain."""
        blurred = cv2.blur(self.bgr, (3, 3) if self.scale < 1 else (2, 2))
        return np.asarray(cv2.cvtColor(blurred, cv2.COLOR_BGR2RGB), np.uint8)

    @cached_property
    def half(self) -> Image:
        """Return the picture at half its size, BGR."""
        return resized(self.bgr, (self.bgr.shape[1] // 2, self.bgr.shape[0] // 2))

    def to_work(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map picture points to work points (pixel centres at whole numbers in both)."""
        return (np.asarray(points_px) + 0.5) * self.scale - 0.5

    def to_picture(self, points_work: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map work points to picture points."""
        return (np.asarray(points_work) + 0.5) / self.scale - 0.5


def work_image(bgr: Image, px_per_mm: float) -> WorkImage:
    """Shrink a picture so that a millimetre in its middle is about `WORK_PX_PER_MM` pixels; never enlarge it."""
    larger = px_per_mm / WORK_PX_PER_MM
    shrink: float = max(1, round(larger))
    if shrink == 1 and larger > _LARGER and bgr.shape[0] * bgr.shape[1] > _MANY_PX:
        shrink = _PARTLY
    height, width = int(bgr.shape[0] // shrink), int(bgr.shape[1] // shrink)
    # The few px that do not divide are at the picture's border.
    small = bgr[: int(height * shrink), : int(width * shrink)]
    halves = shrink
    while halves >= 2:
        # Only halving is fast; the rest costs little on the smaller picture.
        small = resized(small, (small.shape[1] // 2, small.shape[0] // 2))
        halves //= 2
    if small.shape[:2] != (height, width):
        small = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return WorkImage(small, 1 / shrink)


def resized(image: cv2.typing.MatLike, size_px: tuple[int, int]) -> Image:
    """Shrink an image to a size (width, height)."""
    return np.asarray(cv2.resize(image, size_px, interpolation=cv2.INTER_AREA), np.uint8)


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
        """Return the same patches measured on another table."""
        scale = table.px_per_mm(self.centres_px)
        areas = self.areas_mm2 * (self.px_per_mm / scale) ** 2
        return replace(self, centres_mm=table.to_mm(self.centres_px), areas_mm2=areas, px_per_mm=scale)

    def outside(self, quads_px: NDArray[np.float64]) -> Marks:
        """Return the marks in none of the quads (m, 4, 2)."""
        return self.take(~within_quads(self.centres_px, quads_px))

    def take(self, keep: NDArray[np.bool_]) -> Marks:
        """Return the chosen marks."""
        return Marks(
            self.ground,
            self.centres_px[keep],
            self.centres_mm[keep],
            self.areas_mm2[keep],
            self.px_per_mm[keep],
            self.fullness[keep],
        )

    def and_also(self, more: Marks) -> Marks:
        """Return these with `more` after them."""
        return Marks(
            self.ground,
            np.concatenate([self.centres_px, more.centres_px]),
            np.concatenate([self.centres_mm, more.centres_mm]),
            np.concatenate([self.areas_mm2, more.areas_mm2]),
            np.concatenate([self.px_per_mm, more.px_per_mm]),
            np.concatenate([self.fullness, more.fullness]),
        )

    def unlike(self, others: Marks) -> Marks:
        """Return the marks without those of about the same size and place among the others."""
        apart = distances(self.centres_px, others.centres_px)
        ratio = self.areas_mm2[:, None] / others.areas_mm2[None]
        same = (apart < 0.5 * others.px_per_mm) & (np.abs(ratio - 1) < _SAME_AREA)
        return self.take(np.asarray(~same.any(1)))

    def same_as(self, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which (n,) are the marks with these numbers (m,), or other detections of them: see `coincide`."""
        radii = np.sqrt(self.areas_mm2 / np.pi)
        same = coincide(self.centres_mm[:, None], radii[:, None], self.centres_mm[None, numbers], radii[None, numbers])
        return np.asarray(same.any(1))

    def __len__(self) -> int:
        return len(self.areas_mm2)


def coincide(
    one_mm: NDArray[np.float64],
    radius: NDArray[np.float64],
    other_mm: NDArray[np.float64],
    other_radius: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return whether (...) marks with these middles (..., 2) and radii (...) in mm must be one and the same.

    One patch may be detected twice: on two grounds, or as a whole and by its outline. nan coincides with nothing.
    """
    apart = np.hypot(one_mm[..., 0] - other_mm[..., 0], one_mm[..., 1] - other_mm[..., 1])
    return np.asarray(apart < _SAME_MARK * np.minimum(radius, other_radius))


@dataclass(frozen=True, eq=False)
class Foreground:
    """Patches that stand out from the ground: a 0/1 `mask` (h, w), and the ground's `level` (h, w, 3), BGR.

    `labels` (h, w): the patch of each pixel, 0 for none. Of the n patches that are large enough, `numbers` (n,): their
    labels, `boxes` (n, 5): left, top, width, height and area, `centres` (n, 2): centroids, `spreads` (n, 3): variances
    of x and y, and covariance; in work px.
    """

    mask: Image
    level: Image
    labels: NDArray[np.int32]
    numbers: NDArray[np.intp]
    boxes: NDArray[np.intp]
    centres: NDArray[np.float64]
    spreads: NDArray[np.float64]


def least_area_px(least_mm2: float, px_per_mm: float) -> float:
    """Return the least area in px of a mark anywhere in a picture with this greatest scale."""
    return least_mm2 * (0.4 * px_per_mm) ** 2


def find_marks(
    work: WorkImage,
    table: Table,
    foreground: Foreground,
    ground: str,
    area_range_mm2: tuple[float, float],
    px_per_mm: float,
) -> Marks:
    """Find the patches on a `white` or `black` ground whose area on the table is in `area_range_mm2`.

    `px_per_mm` is the greatest scale in the work image.
    """
    stats, centres = foreground.boxes, foreground.centres
    sides = stats[:, 2:4].astype(np.float64)
    areas = stats[:, 4].astype(np.float64)
    # Half a scale of slack: only the patches left get their exact scale.
    keep = (areas > least_area_px(area_range_mm2[0], px_per_mm)) & (areas < area_range_mm2[1] * (1.5 * px_per_mm) ** 2)
    keep &= (areas > _LEAST_FILL[ground] * sides.prod(1)) & (sides.max(1) < _MOST_ASPECT * sides.min(1))
    chosen = np.flatnonzero(keep)
    centres_px = work.to_picture(centres[chosen])
    scale = table.px_per_mm(centres_px)
    areas_mm2 = areas[chosen] / np.maximum(scale * work.scale, 1e-6) ** 2
    fits = (areas_mm2 > area_range_mm2[0]) & (areas_mm2 < area_range_mm2[1])
    chosen, centres_px, areas_mm2, scale = chosen[fits], centres_px[fits], areas_mm2[fits], scale[fits]
    fullness = _fullness(areas[chosen], foreground.spreads[chosen])
    return Marks(ground, centres_px, table.to_mm(centres_px), areas_mm2, scale, fullness)


def _fullness(areas: NDArray[np.float64], spreads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return area (n,) over that of the ellipse with the same second moments (n, 3): 1 for ellipses at any tilt.

    It is constant under affine maps, so every printed shape has its own fullness from any viewpoint.
    """
    xx, yy, xy = spreads.T
    return np.asarray(areas / (4 * np.pi * np.sqrt(np.maximum(xx * yy - xy * xy, 1e-9))))
