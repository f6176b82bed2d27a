"""Settles poses with the crop network: cells of a crop vote for where the four sides of its card are."""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import FromAbove
from vision.find.edges import edges_beside, equations_of_lines
from vision.find.network import CropNetwork
from vision.find.scale import CARD_PX, CROP_CELL_PX, CROP_PX, FINE

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

_MIDDLE, _HALF = CROP_PX / 2, CARD_PX / 2
_CENTRES = np.asarray((np.arange(CROP_PX // CROP_CELL_PX) + 0.5) * CROP_CELL_PX - _MIDDLE, np.float64)
_ROUNDS = 3  # of weighing down votes that contradict the others
_TOGETHER = 400.0  # votes of neighbouring cells err together: so many count as one
# How far a side may be from the hypothesis: its shift in px, turn in rad, size in parts.
_FREE_SHIFT, _FREE_TURN, _FREE_SIZE, _FIXED_SIZE = 13.0, 0.25, 0.12, 0.006
_OWN_SHIFT, _OWN_SLOPE = 1.5, 0.03  # of a single side against its rectangle, in px and px a px
# Logistic regression on 1,700 hypotheses of 260 synthetic tables, 100 of them without cards.
_SCORE = (-0.97, 2.01, 1.04)
_SPREAD_PX = 8.0  # standard error of the centre at which a score is halved


@dataclass(frozen=True, eq=False)
class Settled:
    """Cards after a pass over crops, as parallel arrays of length n; px of the view.

    `poses` (n, 5): x, y, turn of the first side, width, height; `quads` (n, 4, 2): corners where each side follows its
    own votes; `in_sight` (n,): visible share, 0..1; `scores` (n,): probability of a card, fitted to synthetic tables;
    `edges` (n,): strength of the picture's edges along visible sides, 0..1, or 0 where none were searched for; `votes`
    (n,): mean probability of the card network's votes.
    """

    poses: Floats
    quads: Floats
    in_sight: Floats
    scores: Floats
    edges: Floats
    votes: Floats

    def __getitem__(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Settled:
        return Settled(*(getattr(self, field.name)[rows] for field in fields(self)))

    def __len__(self) -> int:
        return len(self.poses)


def crop_maps(poses: NDArray[np.floating]) -> Floats:
    """(n, 2, 3) affine maps from crops to the view, for poses (n, 5) x, y, turn of the first side, width, height."""
    x, y, turn, width, height = np.asarray(poses, np.float64).T
    cos, sin, wide, high = np.cos(turn), np.sin(turn), width / CARD_PX, height / CARD_PX
    linear = np.stack([np.stack([cos * wide, -sin * high], -1), np.stack([sin * wide, cos * high], -1)], 1)
    origin = np.stack([x, y], -1) - linear.sum(2) * _MIDDLE
    return np.concatenate([linear, origin[..., None]], 2)


def cut(image: Image, marks: Image, way: Floats) -> NDArray[np.float32]:
    """(CROP_PX, CROP_PX, 4), 0..1: BGR of a picture at FINE, and marks; `way` (2, 3) leads from crop to view."""
    crop = np.empty((CROP_PX, CROP_PX, 4), np.float32)
    for source, scale, to in ((image, FINE, crop[..., :3]), (marks, 1, crop[..., 3])):
        here = scale * way
        here[:, 2] += here[:, :2].sum(1) / 2 - 0.5  # px centres are at 0.5
        to[:] = cv2.warpAffine(source, here, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    crop[..., :3] /= 255
    return crop


def near(on: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows, columns) the largest value within 6 px: cells beside an edge vote, too: their errors cancel."""
    return np.asarray(cv2.dilate(on, np.ones((7, 7), np.uint8)), np.float32)


def corners_of(poses: Floats) -> Floats:
    """(n, 4, 2) corners of poses (n, 5), clockwise from the first side."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * poses[:, None, 3:] / 2
    cos, sin = np.cos(poses[:, 2])[:, None], np.sin(poses[:, 2])[:, None]
    x = poses[:, :1] + cos * half[..., 0] - sin * half[..., 1]
    y = poses[:, 1:2] + sin * half[..., 0] + cos * half[..., 1]
    return np.stack([x, y], -1)


def settled(
    network: CropNetwork, above: FromAbove, marks: Image, poses: Floats, votes: Floats, size_known: bool, on_edges: bool
) -> Settled:
    """Poses (n, 5) moved to where the crop network sees the sides of their cards; sizes stay if they are known.

    With `on_edges` sides then move to edges of the picture beside them, where there are any.
    """
    if not len(poses):
        return Settled(poses, np.zeros((0, 4, 2)), *[np.zeros(0)] * 4)
    maps = crop_maps(poses)
    cells = network.run(np.stack([cut(above.fine, marks, way) for way in maps])).astype(np.float64)
    on = 1 / (1 + np.exp(-cells[..., 0]))
    precision = np.exp(np.clip(cells[..., 3:5], -4, 2.5))
    weight = np.stack([near(one) for one in on.astype(np.float32)]).astype(np.float64)
    x = _Sides(cells[..., 1] * CARD_PX + _CENTRES, precision[..., 0], weight)
    y = _Sides((cells[..., 2] * CARD_PX + _CENTRES[:, None]).swapaxes(1, 2), precision[..., 1].swapaxes(1, 2),
               weight.swapaxes(1, 2))  # fmt: skip
    basis = _rectangles(poses[:, 4] / poses[:, 3])
    prior = np.array([_FREE_SHIFT, _FREE_SHIFT, _FREE_TURN, *[_FIXED_SIZE if size_known else _FREE_SIZE] * 2]) ** -2.0

    def fitted(normal: Floats, right: Floats) -> tuple[Floats, Floats, Floats]:
        """The inverse covariance and the change of the rectangles that fit best, and the lines of their sides."""
        curvature = np.einsum("nai,nab,nbj->nij", basis, normal, basis) + np.diag(prior)
        change = np.linalg.solve(curvature, np.einsum("nai,na->ni", basis, right)[..., None])[..., 0]
        return curvature, change, np.einsum("nai,ni->na", basis, change)

    lines = np.zeros((len(poses), 8))
    for _ in range(_ROUNDS):
        curvature, change, lines = fitted(*_normal_equations(x, y, lines))
    normal, right = _normal_equations(x, y, lines)
    edges = np.zeros(len(poses))
    if on_edges:
        more, also, edges = edges_beside(above.fine, maps, lines, on)
        normal, right = normal + more, right + also
        curvature, change, lines = fitted(normal, right)
    own_prior = np.array([_OWN_SHIFT, _OWN_SLOPE] * 4) ** -2.0
    own = (
        lines
        + np.linalg.solve(normal + np.diag(own_prior), (right - np.einsum("nab,nb->na", normal, lines))[..., None])[
            ..., 0
        ]
    )
    centre = np.einsum("nij,nj->ni", maps[..., :2], change[:, :2] + _MIDDLE) + maps[..., 2]
    growth = 1 + change[:, 3:]
    moved = np.c_[centre, poses[:, 2] + change[:, 2], poses[:, 3:] * growth]
    quads = np.einsum("nij,nkj->nki", maps[..., :2], _corners(own) + _MIDDLE) + maps[:, None, :, 2]
    voting = on.sum((1, 2))
    in_sight = np.minimum(1, voting * CROP_CELL_PX**2 / (CARD_PX**2 * growth.prod(1)))
    spread = np.sqrt(np.trace(np.linalg.inv(curvature)[:, :2, :2], axis1=1, axis2=2))
    agreement = (on**2).sum((1, 2)) / np.maximum(voting, 1) / (1 + (spread / _SPREAD_PX) ** 2)
    return Settled(moved, quads, in_sight, _probability(votes, agreement), edges, votes)


def _probability(votes: Floats, agreement: Floats) -> Floats:
    """(n,) probabilities that a card is there, from the card network's votes and the agreement of cells."""
    bias, of_votes, of_agreement = _SCORE
    odds = bias + sum(
        weight * np.log(share / (1 - share))
        for weight, share in ((of_votes, np.clip(votes, 1e-3, 0.999)), (of_agreement, np.clip(agreement, 1e-3, 0.999)))
    )
    return np.asarray(1 / (1 + np.exp(-odds)))


class _Sides:
    """Votes of cells for the nearer one of two opposite sides, their precision and weight, each (n, rows, places)."""

    def __init__(self, votes: Floats, precision: Floats, weight: Floats) -> None:
        self.votes, self.precision, self.weight = votes, precision, weight

    def by_row(self, lines: Floats) -> tuple[Floats, Floats]:
        """Weights (n, 2, rows) of votes for both sides, and offsets times weights, in each row.

        `lines` (n, 2, 2) are offset and slope so far, from which a vote's residual follows.
        """
        low = _CENTRES < 0
        weights, values = [], []
        for line, home, some in ((lines[:, 0], -_HALF, low), (lines[:, 1], _HALF, ~low)):
            votes = self.votes[:, :, some] - home
            residual = np.abs(votes - line[:, 0, None, None] - line[:, 1, None, None] * _CENTRES[None, :, None])
            precision = self.precision[:, :, some]
            # Laplace distribution: far votes count by their distance, not by its square.
            weight = self.weight[:, :, some] * precision / np.maximum(residual, 1 / precision) / _TOGETHER
            weights.append(weight.sum(2))
            values.append((weight * votes).sum(2))
        return np.stack(weights, 1), np.stack(values, 1)


def _normal_equations(x: _Sides, y: _Sides, lines: Floats) -> tuple[Floats, Floats]:
    """(n, 8, 8) and (n, 8) for offset and slope of the left, right, top and bottom side."""
    line = lines.reshape(-1, 4, 2)
    across, along = x.by_row(line[:, :2]), y.by_row(line[:, 2:])
    weight, value = (np.concatenate(both, 1) for both in zip(across, along, strict=True))
    return equations_of_lines(weight, value, _CENTRES)


def _rectangles(aspects: Floats) -> Floats:
    """(n, 8, 5) how the sides' lines follow from shift across and along, turn, growth across and along."""
    basis = np.zeros((len(aspects), 8, 5))
    basis[:, [0, 2], 0] = basis[:, [4, 6], 1] = 1
    basis[:, [1, 3], 2] = -aspects[:, None]
    basis[:, [5, 7], 2] = 1 / aspects[:, None]
    basis[:, [0, 2], 3] = basis[:, [4, 6], 4] = (-_HALF, _HALF)
    return basis


def _corners(lines: Floats) -> Floats:
    """(n, 4, 2) where the sides meet, clockwise from the corner of left and top side, from the crop's middle."""
    left, right, top, bottom = lines.reshape(-1, 4, 2).swapaxes(0, 1) + np.array([[-_HALF, 0], [_HALF, 0]] * 2)[:, None]
    corners = []
    for across, along in ((left, top), (right, top), (right, bottom), (left, bottom)):
        x = (across[:, 0] + across[:, 1] * along[:, 0]) / (1 - across[:, 1] * along[:, 1])
        corners.append(np.stack([x, along[:, 0] + along[:, 1] * x], -1))
    return np.stack(corners, 1)
