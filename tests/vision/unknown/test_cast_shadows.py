"""Beside white cards on a white table lies a thin shadow, on the sides away from the light; it is no part of a card."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.cast_shadows import moved_off_shadows

SIZE_WH = (800, 600)
WIDTH, LENGTH, SHADOW_PX = 100.0, 150.0, 3.5
PLACES = [(120, 130, 8), (330, 140, -12), (560, 140, 20), (150, 430, 4), (380, 440, -15), (620, 430, 10)]


def card_at(x: float, y: float, degrees: float) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card about (x, y)."""
    return turned_card((WIDTH, LENGTH), x, y, degrees)


TRUE = np.stack([card_at(*place) for place in PLACES])


def grown(quads: NDArray[np.float32], sides: list[int]) -> NDArray[np.float32]:
    """The same with these sides, 0 for the top, clockwise, moved outward to where a shadow ends."""
    along = np.roll(quads, -1, axis=1) - quads
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1) / np.linalg.norm(along, axis=2, keepdims=True)
    moved = quads.copy()
    for side in sides:
        for corner in (side, (side + 1) % 4):
            moved[:, corner] += SHADOW_PX * outward[:, side]
    return moved


def picture(shaded: NDArray[np.float32]) -> NDArray[np.uint8]:
    """White cards, each on something dark as large as `shaded` (n, 4, 2), on a white table; 8-bit Lab."""
    fine = 4
    grey = np.full((SIZE_WH[1] * fine, SIZE_WH[0] * fine), 228, np.uint8)
    for card, dark in zip(TRUE, shaded, strict=True):
        cv2.fillPoly(grey, [np.rint(dark * fine + 1.5).astype(np.int32)], 185)
        cv2.fillPoly(grey, [np.rint(card * fine + 1.5).astype(np.int32)], 233)
    small = cv2.GaussianBlur(cv2.resize(grey, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = small[..., None] + np.random.default_rng(4).normal(0, 1.0, (SIZE_WH[1], SIZE_WH[0], 3))
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


@pytest.mark.parametrize("sides", [[0], [3], [0, 3], [1, 2]])
def test_sides_are_moved_to_where_the_shadows_begin(sides: list[int]) -> None:
    with_shadows = grown(TRUE, sides)
    moved = moved_off_shadows(picture(with_shadows), with_shadows)
    assert np.abs(moved - TRUE).max() < 1.0


def test_shadows_beyond_sides_that_were_put_right_speak_for_the_few_that_were_not() -> None:
    with_shadows = grown(TRUE, [2])
    some = np.concatenate([with_shadows[:2], TRUE[2:]])
    moved = moved_off_shadows(picture(with_shadows), some)
    assert np.abs(moved - TRUE).max() < 1.0


def test_cards_without_shadows_stay() -> None:
    assert (moved_off_shadows(picture(TRUE), TRUE) == TRUE).all()


def test_a_line_all_round_is_printed() -> None:
    bordered = grown(TRUE, [0, 1, 2, 3])
    assert (moved_off_shadows(picture(bordered), bordered) == bordered).all()


def test_lines_beside_a_few_of_the_cards_tell_nothing() -> None:
    some = np.concatenate([grown(TRUE[:2], [0]), TRUE[2:]])
    assert (moved_off_shadows(picture(some), some) == some).all()
