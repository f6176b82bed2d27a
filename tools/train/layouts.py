"""Poses of cards on a table: scattered, in heaps, rows, columns, fans and piles."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tools.train.draw import Points, Random


class Spot(NamedTuple):
    """Where a group of cards is: its middle, and two unit vectors at right angles, turned by `turn`."""

    side: float  # px of a card's short side
    aspect: float
    extent: float  # px of the picture's side
    middle: Points
    turn: float

    @property
    def across(self) -> Points:
        """Unit vector (2,) along the short sides of cards."""
        return np.array([np.cos(self.turn), np.sin(self.turn)])

    @property
    def along(self) -> Points:
        """Unit vector (2,) along the long sides of cards."""
        return np.array([-np.sin(self.turn), np.cos(self.turn)])


Poses = list[tuple[float, float, float]]


def _pose(at: Points, turn: float) -> tuple[float, float, float]:
    return float(at[0]), float(at[1]), float(turn)


def _apart(g: Random, s: Spot) -> Poses:
    """Cards that do not overlap; most of them nearly, which is how people lay them out."""
    poses: Poses = []
    least = s.side * g.choice([1.15, s.aspect * 1.1, 1.9])
    square = g.random() < 0.4
    for _ in range(g.integers(1, 22)):
        at = g.uniform(-0.03, 1.03, 2) * s.extent
        if all(np.hypot(at[0] - x, at[1] - y) > least for x, y, _ in poses):
            poses.append(_pose(at, s.turn + g.normal(0, 0.1) if square else g.uniform(0, 2 * np.pi)))
    return poses


def _mess(g: Random, s: Spot) -> Poses:
    return [_pose(g.uniform(-0.1, 1.1, 2) * s.extent, g.uniform(0, 2 * np.pi)) for _ in range(g.integers(6, 36))]


def _heap(g: Random, s: Spot) -> Poses:
    spread, parallel = g.uniform(0.25, 1.4) * s.side, g.random() < 0.2
    turns = s.turn + g.normal(0, 0.2, 24) if parallel else g.uniform(0, 2 * np.pi, 24)
    return [_pose(s.middle + g.normal(0, spread, 2), turns[i]) for i in range(g.integers(2, 20))]


def _grid(g: Random, s: Spot) -> Poses:
    gap_x, gap_y = s.side * (1 + g.uniform(-0.02, 0.5)), s.side * s.aspect * (1 + g.uniform(-0.02, 0.4))
    columns, rows, jitter, mixed = g.integers(1, 7), g.integers(1, 6), g.choice([0.003, 0.01, 0.03]), g.random() < 0.1
    poses: Poses = []
    for y in range(rows):
        for x in range(columns):
            at = s.middle + s.across * (x - columns / 2) * gap_x + s.along * (y - rows / 2) * gap_y
            quarter = np.pi / 2 * g.integers(0, 4) if mixed else np.pi * g.integers(0, 2)
            if g.random() < 0.9:
                poses.append(_pose(at + g.normal(0, jitter * s.side, 2), s.turn + g.normal(0, jitter) + quarter))
    return poses


def _columns(g: Random, s: Spot) -> Poses:
    """Columns or rows whose cards show strips of 0.12–0.6 of a short side (8–38 mm of 63)."""
    step, upright, jitter = g.uniform(0.12, 0.6) * s.side, g.random() < 0.75, g.choice([0.01, 0.03, 0.06])
    down, over = (s.along, s.across) if upright else (s.across, s.along)
    gap = (s.side if upright else s.side * s.aspect) * g.uniform(0.97, 1.4)
    columns, most, order = int(g.integers(1, 6)), int(g.integers(2, 12)), g.choice([-1, 1])
    poses: Poses = []
    for x in range(columns):
        for y in range(g.integers(1, most + 1)):
            at = s.middle + over * (x - columns / 2) * gap + down * order * (y - most / 2) * step
            at = at + g.normal(0, jitter * s.side * 0.7, 2)
            poses.append(_pose(at, s.turn + g.normal(0, jitter) + np.pi * g.integers(0, 2)))
    return poses


def _fan(g: Random, s: Spot) -> Poses:
    radius, step, count = g.uniform(1, 4) * s.side, g.uniform(0.05, 0.3), int(g.integers(3, 13))
    turns = s.turn + (np.arange(count) - count / 2) * step + g.normal(0, 0.02, count)
    return [_pose(s.middle + radius * np.array([np.cos(t), np.sin(t)]), t + np.pi / 2) for t in turns]


def _pile(g: Random, s: Spot) -> Poses:
    spread, turn = g.uniform(0.001, 0.09) * s.side, g.choice([0.01, 0.05])
    return [_pose(s.middle + g.normal(0, spread, 2), s.turn + g.normal(0, turn)) for _ in range(g.integers(2, 8))]


def _pair(g: Random, s: Spot) -> Poses:
    """Two or three cards that partly cover one another: each overlap is a problem by itself."""
    poses: Poses = [_pose(s.middle, s.turn)]
    for _ in range(g.integers(1, 3)):
        way = g.uniform(0, 2 * np.pi)
        reach = s.side * g.uniform(0.3, 1.2)
        poses.append(_pose(s.middle + reach * np.array([np.cos(way), np.sin(way)]), g.uniform(0, 2 * np.pi)))
    return poses


_KINDS: tuple[tuple[Callable[[Random, Spot], Poses], float], ...] = (
    (_apart, 3), (_heap, 2), (_grid, 1), (_columns, 2), (_fan, 1), (_pile, 0.7), (_mess, 1), (_pair, 2),
)  # fmt: skip


def some_poses(g: Random, side: float, aspect: float, extent: float) -> Poses:
    """Poses (x px, y px, turn in rad of a short side) of one group of cards, from the lowest to the top one."""
    weights = np.array([weight for _, weight in _KINDS])
    spot = Spot(side, aspect, extent, g.uniform(0.1, 0.9, 2) * extent, g.uniform(0, 2 * np.pi))
    return _KINDS[g.choice(len(_KINDS), p=weights / weights.sum())][0](g, spot)
