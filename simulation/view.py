"""Poses of things on a simulated table, and their projection by a pinhole camera.

Table coordinates are mm from the top-left corner of the camera's area, x to the right, y down. Heights are mm above the
table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.arrays import Points

Place = tuple[float, float, float]
"""(x mm, y mm, angle): a piece's middle, and its turn clockwise in degrees."""


@dataclass(frozen=True)
class Look:
    """Parameters of the picture.

    `table`: the surface, see `simulation.drawing`; `tilt_deg`: the camera's angle from straight down; `blur_px`: a
    Gaussian's sigma; `noise`: a standard deviation in grey levels; `gradient`: light lost from the brightest to the
    darkest corner; `jpeg_quality`: None for no compression; `tint`: the light's colour (blue, green, red), 1 is white
    and full.
    """

    table: str = "wood"
    tilt_deg: float = 12.0
    roll_deg: float = 2.0
    blur_px: float = 0.6
    noise: float = 2.0
    gradient: float = 0.25
    jpeg_quality: int | None = None
    tint: tuple[float, float, float] = (0.94, 0.98, 1.0)


@dataclass(frozen=True, eq=False)
class View:
    """A camera over a table: `projection` (3, 4) maps (x, y, height, 1) in mm to pixels."""

    projection: Points
    size: tuple[int, int]

    @property
    def homography(self) -> Points:
        """(3, 3), from mm on the table to pixels."""
        return np.asarray(self.projection[:, [0, 1, 3]])

    def to_px(self, points_mm: Points, height_mm: float = 0.0) -> Points:
        """Return points (n, 2) in mm, all of one height, as pixels (n, 2)."""
        return self.project(np.column_stack([points_mm, np.full(len(points_mm), height_mm)]))

    def project(self, points_mm: Points) -> Points:
        """Return points (n, 3), x, y and height in mm, as pixels (n, 2)."""
        lifted = np.column_stack([points_mm, np.ones(len(points_mm))]) @ self.projection.T
        return np.asarray(lifted[:, :2] / lifted[:, 2:])

    def px_per_mm(self, x_mm: float, y_mm: float) -> float:
        """Return the pixels per mm along x at a place on the table."""
        ends = self.to_px(np.array([[x_mm - 5, y_mm], [x_mm + 5, y_mm]]))
        return float(np.linalg.norm(ends[1] - ends[0]) / 10)


def view_of(area_mm: tuple[float, float], size: tuple[int, int], look: Look) -> View:
    """Return a camera 1.2 widths above the middle of an area (width, height in mm); `size`: of its pictures, px."""
    tilt, roll = math.radians(look.tilt_deg), math.radians(look.roll_deg)
    about_x = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    about_z = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
    turn = about_z @ about_x
    distance = 1.2 * area_mm[0]
    # The camera looks along its z axis, down; heights count upwards.
    pose = np.column_stack([turn[:, 0], turn[:, 1], -turn[:, 2], [0, 0, distance]])
    # The view is a little narrower than the area at the middle, which keeps the far corners inside.
    focal = 0.93 * size[0] * distance / area_mm[0]
    lens = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])
    middle = np.eye(4)
    middle[:2, 3] = -area_mm[0] / 2, -area_mm[1] / 2
    projection = lens @ pose @ middle
    return View(np.asarray(projection / projection[2, 3], dtype=np.float64), size)


def corners_mm(card_mm: tuple[float, float], place: Place) -> Points:
    """Return the corners TL TR BR BL of a piece with its middle at the place, turned clockwise."""
    angle = math.radians(place[2])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    corners = np.array([[0, 0], [card_mm[0], 0], card_mm, [0, card_mm[1]]]) - np.array(card_mm) / 2
    return np.asarray(corners @ turn.T + place[:2])
