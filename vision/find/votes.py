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
MOST_CLUSTERS = 120  # first guesses


@dataclass(frozen=True)
class VoteParams:
    """Parameters of clusters of votes; lengths are px of the view, angles rad."""

    support: float = 6.0  # cells: a strip of 10 mm of a card 63 mm wide has 31
    error: float = 1.2  # of a vote, whatever the network expects: a cell is 2 px wide
    # bins in which the first guesses are maxima; bins beyond the view
    bin: float = 2.0
    turns: int = 8
    margin: int = 8
    blur: tuple[float, float, float] = (0.25, 1.0, 0.25)  # wider, it would join cards of a column with strips of 10 mm
    peak: float = 0.2  # of weight in a smoothed bin; from 0.6 an eighth of the strips would be lost
    rounds: int = 2  # of assigning votes and averaging them; more change nothing
    # from a centre to its votes: in px, rad, and standard errors
    reach: float = SHORT_PX / 2
    reach_turn: float = float(np.radians(37))
    reach_errors: float = 3.0
    # clusters nearer than that are one
    same: float = 2.5
    same_turn: float = float(np.radians(15))


VOTE = VoteParams()
_BEFORE, _AFTER = (np.roll(np.arange(VOTE.turns), step) for step in (1, -1))
_BLUR = np.array(VOTE.blur, np.float32)


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
    xx, xy, yy, least = a * a, a * b, b * b + c * c, VOTE.error**2
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
    for _ in range(VOTE.rounds):
        member = _members(votes, centre, way)
        centre, way, support = _means(votes, member, centre)
    probability = np.minimum(support / np.maximum(np.bincount(member[member >= 0], minlength=len(centre)), 1), 1)
    poses = np.c_[centre, np.arctan2(way[:, 1], way[:, 0]) / votes.fold]
    order = np.argsort(-support, kind="stable")
    order = order[support[order] >= VOTE.support]
    kept = order[distinct(poses[order], square)]
    return poses[kept], probability[kept]


def _first_guesses(votes: _Votes, shape: tuple[int, ...], most: int) -> tuple[Floats, Floats]:
    """Centres (n, 2) and ways (n, 2) at the maxima of a histogram of votes, the strongest first."""
    ny, nx = (int(length / VOTE.bin) + 2 * VOTE.margin for length in shape)
    x, y = (np.floor(votes.centre / VOTE.bin).astype(np.intp) + VOTE.margin).T
    turn = np.floor((np.arctan2(votes.way[:, 1], votes.way[:, 0]) / (2 * np.pi) + 0.5) * VOTE.turns).astype(np.intp)
    inside = (x >= 0) & (x < nx) & (y >= 0) & (y < ny)
    sharpness = np.sqrt(np.maximum(votes.precision[:, 0] * votes.precision[:, 2] - votes.precision[:, 1] ** 2, 0))
    key = (turn % VOTE.turns * ny + y) * nx + x
    key, weight = key[inside], (votes.probability * np.minimum(sharpness, 0.5))[inside]
    flat = np.bincount(key, weight, VOTE.turns * ny * nx).astype(np.float32)
    flat[key] = np.log1p(flat[key])  # a card in full sight does not drown the strips beside it
    # One plane for each turn, one above the other; their empty margins keep them apart.
    planes = cv2.sepFilter2D(flat.reshape(-1, nx), -1, _BLUR, _BLUR).reshape(VOTE.turns, ny, nx)
    planes = cv2.scaleAdd(cv2.add(planes[_BEFORE], planes[_AFTER]), 0.25, planes)
    around = cv2.dilate(planes.reshape(-1, nx), np.ones((3, 3), np.uint8)).reshape(planes.shape)
    turn, y, x = np.unravel_index(np.flatnonzero(planes > VOTE.peak), planes.shape)
    height = planes[turn, y, x]
    peak = height >= np.maximum(around[turn, y, x], np.maximum(around[_BEFORE[turn], y, x], around[_AFTER[turn], y, x]))
    best = np.flatnonzero(peak)[np.argsort(-height[peak], kind="stable")[:most]]
    angle = ((turn[best] + 0.5) / VOTE.turns - 0.5) * 2 * np.pi
    centre = (np.stack([x, y], -1)[best] - VOTE.margin + 0.5) * VOTE.bin
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
    alike = votes.way.astype(np.float32) @ way.T.astype(np.float32)
    far[alike < np.cos(min(np.pi, VOTE.reach_turn * votes.fold))] = np.inf
    member = far.argmin(1)
    beyond = np.maximum(*np.abs(votes.centre - centre[member]).T) > VOTE.reach
    return np.where(beyond | (far[np.arange(len(far)), member] > VOTE.reach_errors**2), -1, member)


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
    near = np.hypot(*(poses[:, None, :2] - poses[None, :, :2]).transpose(2, 0, 1)) < VOTE.same
    near &= np.abs((poses[:, None, 2] - poses[None, :, 2] + fold / 2) % fold - fold / 2) < VOTE.same_turn
    kept: list[int] = []
    for i in range(len(poses)):
        if not near[i, kept].any():
            kept.append(i)
    return np.array(kept, np.intp)
