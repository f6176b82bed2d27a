"""All cards of a deck are rounded alike; a tin, a disc or a bell among them is far rounder."""

import numpy as np
import pytest

from tests.vision.unknown.test_other_side import (
    LENGTH,
    OTHER,
    PLACES,
    RADIUS,
    SIZE_WH,
    WHITE,
    WIDTH,
    corners,
    table_with,
)
from vision.unknown.card_corners import are_missing, are_rounder
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_sizes import Stock
from vision.unknown.outliers import like_the_others

FOUR = np.arange(5) < len(PLACES)
USUAL = np.full((5, 4), 0.03, np.float32)


def kin(radius: int) -> list[bool]:
    """Which of four white cards, and a thing as white and as large with corners of some radius, are alike."""
    lab, fit = table_with(corners(*OTHER), radius, WHITE)
    plane = CardPlane(np.eye(3), (WIDTH, LENGTH), np.zeros(5), SIZE_WH)
    return [bool(alike) for alike in like_the_others(lab, Stock(plane, np.array([-1.0, 0.0, 0.0])), fit)]


@pytest.mark.parametrize("radius", [30, 42, 48])
def test_a_thing_with_far_rounder_corners_is_no_card(radius: int) -> None:
    assert kin(radius) == [True] * len(PLACES) + [False]


@pytest.mark.parametrize("radius", [RADIUS - 4, RADIUS, RADIUS + 6])
def test_cards_are_worn_at_their_corners_now_less_now_more(radius: int) -> None:
    assert kin(radius) == [True] * (len(PLACES) + 1)


def test_one_corner_cut_like_the_others_is_enough() -> None:
    cuts = USUAL.copy()
    cuts[4] = 0.15, 0.2, 0.04, 0.2
    assert not are_rounder(cuts, FOUR).any()
    cuts[4, 2] = np.nan
    assert are_rounder(cuts, FOUR).tolist() == [False] * 4 + [True]


def test_one_corner_alone_tells_nothing() -> None:
    cuts = USUAL.copy()
    cuts[4] = 0.2, np.nan, np.nan, np.nan
    assert not are_rounder(cuts, FOUR).any()


def test_where_no_corner_of_the_others_is_seen_none_is_rounder() -> None:
    cuts = np.full((5, 4), 0.2, np.float32)
    cuts[FOUR] = np.nan
    assert not are_rounder(cuts, FOUR).any()


def test_a_thing_alone_without_corners_on_one_side_is_no_card() -> None:
    assert are_missing(np.array([[0.09, 0.11, 0.02, 0.03], [0.02, np.nan, np.nan, 0.15]], np.float32)).tolist() == [
        True,
        False,
    ]
