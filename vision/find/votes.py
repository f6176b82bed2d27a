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
_NO_CARD = -1  # votes for a card that no cluster stands for
LEAST_CARD = 0.2  # probability from which a cell votes
_LEAST_SUPPORT = 6.0  # cells: a strip of 10 mm of a card 63 mm wide has 31
_LEAST_ERROR_PX = 0.7  # of a vote, whatever the network expects: a cell is 2 px wide
_BIN_PX, _TURN_BINS, _MARGIN = 2.0, 8, 8  # bins in which the first guesses are maxima; bins beyond the view
_BEFORE, _AFTER = np.arange(-1, _TURN_BINS - 1) % _TURN_BINS, np.arange(1, _TURN_BINS + 1) % _TURN_BINS
_BLUR = np.array([0.25, 1, 0.25], np.float32)  # wider, it would join cards of a column with strips of 10 mm
_LEAST_PEAK = 0.6  # of weight in a smoothed bin
_MOST = 120  # first guesses
_REACH_PX, _REACH_TURN = 5.0, np.radians(25)  # from a first guess to the votes that belong to it
_SAME_PX, _SAME_TURN = 2.5, np.radians(15)  # clusters nearer than that are one
_FAR_PX = SHORT_PX / 2  # uncertain votes within three of their own errors and this far away belong to it, too


@dataclass(frozen=True, eq=False)
class _Votes:
    """Cells that show a card, as arrays of length m; `angle` is the turn times `fold`, the symmetry of a card."""

    row: Numbers
    column: Numbers
    probability: Floats
    centre: Floats  # (m, 2) px
    precision: Floats  # (m, 3) xx, xy, yy in 1/px²
    cos: Floats
    sin: Floats
    fold: int

    @property
    def angle(self) -> Floats:
        return np.arctan2(self.sin, self.cos)


def _votes_of(cells: NDArray[np.float32], square: bool) -> _Votes:
    row, column = np.nonzero(cells[..., 0] > np.log(LEAST_CARD / (1 - LEAST_CARD)))
    f = cells[row, column].astype(np.float64)
    at = np.stack([column, row], -1) * CELL_PX + CELL_PX / 2
    a, c = (np.exp(np.clip(f[:, k], -2, 5)) / SHORT_PX for k in (3, 5))
    b = f[:, 4] / SHORT_PX
    # The precision U'U of the network, after adding the least error to its inverse.
    xx, xy, yy, least = a * a, a * b, b * b + c * c, _LEAST_ERROR_PX**2
    det = xx * yy - xy * xy
    below = 1 + least * (xx + yy) + least**2 * det
    precision = np.stack([xx + least * det, xy, yy + least * det], -1) / below[:, None]
    k = 8 if square else 6
    return _Votes(row, column, 1 / (1 + np.exp(-f[:, 0])), at + f[:, 1:3] * SHORT_PX, precision, f[:, k], f[:, k + 1],
                  4 if square else 2)  # fmt: skip


def clusters_of(cells: NDArray[np.float32], square: bool) -> Floats:
    """(n, 3) poses of cards, as x, y in px of the view and turn of a short side, that cells of an answer vote for.

    A square card looks the same after a quarter turn.
    """
    votes = _votes_of(cells, square)
    poses = _first_guesses(votes, cells.shape[:2])
    if not len(poses):
        return poses
    member = _nearest_seed(votes, poses)
    for _ in range(3):
        poses, support = _means(votes, member, poses)
        member = _nearest_pose(votes, poses, member)
    order = np.argsort(-support, kind="stable")
    kept = order[_distinct(poses[order], votes.fold)]
    strong = kept[support[kept] >= _LEAST_SUPPORT]
    return np.asarray(poses[strong] / (1, 1, votes.fold))


def _bins(votes: _Votes) -> Numbers:
    """(m, 3) bins x, y, turn of votes."""
    place = np.floor(votes.centre / _BIN_PX).astype(np.intp) + _MARGIN
    turn = np.floor((votes.angle / (2 * np.pi) + 0.5) * _TURN_BINS).astype(np.intp) % _TURN_BINS
    return np.concatenate([place, turn[:, None]], 1)


def _first_guesses(votes: _Votes, shape: tuple[int, int]) -> Floats:
    """(n, 3) x, y, angle at the maxima of a histogram of votes, the strongest first."""
    ny, nx = (int(cells * CELL_PX / _BIN_PX) + 2 * _MARGIN for cells in shape)
    bins = _bins(votes)
    inside = ((bins[:, :2] >= 0) & (bins[:, :2] < (nx, ny))).all(1)
    sharpness = np.sqrt(votes.precision[:, 0] * votes.precision[:, 2] - votes.precision[:, 1] ** 2)
    weight = votes.probability * np.minimum(sharpness, 0.5)
    key = (bins[:, 2] * ny + bins[:, 1]) * nx + bins[:, 0]
    flat = np.bincount(key[inside], weight[inside], _TURN_BINS * ny * nx)
    # In logarithms: a card in full sight does not drown the strips beside it.
    flat = np.log1p(flat).astype(np.float32)
    # One plane for each turn, one above the other; their empty margins keep them apart.
    planes = cv2.sepFilter2D(flat.reshape(_TURN_BINS * ny, nx), -1, _BLUR, _BLUR).reshape(_TURN_BINS, ny, nx)
    planes = planes + 0.25 * (planes[_BEFORE] + planes[_AFTER])
    around = cv2.dilate(planes.reshape(-1, nx), np.ones((3, 3), np.uint8)).reshape(planes.shape)
    strong = np.flatnonzero(planes > _LEAST_PEAK)
    turn, y, x = np.unravel_index(strong, planes.shape)
    height = planes[turn, y, x]
    peak = height >= np.maximum(around[turn, y, x], np.maximum(around[_BEFORE[turn], y, x], around[_AFTER[turn], y, x]))
    turn, y, x, height = turn[peak], y[peak], x[peak], height[peak]
    best = np.argsort(-height, kind="stable")[:_MOST]
    place = (np.stack([x, y], -1)[best] - _MARGIN + 0.5) * _BIN_PX
    return np.asarray(np.c_[place, ((turn[best] + 0.5) / _TURN_BINS - 0.5) * 2 * np.pi])


