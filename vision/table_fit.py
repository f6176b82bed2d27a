"""Fits the table plane to flat things of known size: marker cards, or the marks of playing cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Points
from vision.errors import BadTableError
from vision.table import Table, turned

_FOCAL_PRIOR = 0.85  # focal length over picture width: phones and Pi cameras lie between 0.6 and 1.2
_PRIOR_SIGMA = (0.25, 0.08, 0.6, 0.6, 10.0)  # log focal, k1, two tilts (rad), log height
# For a picture that may be cropped or straightened: offset of the optical axis from its middle, right and down, in
# picture widths, and the logarithm of a pixel's aspect.
_CUT_PRIOR_SIGMA = (*_PRIOR_SIGMA, 0.25, 0.25, 0.25)
_CORNER_SIGMA_PX = 0.35
_ENOUGH = 3  # pieces that leave one solution only
_TILTS = ((0.0, 0.0), (0.35, 0.0), (-0.35, 0.0), (0.0, 0.35), (0.0, -0.35))
_LEAST_TILT = 1e-4  # share of the picture over which pieces must spread to measure a tilt
_THIN_MM2 = 1.0
_EDGE_ON = 0.05  # of a ray's direction along the table's normal
_ROUGH_DAMPING, _NEAR_DAMPING = 1e-3, 1e-5  # of the first step from a start
_ENOUGH_GAIN = 0.3  # of chi squared: a smaller gain is noise
_NOISE = 1.0  # times sigma: a fit below this explains the picture
_CUT_GAIN = 8.0  # of chi squared: gain of a cropped picture over a whole one, at 95 %
_ROW = 0.2  # as broad as long


@dataclass(frozen=True, eq=False)
class FlatShape:
    """A flat thing of known size on the table: `shape_mm` (k, 2) points, seen at `points_px` (k, 2)."""

    shape_mm: Points
    points_px: Points
    sigma_px: float = _CORNER_SIGMA_PX


class _PlaneModel:
    """Projects pieces for a batch of parameter vectors.

    A vector holds the shared parameters: log focal/width, k1, two tilts, log height, and, for a picture that may be
    `cut`, the three of `_CUT_PRIOR_SIGMA`. Then follow (x, y, turn) of every piece; lengths in mm. The frame's origin
    is where the optical axis meets the table, without roll against the camera.
    """

    def __init__(self, pieces: Sequence[FlatShape], size_px: tuple[int, int], cut: bool = False) -> None:
        self.pieces, self.cut = pieces, cut
        self.prior_sigma = np.array(_CUT_PRIOR_SIGMA if cut else _PRIOR_SIGMA)
        self.prior = np.zeros(len(self.prior_sigma))
        self.prior[[0, 4]] = np.log(_FOCAL_PRIOR), np.log(900.0)
        self.width, self.height = size_px
        self.centre = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        self.index = np.concatenate([np.full(len(p.shape_mm), i) for i, p in enumerate(pieces)])
        self.shape = np.concatenate([p.shape_mm for p in pieces])
        self.seen = np.concatenate([p.points_px for p in pieces])
        self.sigma = np.array([p.sigma_px for p in pieces])[self.index]

    def start(self, tilts: tuple[float, float] = (0.0, 0.0)) -> Points:
        """Return parameters of a camera at about the right height, turned by two tilts (rad) from straight down."""
        px_per_mm = float(np.median([_diameter(p.points_px) / _diameter(p.shape_mm) for p in self.pieces]))
        height = np.log(_FOCAL_PRIOR * self.width / px_per_mm)
        return np.append([np.log(_FOCAL_PRIOR), 0.0, *tilts, height], self._laid((self.seen - self.centre) / px_per_mm))

    def start_by_areas(self) -> Points | None:
        """Return parameters of the camera by the areas of three or more pieces, or None.

        None: the view is too steep, or the pieces too thin. A piece's area is proportional to the cube of 1 / depth,
        and 1 / depth of a plane is linear in the picture.
        """
        focal = _FOCAL_PRIOR * self.width
        rays = np.append((self.seen - self.centre) / focal, np.ones((len(self.seen), 1)), axis=1)
        middles = np.array([ray.mean(0) for ray in self._by_piece(rays)])
        printed = np.array([_extent(p.shape_mm) for p in self.pieces])
        if printed.max() < _THIN_MM2:
            return None
        scale = np.cbrt([_extent(p.points_px) for p in self.pieces] / np.maximum(printed, _THIN_MM2))
        # Thin pieces have small areas and little weight; pieces in a row leave the tilt open.
        design = middles * (printed / printed.max())[:, None]
        against_tilt = _LEAST_TILT * np.diag([1, 1, 0])
        plane = np.linalg.solve(design.T @ middles + against_tilt, design.T @ scale)
        normal = plane / np.linalg.norm(plane)
        if not (normal[2] > _EDGE_ON and (rays @ normal > _EDGE_ON).all()):
            return None
        tilts = np.arctan2(-normal[1], normal[2]), np.arcsin(normal[0])
        height = focal / np.linalg.norm(plane) ** 1.5 / normal[2]
        vector = np.array([np.log(_FOCAL_PRIOR), 0.0, *tilts, np.log(height)])
        rotation = self.rotation(vector[None])[0]
        # Rays of the points meet the plane here.
        on_plane = (rays * (height * normal[2] / (rays @ normal))[:, None] - (0, 0, height)) @ rotation[:, :2]
        return np.append(vector, self._laid(on_plane))

    def started_whole(self, vector: Points) -> Points:
        """Return parameters of a picture that may be cropped, from those of a whole one."""
        return np.insert(vector, [len(_PRIOR_SIGMA)] * (len(self.prior) - len(_PRIOR_SIGMA)), 0.0)

    def _laid(self, points_mm: Points) -> Points:
        """Return x, y and turn of each piece (3·p,) with its points (n, 2) on the table."""
        places = []
        for piece, seen in zip(self.pieces, self._by_piece(points_mm), strict=True):
            model = piece.shape_mm - piece.shape_mm.mean(0)
            turn = np.angle(np.vdot(model @ [1, 1j], (seen - seen.mean(0)) @ [1, 1j]))
            offset = turned(piece.shape_mm.mean(0)[None], np.array([turn]))[0]
            places += [*(seen.mean(0) - offset), turn]
        return np.array(places)

    def in_a_row(self) -> bool:
        """Return whether the pieces are so close to a line that their areas hardly show the tilt across it."""
        middles = np.array([points.mean(0) for points in self._by_piece(self.seen)])
        spread = np.linalg.svd(middles - middles.mean(0), compute_uv=False)
        return bool(spread[-1] < _ROW * spread[0])

    def _by_piece(self, points: Points) -> list[Points]:
        """Return the points (n, k) of all pieces, piece by piece."""
        return np.split(points, np.flatnonzero(np.diff(self.index)) + 1)

    def rotation(self, vectors: Points) -> Points:
        """Return the rotation (b, 3, 3) from the table's frame to the camera's."""
        ca, sa, cb, sb = np.cos(vectors[:, 2]), np.sin(vectors[:, 2]), np.cos(vectors[:, 3]), np.sin(vectors[:, 3])
        rotation = np.empty((3, 3, len(vectors)))
        rotation[0] = cb, np.zeros_like(ca), sb
        rotation[1] = sa * sb, ca, -sa * cb
        rotation[2] = -ca * sb, sa, ca * cb
        return rotation.transpose(2, 0, 1)

    def residuals(self, vectors: Points) -> Points:
        """Return residuals (b, 2n + k): reprojection errors over their sigma, then the distances from the k priors."""
        shared = len(self.prior)
        poses = vectors[:, shared:].reshape(len(vectors), -1, 3)[:, self.index]
        cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
        x = poses[..., 0] + cos * self.shape[:, 0] - sin * self.shape[:, 1]
        y = poses[..., 1] + sin * self.shape[:, 0] + cos * self.shape[:, 1]
        rotation = self.rotation(vectors)
        right, down, away = (x * rotation[:, i, :1] + y * rotation[:, i, 1:2] for i in range(3))
        depth = np.maximum(away + np.exp(vectors[:, 4:5]), 1.0)
        u, v = right / depth, down / depth
        bent = self.width * np.exp(vectors[:, :1]) * (1 + vectors[:, 1:2] * (u * u + v * v))
        errors = np.empty((*x.shape, 2))
        errors[..., 0], errors[..., 1] = bent * u, bent * v
        if self.cut:
            errors[..., 1] *= np.exp(vectors[:, 7:8])
            errors += self.width * vectors[:, None, 5:7]
        errors += self.centre - self.seen
        prior = (vectors[:, :shared] - self.prior) / self.prior_sigma
        return np.concatenate([(errors / self.sigma[:, None]).reshape(len(vectors), -1), prior], axis=1)


def _extent(points: Points) -> float:
    """Return the spread of points (n, 2) as an area, which any affine map scales like areas."""
    x, y = (points - points.mean(0)).T
    return float(np.sqrt(max((x @ x) * (y @ y) - (x @ y) ** 2, 0.0)))


def _diameter(points: Points) -> float:
    return float(np.linalg.norm(points[:, None] - points[None], axis=2).max())


def _jacobian(model: _PlaneModel, vector: Points) -> tuple[Points, Points]:
    steps = np.full(len(vector), 1e-4)
    batch = np.concatenate([vector[None], vector + np.diag(steps)])
    values = model.residuals(batch)
    return values[0], ((values[1:] - values[0]) / steps[:, None]).T


def _levenberg_marquardt(model: _PlaneModel, vector: Points, damping: float, rounds: int = 40) -> Points:
    errors, slope = _jacobian(model, vector)
    for _ in range(rounds):
        normal = slope.T @ slope
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -slope.T @ errors)
        trial = model.residuals((vector + step)[None])[0]
        if trial @ trial < errors @ errors:
            vector, damping = vector + step, damping / 10
            if errors @ errors - trial @ trial < _ENOUGH_GAIN:
                break
            errors, slope = _jacobian(model, vector)
        else:
            damping *= 6
            if damping > 1e8:
                break
    return vector


def fit_table(pieces: Sequence[FlatShape], size_px: tuple[int, int]) -> tuple[Table, Points]:
    """Return the camera over the table by pieces of known size at unknown places (bundle adjustment on one plane).

    Returns the table, its origin where the optical axis meets it, and (n, 3) x, y, turn of every piece in its frame.

    Raises:
        BadTableError: no piece, or pieces that no flat table could show.
    """
    if not pieces:
        raise BadTableError("error.table.nothing_of_known_size_lies", "nothing of a known size lies on the table")
    model, vector = _fitted(pieces, size_px)
    errors, slope = _jacobian(model, vector)
    worst = _root_mean_square(model, errors)
    if not np.isfinite(worst) or worst > 25:
        raise BadTableError(
            "error.marker_cards_in_this_picture", "the marker cards in this picture do not lie on one flat table"
        )
    covariance = np.linalg.inv(slope.T @ slope + 1e-9 * np.eye(len(vector))) * max(worst, 1.0) ** 2
    error = _scale_error(model, vector, np.asarray(covariance, np.float64))
    return replace(_table_of(model, vector), scale_error=error), vector[len(model.prior) :].reshape(-1, 3)


def misfit(pieces: Sequence[FlatShape], size_px: tuple[int, int]) -> tuple[float, Table]:
    """Return the misfit of pieces to one flat table, as the root mean square of errors over sigma, and the table."""
    model, vector = _fitted(pieces, size_px)
    return _root_mean_square(model, model.residuals(vector[None])[0]), _table_of(model, vector)


def _fitted(pieces: Sequence[FlatShape], size_px: tuple[int, int]) -> tuple[_PlaneModel, Points]:
    """Return the fit of a whole picture, or of a cropped one if only that explains it."""
    model = _PlaneModel(pieces, size_px)
    whole = _fitted_whole(model)
    unexplained = _chi_squared(model, whole)
    if len(pieces) < _ENOUGH or unexplained < _CUT_GAIN:
        return model, whole
    cut = _PlaneModel(pieces, size_px, cut=True)
    # A fit that does not explain the picture may be at a far local minimum.
    starts = (start for start in (whole, model.start_by_areas(), model.start()) if start is not None)
    ends = [_levenberg_marquardt(cut, cut.started_whole(start), _ROUGH_DAMPING) for start in starts]
    end = min(ends, key=lambda end: _chi_squared(cut, end))
    # A whole picture's fit in a local minimum may converge from the other's result.
    extra = slice(len(model.prior), len(cut.prior))
    again = _levenberg_marquardt(model, np.delete(end, extra), _ROUGH_DAMPING)
    whole = min(whole, again, key=lambda vector: _chi_squared(model, vector))
    unexplained = _chi_squared(model, whole)
    return (model, whole) if unexplained - _chi_squared(cut, end) < _CUT_GAIN else (cut, end)


def _chi_squared(model: _PlaneModel, vector: Points) -> float:
    return float((model.residuals(vector[None]) ** 2).sum())


def _fitted_whole(model: _PlaneModel) -> Points:
    """Return the best fit over all starts."""
    pieces = model.pieces
    near = model.start_by_areas() if len(pieces) >= _ENOUGH else None
    ends = [] if near is None else [_levenberg_marquardt(model, near, _NEAR_DAMPING)]
    if ends and not (model.in_a_row() and _root_mean_square(model, model.residuals(ends[0][None])[0]) > _NOISE):
        return ends[0]
    # The perspective of one square has two solutions, and descent may end in the worse one; so it may for pieces in a
    # row, which leave the tilt across it open.
    starts = _TILTS if len(pieces) < _ENOUGH or ends else _TILTS[:1]
    ends += [_levenberg_marquardt(model, model.start(tilts), _ROUGH_DAMPING) for tilts in starts]
    return min(ends, key=lambda end: _chi_squared(model, end))


def _root_mean_square(model: _PlaneModel, residuals: Points) -> float:
    """Return the root mean square of the reprojection errors; the last residuals belong to priors."""
    return float(np.sqrt((residuals[: -len(model.prior)] ** 2).mean()))


def _table_of(model: _PlaneModel, vector: Points) -> Table:
    """Return the table of a parameter vector, with an unknown scale error (0)."""
    focal = model.width * np.exp(vector[0])
    camera = np.array([[focal, 0, model.centre[0]], [0, focal, model.centre[1]], [0, 0, 1.0]])
    if model.cut:
        camera[:2, 2] += model.width * vector[5:7]
        camera[1, 1] *= np.exp(vector[7])
    rotation = model.rotation(vector[None])[0]
    pose = np.stack([rotation[:, 0], rotation[:, 1], [0, 0, np.exp(vector[4])]], axis=1)
    homography = camera @ pose
    distortion = np.array([vector[1], 0, 0, 0, 0])
    return Table(camera, distortion, homography / homography[2, 2], (model.width, model.height), 0.0)


def _scale_error(model: _PlaneModel, vector: Points, covariance: Points) -> float:
    """Return the scale's standard deviation at the corners of the picture's middle half, by the fit's covariance."""
    corners = model.centre * np.array([[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5]])
    before = np.log(_table_of(model, vector).px_per_mm(corners))
    slopes = []
    for k in range(len(model.prior)):
        moved = vector.copy()
        moved[k] += 1e-4
        slopes.append((np.log(_table_of(model, moved).px_per_mm(corners)) - before) / 1e-4)
    slope = np.array(slopes).T
    shared = covariance[: len(model.prior), : len(model.prior)]
    return float(np.sqrt(np.max(np.diag(slope @ shared @ slope.T))))
