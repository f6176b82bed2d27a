"""Cards of a deck differ a little, bent or as a lens shows them; a pattern beside one must not take its place."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_finish import finished
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_sizes import Stock
from vision.unknown.view import view_of

SIZE_WH = (900, 640)
WIDTH, LENGTH = 120.0, 170.0
PLACES = [(120, 140, 8), (350, 140, -20), (620, 140, 15), (160, 440, -8), (420, 450, 5), (700, 450, -12)]
BLOSSOMS = 300
BENT = [-0.03, 0.025, 0.0, 0.03, -0.025, 0.01]  # by so much narrower they are seen


def card_at(x: float, y: float, degrees: float, narrower: float = 0.0) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card about (x, y)."""
    return turned_card((WIDTH * (1 - narrower), LENGTH), x, y, degrees)


TRUE = np.stack([card_at(*place, narrower) for place, narrower in zip(PLACES, BENT, strict=True)])


def picture(seed: int) -> NDArray[np.uint8]:
    """White cards on a pale cloth with blossoms, (h, w, 3) BGR."""
    fine, random = 4, np.random.default_rng(seed)
    grey = np.full((SIZE_WH[1] * fine, SIZE_WH[0] * fine), 232, np.uint8)
    for _ in range(BLOSSOMS):
        middle = (random.uniform(0, 1, 2) * SIZE_WH * np.array(fine)).astype(int).tolist()
        axes = (random.uniform(5, 28, 2) * fine).astype(int).tolist()
        cv2.ellipse(
            grey, (middle, (2 * axes[0], 2 * axes[1]), random.uniform(0, 180)), int(random.uniform(215, 228)), -1
        )
    for card in TRUE:
        cv2.fillPoly(grey, [np.rint(card * fine + 1.5).astype(np.int32)], 242)
        cv2.circle(grey, tuple(np.rint(card.mean(axis=0) * fine).astype(int).tolist()), 25 * fine, 90, -1)
    small = cv2.GaussianBlur(cv2.resize(grey, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = small[..., None] + random.normal(0, 1.0, (SIZE_WH[1], SIZE_WH[0], 3))
    return np.clip(noisy, 0, 255).astype(np.uint8)


def off_px(seed: int) -> NDArray[np.float32]:
    """How far corners of the cards (n,) are off when they were right at first."""
    plane = CardPlane(np.eye(3), (WIDTH, LENGTH), np.array([0, 0, np.log(WIDTH), np.log(LENGTH), 0]), SIZE_WH)
    final, _ = finished(view_of(picture(seed)), TRUE, Stock(plane, np.array([-1.0, 0.0, 0.0])))
    turned = np.stack([np.roll(final.quads, k, axis=1) for k in range(4)])
    return np.asarray(np.linalg.norm(turned - TRUE, axis=3).max(axis=2).min(axis=0))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_cards_keep_edges_of_their_own_that_are_plainer_than_where_the_size_wants_them(seed: int) -> None:
    assert off_px(seed).max() < 0.02 * WIDTH
