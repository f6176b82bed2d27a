"""Views from above: a part of a table, or a whole picture, at the network's scale."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.scale import FINE, SHORT_PX, STRIDE_PX
from vision.table import Table

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

_SHARPER = 1.15  # picture px a view px, up to which the picture is sampled as it is
_LEAST_SCALE = 0.2  # of the scale in the middle: a table seen flatter than that is left out
_NODES = 16  # px of a fine view between places whose px of the picture are calculated
_MOST_VIEW_PX = 520 * 520
_TILTS = (np.radians(20), np.radians(45))  # the network finds cards within some 15 degrees
_FOCAL = 0.85  # by the picture's longer side: phones and Pi cameras
_FAR_MM = (600.0, 400.0)  # from the middle of the picture, where the picture's rim is beyond the horizon


@dataclass(frozen=True, eq=False)
class FromAbove:
    """A view `image` (h, w, 3) BGR at the card network's scale, `fine` at FINE times that, and the way back."""

    image: Image
    fine: Image
    view: View
    low: Points
    per_unit: float

    def to_picture(self, points: Points) -> Points:
        """(n, 2) px of this view to px of the picture."""
        return self.view.unit_to_px(points / self.per_unit + self.low)

    def from_picture(self, points_px: Points) -> Points:
        """(n, 2) px of the picture to px of this view."""
        return (self.view.px_to_unit(points_px) - self.low) * self.per_unit


class View(Protocol):
    """A picture of a plane that is measured in units: mm of a table, or px of a picture taken from above."""

    @property
    def is_surveyed(self) -> bool:
        """Whether the plane is known, so that cards of one size are rectangles of one size."""

    def from_above(self, short_side: float) -> FromAbove:
        """The plane seen from above, at the scale at which `short_side` units are SHORT_PX."""

    def short_sides(self) -> list[float]:
        """Short sides, in units, that cards of an unknown deck may have, in steps of a sixth."""

    def tilted(self) -> list[View]:
        """Views of the picture at other tilts of the plane, where the tilt is unknown."""

    def unit_to_px(self, points: Points) -> Points:
        """(n, 2) points on the plane to px of the picture."""

    def px_to_unit(self, points_px: Points) -> Points:
        """(n, 2) px of the picture to points on the plane."""


