"""Views from above: a part of a table, or a whole picture, at the network's scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.scale import FINE, SHORT_PX, STRIDE_PX
from vision.table import Table

Image = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True)
class ViewParams:
    """Parameters of views from above."""

    sharper: float = 1.15  # picture px a view px, up to which the picture is sampled as it is
    flattest: float = 0.2  # of the scale in the middle: a table seen flatter than that is left out
    nodes: int = 16  # px of a fine view between places whose px of the picture are calculated
    most_px: int = 520 * 520  # of a view of a whole picture
    tilts: tuple[float, float] = (
        float(np.radians(20)),
        float(np.radians(45)),
    )  # the network finds cards within some 15 degrees
    focal: float = 0.85  # by the picture's longer side: phones and Pi cameras
    beyond_mm: float = 170.0  # from points such as corners of marker cards
    # from the middle of the picture, where the picture's rim is beyond the horizon
    far_mm: tuple[float, float] = (600.0, 400.0)


VIEW = ViewParams()


@dataclass(frozen=True, eq=False)
class FromAbove:
    """A view `image` (h, w, 3) BGR at the card network's scale, `fine` at FINE times that, and the way back."""

    image: Image
    fine: Image
    table: Table
    low: Points
    per_unit: float

    def to_picture(self, points: Points) -> Points:
        """(n, 2) px of this view to px of the picture."""
        return self.table.to_px(points / self.per_unit + self.low)

    def from_picture(self, points_px: Points) -> Points:
        """(n, 2) px of the picture to px of this view."""
        return (self.table.to_mm(points_px) - self.low) * self.per_unit


