"""The ground of cards: what is printed on it, and what colour it has all along inside of their edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import points_within
from vision.unknown.weighted_lab import pixels_at, weighted_at

Floats = NDArray[np.floating]

_RING, _INSIDE = np.linspace(0.12, 0.88, 20), (0.03, 0.045, 0.06)  # along a side; inside of it, by the card's width
SAME_STOCK = 20.0  # how far the grounds of two cards may differ, in weighted 8-bit Lab
_PRINT = 12.0  # what differs from a card's ground by more, in 8-bit Lab, is print
BARE = 0.012  # the share of a card that is printed: less is a sheet of paper
_ROUNDS = 4
_NEAR = 6.0  # weighted 8-bit Lab: what is farther off is print, and hardly counts
_CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


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


def border_places(aspect: float) -> NDArray[np.float64]:
    """Places (p, 2) all along inside of a card's edges, by its first and second sides; `aspect` is length by width.

    They lie in rings, side after side.
    """
    rings = []
    for inside in _INSIDE:
        x, y = np.full(len(_RING), inside), np.full(len(_RING), inside / aspect)
        rings += [np.stack(side, axis=1) for side in ((_RING, y), (1 - x, _RING), (_RING, 1 - y), (x, _RING))]
    return np.concatenate(rings)


def even_grounds(
    image_lab: NDArray[np.uint8], quads: NDArray[np.float32], aspect: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How far the colours along inside of the edges of cards are from an even ground, and that at the corners.

    `image_lab` is (h, w, 3) 8-bit Lab, `quads` (n, 4, 2) begin with a shorter side, `aspect` is length by width. Gives
    (n, places) and (n, 4, 3), in weighted 8-bit Lab. A lamp's reflection on a card grows from one end to the other.
    """
    if len(quads) == 0:
        return np.zeros((0, 1), np.float32), np.zeros((0, 4, 3), np.float32)
    places = border_places(aspect)
    colours = weighted_at(image_lab, np.asarray(points_within(quads, places[None]), np.float32))
    known = _terms(places)
    weight = np.ones(colours.shape[:2])
    away = np.zeros_like(weight)
    ground = np.zeros((len(quads), 3, 3))
    for _ in range(_ROUNDS):
        weighted = known * weight[..., None]
        ground = np.linalg.solve(
            np.einsum("npi,pj->nij", weighted, known), np.einsum("npi,npc->nic", weighted, colours)
        )
        away = np.linalg.norm(colours - known @ ground, axis=2)
        weight = 1 / (1 + (away / _NEAR) ** 2)
    return np.asarray(away, np.float32), np.asarray(_terms(_CORNERS) @ ground, np.float32)


def _terms(places: Floats) -> Floats:
    """What an even change is made of (p, 3) at places (p, 2) on a card."""
    return np.concatenate([np.ones((len(places), 1)), places - 0.5], axis=1)
