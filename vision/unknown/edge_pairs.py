"""Pairs of edges beside opposite sides of cards: which of them are those of the cards, and not of frames or shadows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.unknown.card_poses import STEP

_AS_GOOD = 0.75
_LEAST_VOTE = 0.55
_SHADOW_PX = 6.0  # how far shadows reach beside a card


@dataclass(frozen=True, eq=False)
class EdgePairs:
    """Pairs of edges beside two opposite sides of n cards.

    `offsets` (k,) outward from the sides; `grown` (k, k) by how much each pair lies farther apart than the sides,
    and `spread` how much equal cards differ in that. For cards darker outside, 0, and for cards brighter outside,
    1: `certainty` (n, k, k) of each pair, and `peaks`, by how much the pairs that many cards have are grown, and how
    many have them.
    """

    offsets: Floats
    grown: Floats
    spread: float
    certainty: tuple[Floats, Floats]
    peaks: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]

    def outermost(self, way: int) -> tuple[float, float]:
        """By how much the outermost pair that nearly as many cards have as any is grown, and how many have it."""
        sizes, total = self.peaks[way]
        if len(sizes) == 0:
            return 0.0, 0.0
        last = np.flatnonzero(total >= _AS_GOOD * total.max())[-1]
        return float(sizes[last]), float(total[last])

    def nearest(self, way: int, size: float) -> tuple[Floats, Floats]:
        """Where each card has the pair grown by nearest to `size`, as offsets (n, 2), and how sure that is (n,)."""
        near = self.certainty[way] * np.exp(-0.5 * ((self.grown - size) / self.spread) ** 2)
        flat = near.reshape(len(near), -1)
        i, j = np.unravel_index(flat.argmax(axis=1), self.grown.shape)
        return np.stack([self.offsets[i], self.offsets[j]], axis=1), flat.max(axis=1)


def edge_pairs(
    offsets: Floats, sure: NDArray[np.float32], change: NDArray[np.float32], most: float, spread: float
) -> EdgePairs:
    """The pairs of edges of which `sure` (n, 2, k) and `change` (n, 2, k, 3) are given at `offsets` (k,).

    They change the colour the same way, and are grown or shrunk by `most` at most.
    """
    both = np.sqrt(sure[:, 0, :, None] * sure[:, 1, None, :])
    both[np.einsum("nic,njc->nij", change[:, 0], change[:, 1]) <= 0] = 0
    darker = (change[:, 0, :, None, 0] + change[:, 1, None, :, 0]) < 0
    grown = offsets[:, None] + offsets[None, :]
    both[:, np.abs(grown) > most] = 0
    certainty = np.asarray(both * darker, np.float64), np.asarray(both * ~darker, np.float64)
    peaks = _peaks(certainty[0], grown, spread), _peaks(certainty[1], grown, spread)
    return EdgePairs(offsets, grown, spread, certainty, peaks)


def _peaks(certainty: Floats, grown: Floats, spread: float) -> tuple[Floats, Floats]:
    """By how much the pairs that many cards have are grown (m,), from the least to the most, and how many have them."""
    sizes = np.arange(grown.min(), grown.max() + STEP / 2, STEP)
    card, i, j = np.nonzero(certainty)
    votes = np.zeros((len(certainty), len(sizes)))
    near = np.exp(-0.5 * ((sizes - grown[i, j][:, None]) / spread) ** 2) * certainty[card, i, j][:, None]
    np.maximum.at(votes, card, near)
    total = votes.mean(axis=0)
    peak = (total >= np.r_[0, total[:-1]]) & (total >= np.r_[total[1:], 0]) & (total >= _LEAST_VOTE)
    return sizes[peak], total[peak]


def outward(pairs: list[EdgePairs]) -> tuple[int, list[float]] | None:
    """Whether it is darker, 0, or brighter, 1, outside the cards, and by how much each of the `pairs` is grown.

    What is seen well beside two sides may be seen less well beside the other two, if the change is the same. Where
    it is nowhere darker outside nothing is told: print or shadows end there, and what was agreed on before is nearer.
    """
    outer = [[each.outermost(way) for each in pairs] for way in (0, 1)]
    votes = np.array([np.sqrt(np.prod([total for _, total in each])) for each in outer])
    if votes[0] == 0:
        return None
    dark, bright = votes >= _AS_GOOD * votes.max()
    grown = [[size for size, _ in each] for each in outer]
    # Just beyond a card its shadow, or a camera's sharpening, ends as evenly as the card does.
    shadow = dark and np.subtract(grown[1], grown[0]).max() < 2 * _SHADOW_PX
    way = 0 if shadow or not bright else 1
    return way, grown[way]