def _nearest_seed(votes: _Votes, seeds: Floats) -> Numbers:
    """(m,) the first guess next to each vote, or _NO_CARD; decided once for each occupied bin."""
    x, y, turn = _bins(votes).T
    low, wide = x.min(), np.ptp(x) + 1
    keys, inverse = np.unique(((y - y.min()) * wide + x - low) * _TURN_BINS + turn, return_inverse=True)
    place, turn = np.divmod(keys, _TURN_BINS)
    bins = np.stack([place % wide + low, place // wide + y.min(), turn], -1)
    place = (bins[:, :2] - _MARGIN + 0.5) * _BIN_PX
    angle = ((bins[:, 2] + 0.5) / _TURN_BINS - 0.5) * 2 * np.pi
    apart = ((place[:, None] - seeds[None, :, :2]) ** 2).sum(-1) / _REACH_PX**2
    apart += (_turned_by(angle[:, None], seeds[None, :, 2]) / (_REACH_TURN * votes.fold)) ** 2
    nearest = apart.argmin(1)
    nearest[apart.min(1) > 2] = _NO_CARD
    return np.asarray(nearest[inverse.ravel()], np.intp)


def _turned_by(a: Floats, b: Floats) -> Floats:
    """Angles from b to a, within -pi..pi."""
    return np.asarray((a - b + np.pi) % (2 * np.pi) - np.pi)


def _far(votes: _Votes, centre: Floats) -> Floats:
    """(m,) squared distances of votes from centres (m, 2), in units of their own errors."""
    dx, dy = (votes.centre - centre).T
    xx, xy, yy = votes.precision.T
    return np.asarray(xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy)


def _means(votes: _Votes, member: Numbers, poses: Floats) -> tuple[Floats, Floats]:
    """Poses (n, 3) and support (n,), cells weighted by probability, of clusters; outliers weigh little."""
    n = len(poses)
    own = np.flatnonzero(member >= 0)
    k = member[own]
    some = _Votes(votes.row[own], votes.column[own], votes.probability[own], votes.centre[own], votes.precision[own],
                  votes.cos[own], votes.sin[own], votes.fold)  # fmt: skip
    weight = some.probability / (1 + _far(some, poses[k, :2]) / 4)

    def total(values: Floats) -> Floats:
        return np.asarray(np.bincount(k, weight * values, n), np.float64)

    xx, xy, yy = (total(some.precision[:, i]) for i in range(3))
    vx = total(some.precision[:, 0] * some.centre[:, 0] + some.precision[:, 1] * some.centre[:, 1])
    vy = total(some.precision[:, 1] * some.centre[:, 0] + some.precision[:, 2] * some.centre[:, 1])
    det = np.maximum(xx * yy - xy * xy, 1e-12)
    x, y = (yy * vx - xy * vy) / det, (xx * vy - xy * vx) / det
    angle = np.arctan2(total(some.sin), total(some.cos))
    support = np.asarray(np.bincount(k, some.probability, n), np.float64)
    return np.stack([x, y, angle], -1), support


def _nearest_pose(votes: _Votes, poses: Floats, member: Numbers) -> Numbers:
    """(m,) the cluster of each vote: its own while that is near, else the one that its errors allow, or _NO_CARD."""
    member = member.copy()
    own = np.flatnonzero(member >= 0)
    far = np.hypot(*(votes.centre[own] - poses[member[own], :2]).T) > np.maximum(
        _REACH_PX, np.minimum(3 / np.sqrt(votes.precision[own][:, [0, 2]].min(1)), _FAR_PX)
    )
    turned = np.abs(_turned_by(votes.angle[own], poses[member[own], 2])) > 2 * _REACH_TURN * votes.fold
    member[own[far | turned]] = _NO_CARD
    free = np.flatnonzero(member < 0)
    if not len(free) or not len(poses):
        return member
    offset = votes.centre[free][:, None] - poses[None, :, :2]
    xx, xy, yy = votes.precision[free].T[..., None]
    apart = xx * offset[..., 0] ** 2 + 2 * xy * offset[..., 0] * offset[..., 1] + yy * offset[..., 1] ** 2
    turn = np.abs(_turned_by(votes.angle[free][:, None], poses[None, :, 2]))
    apart[(np.abs(offset).max(-1) > _FAR_PX) | (turn > 1.5 * _REACH_TURN * votes.fold)] = np.inf
    nearest = apart.argmin(1)
    good = apart[np.arange(len(free)), nearest] < 9
    member[free[good]] = nearest[good]
    return member


def distinct(poses: Floats, square: bool) -> Numbers:
    """Numbers of poses (n, 3), the best first, that are no double of a better one."""
    fold = 4 if square else 2
    return _distinct(poses * (1, 1, fold), fold)


def _distinct(poses: Floats, fold: int) -> Numbers:
    near = np.hypot(*(poses[:, None, :2] - poses[None, :, :2]).transpose(2, 0, 1)) < _SAME_PX
    near &= np.abs(_turned_by(poses[:, None, 2], poses[None, :, 2])) < _SAME_TURN * fold
    kept: list[int] = []
    for i in range(len(poses)):
        if not near[i, kept].any():
            kept.append(i)
    return np.array(kept, np.intp)
