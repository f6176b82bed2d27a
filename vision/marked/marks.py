"""Samples a picture by places on its table, and measures the patches that may be marks on cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.effort import spend
from vision.quads import within_quads
from vision.table import Table

WORK_PX_PER_MM = 0.85
# Twice the pixels take twice the time. A small picture is read fast, and half-covered cards gain.
_LARGER, _PARTLY, _MANY_PX = 1.25, 1.5, 1_500_000
_LEAST_FILL = {"white": 0.42, "black": 0.25}  # of the bounding box: a circle fills 0.79, a crescent a third
_MOST_ASPECT = 3.0
_BROAD = 1024
_OF_A_PIXEL = 1 / 12  # the variance of a square of side 1
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


class Sampler:
    """One picture of a table, sampled by places on the table."""

    def __init__(self, work: WorkImage, table: Table) -> None:
        self.work = work
        self.table = table
        self._height, self._width = work.bgr.shape[:2]

    def levels(self, points_mm: Floats) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return RGB levels (..., 3) at table points (..., 2), and whether each is in the picture."""
        rows, columns, inside = self.pixels(points_mm)
        return self.at(rows, columns), inside

    def at(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Return RGB levels (..., 3) at work px (...)."""
        spend(5 + rows.size / 60)
        return np.asarray(self.work.smooth.reshape(-1, 3).take(rows * self._width + columns, axis=0), np.uint8)

    def pixels(self, points_mm: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Return row and column of the work px nearest to table points (..., 2), and whether each is in the picture."""
        spend(10 + points_mm.size / 60)
        flat = self.work.to_work(self.table.to_px(points_mm.reshape(-1, 2)))
        columns, rows = np.rint(flat.T).astype(np.intp).reshape(2, *points_mm.shape[:-1])
        inside = (columns >= 0) & (columns < self._width) & (rows >= 0) & (rows < self._height)
        if not inside.all():
            rows, columns = rows.clip(0, self._height - 1), columns.clip(0, self._width - 1)
        return rows, columns, inside

    def fine_levels(self, points_px: Floats) -> Floats:
        """Return interpolated RGB levels (..., 3) at picture points (..., 2); black outside the picture."""
        spend(10 + points_px.size / 30)
        flat = self.work.to_work(points_px.reshape(-1, 2))
        # OpenCV takes at most 32767 rows, so the points form a broad picture.
        places = np.zeros((2, -(-len(flat) // _BROAD), _BROAD), np.float32)
        places.reshape(2, -1)[:, : len(flat)] = flat.T
        levels = cv2.remap(self.work.bgr, places[0], places[1], cv2.INTER_LINEAR).reshape(-1, 3)[: len(flat)]
        return np.asarray(levels.reshape(*points_px.shape[:-1], 3)[..., ::-1], np.float64)


@dataclass(frozen=True, eq=False)
class Marks:
    """Patches that may be marks, all found on one kind of ground.

    `centres_px` (n, 2) and `centres_mm` (n, 2): centroids; `areas_mm2` (n,); `px_per_mm` (n,): the picture's scale
    there; `fullness` (n,): see `_fullness`.
    """

    ground: str
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

    def outside(self, quads_px: Floats) -> Marks:
        """Return the marks in none of the quads (m, 4, 2)."""
        return self.take(~within_quads(self.centres_px, quads_px))

    def take(self, keep: NDArray[np.bool_]) -> Marks:
        """Return the chosen marks."""
        return self._each(lambda name: getattr(self, name)[keep])

    def and_also(self, more: Marks) -> Marks:
        """Return these with `more` after them."""
        return self._each(lambda name: np.concatenate([getattr(self, name), getattr(more, name)]))

    def _each(self, value_of: Callable[[str], Floats]) -> Marks:
        return Marks(self.ground, *(value_of(field.name) for field in fields(self)[1:]))

    def same_as(self, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which (n,) are the marks with these numbers (m,), or other detections of them: see `coincide`."""
        radii = np.sqrt(self.areas_mm2 / np.pi)
        same = coincide(self.centres_mm[:, None], radii[:, None], self.centres_mm[None, numbers], radii[None, numbers])
        return np.asarray(same.any(1))

    def __len__(self) -> int:
        return len(self.areas_mm2)


def coincide(
    one_mm: Floats,
    radius: Floats,
    other_mm: Floats,
    other_radius: Floats,
) -> NDArray[np.bool_]:
    """Return whether (...) marks with these middles (..., 2) and radii (...) in mm must be one and the same.

    One patch may be detected twice: on two grounds, or as a whole and by its outline. nan coincides with nothing.
    """
    apart = np.hypot(one_mm[..., 0] - other_mm[..., 0], one_mm[..., 1] - other_mm[..., 1])
    return np.asarray(apart < _SAME_MARK * np.minimum(radius, other_radius))


@dataclass(frozen=True, eq=False)
class Foreground:
    """Patches that stand out from the ground: a 0/1 `mask` (h, w).

    `labels` (h, w): the patch of each pixel, 0 for none. Of the n patches that are large enough, `numbers` (n,): their
    labels, `boxes` (n, 5): left, top, width, height and area, `centres` (n, 2): centroids; in work px.
    """

    mask: Image
    labels: NDArray[np.int32]
    numbers: NDArray[np.intp]
    boxes: NDArray[np.intp]
    centres: Floats


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
    fullness = np.array([_fullness(foreground, k) for k in chosen.tolist()])
    return Marks(ground, centres_px, table.to_mm(centres_px), areas_mm2, scale, fullness)


def _fullness(foreground: Foreground, k: int) -> float:
    """Return a patch's area over that of the ellipse with the same second moments: 1 for ellipses at any tilt.

    It is constant under affine maps, so every printed shape has its own fullness from any viewpoint.
    """
    left, top, width, height, area = foreground.boxes[k].tolist()
    part = foreground.labels[top : top + height, left : left + width] == foreground.numbers[k]
    y, x = np.nonzero(part)
    x, y = x - x.mean(), y - y.mean()
    # Pixels are squares, not points.
    xx, yy, xy = x @ x / area + _OF_A_PIXEL, y @ y / area + _OF_A_PIXEL, x @ y / area
    return float(area / (4 * np.pi * np.sqrt(max(xx * yy - xy * xy, 1e-9))))
