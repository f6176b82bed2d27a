"""The table as a plane on which all cards of a picture have one size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.effort import spend

FOCAL_SHARE = 0.85  # focal length by the picture's longer side: phones, webcams and the Pi's cameras lie near it
TILT_PRIOR = 0.5  # radians
_FOCAL_PRIOR = 0.15  # of the logarithm of the focal length
_PRIOR, _LEAST_SHARE = 0.01, 1e-3  # how much these count beside a card that agrees, and if hardly any does
_NEAR = 0.5  # quadrilaterals farther off than that have no say in the fit
WIDE = (0.1, 0.08, 0.06, 0.04, 0.03, 0.03)
NARROW = (0.025, 0.02, 0.015, 0.015)  # sides on a frame and sides on the edge must not mix


@dataclass(frozen=True, eq=False)
class CardPlane:
    """The table as seen.

    `homography` (3, 3) leads from the picture to a plane where all cards are rectangles of `size` (shorter, longer
    side), in pixels as at the middle of the picture.
    """

    homography: Floats
    size: tuple[float, float]
    parameters: Floats
    size_wh: tuple[int, int]

    def refitted(
        self, quads: NDArray[np.floating], weight: NDArray[np.floating], spreads: tuple[float, ...] = NARROW
    ) -> CardPlane:
        """The plane and size on which the cards found, (n, 4, 2) with weights (n,), agree best (see `refined`)."""
        outlines, weights = np.asarray(quads, np.float64), np.asarray(weight, np.float64)
        return plane_of(refined(outlines, weights, self.size_wh, self.parameters, spreads), self.size_wh)

    def resized(self, short: float, long: float) -> CardPlane:
        """The same plane for cards of another size."""
        parameters = np.concatenate([self.parameters[:2], np.log([short, long]), self.parameters[4:]])
        return CardPlane(self.homography, (short, long), parameters, self.size_wh)

    def to_plane(self, points: NDArray[np.floating]) -> Floats:
        """Picture points (..., 2) in the plane."""
        return apply_homography(self.homography, np.asarray(points, np.float64))

    def to_picture(self, points: NDArray[np.floating]) -> Floats:
        """Plane points (..., 2) in the picture."""
        return apply_homography(np.asarray(np.linalg.inv(self.homography)), np.asarray(points, np.float64))

    def deviation(self, quads: NDArray[np.floating]) -> Floats:
        """How far each quadrilateral (n, 4, 2) is from a card: the largest relative error of a side or an angle."""
        shape, _ = shape_of(self.to_plane(quads))
        log_size = np.log(np.asarray(self.size))
        side_error = np.abs(shape[:, :4] - log_size[[0, 0, 1, 1]])
        return np.asarray(np.concatenate([side_error, np.abs(shape[:, 4:])], axis=1).max(axis=1))


def apply_homography(homography: Floats, points: Floats) -> Floats:
    """Map points (..., 2) by a (3, 3) homography."""
    homogeneous = points @ homography[:, :2].T + homography[:, 2]
    return np.asarray(homogeneous[..., :2] / homogeneous[..., 2:])


def rectifier(tilt: Floats, size_wh: tuple[int, int], log_focal: float = 0.0) -> Floats:
    """Homography that looks straight down on a table tilted by (rx, ry, 0) radians, with scale 1 at the middle.

    `log_focal` is the logarithm of the focal length by its usual one.
    """
    focal = FOCAL_SHARE * max(size_wh) * float(np.exp(log_focal))
    x, y = (side / 2 for side in size_wh)
    to_ray = np.array([[1, 0, -x], [0, 1, -y], [0, 0, focal]]) / focal
    angle = float(np.hypot(*tilt))
    axis = np.array([tilt[0], tilt[1], 0.0]) / max(angle, 1e-9)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    # Scale 1 at the middle needs the depth there, which the rotated ray gives.
    depth = rotation[2, 2]
    from_ray = np.array([[focal * depth, 0, 0], [0, focal * depth, 0], [0, 0, 1]])
    return np.asarray(from_ray @ rotation @ to_ray)


def shape_of(quads: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Logarithms of the two shorter and the two longer sides and four cosines of angles (n, 8); which begin short."""
    spend(40 + len(quads) / 5)
    side = np.roll(quads, -1, axis=1) - quads
    length = np.maximum(np.linalg.norm(side, axis=2), 1e-6)
    short_first = length[:, 0] + length[:, 2] <= length[:, 1] + length[:, 3]
    ordered = np.where(short_first[:, None], length[:, [0, 2, 1, 3]], length[:, [1, 3, 0, 2]])
    unit = side / length[..., None]
    cosine = (unit * np.roll(unit, -1, axis=1)).sum(axis=2)
    return np.concatenate([np.log(ordered), cosine], axis=1), short_first


def plane_of(x: Floats, size_wh: tuple[int, int]) -> CardPlane:
    """The plane with parameters x = (rx, ry, log short, log long, log focal) of a picture."""
    return CardPlane(rectifier(x[:2], size_wh, float(x[4])), (float(np.exp(x[2])), float(np.exp(x[3]))), x, size_wh)


def refined(quads: Floats, weight: Floats, size_wh: tuple[int, int], x: Floats, spreads: tuple[float, ...]) -> Floats:
    """Gauss-Newton on tilt, size and focal length, x = (rx, ry, log short, log long, log focal).

    Quadrilaterals that disagree by more than each step's spread hardly count.
    """

    def residuals(x: Floats) -> Floats:
        shape, _ = shape_of(apply_homography(rectifier(x[:2], size_wh, float(x[4])), quads))
        shape[:, :4] -= x[[2, 2, 3, 3]]
        return shape

    near = np.abs(residuals(x)).max(axis=1) < _NEAR
    quads, weight = quads[near], weight[near]
    for spread in spreads:
        r = residuals(x)
        jacobian = np.stack([(residuals(x + step) - r) / 1e-4 for step in np.eye(len(x)) * 1e-4], axis=-1)
        w = weight / (1 + (np.abs(r).max(axis=1) / spread) ** 2) ** 2
        normal = np.einsum("n,nki,nkj->ij", w, jacobian, jacobian)
        # One card alone hardly tells tilt from shape; the prior then keeps the table near level. Where all cards are
        # off by more than the spread, as on a steep table, it must not outweigh them.
        prior = _PRIOR * max(_LEAST_SHARE, float(w.sum()) / max(float(weight.sum()), 1e-9))
        stiff = prior / np.array([TILT_PRIOR, TILT_PRIOR, np.inf, np.inf, _FOCAL_PRIOR]) ** 2
        normal += np.diag(np.maximum(stiff, 1e-9))
        right = -np.einsum("n,nki,nk->i", w, jacobian, r)
        right -= stiff * x
        step = np.linalg.solve(normal, right)
        x = x + np.clip(step, -0.15, 0.15)
    return x
