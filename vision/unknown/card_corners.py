"""How the corners of cards are cut: all cards of a deck are rounded alike; sheets, books, boxes and bells are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import points_within
from vision.unknown.card_edges import SideFit
from vision.unknown.weighted_lab import weighted_at

_PLACES = np.linspace(-0.06, 0.16, 45)  # inward of a corner along both of its sides, by the card's width
_OUTSIDE, _RIM = 4, 8  # of these places: outside the card, and inside at least before print may begin
_LEAST = 6.0  # weighted 8-bit Lab: of a card on one like it no corner is seen
_NEARLY = 0.8  # of what the best step explains
_OVERSHOOT = 0.2  # of the change of colour: print, or light, may lie beyond either
_FEWEST = 2  # corners must be seen: print or another thing may lie at one
_MISSING = 0.07  # by the card's width: a radius of a quarter of it
_ROUNDER = 0.03  # by the card's width, than the others' and twice as much as theirs


def corner_cuts(image_lab: NDArray[np.uint8], fit: SideFit, aspect: float, grounds: Singles | None = None) -> Singles:
    """How much is missing at each corner (n, 4) of cards, by their width; not a number where it is not seen.

    `grounds` (n, 4, 3) are the cards' colours at the corners, in weighted 8-bit Lab, if they are known better than by
    the sides that meet there.

    Towards the middle from where two sides meet, the card begins so far along both: by 0.29 of its radius if the corner
    is round. `image_lab` is (h, w, 3) 8-bit Lab; the first sides are shorter ones and `aspect` is length by width.
    """
    if len(fit.quads) == 0:
        return np.zeros((0, 4), np.float32)
    near = np.stack([_PLACES, _PLACES / aspect], axis=-1)
    ways = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    shares = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])[:, None] + ways[:, None] * near
    colours = weighted_at(image_lab, np.asarray(points_within(fit.quads, shares[None]), np.float32))
    ground = (fit.inside + np.roll(fit.inside, 1, axis=1)) / 2 if grounds is None else grounds
    change = colours[:, :, :_OUTSIDE].mean(axis=2) - ground
    size = np.square(change).sum(axis=2)
    away = np.einsum("nkpc,nkc->nkp", colours - ground[:, :, None], change) / np.maximum(size, 1)[..., None]
    outside = np.clip(away, -_OVERSHOOT, 1 + _OVERSHOOT)
    # The first step that explains the places up to a little farther on about as well as any: the grain of a table may
    # look like the card here and there, and print that begins close to its rim like the table.
    total = np.pad(np.cumsum(outside - 0.5, axis=2), ((0, 0), (0, 0), (1, 0)))
    at = np.arange(len(_PLACES) + 1)
    low, high = np.maximum(at - _RIM, 0), np.minimum(at + _RIM, len(_PLACES))
    explained = 2 * total - total[..., high]
    nearby = np.lib.stride_tricks.sliding_window_view(
        np.pad(explained, ((0, 0), (0, 0), (_RIM, _RIM)), constant_values=-np.inf), 2 * _RIM + 1, axis=2
    ).max(axis=3)
    likely = (explained == nearby) & (explained >= _NEARLY * explained.max(axis=2, keepdims=True))
    first = likely.argmax(axis=2)
    # How much of what lies about the step is outside tells its place between two of these.
    share = np.take_along_axis(total[..., high] - total[..., low], first[..., None], axis=2)[..., 0]
    between = (share + (low[first] + high[first] - 1) / 2) * (_PLACES[1] - _PLACES[0])
    cut = _PLACES[0] + between
    return np.asarray(np.where(size > _LEAST**2, cut, np.nan), np.float32)


def are_rounder(cuts: Singles, others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which things (n,), cut by `cuts` (n, 4) at their corners, are far rounder at all corners seen than the `others`.

    So is a disc, or a bell: each side that is put on it has an edge along its middle, as a card's side has, but none of
    them reaches a corner.
    """
    seen = np.isfinite(cuts)
    if not seen[others].any():
        return np.zeros(len(cuts), bool)
    usual = max(float(np.median(cuts[others][seen[others]])), 0.0)
    round_all_over = (cuts > usual + max(_ROUNDER, usual)) | ~seen
    return np.asarray(round_all_over.all(axis=1) & (seen.sum(axis=1) >= _FEWEST))


def are_missing(cuts: Singles) -> NDArray[np.bool_]:
    """Which things (n,), cut by `cuts` (n, 4) at their corners, have lack several corners: a fan of cards has few."""
    return np.asarray((np.nan_to_num(cuts) > _MISSING).sum(axis=1) >= _FEWEST)
