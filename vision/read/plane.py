"""Fits the table to the cards that were read, where no marker card is visible."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Floats
from vision.table import Table

_LEAST_CARDS, _ROUNDS = 2, 20
_FLAT = 1e-9  # of a homography's determinant: points on one line give no plane
_CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2


def table_of(quads: Floats, card_mm: tuple[float, float], size_px: tuple[int, int]) -> Table | None:
    """Return the plane on which all cards (n, 4, 2) px, clockwise from top left, have one size; None for a single card.

    Its origin is arbitrary. Cards and plane are fitted in turns, from the plane of the largest card.
    """
    if len(quads) < _LEAST_CARDS:
        return None
    card = _CORNERS * card_mm
    largest = max(quads, key=lambda quad: cv2.contourArea(quad.astype(np.float32)))
    flat = cv2.getPerspectiveTransform(card.astype(np.float32), largest.astype(np.float32))
    homography = np.asarray(flat, np.float64)
    points = quads.reshape(-1, 1, 2)
    for _ in range(_ROUNDS):
        seen = cv2.perspectiveTransform(points, np.linalg.inv(homography)).reshape(-1, 4, 2)
        middles = seen.mean(axis=1, keepdims=True)
        # The turn of each card by its corners: a Procrustes fit in the plane of complex numbers.
        turns = ((seen - middles) @ (1, 1j) * (card @ (1, -1j))).sum(axis=1)
        turned = (card @ (1, 1j)) * (turns / np.maximum(np.abs(turns), 1e-9))[:, None]
        laid = np.stack([turned.real, turned.imag], axis=-1) + middles
        homography = np.asarray(cv2.findHomography(laid.reshape(-1, 2), points.reshape(-1, 2))[0], np.float64)
        if homography.shape != (3, 3) or abs(np.linalg.det(homography)) < _FLAT:
            return None
    return Table(np.eye(3), np.zeros(5), homography, size_px, 0.0)
