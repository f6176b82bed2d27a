"""Cards that lean on something, or that a wide lens draws askew, are told by their paper and corners; a slip is not."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.find_cards import find_cards

SIZE_WH, WIDTH, LENGTH, RADIUS = (1280, 800), 130.0, 200.0, 9
FLAT = [(220.0, 220.0, 3.0), (460.0, 230.0, -5.0), (700.0, 215.0, 2.0), (330.0, 560.0, 88.0)]


def leaning(x: float, y: float, by: float) -> NDArray[np.float32]:
    """Corners (4, 2) of a card whose far end is lifted: askew, and wider there `by` a share."""
    quad = turned_card((WIDTH, LENGTH), x, y, 0.0)
    return np.asarray(quad + by * np.array([[-90, 20], [90, 50], [50, 0], [20, -40]]), np.float32)


def table(cards: list[NDArray[np.float32]], sheets: list[NDArray[np.float32]]) -> NDArray[np.uint8]:
    """A dark table with rounded cards, each with a mark, and sheets of the same paper with sharp corners."""
    picture = np.full((SIZE_WH[1], SIZE_WH[0], 3), (52, 60, 44), np.float32)
    for k, quad in enumerate([*cards, *sheets]):
        flat = np.array([[0, 0], [WIDTH, 0], [WIDTH, LENGTH], [0, LENGTH]], np.float32)
        shape = np.full((int(LENGTH), int(WIDTH)), 255, np.uint8)
        if k < len(cards):
            shape[:] = 0
            cv2.rectangle(shape, (RADIUS, 0), (int(WIDTH) - RADIUS - 1, int(LENGTH)), 255, -1)
            cv2.rectangle(shape, (0, RADIUS), (int(WIDTH), int(LENGTH) - RADIUS - 1), 255, -1)
            for x in (RADIUS, int(WIDTH) - RADIUS - 1):
                for y in (RADIUS, int(LENGTH) - RADIUS - 1):
                    cv2.circle(shape, (x, y), RADIUS, 255, -1)
        face = np.full((*shape.shape, 3), (205, 218, 224), np.float32)
        cv2.circle(face, (int(WIDTH) // 2, int(LENGTH) // 2), 24, (60, 40 * (k % 4), 170), -1)
        there = cv2.getPerspectiveTransform(flat, quad)
        cover = cv2.warpPerspective(shape, there, SIZE_WH, flags=cv2.INTER_AREA)[..., None] / 255.0
        drawn = cv2.warpPerspective(face, there, SIZE_WH, borderMode=cv2.BORDER_REPLICATE)
        picture = picture * (1 - cover) + drawn * cover
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) + np.random.default_rng(5).normal(0, 2, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def off(found: NDArray[np.float32], true: NDArray[np.float32]) -> float:
    """How far the nearest of the found cards (n, 4, 2) is off a true one (4, 2), by the card's width."""
    turned = np.stack([np.roll(found, k, axis=1) for k in range(4)])
    return float(np.linalg.norm(turned - true, axis=3).max(axis=2).min() / WIDTH)


@pytest.mark.parametrize("by", [0.0, 0.04, 0.08, 0.12])
def test_a_card_that_leans_is_found_as_the_flat_ones_are(by: float) -> None:
    true = [*(turned_card((WIDTH, LENGTH), *place) for place in FLAT), leaning(980.0, 480.0, by)]
    found = find_cards(table(true, [])).corners_px
    assert len(found) == len(true)
    assert max(off(found, quad) for quad in true) < 0.03


@pytest.mark.parametrize("by", [0.12, 0.13])
def test_a_slip_of_the_same_paper_with_sharp_corners_is_no_leaning_card(by: float) -> None:
    cards = [turned_card((WIDTH, LENGTH), *place) for place in FLAT]
    found = find_cards(table(cards, [leaning(980.0, 480.0, by)])).corners_px
    assert len(found) == len(cards)
