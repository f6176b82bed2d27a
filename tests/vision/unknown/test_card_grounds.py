"""White borders on pale tables: the card is found to its own edge, not to the strong frame printed on it."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_grounds import printed_share
from vision.unknown.find_cards import find_cards

PLACES = [(90.0, 80.0), (330.0, 90.0), (570.0, 70.0), (200.0, 330.0), (470.0, 340.0), (720.0, 320.0)]
WIDTH, LENGTH, BORDER = 110.0, 170.0, 9.0


def bordered_cards(table: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Draw six coloured cards with white borders on a table of one colour, with a little noise."""
    picture = np.full((600, 900, 3), table, np.uint8)
    for k, (x, y) in enumerate(PLACES):
        colour = [(40, 40, 200), (180, 90, 20), (60, 150, 60)][k % 3]
        cv2.rectangle(picture, (int(x), int(y)), (int(x + WIDTH), int(y + LENGTH)), (246, 248, 248), -1)
        frame = (int(x + BORDER), int(y + BORDER)), (int(x + WIDTH - BORDER), int(y + LENGTH - BORDER))
        cv2.rectangle(picture, *frame, colour, -1)
        cv2.circle(picture, (int(x + WIDTH / 2), int(y + LENGTH / 2)), 28, (246, 248, 248), -1)
    noise = np.random.default_rng(1).normal(0, 1.0, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.9) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("table", [(236, 240, 240), (150, 160, 170), (40, 60, 80)])
def test_cards_are_found_to_the_edge_of_their_border(table: tuple[int, int, int]) -> None:
    found = find_cards(bordered_cards(table))
    assert len(found.corners_px) == len(PLACES)
    for x, y in PLACES:
        true = np.array([[x, y], [x + WIDTH, y], [x + WIDTH, y + LENGTH], [x, y + LENGTH]])
        off = min(
            float(np.linalg.norm(np.roll(quad, turn, axis=0) - true, axis=1).max())
            for quad in found.corners_px
            for turn in range(4)
        )
        assert off < 0.03 * WIDTH


def test_a_bare_table_shows_no_print_and_a_mark_does() -> None:
    lab = np.full((200, 200, 3), (200, 128, 128), np.uint8)
    quad = np.array([[[20, 20], [120, 20], [120, 160], [20, 160]]], np.float32)
    assert printed_share(lab, quad)[0] == 0
    lab[70:110, 50:90] = (120, 190, 160)
    assert 0.05 < printed_share(lab, quad)[0] < 0.25
