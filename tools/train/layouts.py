"""Poses of cards on a table: apart, in heaps and piles, rows, columns and fans."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tools.train.draw import Points, Random

Poses = list[tuple[float, float, float]]


class Spot(NamedTuple):
    """Place of a group of cards: its middle, and its turn in rad; `extent` is the picture's side in px."""

    side: float  # px of a card's short side
    aspect: float
    extent: float
    middle: Points
    turn: float

    @property
    def axes(self) -> tuple[Points, Points]:
        """Unit vectors along the short and the long sides of cards."""
        cos, sin = np.cos(self.turn), np.sin(self.turn)
        return np.array([cos, sin]), np.array([-sin, cos])


def _pose(at: Points, turn: float) -> tuple[float, float, float]:
    return float(at[0]), float(at[1]), float(turn)


def _apart(g: Random, s: Spot) -> Poses:
    """Return cards that do not overlap, some nearly touching, all about parallel or turned at random."""
    poses: Poses = []
    least, parallel = s.side * g.choice([1.15, s.aspect * 1.1, 1.9]), g.random() < 0.4
    for at in g.uniform(-0.03, 1.03, (g.integers(1, 22), 2)) * s.extent:
        if all(np.hypot(at[0] - x, at[1] - y) > least for x, y, _ in poses):
            poses.append(_pose(at, s.turn + g.normal(0, 0.1) if parallel else g.uniform(0, 2 * np.pi)))
    return poses


def _heap(g: Random, s: Spot) -> Poses:
    """Return a pile, two or three cards that partly cover one another, a heap, or a mess all over the table."""
    spread, turn, most = [(0.05, 0.03, 8), (0.5, 9, 4), (0.5, 0.2, 10), (0.7, 9, 20), (2.5, 9, 36)][g.integers(0, 5)]
    spread *= s.side * g.uniform(0.2, 2)
    return [_pose(s.middle + g.normal(0, spread, 2), s.turn + g.normal(0, turn)) for _ in range(g.integers(2, most))]


def _grid(g: Random, s: Spot) -> Poses:
    """Rows and columns side by side, some with gaps, a tenth with cards turned by quarters."""
    gaps = (s.side * (1 + g.uniform(-0.02, 0.5)), s.side * s.aspect * (1 + g.uniform(-0.02, 0.4)))
    size, jitter, mixed = g.integers(1, 7, 2), g.choice([0.003, 0.01, 0.03]), g.random() < 0.1
    poses: Poses = []
    for x, y in np.argwhere(g.random(size) < 0.9) - size / 2:
        at = s.middle + s.axes[0] * x * gaps[0] + s.axes[1] * y * gaps[1] + g.normal(0, jitter * s.side, 2)
        quarters = g.integers(0, 4) if mixed else 2 * g.integers(0, 2)
        poses.append(_pose(at, s.turn + g.normal(0, jitter) + np.pi / 2 * quarters))
    return poses


def _columns(g: Random, s: Spot) -> Poses:
    """Columns or rows whose cards show strips of 0.12–0.6 of a short side (8–38 mm of 63)."""
    step, upright, jitter = g.uniform(0.12, 0.6) * s.side, g.random() < 0.75, g.choice([0.01, 0.03, 0.06])
    over, down = s.axes if upright else s.axes[::-1]
    gap = s.side * (1 if upright else s.aspect) * g.uniform(0.97, 1.4)
    columns, most, order = int(g.integers(1, 6)), int(g.integers(2, 12)), g.choice([-1, 1])
    poses: Poses = []
    for x in np.arange(columns) - columns / 2:
        for y in np.arange(g.integers(1, most + 1)) - most / 2:
            at = s.middle + over * x * gap + down * order * y * step + g.normal(0, jitter * s.side * 0.7, 2)
            poses.append(_pose(at, s.turn + g.normal(0, jitter) + np.pi * g.integers(0, 2)))
    return poses


def _fan(g: Random, s: Spot) -> Poses:
    radius, step, count = g.uniform(1, 4) * s.side, g.uniform(0.05, 0.3), int(g.integers(3, 13))
    turns = s.turn + (np.arange(count) - count / 2) * step + g.normal(0, 0.02, count)
    return [_pose(s.middle + radius * np.array([np.cos(t), np.sin(t)]), t + np.pi / 2) for t in turns]


_KINDS: tuple[Callable[[Random, Spot], Poses], ...] = (
    _apart,
    _apart,
    _heap,
    _heap,
    _heap,
    _grid,
    _columns,
    _columns,
    _fan,
)


def some_poses(g: Random, side: float, aspect: float, extent: float) -> Poses:
    """Return poses (x px, y px, turn in rad of a short side) of one group of cards, from the lowest to the top one."""
    spot = Spot(side, aspect, extent, g.uniform(0.1, 0.9, 2) * extent, g.uniform(0, 2 * np.pi))
    return _KINDS[g.integers(0, len(_KINDS))](g, spot)
