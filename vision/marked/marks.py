"""Samples a picture by places on its table, and keeps the patches that may be marks on cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Image
from vision.quads import within_quads
from vision.table import Table

WORK_PX_PER_MM = 0.85
# Twice the pixels take twice the time. A small picture is read fast, and half-covered cards gain.
_LARGER, _PARTLY, _MANY_PX = 1.25, 1.5, 1_500_000
_BROAD = 1024
_SAME_MARK = 0.5  # of a mark's radius, between two middles: no two marks can be visible there


@dataclass(frozen=True, eq=False)
class WorkImage:
    """A picture brought to the working scale; `scale` is work px per picture px."""

    bgr: Image
    scale: float

    @cached_property
    def smooth(self) -> Image:
        """Return the picture without its finest grain, BGR."""
        return np.asarray(cv2.blur(self.bgr, (3, 3) if self.scale < 1 else (2, 2)), np.uint8)

    @cached_property
    def half(self) -> Image:
        """Return the picture at half its size, BGR."""
        size = self.bgr.shape[1] // 2, self.bgr.shape[0] // 2
        return np.asarray(cv2.resize(self.bgr, size, interpolation=cv2.INTER_AREA), np.uint8)

    def to_work(self, points_px: Floats) -> Floats:
        """Map picture points to work points (pixel centres at whole numbers in both)."""
        return (np.asarray(points_px) + 0.5) * self.scale - 0.5

    def to_picture(self, points_work: Floats) -> Floats:
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
    part = bgr[: int(height * shrink), : int(width * shrink)]
    # By other than whole numbers areas take four times as long.
    way = cv2.INTER_LINEAR if shrink == _PARTLY else cv2.INTER_AREA
    return WorkImage(np.asarray(cv2.resize(part, (width, height), interpolation=way), np.uint8), 1 / shrink)


class Sampler:
    """One picture of a table, sampled by places on the table."""

    def __init__(self, work: WorkImage, table: Table) -> None:
        self.work = work
        self.table = table

    def smooth_levels(self, points_mm: Floats) -> Floats:
        """Return RGB levels (..., 3) without grain at table points (..., 2); black outside the picture."""
        return self._levels(self.work.smooth, self.table.to_px(points_mm), cv2.INTER_NEAREST)

    def levels(self, points_px: Floats) -> Floats:
        """Return RGB levels (..., 3) at picture points (..., 2); black outside the picture."""
        return self._levels(self.work.bgr, points_px)

    def _levels(self, image: Image, points_px: Floats, way: int = cv2.INTER_LINEAR) -> Floats:
        flat = self.work.to_work(points_px.reshape(-1, 2))
        # OpenCV takes at most 32767 rows, so the points form a broad picture.
        places = np.zeros((2, len(flat) // _BROAD + 1, _BROAD), np.float32)
        places.reshape(2, -1)[:, : len(flat)] = flat.T
        levels = cv2.remap(image, places[0], places[1], way).reshape(-1, 3)[: len(flat)]
        return np.asarray(levels.reshape(*points_px.shape[:-1], 3)[..., ::-1], np.float64)


@dataclass(frozen=True, eq=False)
class Marks:
    """Patches that may be marks, as parallel arrays of length n.

    `ground` (n,): number of the side on whose ground each was found; `centres_px` (n, 2) and `centres_mm` (n, 2):
    centroids; `areas_mm2` (n,); `px_per_mm` (n,): the picture's scale there; `fullness` (n,): a patch's area over that
    of the ellipse with the same second moments. It is constant under affine maps, so every printed shape has its own.
    """

    ground: NDArray[np.intp]
    centres_px: Floats
    centres_mm: Floats
    areas_mm2: Floats
    px_per_mm: Floats
    fullness: Floats

    def on(self, table: Table) -> Marks:
        """Return the same patches measured on another table."""
        scale = table.px_per_mm(self.centres_px)
        areas = self.areas_mm2 * (self.px_per_mm / scale) ** 2
        return replace(self, centres_mm=table.to_mm(self.centres_px), areas_mm2=areas, px_per_mm=scale)

    @property
    def radii_mm(self) -> Floats:
        """Return the radius (n,) of a circle of the same area."""
        return np.asarray(np.sqrt(self.areas_mm2 / np.pi))

    def outside(self, quads_px: Floats) -> Marks:
        """Return the marks in none of the quads (m, 4, 2)."""
        return self.take(~within_quads(self.centres_px, quads_px))

    def take(self, keep: Flags) -> Marks:
        """Return the chosen marks."""
        return Marks(*(getattr(self, field.name)[keep] for field in fields(self)))

    @staticmethod
    def joined(parts: Sequence[Marks]) -> Marks:
        """Return several lists of marks as one."""
        return Marks(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Marks)))

    def same_as(self, numbers: NDArray[np.intp]) -> Flags:
        """Return which (n,) are the marks with these numbers (m,), or other detections of them: see `coincide`."""
        radii, centres = self.radii_mm, self.centres_mm
        return np.asarray(
            coincide(centres[:, None], radii[:, None], centres[None, numbers], radii[None, numbers]).any(1)
        )

    def __len__(self) -> int:
        return len(self.areas_mm2)


def coincide(one_mm: Floats, radius: Floats, other_mm: Floats, other_radius: Floats) -> Flags:
    """Return whether (...) marks with these middles (..., 2) and radii (...) in mm must be one and the same.

    One patch may be detected twice: on two grounds, or as a whole and by its outline. nan coincides with nothing.
    """
    apart = np.hypot(one_mm[..., 0] - other_mm[..., 0], one_mm[..., 1] - other_mm[..., 1])
    return np.asarray(apart < _SAME_MARK * np.minimum(radius, other_radius))
