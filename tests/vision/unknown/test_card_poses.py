"""A card of known size is found by all its sides at once, however faint, and not by one edge that is strong."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_votes import agree_on_planes

SIZE_WH = (640, 480)
WIDTH, LENGTH = 80.0, 120.0


PLACES = [(110, 120, 10), (320, 130, -25), (520, 110, 60), (140, 350, 85), (360, 340, 5), (540, 340, -40)]
TRUE = np.stack([turned_card((WIDTH, LENGTH), *place) for place in PLACES])


def picture(table: int, ground: int) -> NDArray[np.uint8]:
    """Draw the cards in grey with noise, 8-bit Lab."""
    grey = np.full((SIZE_WH[1] * 4, SIZE_WH[0] * 4), table, np.uint8)
    for card in TRUE:
        cv2.fillPoly(grey, [np.rint(card * 4 + 1.5).astype(np.int32)], ground)
    small = cv2.resize(grey, SIZE_WH, interpolation=cv2.INTER_AREA)
    noisy = small[..., None] + np.random.default_rng(2).normal(0, 1.5, (SIZE_WH[1], SIZE_WH[0], 3))
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


@pytest.fixture(scope="module")
def plane() -> CardPlane:
    found = agree_on_planes(TRUE, np.ones(len(TRUE)), SIZE_WH)
    assert found
    return found[0]


def worst(quads: NDArray[np.float32], true: NDArray[np.float32]) -> float:
    """The largest distance of any corner from the card's, whichever corner is called the first."""
    turned = [np.linalg.norm(np.roll(quads, k, axis=1) - true, axis=2).max(axis=1) for k in range(4)]
    return float(np.min(turned, axis=0).max())


def test_rectangles_keep_their_corners(plane: CardPlane) -> None:
    assert worst(poses_of(plane, TRUE).quads(plane), TRUE) < 0.6


def test_faint_cards_that_lie_a_little_off_are_put_right(plane: CardPlane) -> None:
    off = poses_of(plane, TRUE + np.array([2.5, -2.0], np.float32))
    found, certainty = settled(picture(table=225, ground=232), plane, off, 4.0)
    assert worst(found.quads(plane), TRUE) < 0.02 * WIDTH
    assert certainty.mean() > 0.8


def test_a_bare_table_speaks_for_no_card(plane: CardPlane) -> None:
    _, certainty = settled(picture(table=225, ground=225), plane, poses_of(plane, TRUE), 4.0)
    assert certainty.mean() < 0.3
