"""Clusters of votes: each cell votes for its card's centre and turn, with an uncertainty of its own."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.scale import CELL_PX, SHORT_PX

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

SQUARE = 1.05  # aspect up to which a card looks the same after a quarter turn
_LEAST_SUPPORT = 6.0  # cells: a strip of 10 mm of a card 63 mm wide has 31
_LEAST_ERROR_PX = 1.2  # of a vote, whatever the network expects: a cell is 2 px wide
_BIN_PX, _TURN_BINS, _MARGIN = 2.0, 8, 8  # bins in which the first guesses are maxima; bins beyond the view
_BEFORE, _AFTER = np.arange(-1, _TURN_BINS - 1) % _TURN_BINS, np.arange(1, _TURN_BINS + 1) % _TURN_BINS
_BLUR = np.array([0.25, 1, 0.25], np.float32)  # wider, it would join cards of a column with strips of 10 mm
_LEAST_PEAK = 0.2  # of weight in a smoothed bin; from 0.6 an eighth of the strips would be lost
MOST_CLUSTERS = 120  # first guesses
_ROUNDS = 2  # of assigning votes and averaging them; more change nothing
_REACH_PX, _REACH_TURN, _REACH_ERRORS = SHORT_PX / 2, np.radians(37), 3.0  # from a centre to its votes
_SAME_PX, _SAME_TURN = 2.5, np.radians(15)  # clusters nearer than that are one


@dataclass(frozen=True, eq=False)
class _Votes:
    """Cells that show a card, as arrays of length m; `way` (m, 2) is cos and sin of `fold` times the turn."""

    probability: Floats
    centre: Floats  # (m, 2) px
    precision: Floats  # (m, 3) xx, xy, yy in 1/px²
    way: Floats
    fold: int  # a card looks the same after so many turns


def _votes_of(at: Numbers, cells: Floats, square: bool) -> _Votes:
    a, c = (np.exp(np.clip(cells[:, k], -2, 5)) / SHORT_PX for k in (3, 5))
    b = cells[:, 4] / SHORT_PX
    # The precision U'U of the network, after adding the least error to its inverse.
    xx, xy, yy, least = a * a, a * b, b * b + c * c, _LEAST_ERROR_PX**2
    det = xx * yy - xy * xy
    below = 1 + least * (xx + yy) + least**2 * det
    precision = np.stack([xx + least * det, xy, yy + least * det], -1) / below[:, None]
    way = cells[:, 8:10] if square else cells[:, 6:8]
    way = way / np.maximum(np.hypot(*way.T), 1e-6)[:, None]
    centre = (at + 0.5) * CELL_PX + cells[:, 1:3] * SHORT_PX
    return _Votes(1 / (1 + np.exp(-cells[:, 0])), centre, precision, way, 4 if square else 2)


def clusters_of(
    at: Numbers, cells: NDArray[np.float32], shape: tuple[int, ...], square: bool, most: int = MOST_CLUSTERS
) -> tuple[Floats, Floats]:
    """Poses (n, 3), as x, y in px of the view and turn of a short side, and mean probability (n,) of their votes.

    `at` (m, 2) are the places of cells (m, CHANNELS), `shape` is the view's height and width in px; a square card looks
    the same after a quarter turn.
    """
    votes = _votes_of(at, cells.astype(np.float64), square)
    centre, way = _first_guesses(votes, shape, most)
    if not len(centre):
        return np.zeros((0, 3)), np.zeros(0)
    for _ in range(_ROUNDS):
        member = _members(votes, centre, way)
        centre, way, support = _means(votes, member, centre)
    probability = np.minimum(support / np.maximum(np.bincount(member[member >= 0], minlength=len(centre)), 1), 1)
    poses = np.c_[centre, np.arctan2(way[:, 1], way[:, 0]) / votes.fold]
    order = np.argsort(-support, kind="stable")
    order = order[support[order] >= _LEAST_SUPPORT]
    kept = order[distinct(poses[order], square)]
    return poses[kept], probability[kept]


def _first_guesses(votes: _Votes, shape: tuple[int, ...], most: int) -> tuple[Floats, Floats]:
    """Centres (n, 2) and ways (n, 2) at the maxima of a histogram of votes, the strongest first."""
    ny, nx = (int(length / _BIN_PX) + 2 * _MARGIN for length in shape)
    x, y = (np.floor(votes.centre / _BIN_PX).astype(np.intp) + _MARGIN).T
    turn = np.floor((np.arctan2(votes.way[:, 1], votes.way[:, 0]) / (2 * np.pi) + 0.5) * _TURN_BINS).astype(np.intp)
    inside = (x >= 0) & (x < nx) & (y >= 0) & (y < ny)
    sharpness = np.sqrt(np.maximum(votes.precision[:, 0] * votes.precision[:, 2] - votes.precision[:, 1] ** 2, 0))
    key = (turn % _TURN_BINS * ny + y) * nx + x
    key, weight = key[inside], (votes.probability * np.minimum(sharpness, 0.5))[inside]
    flat = np.bincount(key, weight, _TURN_BINS * ny * nx).astype(np.float32)
    flat[key] = np.log1p(flat[key])  # a card in full sight does not drown the strips beside it
    # One plane for each turn, one above the other; their empty margins keep them apart.
    planes = cv2.sepFilter2D(flat.reshape(-1, nx), -1, _BLUR, _BLUR).reshape(_TURN_BINS, ny, nx)
    planes = cv2.scaleAdd(cv2.add(planes[_BEFORE], planes[_AFTER]), 0.25, planes)
    around = cv2.dilate(planes.reshape(-1, nx), np.ones((3, 3), np.uint8)).reshape(planes.shape)
    turn, y, x = np.unravel_index(np.flatnonzero(planes > _LEAST_PEAK), planes.shape)
    height = planes[turn, y, x]
    peak = height >= np.maximum(around[turn, y, x], np.maximum(around[_BEFORE[turn], y, x], around[_AFTER[turn], y, x]))
    best = np.flatnonzero(peak)[np.argsort(-height[peak], kind="stable")[:most]]
    angle = ((turn[best] + 0.5) / _TURN_BINS - 0.5) * 2 * np.pi
    centre = (np.stack([x, y], -1)[best] - _MARGIN + 0.5) * _BIN_PX
    return np.asarray(centre), np.stack([np.cos(angle), np.sin(angle)], -1)


def _members(votes: _Votes, centre: Floats, way: Floats) -> Numbers:
    """(m,) the centre nearest to each vote by the vote's own error, or -1 where all are too far."""
    xx, xy, yy = votes.precision.T
    (x, y), (at_x, at_y) = votes.centre.T, centre.T
    left, right = xx * x + xy * y, xy * x + yy * y
    # The square form, multiplied out: one product of matrices for all votes and centres.
    of_vote = np.stack([xx, 2 * xy, yy, -2 * left, -2 * right, left * x + right * y], -1)
    of_centre = np.stack([at_x**2, at_x * at_y, at_y**2, at_x, at_y, np.ones_like(at_x)])
    far = of_vote.astype(np.float32) @ of_centre.astype(np.float32)  # right within 0.01
    far[votes.way.astype(np.float32) @ way.T.astype(np.float32) < np.cos(min(np.pi, _REACH_TURN * votes.fold))] = np.inf
    member = far.argmin(1)
    beyond = np.maximum(*np.abs(votes.centre - centre[member]).T) > _REACH_PX
    return np.where(beyond | (far[np.arange(len(far)), member] > _REACH_ERRORS**2), -1, member)


