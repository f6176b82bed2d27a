"""Cards side by side that were taken for one: between them the table shows, all the way across."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import points_within
from vision.unknown.card_edges import SideFit
from vision.unknown.weighted_lab import weighted_at

_LINES = np.linspace(0.15, 0.85, 160)  # along a side
_AT_RIM = np.array([0.03, 0.06, 0.94, 0.97])  # across: few cards are printed there
_ACROSS = np.linspace(0.04, 0.96, 13)
_STANDS_OUT = 8.0  # weighted 8-bit Lab: the table from the cards
_TABLE, _PAPER = 0.6, 0.3  # of the way from a card's colour to the table's
_WIDEST = 20  # lines


def are_divided(image_lab: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
    """Which quadrilaterals (n,) a narrow strip of table divides, from one side to the opposite one.

    `image_lab` is (h, w, 3) 8-bit Lab. What is printed on a card leaves its rims bare. The strip may lie in shadow.
    """
    inside, outside = np.median(fit.inside, axis=1), np.median(fit.outside, axis=1)
    found = np.linalg.norm(outside - inside, axis=1) > _STANDS_OUT
    for places in (_AT_RIM, _ACROSS):
        rows = np.flatnonzero(found)
        found[rows] = _strip(image_lab, fit.quads[rows], inside[rows], outside[rows] - inside[rows], places)
    return np.asarray(found, bool)


def _strip(
    image_lab: NDArray[np.uint8], quads: Singles, inside: Singles, step: Singles, places: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which quadrilaterals (n,) have a strip of table at all of the places across it; `step` (n, 3): to its colour."""
    divided = np.zeros(len(quads), bool)
    grid = np.stack(np.meshgrid(_LINES, places, indexing="ij"), axis=-1)[None]
    for shares in (grid, grid[..., ::-1]):
        colours = weighted_at(image_lab, points_within(quads, shares).astype(np.float32))
        way = step / np.square(step).sum(axis=1, keepdims=True)
        share = np.einsum("nlpc,nc->nlp", colours - inside[:, None, None], way)
        # Of a slanting table the same line may be one farther on at the other side.
        near = np.maximum(share, np.maximum(np.roll(share, 1, axis=1), np.roll(share, -1, axis=1)))
        divided |= _between(near.min(axis=2) > _TABLE, share[:, :, [0, -1]].max(axis=2) < _PAPER)
    return divided


def _between(table: NDArray[np.bool_], paper: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows (n, k) have a place on the table between two on paper that are near to each other."""
    index = np.arange(table.shape[1])
    before = np.maximum.accumulate(np.where(paper, index, -len(index)), axis=1)
    after = np.minimum.accumulate(np.where(paper, index, 2 * len(index))[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((table & ~paper & (after - before < _WIDEST)).any(axis=1))