@dataclass(frozen=True, eq=False)
class TableView:
    """A picture (h, w, 3) BGR of a known table; `area_mm` (2, 2) is the part to see: low and high (x, y)."""

    picture: Image
    table: Table
    area_mm: Points

    @property
    def is_surveyed(self) -> bool:
        """True: markers or a profile give the table."""
        return True

    def from_above(self, short_side: float) -> FromAbove:
        """The table from above; `short_side` in mm."""
        low, high = self.area_mm
        scale = SHORT_PX / short_side
        w, h = (max(2, int(np.ceil(length * scale / STRIDE_PX))) * STRIDE_PX for length in high - low)
        shrink, maps = _maps(self.table, (float(low[0]), float(low[1])), scale, (w, h))
        picture = self.picture
        if shrink < 1:
            picture = np.asarray(
                cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8
            )
        fine = np.asarray(cv2.remap(picture, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.uint8)
        image = np.asarray(cv2.resize(fine, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
        return FromAbove(image, fine, self, low, scale)

    def short_sides(self) -> list[float]:
        """40 to 70 mm."""
        return [40.0, 46.0, 53.0, 61.0, 70.0]

    def tilted(self) -> list[View]:
        """Nothing: the table is known."""
        return []

    def unit_to_px(self, points: Points) -> Points:
        """(n, 2) mm to px."""
        return self.table.to_px(points)

    def px_to_unit(self, points_px: Points) -> Points:
        """(n, 2) px to mm."""
        return self.table.to_mm(points_px)


@lru_cache(maxsize=4)
def _maps(
    table: Table, low: tuple[float, float], scale: float, size: tuple[int, int]
) -> tuple[float, tuple[NDArray[np.int16], NDArray[np.uint16]]]:
    """By how much to shrink the picture first, and where each px of the fine view is; kept while a camera stays."""
    w, h = (FINE * length for length in size)
    scale *= FINE
    # Every 16th px is exact; between them the plane's perspective is as good as straight.
    columns, rows = (np.arange(-1, -(-length // _NODES) + 1) * _NODES + _NODES / 2 for length in (w, h))
    x, y = np.meshgrid(columns / scale + low[0], rows / scale + low[1])
    nodes = table.to_px(np.stack([x.ravel(), y.ravel()], -1)).reshape(*x.shape, 2)
    px = cv2.resize(nodes, None, fx=_NODES, fy=_NODES, interpolation=cv2.INTER_LINEAR)[
        _NODES : _NODES + h, _NODES : _NODES + w
    ]
    middle = np.array([[table.size_px[0] / 2, table.size_px[1] / 2]])
    # By whole numbers: OpenCV averages those ten times as fast.
    shrink = 1 / max(1, int(float(table.px_per_mm(middle)[0]) / scale / _SHARPER))
    places = ((px + 0.5) * shrink - 0.5).astype(np.float32)
    fixed, rest = cv2.convertMaps(places[..., 0], places[..., 1], cv2.CV_16SC2)
    return shrink, (np.asarray(fixed, np.int16), np.asarray(rest, np.uint16))


def area_in_sight(table: Table, near_px: Points | None = None, beyond_mm: float = 170.0) -> Points:
    """(2, 2) low and high corner, in mm, of the part of a table that a picture shows.

    With `near_px` (n, 2), points such as corners of marker cards, the area ends `beyond_mm` beyond them.
    """
    w, h = table.size_px
    along = np.linspace(0, 1, 24)
    zero, one = np.zeros(24), np.ones(24)
    rim = np.concatenate([np.c_[along, zero], np.c_[along, one], np.c_[zero, along], np.c_[one, along]]) * (w, h)
    middle = np.array([[w / 2, h / 2]])
    rim_mm, middle_mm = table.to_mm(rim), table.to_mm(middle)[0]
    flat = table.px_per_mm(rim) < _LEAST_SCALE * table.px_per_mm(middle)[0]
    beyond = np.abs(table.to_px(rim_mm) - rim).max(1) > 2  # above the horizon, or where the lens model folds
    low, high = rim_mm.min(0), rim_mm.max(0)
    if flat.any() or beyond.any():
        low, high = middle_mm - _FAR_MM, middle_mm + _FAR_MM
    if near_px is not None and len(near_px):
        near = table.to_mm(near_px)
        low, high = np.maximum(low, near.min(0) - beyond_mm), np.minimum(high, near.max(0) + beyond_mm)
    return np.stack([low, high])


@dataclass(frozen=True, eq=False)
class FlatView:
    """A picture (h, w, 3) BGR taken about from above whose scale is not known: the unit is its px."""

    picture: Image

    @property
    def is_surveyed(self) -> bool:
        """False: the camera may look somewhat aslant."""
        return False

    def from_above(self, short_side: float) -> FromAbove:
        """The picture scaled so that `short_side` px become SHORT_PX, padded with black."""
        scale = SHORT_PX / short_side
        fine_scale = FINE * scale
        way = cv2.INTER_AREA if fine_scale < 1 else cv2.INTER_LINEAR
        scaled = cv2.resize(self.picture, None, fx=fine_scale, fy=fine_scale, interpolation=way)
        h, w = (-(-length // (FINE * STRIDE_PX)) * STRIDE_PX for length in scaled.shape[:2])
        fine = np.zeros((FINE * h, FINE * w, 3), np.uint8)
        fine[: scaled.shape[0], : scaled.shape[1]] = scaled
        image = np.asarray(cv2.resize(fine, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
        return FromAbove(image, fine, self, np.zeros(2), scale)

    def short_sides(self) -> list[float]:
        """From a sixteenth of the picture's shorter side up to half of it, as far as a view of it stays small."""
        h, w = self.picture.shape[:2]
        return _short_sides(min(h, w), h * w)

    def tilted(self) -> list[View]:
        """The table as cameras see it that look down less and less steeply."""
        return [_aslant(self.picture, tilt) for tilt in _TILTS]

    def unit_to_px(self, points: Points) -> Points:
        """The same points: (n, 2) px."""
        return points

    def px_to_unit(self, points_px: Points) -> Points:
        """The same points: (n, 2) px."""
        return points_px


class AslantView(TableView):
    """A picture of a table of unknown scale, seen at some tilt: the unit is a px in the middle of the picture."""

    @property
    def is_surveyed(self) -> bool:
        """False: the tilt is guessed."""
        return False

    def short_sides(self) -> list[float]:
        """Every second size of those that a picture from above is searched for."""
        low, high = self.area_mm
        return _short_sides(min(self.picture.shape[:2]), float(np.prod(high - low)))[::2]


def _aslant(picture: Image, tilt: float) -> AslantView:
    """The view of a camera with a usual lens that is turned up by `tilt` rad from straight down."""
    h, w = picture.shape[:2]
    focal = _FOCAL * max(h, w)
    camera = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
    plane = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, -np.sin(tilt), focal]])
    table = Table(camera, np.zeros(5), camera @ plane, (w, h), 0.0)
    return AslantView(picture, table, area_in_sight(table))


def _short_sides(shorter: float, area: float) -> list[float]:
    sides = [0.06 * 1.18**k * shorter for k in range(14)]
    return [side for side in sides if area * (SHORT_PX / side) ** 2 < _MOST_VIEW_PX] or sides[-1:]
