"""Clowns drawn in a line or two, for tests that teach them: a paint each, happy ones with a hat."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
CARD_MM = (56.0, 87.0)
INKS = {"red": (30, 30, 200), "blue": (190, 90, 20), "green": (40, 140, 40), "yellow": (20, 200, 230)}


def clown(colour: str, *, happy: bool) -> Image:
    """Return a card's picture, (h, w, 3) uint8 BGR."""
    card = np.full((174, 112, 3), (225, 245, 250), np.uint8)
    cv2.circle(card, (56, 90), 34, (150, 190, 225), -1)
    cv2.circle(card, (56, 90), 9, INKS[colour], -1)
    cv2.ellipse(card, (56, 106 if happy else 116), (14, 8), 0 if happy else 180, 0, 180, (40, 40, 90), 2)
    cv2.ellipse(card, (56, 148), (34, 20), 0, 0, 360, INKS[colour], -1)
    if happy:
        cv2.fillPoly(card, [np.array([[56, 10], [80, 62], [32, 62]])], INKS[colour])
    return card
