"""Two cards side by side are no larger card: the table shows between them, as no print does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_edges import glance
from vision.unknown.gaps import are_divided

WOOD, PAPER, INK = (90, 140, 170), (225, 230, 232), (40, 40, 40)
LEFT, TOP, RIGHT, BOTTOM = 100, 80, 500, 380
ALL = np.array([[[LEFT, TOP], [RIGHT, TOP], [RIGHT, BOTTOM], [LEFT, BOTTOM]]], np.float32)


def divided(strip: tuple[int, int, int], width: float, bare: int = 0, degrees: float = 0.0, at: float = 0.5) -> bool:
    """Whether a sheet with a strip of a colour across it, but for so many px at either rim, is more than one."""
    picture = np.full((460, 600, 3), WOOD, np.uint8)
    cv2.rectangle(picture, (LEFT, TOP), (RIGHT, BOTTOM), PAPER, -1)
    x = round(LEFT + at * (RIGHT - LEFT))
    cv2.rectangle(picture, (x, TOP + bare), (x + round(width), BOTTOM - bare), strip, -1)
    turn = cv2.getRotationMatrix2D((300.0, 230.0), degrees, 1.0)
    turned = cv2.GaussianBlur(cv2.warpAffine(picture, turn, (600, 460), borderValue=WOOD), (0, 0), 0.8)
    lab = np.asarray(cv2.cvtColor(turned, cv2.COLOR_BGR2LAB), np.uint8)
    quads: NDArray[np.float32] = np.asarray(cv2.transform(ALL, turn), np.float32)
    (found,) = are_divided(lab, glance(lab, quads))
    return bool(found)


@pytest.mark.parametrize("degrees", [0.0, 14.0])
@pytest.mark.parametrize("at", [0.33, 0.5])
def test_a_strip_of_table_divides_cards(degrees: float, at: float) -> None:
    assert divided(WOOD, 4, degrees=degrees, at=at)


def test_so_does_a_strip_of_table_in_the_cards_shadow() -> None:
    assert divided((45, 70, 85), 4)


def test_a_card_that_is_all_paper_is_one() -> None:
    assert not divided(PAPER, 4)


@pytest.mark.parametrize("ink", [INK, WOOD])
def test_print_that_leaves_the_rims_bare_divides_no_card(ink: tuple[int, int, int]) -> None:
    assert not divided(ink, 4, bare=14)


def test_a_broad_piece_of_table_is_no_gap_between_two_cards() -> None:
    assert not divided(WOOD, 120)
