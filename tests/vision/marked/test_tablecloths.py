"""What is printed on a tablecloth is no card, and cards that lie on it are told."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.flat_cards import Image, confetti, flat_table, lay
from vision.marked.pipeline import read_on
from vision.reading import Reading

SCALE = 1.6
SIZE = (720, 560)


def reading_of(picture: Image) -> Reading:
    return read_on(picture, confetti(), flat_table(SIZE, SCALE))[0]


def lay_face(picture: Image, number: int, at_mm: tuple[float, float], turn: float, side: str) -> None:
    lay(picture, confetti(), confetti().side(side)[number], (at_mm[0] * SCALE, at_mm[1] * SCALE), turn, SCALE)


CLOTHS = [((150, 40, 20), (232, 232, 232)), ((40, 160, 225), (235, 235, 235)), ((60, 130, 40), (225, 230, 230))]


def tablecloth(colours: tuple[tuple[int, int, int], tuple[int, int, int]], square_mm: float, turn_deg: float) -> Image:
    """A chequered cloth, darker towards one corner."""
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    turn = math.radians(turn_deg)
    u = (x * math.cos(turn) + y * math.sin(turn)) / (square_mm * SCALE)
    v = (y * math.cos(turn) - x * math.sin(turn)) / (square_mm * SCALE)
    dark = ((np.floor(u) + np.floor(v)) % 2 == 0)[..., None]
    cloth = np.where(dark, *np.array(colours)) * (1 - 0.3 * (x + y) / sum(SIZE))[..., None]
    noisy = cloth + np.random.default_rng(2).normal(0, 3, cloth.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(noisy, (0, 0), 0.7), 0, 255), np.uint8)


def cloth_with_cards(
    colours: tuple[tuple[int, int, int], tuple[int, int, int]], square_mm: float, turn_deg: float, side: str
) -> Image:
    picture = tablecloth(colours, square_mm, turn_deg)
    for number, place, turn in ((3, (110.0, 100.0), 0.2), (41, (300.0, 120.0), 1.1), (66, (230.0, 250.0), 2.5)):
        lay_face(picture, number, place, turn, side)
    return picture


@pytest.mark.parametrize(
    ("colours", "square_mm", "turn_deg", "side"),
    [
        (CLOTHS[0], 30.0, 25.0, "white"),
        (CLOTHS[1], 22.0, 10.0, "white"),
        (CLOTHS[2], 28.0, 70.0, "white"),
        (CLOTHS[0], 24.0, 10.0, "black"),
        (CLOTHS[1], 22.0, 38.0, "black"),
        # Once a card was told where there is none: squares agreed with one.
        (CLOTHS[2], 15.1, 1.4, "white"),
        (CLOTHS[2], 14.7, 11.0, "black"),
    ],
)
def test_cards_on_a_chequered_cloth_are_told_and_its_squares_are_no_covered_ones(
    colours: tuple[tuple[int, int, int], tuple[int, int, int]], square_mm: float, turn_deg: float, side: str
) -> None:
    reading = reading_of(cloth_with_cards(colours, square_mm, turn_deg, side))
    assert {card.face.id for card in reading.cards} == {confetti().side(side)[number].id for number in (3, 41, 66)}
    assert not reading.unclear


@settings(max_examples=15)
@given(
    colours=st.sampled_from(CLOTHS),
    square_mm=st.floats(12.0, 40.0),
    turn_deg=st.floats(0.0, 90.0),
    side=st.sampled_from(["white", "black"]),
)
def test_no_square_of_a_tablecloth_is_told_as_a_card(
    colours: tuple[tuple[int, int, int], tuple[int, int, int]], square_mm: float, turn_deg: float, side: str
) -> None:
    reading = reading_of(cloth_with_cards(colours, square_mm, turn_deg, side))
    assert {card.face.id for card in reading.cards} <= {confetti().side(side)[number].id for number in (3, 41, 66)}


@pytest.mark.parametrize(
    ("under", "over", "side"), [(3, 57, "white"), (41, 12, "white"), (3, 57, "black"), (41, 12, "black")]
)
def test_a_card_with_one_mark_covered_is_told_on_a_cloth(under: int, over: int, side: str) -> None:
    """Two marks and the sides were once not enough wherever the table had a pattern."""
    picture = tablecloth(CLOTHS[0], 24.0, 20.0)
    lay_face(picture, under, (150.0, 120.0), 0.3, side)
    lay_face(picture, over, (175.0, 170.0), 0.9, side)
    told = {card.face.id for card in reading_of(picture).cards}
    assert told == {confetti().side(side)[number].id for number in (under, over)}


PAINTS = [(50, 50, 215), (40, 130, 240), (60, 210, 245), (70, 160, 60), (190, 110, 40), (150, 60, 130)]
DARK, WHITE = (90, 70, 50), (235, 235, 235)


def strewn_cloth(ground: tuple[int, int, int], paints: int, dots: int, seed: int) -> Image:
    """A cloth with dots of a few colours strewn over it, none on another one."""
    rng = np.random.default_rng(seed)
    picture = np.full((SIZE[1], SIZE[0], 3), ground, np.uint8)
    laid: list[tuple[float, float, float]] = []
    colours = rng.permutation(len(PAINTS))[:paints]
    for _ in range(dots):
        x, y, radius = rng.uniform(0, SIZE[0]), rng.uniform(0, SIZE[1]), SCALE * rng.uniform(5, 18)
        if all(math.hypot(x - u, y - v) > radius + other + 3 for u, v, other in laid):
            laid.append((x, y, radius))
            cv2.circle(picture, (int(x), int(y)), int(radius), PAINTS[rng.choice(colours)], -1, cv2.LINE_AA)
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.7) + rng.normal(0, 2, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


@pytest.mark.parametrize(
    ("ground", "paints", "dots", "seed"),
    [
        # Three of them were once taken for a bleached card's marks, whatever their colours,
        (DARK, 1, 194, 52),
        (DARK, 4, 245, 95),
        (DARK, 1, 174, 212),
        (DARK, 4, 229, 267),
        # or for a card's that has no sides.
        (WHITE, 2, 31, 113),
        (WHITE, 3, 180, 230),
    ],
)
def test_no_dots_of_a_tablecloth_are_told_as_a_card(
    ground: tuple[int, int, int], paints: int, dots: int, seed: int
) -> None:
    assert not reading_of(strewn_cloth(ground, paints, dots, seed)).cards
