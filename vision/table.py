"""The table plane in a camera's view: from places in mm to picture points and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np

from vision.arrays import Points


@dataclass(frozen=True, eq=False)
class Table:
    """A pinhole camera over a plane.

    `camera` (3, 3) and `distortion` (5,) follow OpenCV; `homography` (3, 3) leads from the table in mm (x right, y
    down as the camera sees it) to undistorted px; `scale_error` is the standard deviation of the relative scale at
    the picture's corners, as far as the fit shows it.
    """

    camera: Points
    distortion: Points
    homography: Points
    size_px: tuple[int, int]
    scale_error: float

    def to_mm(self, points_px: Points) -> Points:
        """(..., 2) picture points to (..., 2) points on the table in mm."""
        points = np.asarray(points_px, np.float64)
        if not points.size:
            return points
        undistorted = cv2.undistortPoints(points.reshape(-1, 1, 2), self.camera, self.distortion, P=self.camera)
        return np.asarray(cv2.perspectiveTransform(undistorted, self._to_table), np.float64).reshape(points.shape)

    def centre_mm(self, corners_px: Points) -> tuple[float, float]:
        """Return the middle on the table, mm, of a quad or polygon with corners (n, 2) in px."""
        x, y = self.to_mm(corners_px).mean(axis=0).tolist()
        return x, y

    @cached_property
    def _to_table(self) -> Points:
        """Return the homography (3, 3) from undistorted px to the table."""
        return np.asarray(np.linalg.inv(self.homography), np.float64)

    def to_px(self, points_mm: Points) -> Points:
        """(..., 2) points on the table in mm to (..., 2) picture points."""
        points = np.asarray(points_mm, np.float64)
        if not points.size:
            return points
        x, y = np.moveaxis(points, -1, 0)
        # OpenCV's own projection of the same model takes ten times as long for tens of thousands of points.
        u, v, depth = (row[0] * x + row[1] * y + row[2] for row in self._to_rays)
        u, v = u / depth, v / depth
        k1, k2, p1, p2, k3 = self.distortion.tolist()
        r2 = u * u + v * v
        bend = 1 + r2 * (k1 + r2 * (k2 + r2 * k3) if k2 or k3 else k1)
        du, dv = bend * u, bend * v
        if p1 or p2:
            du, dv = du + 2 * p1 * u * v + p2 * (r2 + 2 * u * u), dv + 2 * p2 * u * v + p1 * (r2 + 2 * v * v)
        points_px = np.empty(points.shape)
        points_px[..., 0] = du * self.camera[0, 0] + self.camera[0, 2]
        points_px[..., 1] = dv * self.camera[1, 1] + self.camera[1, 2]
        return points_px

    @cached_property
    def _to_rays(self) -> list[list[float]]:
        """Return the matrix (3, 3) from the table to the camera's rays, before lens distortion."""
        camera = np.diag([*np.diag(self.camera)[:2], 1.0])
        camera[:2, 2] = self.camera[:2, 2]
        rays: list[list[float]] = np.linalg.solve(camera, self.homography).tolist()
        return rays

    def px_per_mm(self, points_px: Points) -> Points:
        """Return the local scale (n,) at picture points (n, 2): the root of the area ratio."""
        step = 2.0
        points = np.asarray(points_px, np.float64)
        around = np.concatenate([points, points + (step, 0), points + (0, step)])
        origin, right, down = np.split(self.to_mm(around), 3)
        (ax, ay), (bx, by) = (right - origin).T, (down - origin).T
        return np.asarray(step / np.sqrt(np.maximum(np.abs(ax * by - ay * bx), 1e-12)))

    def moved(self, origin_mm: Points) -> Table:
        """Return the same table with its origin at `origin_mm`."""
        shift = np.array([[1.0, 0.0, origin_mm[0]], [0.0, 1.0, origin_mm[1]], [0.0, 0.0, 1.0]])
        return replace(self, homography=self.homography @ shift)

    def stretched(self, factor: float) -> Table:
        """Return the same table with its lengths divided by `factor`."""
        return replace(self, homography=self.homography @ np.diag([factor, factor, 1.0]))


def turned(points: Points, turn: Points) -> Points:
    """Return points (n, 2), each turned by its own angle (n,) in rad, clockwise as seen with y down."""
    cos, sin = np.cos(turn), np.sin(turn)
    return np.stack([cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]], axis=1)
