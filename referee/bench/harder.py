"""Pictures made harder: what keeps cards from being told wrong earns nothing on pictures in which all is as usual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck

Image = NDArray[np.uint8]

_CAST_BGR = (0.8, 1.0, 1.2)  # a lamp's, times what marker cards show as well
_BRIGHT, _DARK, _BLUR_PX, _NOISE = 1.7, 0.35, 2.0, 4.0
_SEED = 1


def _times(image: Image, factors: tuple[float, ...]) -> Image:
    return np.asarray(np.clip(image * np.array(factors), 0, 255), np.uint8)


def _dark(image: Image) -> Image:
    """Less light, with the noise that a camera adds then."""
    grain = np.random.default_rng(_SEED).normal(0, _NOISE, image.shape)
    return np.asarray(np.clip(_DARK * (image + grain), 0, 255), np.uint8)


ALTERATIONS: Mapping[str, Callable[[Image], Image]] = {
    "under a cast": lambda image: _times(image, _CAST_BGR),
    "too bright": lambda image: _times(image, (_BRIGHT,) * 3),
    "dark": _dark,
    "blurred": lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), _BLUR_PX), np.uint8),
}
"""Each alters a picture, (h, w, 3) uint8 BGR."""


def halves(deck: Deck) -> tuple[Deck, Deck]:
    """Give the deck with every second face, and with the others: what it lacks lies on the table all the same."""
    first, second = (replace(deck, faces=deck.faces[start::2]) for start in (0, 1))
    return first, second
