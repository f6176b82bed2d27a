"""A mark that names a card by itself must be as broad as long on the table; edges are seen wherever it lies."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.marked.lone_marks import find_lines, round_on_table
from vision.marked.marks import Foreground, WorkImage
from vision.marked.patches import patches_of
from vision.table import Table

SIZE = (200, 160)
AT = (90.0, 70.0)


def steep_table(shorter: float) -> Table:
    """A table seen so that what lies along y is shorter by a factor; a millimetre is a pixel along x."""
    camera = np.array([[1000.0, 0, 0], [0, 1000, 0], [0, 0, 1]])
    return Table(camera, np.zeros(5), np.diag([1.0, shorter, 1.0]), SIZE, 0.001)


def is_round(mask: NDArray[np.uint8], shorter: float = 1.0, at: tuple[float, float] = AT) -> bool:
    work = WorkImage(np.zeros((*mask.shape, 3), np.uint8), 1.0)
    foreground = Foreground(mask, work.bgr, *patches_of(mask, 20))
    (found,) = round_on_table(work, steep_table(shorter), foreground, np.array([at])).tolist()
    return bool(found)


def ellipse(across: int, down: int, turn_deg: float = 0.0) -> NDArray[np.uint8]:
    mask = np.zeros(SIZE[::-1], np.uint8)
    cv2.ellipse(mask, (round(AT[0]), round(AT[1])), (across, down), turn_deg, 0, 360, (1,), -1)
    return mask


@pytest.mark.parametrize("shorter", [1.0, 0.8, 0.5])
def test_a_printed_circle_is_round_from_any_side(shorter: float) -> None:
    assert is_round(ellipse(14, round(14 * shorter)), shorter)
    assert not is_round(ellipse(14, 14), 0.5)


@pytest.mark.parametrize("turn", [0, 30, 75])
def test_a_gap_between_two_cards_is_no_circle(turn: float) -> None:
    """What two straight edges leave of a big mark is a lens, as full as an ellipse and as large as a small mark."""
    assert not is_round(ellipse(16, 7, turn))


def test_a_circle_that_an_edge_cuts_a_little_is_round_enough() -> None:
    mask = ellipse(14, 14)
    mask[: round(AT[1] - 14 * math.cos(math.radians(50)))] = 0
    assert is_round(mask)


def test_what_was_found_by_its_outline_alone_is_not_asked() -> None:
    assert is_round(ellipse(16, 7), at=(150.0, 140.0))


def edges_near(*around: tuple[float, float]) -> list[float]:
    """Where the upright edges lie, in mm, that are found near points in a picture of four boards' ends."""
    picture = np.full((400, 1000, 3), 90, np.uint8)
    for left in (60, 260, 700, 900):
        picture[150:250, left : left + 40] = 200
    table = Table(steep_table(1.0).camera, np.zeros(5), np.eye(3), (1000, 400), 0.001)
    lines = find_lines(WorkImage(picture, 1.0), table, np.array(around).reshape(-1, 2))
    upright = np.abs(lines[:, 0, 0] - lines[:, 1, 0]) < 1
    return sorted({float(x.round(-1)) for x in lines[upright].mean(1)[:, 0]})


def test_edges_are_found_near_what_they_are_sought_for_and_nowhere_between() -> None:
    assert edges_near((80.0, 200.0), (920.0, 200.0)) == [60, 100, 900, 940]
    assert edges_near((280.0, 200.0)) == [260, 300]
    assert edges_near((80.0, 200.0), (180.0, 200.0), (280.0, 200.0)) == [60, 100, 260, 300]
    assert edges_near() == []
