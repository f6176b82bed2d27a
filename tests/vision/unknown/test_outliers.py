"""A part of a sheet, of a card's size, is no card: it has the sheet's own paper beyond its sides, or another ground."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_edges import fit_sides
from vision.unknown.card_sizes import Stock
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.outliers import like_the_others, stands_out

SIZE_WH = (800, 600)
WIDTH, LENGTH = 90, 130
CARDS = [(60, 60), (220, 60), (380, 60), (60, 260)]
SHEET = (300, 260, 700, 560)


def rectangle(x: int, y: int) -> NDArray[np.float32]:
    return np.array([[x, y], [x + WIDTH, y], [x + WIDTH, y + LENGTH], [x, y + LENGTH]], np.float32)


def judged(sheet: int, part: NDArray[np.float32]) -> list[bool]:
    """Which of four white cards and a part of a sheet of some grey, with two lines printed along it, are kin."""
    grey = np.full((SIZE_WH[1], SIZE_WH[0]), 190, np.uint8)
    for x, y in CARDS:
        cv2.rectangle(grey, (x, y), (x + WIDTH, y + LENGTH), 240, -1)
        cv2.circle(grey, (x + 45, y + 65), 20, 80, -1)
    cv2.rectangle(grey, SHEET[:2], SHEET[2:], sheet, -1)
    (x1, y1), (x2, y2) = part[0].astype(int).tolist(), part[2].astype(int).tolist()
    for x in (x1, x2):
        cv2.line(grey, (x, y1), (x, y2), 120, 2)
    noisy = cv2.GaussianBlur(grey, (0, 0), 0.7)[..., None] + np.random.default_rng(1).normal(0, 1, (*grey.shape, 3))
    lab = np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)
    quads = np.stack([rectangle(*place) for place in CARDS] + [part])
    plane = agree_on_planes(quads[:4], np.ones(4), SIZE_WH)[0]
    stock = Stock(plane, np.array([-1.0, 0.0, 0.0]))
    return [bool(kin) for kin in like_the_others(lab, stock, fit_sides(lab, quads, 2.0))]


@pytest.mark.parametrize(("sheet", "part"), [(240, (400, 260)), (240, (450, 350)), (120, (300, 260))])
def test_parts_of_a_sheet_are_not_like_the_cards(sheet: int, part: tuple[int, int]) -> None:
    assert judged(sheet, rectangle(*part)) == [True, True, True, True, False]


@pytest.mark.parametrize("towards", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_sides_towards_the_lamp_show_less_than_those_that_cast_a_shadow(towards: tuple[int, int]) -> None:
    table = np.full((SIZE_WH[1], SIZE_WH[0]), 238, np.float32)
    for x, y in CARDS:
        shadow = np.zeros_like(table)
        right, down = x + 4 * towards[0], y + 4 * towards[1]
        cv2.rectangle(shadow, (right, down), (right + WIDTH, down + LENGTH), 1.0, -1)
        table -= 70 * cv2.GaussianBlur(shadow, (0, 0), 2)
    for x, y in CARDS:
        cv2.rectangle(table, (x, y), (x + WIDTH, y + LENGTH), 240, -1)
        cv2.circle(table, (x + 45, y + 65), 20, 80, -1)
    noisy = cv2.GaussianBlur(table, (0, 0), 0.7)[..., None] + np.random.default_rng(1).normal(0, 1, (*table.shape, 3))
    lab = np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)
    quads = np.stack([rectangle(*place) for place in CARDS])
    stock = Stock(agree_on_planes(quads, np.ones(4), SIZE_WH)[0], np.array([-1.0, 0.0, 0.0]))
    assert like_the_others(lab, stock, fit_sides(lab, quads, 2.0)).all()


@pytest.mark.parametrize("on_a_sheet", [False, True])
def test_a_card_that_curls_casts_a_deep_shadow_and_a_part_of_a_sheet_runs_on(on_a_sheet: bool) -> None:
    table = np.full((SIZE_WH[1], SIZE_WH[0]), 233, np.uint8)
    x, y = CARDS[-1]
    longer = 60 if on_a_sheet else 0
    cv2.rectangle(table, (x + WIDTH, y - longer), (x + WIDTH + 8, y + LENGTH + longer), 90, -1)
    cv2.rectangle(table, (x, y - longer), (x + WIDTH, y + LENGTH + longer), 240, -1)
    for at, (left, top) in enumerate(CARDS):
        if at < len(CARDS) - 1:
            cv2.rectangle(table, (left, top), (left + WIDTH, top + LENGTH), 240, -1)
        cv2.circle(table, (left + 45, top + 65), 20, 80, -1)
    if on_a_sheet:
        for line in (y, y + LENGTH):
            cv2.line(table, (x, line), (x + WIDTH, line), 228, 2)
    # What stands up catches the light.
    cv2.rectangle(table, (x - 4, y - longer), (x - 1, y + LENGTH + longer), 254, -1)
    noisy = cv2.GaussianBlur(table, (0, 0), 0.7)[..., None] + np.random.default_rng(1).normal(0, 1, (*table.shape, 3))
    lab = np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)
    quads = np.stack([rectangle(*place) for place in CARDS])
    stock = Stock(agree_on_planes(quads, np.ones(4), SIZE_WH)[0], np.array([-1.0, 0.0, 0.0]))
    kin = like_the_others(lab, stock, fit_sides(lab, quads, 2.0))
    assert kin.tolist() == [True, True, True, not on_a_sheet]


def test_where_nothing_was_found_nothing_stands_out() -> None:
    lab = np.full((SIZE_WH[1], SIZE_WH[0], 3), (200, 128, 128), np.uint8)
    nothing = fit_sides(lab, np.zeros((0, 4, 2), np.float32), 2.0)
    assert stands_out(lab, nothing).shape == (0,)