@dataclass(frozen=True, eq=False)
class TableView:
    """A picture (h, w, 3) BGR of a table; `area` (2, 2) is the part to see: low and high (x, y).

    Its unit is the mm, or a px of the picture where the scale is not known.
    """

    picture: Image
    table: Table
    area: Points
    _smaller: dict[float, Image] = field(default_factory=dict)
    _last: dict[float, FromAbove] = field(default_factory=dict)

    def from_above(self, short_side: float) -> FromAbove:
        """The table seen from above, at the scale at which `short_side` units are SHORT_PX; the last one is kept."""
        if short_side not in self._last:
            self._last.clear()
            self._last[short_side] = self._from_above(short_side)
        return self._last[short_side]

    def _from_above(self, short_side: float) -> FromAbove:
        low, high = self.area
        scale = SHORT_PX / short_side
        w, h = (max(2, int(np.ceil(length * scale / STRIDE_PX))) * STRIDE_PX for length in high - low)
        shrink, maps = _maps(self.table, (float(low[0]), float(low[1])), scale, (w, h))
        picture = self._shrunk(shrink) if shrink < 1 else self.picture
        fine = np.asarray(cv2.remap(picture, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.uint8)
        image = np.asarray(cv2.resize(fine, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
        return FromAbove(image, fine, self.table, low, scale)

    def _shrunk(self, by: float) -> Image:
        """The picture in a smaller size, kept: views of near sizes need the same one."""
        if by not in self._smaller:
            small = cv2.resize(self.picture, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
            self._smaller[by] = np.asarray(small, np.uint8)
        return self._smaller[by]

    def short_sides(self) -> list[float]:
        """Short sides, in units, that cards of an unknown deck may have, in steps of a sixth."""
        return [40.0, 46.0, 53.0, 61.0, 70.0]

    def tilted(self) -> list[TableView]:
        """Views at other tilts of the table, where its tilt is unknown."""
        return []


@lru_cache(maxsize=4)
def _maps(
    table: Table, low: tuple[float, float], scale: float, size: tuple[int, int]
) -> tuple[float, tuple[NDArray[np.int16], NDArray[np.uint16]]]:
    """By how much to shrink the picture first, and where each px of the fine view is; kept while a camera stays."""
    w, h = (FINE * length for length in size)
    scale *= FINE
    # Every 16th px is exact; between them the plane's perspective is as good as straight.
    columns, rows = (np.arange(-1, -(-length // VIEW.nodes) + 1) * VIEW.nodes + VIEW.nodes / 2 for length in (w, h))
    x, y = np.meshgrid(columns / scale + low[0], rows / scale + low[1])
    nodes = table.to_px(np.stack([x.ravel(), y.ravel()], -1)).reshape(*x.shape, 2)
    middle = np.array([[table.size_px[0] / 2, table.size_px[1] / 2]])
    # By whole numbers: OpenCV averages those ten times as fast.
    shrink = 1 / max(1, int(float(table.px_per_mm(middle)[0]) / scale / VIEW.sharper))
    nodes = ((nodes + 0.5) * shrink - 0.5).astype(np.float32)
    places = cv2.resize(nodes, None, fx=VIEW.nodes, fy=VIEW.nodes, interpolation=cv2.INTER_LINEAR)[
        VIEW.nodes : VIEW.nodes + h, VIEW.nodes : VIEW.nodes + w
    ]
    fixed, rest = cv2.convertMaps(places[..., 0], places[..., 1], cv2.CV_16SC2)
    return shrink, (np.asarray(fixed, np.int16), np.asarray(rest, np.uint16))


def area_in_sight(table: Table, near_px: Points | None = None) -> Points:
    """(2, 2) low and high corner, in mm, of what a picture shows; it ends not far from points `near_px` (n, 2)."""
    w, h = table.size_px
    along = np.linspace(0, 1, 24)
    zero, one = np.zeros(24), np.ones(24)
    rim = np.concatenate([np.c_[along, zero], np.c_[along, one], np.c_[zero, along], np.c_[one, along]]) * (w, h)
    middle = np.array([[w / 2, h / 2]])
    rim_mm, middle_mm = table.to_mm(rim), table.to_mm(middle)[0]
    flat = table.px_per_mm(rim) < VIEW.flattest * table.px_per_mm(middle)[0]
    beyond = np.abs(table.to_px(rim_mm) - rim).max(1) > 2  # above the horizon, or where the lens model folds
    low, high = rim_mm.min(0), rim_mm.max(0)
    if flat.any() or beyond.any():
        low, high = middle_mm - VIEW.far_mm, middle_mm + VIEW.far_mm
    if near_px is not None and len(near_px):
        near = table.to_mm(near_px)
        low, high = np.maximum(low, near.min(0) - VIEW.beyond_mm), np.minimum(high, near.max(0) + VIEW.beyond_mm)
    return np.stack([low, high])


class FlatView(TableView):
    """A picture (h, w, 3) BGR of a plane of unknown scale: the unit is a px in the middle of the picture.

    The camera has a usual lens and is turned up by `tilt` rad from straight down.
    """

    def __init__(self, picture: Image, tilt: float = 0.0, smaller: dict[float, Image] | None = None) -> None:
        h, w = picture.shape[:2]
        focal = VIEW.focal * max(h, w)
        camera = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
        plane = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, -np.sin(tilt), focal]])
        table = Table(camera, np.zeros(5), camera @ plane, (w, h), 0.0)
        super().__init__(picture, table, area_in_sight(table), {} if smaller is None else smaller)

    def short_sides(self) -> list[float]:
        """From a sixteenth of the picture's shorter side up to half of it, as far as a view of it stays small."""
        area, shorter = float(np.prod(self.area[1] - self.area[0])), min(self.picture.shape[:2])
        sides = [0.06 * 1.18**k * shorter for k in range(14)]
        return [side for side in sides if area * (SHORT_PX / side) ** 2 < VIEW.most_px] or sides[-1:]

    def tilted(self) -> list[TableView]:
        """The table as cameras see it that look down less and less steeply."""
        return [FlatView(self.picture, tilt, self._smaller) for tilt in VIEW.tilts]
