"""Refines poses: turns and shifts cards to where their four sides are on edges of the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.scale import CELL_PX, SHORT_PX
from vision.find.votes import Clusters

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_TURNS = np.radians(np.arange(-8, 8.1, 2))
_STEP = 0.5  # px between offsets
_OFFSETS = np.arange(-6, 6.1, _STEP)  # px outwards from a side
_ALONG = np.linspace(-0.88, 0.88, 16)  # of half a side: rounded corners are left out
_HALF_STEP = 2  # offsets on either side of an edge between which the colour differs: 2 px in all
_HALF_STRENGTH = 25.0  # levels of change that count half as much as an endless one: peaks stay peaks
_UNSEEN = 0.08  # weight of a part of a side whose inner neighbour votes for another card
_FLOOR = 0.25  # weight of colour alone where the network sees no edge
_INSIDE_PX = 2.5  # from a side to the cell whose vote decides whether the side is in sight
_EDGE_INSIDE_PX = 1.0  # the network's edge is a cell wide, inside the card
_ALONE_TURN_COST = 2.0  # of a side turned by 1 rad against the others
_ALONE_COST = 0.01  # of a side 1 px from where cards of the common size have it
_TURN_COST, _SHIFT_COST, _LEAST_ERROR_PX = 0.25, 0.03, 1.0  # of the largest turn; of a shift by one standard error


@dataclass(frozen=True, eq=False)
class Refined:
    """Cards after refinement, as parallel arrays of length n.

    `poses` (n, 3) as in `Clusters`, of cards of the size that was searched for; `corners` (n, 4, 2), in px of the view,
    where each side by itself is on an edge; `evidence` (n,): how much of the visible outline is on edges, 0..1.
    """

    poses: Floats
    corners: Floats
    evidence: Floats


def refined(image: NDArray[np.uint8], cells: Singles, clusters: Clusters, aspect: float, finer: int = 1) -> Refined:
    """Search turns and shifts of all clusters at once, each side along its own normal.

    With `finer` the image has so many times as many px as the view that the network saw, and the search is that much
    finer and nearer.
    """
    n = len(clusters.poses)
    if not n:
        return Refined(clusters.poses, np.zeros((0, 4, 2)), np.zeros(0))
    offsets, turns, step = _OFFSETS / finer, _TURNS / finer, _STEP / finer
    steps, seen = _steps(image, cells, clusters, aspect, finer)
    by_turn = _sums_by_turn(steps, aspect)  # (n, 4, turns, offsets)
    share = seen.mean(-1)
    # Right and left, bottom and top keep their distance: the centre's shift moves one out and the other in.
    pairs = np.stack([by_turn[:, 0] + by_turn[:, 1, :, ::-1], by_turn[:, 2] + by_turn[:, 3, :, ::-1]], 1)
    costs = _shift_costs(clusters, offsets)
    pairs = pairs - costs[:, :, None]
    total = pairs.max(-1).sum(1) - _TURN_COST * (turns / _TURNS[-1]) ** 2
    best = total.argmax(1)
    rows = np.arange(n)
    chosen = pairs[rows, :, best]  # (n, 2, offsets)
    shift = offsets[0] + step * _peak(chosen)
    turn = clusters.poses[:, 2] + turns[0] + (turns[1] - turns[0]) * _peak(total)
    cos, sin = np.cos(turn), np.sin(turn)
    x = clusters.poses[:, 0] + cos * shift[:, 0] - sin * shift[:, 1]
    y = clusters.poses[:, 1] + sin * shift[:, 0] + cos * shift[:, 1]
    alone = (
        by_turn - _ALONE_COST * offsets**2 - (_ALONE_TURN_COST * (turns - turns[best][:, None]) ** 2)[:, None, :, None]
    )
    at = np.round((shift - offsets[0]) / step).astype(int)
    both = chosen[rows[:, None], [[0, 1]], at] + costs[rows[:, None], [[0, 1]], at]
    evidence = both.sum(1) / np.maximum(share.sum(1), 0.2)
    corners = _where_sides_meet(alone, clusters, aspect, offsets, turns)
    return Refined(np.stack([x, y, turn], -1), corners, np.clip(evidence, 0, 1))


def _where_sides_meet(sums: Floats, clusters: Clusters, aspect: float, offsets: Floats, turns: Floats) -> Floats:
    """(n, 4, 2) corners of quads whose sides have the best offset and turn each, sums (n, 4, turns, offsets)."""
    best = sums.max(-1).argmax(-1)
    slope = np.tan(turns[0] + (turns[1] - turns[0]) * _peak(sums.max(-1)))  # (n, 4)
    row = np.take_along_axis(sums, best[..., None, None], 2)[:, :, 0]
    right, left, bottom, top = (offsets[0] + (offsets[1] - offsets[0]) * _peak(row)).T
    a, b = SHORT_PX / 2, SHORT_PX * aspect / 2
    # Right and left are x = p - s y, bottom and top y = q + r x, in the frame of the card.
    upright = ((-a - left, slope[:, 1]), (a + right, slope[:, 0]))
    level = ((-b - top, slope[:, 3]), (b + bottom, slope[:, 2]))
    corners = []
    for (p, s), (q, r) in (
        (upright[0], level[0]),
        (upright[1], level[0]),
        (upright[1], level[1]),
        (upright[0], level[1]),
    ):
        x = (p - s * q) / (1 + s * r)
        corners.append(np.stack([x, q + r * x], -1))
    local = np.stack(corners, 1)
    x, y, turn = clusters.poses.T[..., None]
    cos, sin = np.cos(turn), np.sin(turn)
    return np.stack([x + cos * local[..., 0] - sin * local[..., 1], y + sin * local[..., 0] + cos * local[..., 1]], -1)


def _outline(clusters: Clusters, aspect: float, offsets: Floats) -> tuple[Floats, Floats]:
    """X and y, (n, 4, points, offsets) px, of points beside the sides: right, left, bottom, top."""
    a, b = SHORT_PX / 2, SHORT_PX * aspect / 2
    out, along = np.meshgrid(offsets, _ALONG)
    local_x = np.stack([a + out, -a - out, along * a, along * a])
    local_y = np.stack([along * b, along * b, b + out, -b - out])
    x, y, turn = clusters.poses.T[:, :, None, None, None]
    cos, sin = np.cos(turn), np.sin(turn)
    return x + cos * local_x - sin * local_y, y + sin * local_x + cos * local_y


def _sampled(image: NDArray[np.uint8] | Singles, x: Floats, y: Floats, px: float, way: int) -> NDArray[np.float32]:
    """Values of an image with px of a size at points of any shape."""
    rows = x.shape[0]
    map_x, map_y = (np.asarray(v / px - 0.5, np.float32).reshape(rows, -1) for v in (x, y))
    values = cv2.remap(image, map_x, map_y, way, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(values, np.float32).reshape(*x.shape, *image.shape[2:])


def _steps(
    image: NDArray[np.uint8], cells: Singles, clusters: Clusters, aspect: float, finer: int
) -> tuple[Floats, Floats]:
    """How strong an edge is (n, 4, points, offsets), 0..1, and how visible the side is there (n, 4, points)."""
    offsets, pad = _OFFSETS / finer, _STEP / finer * np.arange(1, _HALF_STEP + 1)
    wide = np.concatenate([offsets[0] - pad[::-1], offsets, offsets[-1] + pad])
    colours = _sampled(image, *_outline(clusters, aspect, wide), 1 / finer, cv2.INTER_LINEAR)
    change = np.abs(colours[..., 2 * _HALF_STEP :, :] - colours[..., : -2 * _HALF_STEP, :]).max(-1)
    logit = np.clip(cells[..., -1], -8, 8)
    rim = _outline(clusters, aspect, offsets - _EDGE_INSIDE_PX)
    edge = 1 / (1 + np.exp(-_sampled(logit, *rim, CELL_PX, cv2.INTER_LINEAR)))
    inner = _outline(clusters, aspect, offsets - _INSIDE_PX)
    owner = _sampled(clusters.owners.astype(np.float32), *inner, CELL_PX, cv2.INTER_NEAREST)
    seen = np.where(owner == np.arange(len(owner))[:, None, None, None], 1.0, _UNSEEN)
    strength = change**2 / (change**2 + _HALF_STRENGTH**2)
    steps = strength * (_FLOOR + (1 - _FLOOR) * edge) * seen
    return steps, seen[..., len(offsets) // 2]


def _sums_by_turn(steps: Floats, aspect: float) -> Floats:
    """(n, 4, turns, offsets) mean edge along each side after a turn, which shears the side against its normal."""
    half = np.array([aspect, aspect, 1, 1]) * SHORT_PX / 2
    way = np.array([-1, 1, 1, -1])  # a turn moves the far end of the right side inwards
    shear = np.round(np.tan(_TURNS)[:, None, None] * (half * way)[:, None] * _ALONG / _STEP).astype(int)
    offsets = np.arange(len(_OFFSETS))
    take = np.clip(offsets + shear[..., None], 0, len(_OFFSETS) - 1)  # (turns, 4, points, offsets)
    sides, points = np.arange(4)[:, None, None], np.arange(len(_ALONG))[:, None]
    sums = np.stack([steps[:, sides, points, one].mean(2) for one in take], 2)
    smooth = 0.5 * sums
    smooth[..., 1:] += 0.25 * sums[..., :-1]
    smooth[..., :-1] += 0.25 * sums[..., 1:]
    return np.asarray(smooth)


def _shift_costs(clusters: Clusters, offsets: Floats) -> Floats:
    """(n, 2, offsets) cost of shifts across and along a card: as much as the votes' own errors speak against them."""
    cos, sin = np.cos(clusters.poses[:, 2]), np.sin(clusters.poses[:, 2])
    axes = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], 1)  # (n, 2, 2)
    variance = np.einsum("nai,nij,naj->na", axes, clusters.errors, axes)
    variance = np.maximum(variance, _LEAST_ERROR_PX**2)
    return np.asarray(np.minimum(_SHIFT_COST * offsets**2 / variance[..., None], 1.5))


def _peak(values: Floats) -> Floats:
    """Place of the maximum along the last axis, between samples by a parabola."""
    last = values.shape[-1] - 1
    i = np.clip(values.argmax(-1), 1, last - 1)[..., None]
    low, mid, high = (np.take_along_axis(values, i + d, -1)[..., 0] for d in (-1, 0, 1))
    bend = low - 2 * mid + high
    between = np.where(bend < -1e-9, 0.5 * (low - high) / np.where(bend < -1e-9, bend, -1), 0)
    return np.asarray(i[..., 0] + np.clip(between, -1, 1))
