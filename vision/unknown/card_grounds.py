"""The ground of a card along its border: one colour, in light that changes evenly from one end of it to another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import points_within
from vision.unknown.card_borders import border_places
from vision.unknown.weighted_lab import weighted_at

Floats = NDArray[np.floating]

_ROUNDS = 4
_NEAR = 6.0  # weighted 8-bit Lab: what is farther off is print, and hardly counts
_CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


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