def _means(votes: _Votes, member: Numbers, centre: Floats) -> tuple[Floats, Floats, Floats]:
    """Centres (n, 2), ways (n, 2), and support (n,): cells weighted by probability; outliers weigh little."""
    some = np.flatnonzero(member >= 0)
    own, at = member[some], votes.centre[some]
    (xx, xy, yy), (dx, dy) = votes.precision[some].T, (at - centre[own]).T
    weight = votes.probability[some] / (1 + (xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy) / 4)

    def total(values: Floats) -> Floats:
        return np.asarray(np.bincount(own, weight * values, len(centre)), np.float64)

    vx, vy = total(xx * at[:, 0] + xy * at[:, 1]), total(xy * at[:, 0] + yy * at[:, 1])
    xx, xy, yy = total(xx), total(xy), total(yy)
    det = np.maximum(xx * yy - xy * xy, 1e-12)
    way = np.stack([total(votes.way[some, 0]), total(votes.way[some, 1])], -1)
    support = np.bincount(own, votes.probability[some], len(centre))
    return (np.stack([(yy * vx - xy * vy) / det, (xx * vy - xy * vx) / det], -1),
            way / np.maximum(np.hypot(*way.T), 1e-9)[:, None], np.asarray(support, np.float64))  # fmt: skip


def distinct(poses: Floats, square: bool) -> Numbers:
    """Numbers of poses (n, 3), the best first, that are no double of a better one."""
    fold = 2 * np.pi / (4 if square else 2)
    near = np.hypot(*(poses[:, None, :2] - poses[None, :, :2]).transpose(2, 0, 1)) < _SAME_PX
    near &= np.abs((poses[:, None, 2] - poses[None, :, 2] + fold / 2) % fold - fold / 2) < _SAME_TURN
    kept: list[int] = []
    for i in range(len(poses)):
        if not near[i, kept].any():
            kept.append(i)
    return np.array(kept, np.intp)
