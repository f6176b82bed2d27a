"""Columns of cards of a deck of prints, drawn on a grained table, and how a camera takes them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.support.flat_cards import flat_table
from vision.prints.print_deck import PrintDeck
from vision.table import Table

Image = NDArray[np.uint8]

SIZE, SCALE = (960, 640), 1.6


def grained_table() -> tuple[Image, Table]:
    """Wood, more or less, and where it is."""
    grain = np.random.default_rng(3).normal(0, 4, (SIZE[1], SIZE[0], 1))
    image = np.clip(np.array([70, 95, 130]) + cv2.GaussianBlur(grain, (31, 3), 6)[..., None], 0, 255)
    return image.astype(np.uint8), flat_table(SIZE, SCALE)


def as_seen(image: Image, light: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Image:
    """The picture as a camera takes it: softened, under a lamp, with noise."""
    noise = np.random.default_rng(5).normal(0, 3, image.shape)
    return np.clip(cv2.GaussianBlur(image, (3, 3), 0.7) * light + noise, 0, 255).astype(np.uint8)


def lay_column(
    image: NDArray[np.uint8], deck: PrintDeck, laid: Sequence[str], strip_mm: float, aside_mm: Sequence[float]
) -> None:
    """Cards of a column, the first one lowest, each turned a little other than the one before and so much aside."""
    for k, (face, aside) in enumerate(zip(laid, aside_mm, strict=True)):
        art = deck.by_id[face].art
        height, width = art.shape[:2]
        step = deck.card_mm[0] * SCALE / width
        art = np.asarray(cv2.GaussianBlur(art, (0, 0), 0.5 / step), np.uint8)
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 6 + (-1) ** k, step)
        down = np.array([np.sin(np.radians(6)), np.cos(np.radians(6))])
        at_mm = np.array([200.0, 90.0]) + k * strip_mm * down + aside * np.array([down[1], -down[0]])
        matrix[:, 2] += at_mm * SCALE - (width / 2, height / 2)
        card = cv2.warpAffine(art, matrix, SIZE, flags=cv2.INTER_AREA)
        there = cv2.warpAffine(np.full((height, width), 255, np.uint8), matrix, SIZE)
        image[:] = np.where(there[..., None] > 127, card, image).astype(np.uint8)
