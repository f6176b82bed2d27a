"""What is printed on cards: how much of them, and what along inside of their edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import points_within
from vision.unknown.weighted_lab import pixels_at, weighted_at

Floats = NDArray[np.floating]

_RING, _INSIDE = np.linspace(0.12, 0.88, 20), (0.03, 0.045, 0.06)  # along a side; inside of it, by the card's width
RINGS = len(_INSIDE)  # of places along inside of a card's edges
_PRINT = 12.0  # what differs from a card's ground by more, in 8-bit Lab, is print


def printed_share(image_lab: NDArray[np.uint8], quads: Floats) -> Floats:
    """The share of each card (n,) whose colour is not that of its ground."""
    if len(quads) == 0:
        return np.zeros(0, np.float32)
    t = np.linspace(0.08, 0.92, 24, dtype=np.float32)
    u, v = np.meshgrid(t, t)
    weight = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).reshape(4, -1)
    points = np.einsum("nkc,km->nmc", quads, weight).astype(np.float32)
    colours = pixels_at(image_lab, points).astype(np.float32)
    away = np.linalg.norm(colours - np.median(colours, axis=1, keepdims=True), axis=2)
    return np.asarray((away > _PRINT).mean(axis=1), np.float32)


def along_border(image_lab: NDArray[np.uint8], quads: NDArray[np.float32], aspect: float) -> NDArray[np.float32]:
    """How far the colours all along inside of the edges of cards (n, 4, 2) are from the middle one: (n, places).

    In weighted 8-bit Lab; the cards' first sides are shorter ones and `aspect` is length by width.
    """
    if len(quads) == 0:
        return np.zeros((0, 1), np.float32)
    colours = weighted_at(image_lab, np.asarray(points_within(quads, border_places(aspect)[None]), np.float32))
    return np.asarray(np.linalg.norm(colours - np.median(colours, axis=1, keepdims=True), axis=2), np.float32)


def border_places(aspect: float) -> NDArray[np.float64]:
    """Places (p, 2) all along inside of a card's edges, by its first and second sides; `aspect` is length by width.

    They lie in `RINGS` rings, side after side.
    """
    rings = []
    for inside in _INSIDE:
        x, y = np.full(len(_RING), inside), np.full(len(_RING), inside / aspect)
        rings += [np.stack(side, axis=1) for side in ((_RING, y), (1 - x, _RING), (_RING, 1 - y), (x, _RING))]
    return np.concatenate(rings)
