"""Cards that light has wiped clean are told from sheets, squares and tables, and from the cards that were read."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import flat_table
from vision.deck import Deck
from vision.marked.blank_cards import Blank, blank_cards
from vision.marked.marks import WorkImage

Points = NDArray[np.float64]

SIZE = (320, 240)  # px, which are mm
AT = (150.0, 110.0)
WOOD, WHITE = (90, 130, 170), (253, 254, 255)
NOTHING: Points = np.zeros((0, 4, 2))


def quad(size_mm: tuple[float, float], turn_deg: float = 0.0) -> Points:
    width, height = size_mm
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return np.asarray(corners @ np.array([[cos, sin], [-sin, cos]]) + AT)


def rounded(shape: Points, radius_mm: float) -> Points:
    """The outline of a quad, its corners cut to arcs."""
    ahead = np.roll(shape, -1, axis=0) - shape
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    back = -np.roll(ahead, 1, axis=0)
    angle = np.linspace(0, np.pi / 2, 8)[:, None]
    arcs = 1 - np.stack([np.sin(angle), np.cos(angle)])
    return np.concatenate([shape[k] + radius_mm * (arcs[0] * back[k] + arcs[1] * ahead[k]) for k in range(len(shape))])


def blanks(
    deck: Deck, shape: Points, colour: tuple[int, int, int] = WHITE, known: Points = NOTHING, wiped: float = 1.0
) -> list[Blank]:
    """What is found of a shape on wood, of which the part from the left is as bright as said."""
    picture = np.full((SIZE[1], SIZE[0], 3), WOOD, np.uint8)
    cv2.fillPoly(picture, [np.rint(shape * 16).astype(np.int32)], colour, shift=4)
    left, right = shape[:, 0].min(), shape[:, 0].max()
    picture[:, round(left + wiped * (right - left)) :] = WOOD
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.uint8)
    return blank_cards(WorkImage(picture, 1.0), flat_table(SIZE), deck.card_mm, known, np.zeros((0, 2)))


@pytest.mark.parametrize("turn", range(0, 180, 15))
def test_a_card_wiped_clean_is_found_where_it_lies(deck: Deck, turn: int) -> None:
    (found,) = blanks(deck, quad(deck.card_mm, turn))
    assert found.centre_mm == pytest.approx(np.array(AT), abs=3)
    assert cv2.contourArea(found.outline_px.astype(np.float32)) == pytest.approx(math.prod(deck.card_mm), rel=0.15)


@pytest.mark.parametrize("turn", range(0, 180, 15))
@pytest.mark.parametrize("radius", [4.0, 6.0, 8.0])
def test_a_card_is_found_that_has_no_sharp_corner(deck: Deck, turn: int, radius: float) -> None:
    assert len(blanks(deck, rounded(quad(deck.card_mm, turn), radius))) == 1


@pytest.mark.parametrize("turn", [0, 90])
def test_a_reflection_that_leaves_a_whole_side_in_sight_is_enough(deck: Deck, turn: int) -> None:
    assert len(blanks(deck, quad(deck.card_mm, turn), wiped=0.5)) == 1


@pytest.mark.parametrize("size", [(210.0, 148.0), (80.0, 120.0), (70.0, 70.0), (40.0, 55.0), (74.0, 105.0)])
def test_papers_of_other_sizes_are_no_cards(deck: Deck, size: tuple[float, float]) -> None:
    assert blanks(deck, quad(size, 20)) == []


def test_a_bright_plank_that_the_picture_cuts_is_no_card(deck: Deck) -> None:
    cut = quad(deck.card_mm) + (0, SIZE[1] - AT[1] - 20)
    assert blanks(deck, cut) == []


@pytest.mark.parametrize("radii", [(40.0, 40.0), (31.5, 44.0)])
def test_round_things_are_no_cards(deck: Deck, radii: tuple[float, float]) -> None:
    angle = np.linspace(0, 2 * np.pi, 60)
    assert blanks(deck, np.array(AT) + np.stack([np.cos(angle), np.sin(angle)], axis=1) * radii) == []


def test_a_card_that_is_known_is_none_that_is_blank(deck: Deck) -> None:
    shape = quad(deck.card_mm, 30)
    assert blanks(deck, shape, known=shape[None]) == []


def test_what_is_little_brighter_than_the_table_is_left_alone(deck: Deck) -> None:
    assert blanks(deck, quad(deck.card_mm), colour=(105, 145, 185)) == []
