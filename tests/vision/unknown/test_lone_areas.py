"""Dark cards with round corners and much print, on a pale table: each is an area with four sides."""

import cv2
import numpy as np

from vision.unknown.lone_areas import lone_areas
from vision.unknown.view import view_of

WIDTH, LENGTH, ROUND = 90, 130, 9
MIDDLES = [(110, 120), (300, 130), (500, 110), (150, 340), (420, 350)]


def test_cards_full_of_print_are_told_by_their_outlines() -> None:
    random = np.random.default_rng(1)
    picture = np.full((480, 640, 3), 215, np.uint8)
    for x, y in MIDDLES:
        left, top = x - WIDTH // 2 + ROUND, y - LENGTH // 2 + ROUND
        inner = (left, top, WIDTH - 2 * ROUND, LENGTH - 2 * ROUND)
        cv2.rectangle(picture, inner, (40, 35, 30), 2 * ROUND)
        cv2.rectangle(picture, inner, (40, 35, 30), -1)
        art = random.integers(0, 255, (LENGTH - 4 * ROUND, WIDTH - 4 * ROUND, 3))
        picture[top + ROUND : top + ROUND + art.shape[0], left + ROUND : left + ROUND + art.shape[1]] = art
    found = lone_areas(view_of(picture))
    half = np.array([WIDTH, LENGTH]) / 2
    for middle in MIDDLES:
        corners = middle + half * [[-1, -1], [1, -1], [1, 1], [-1, 1]]
        assert np.abs(found - corners).max(axis=(1, 2)).min() < 0.03 * WIDTH


def test_nothing_lies_on_a_bare_table() -> None:
    table = np.random.default_rng(2).normal(150, 3, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    assert len(lone_areas(view_of(table))) == 0
