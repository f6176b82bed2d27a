"""Poses of cards on a table: apart, in heaps and piles, rows, columns and fans."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.train.draw import Points, Random, chosen, way

Poses = NDArray[np.float64]  # (n, 3): x px, y px, turn in rad of a short side


class LayoutArea(NamedTuple):
    """Place of a group of cards: its middle, and its turn in rad; `extent` is the picture's side in px."""

    side: float  # px of a card's short side
    aspect: float
    extent: float
    middle: Points
    turn: float

    def at(self, places: Points, turns: Points) -> Poses:
        """Poses at (2, n) short sides along the short and the long sides of cards, turned against the group."""
        axes = self.side * np.stack([way(self.turn), way(self.turn + np.pi / 2)])
        return np.asarray(np.c_[places.T @ axes + self.middle, self.turn + turns])


def _apart(g: Random, s: LayoutArea) -> Poses:
    """Return cards that do not overlap, some nearly touching, all about parallel or turned at random."""
    least, kept = s.side * g.choice([1.15, s.aspect * 1.1, 1.9]), np.zeros((0, 2), np.float64)
    for at in g.uniform(-0.03, 1.03, (g.integers(1, 22), 2)) * s.extent:
        if np.hypot(*(kept - at).T).min(initial=np.inf) > least:
            kept = np.vstack([kept, at])
    turns = g.normal(s.turn, 0.1, len(kept)) if g.random() < 0.4 else g.uniform(0, 2 * np.pi, len(kept))
    return np.asarray(np.c_[kept, turns])


def _heap(g: Random, s: LayoutArea) -> Poses:
    """Return cards that cover one another: a pile, two or three cards, a heap, or a mess over the table."""
    spread, turn, most = [(0.05, 0.03, 8), (0.5, 9, 4), (0.5, 0.2, 10), (0.7, 9, 20), (2.5, 9, 36)][g.integers(0, 5)]
    n = g.integers(2, most)
    return s.at(g.normal(0, spread * g.uniform(0.2, 2), (2, n)), g.normal(0, turn, n))


def _grid(g: Random, s: LayoutArea) -> Poses:
    """Return rows and columns side by side, some with gaps; a tenth has cards turned by quarters."""
    places = np.argwhere(g.random(size := g.integers(1, 7, 2)) < 0.9) - size / 2
    quarters = g.integers(0, 4, len(places)) * (1 if g.random() < 0.1 else 2)
    off = g.normal(0, g.choice([0.003, 0.01, 0.03]), (3, len(places)))
    places *= g.uniform(0.98, (1.5, 1.4)) * (1, s.aspect)
    return s.at(places.T + off[:2], np.pi / 2 * quarters + off[2])


def _columns(g: Random, s: LayoutArea) -> Poses:
    """Return columns or rows whose cards show strips of 0.12 to 0.6 of a short side (8 to 38 mm of 63)."""
    step, upright, jitter = g.uniform(0.12, 0.6), g.random() < 0.75, g.choice([0.01, 0.03, 0.06])
    counts = g.integers(1, g.integers(3, 13), g.integers(1, 6))
    over = np.repeat(np.arange(len(counts)), counts) * (1 if upright else s.aspect) * g.uniform(0.97, 1.4)
    down = np.concatenate([np.arange(count) for count in counts]) * step * g.choice([-1, 1])
    places = np.stack([over - over.max() / 2, down - down.mean()]) + g.normal(0, jitter * 0.7, (2, len(over)))
    halves = np.pi * g.integers(0, 2, len(over))
    return s.at(places if upright else places[::-1], g.normal(0, jitter, len(over)) + halves)


def _fan(g: Random, s: LayoutArea) -> Poses:
    count = int(g.integers(3, 13))
    turns = (np.arange(count) - count / 2) * g.uniform(0.05, 0.3) + g.normal(0, 0.02, count)
    return s.at(g.uniform(1, 4) * way(turns), turns + np.pi / 2)


_KINDS: tuple[tuple[Callable[[Random, LayoutArea], Poses], float], ...] = (
    (_apart, 2), (_heap, 3), (_grid, 1), (_columns, 2), (_fan, 1)
)  # fmt: skip


def some_poses(g: Random, side: float, aspect: float, extent: float) -> Poses:
    """Return poses (n, 3) of one group of cards, from the lowest to the top one."""
    spot = LayoutArea(side, aspect, extent, g.uniform(0.1, 0.9, 2) * extent, g.uniform(0, 2 * np.pi))
    return chosen(g, _KINDS)(g, spot)
