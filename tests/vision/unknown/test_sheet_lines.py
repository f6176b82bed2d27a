"""A part of a sheet is told by the lines that run on beside it and by the print across its border."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.sheet_lines import SheetLines, sheet_lines

SIZE_WH = (900, 300)
WIDTH, LENGTH = 100, 140
CARDS = np.stack(
    [
        np.array([[x, 80], [x + WIDTH, 80], [x + WIDTH, 80 + LENGTH], [x, 80 + LENGTH]], np.float32)
        for x in (30, 380, 740)
    ]
)
ALL = np.ones(len(CARDS), bool)


def seen(runs_on: NDArray[np.bool_], passes: NDArray[np.bool_], text_on: int | None = None) -> SheetLines:
    """What is seen of three things on a table, with lines of text across the border of one."""
    lab = np.full((SIZE_WH[1], SIZE_WH[0], 3), (150, 128, 128), np.uint8)
    for k, ((x, y), _, (right, bottom), _) in enumerate(CARDS.astype(int).tolist()):
        lab[y:bottom, x:right, 0] = 235
        for at in range(y + 10, bottom - 6, 14) if k == text_on else []:
            lab[at : at + 7, x:right, 0] = 60
    return sheet_lines(lab, CARDS, LENGTH / WIDTH, runs_on, passes)


def ends(card: int, count: int) -> NDArray[np.bool_]:
    """Edges of one of the things run on at so many ends."""
    found = np.zeros((len(CARDS), 4, 2), bool)
    found[card].reshape(-1)[:count] = True
    return found


@pytest.mark.parametrize(("run_on", "passing", "sheet"), [(0, 0, False), (2, 0, False), (2, 2, True), (4, 0, True)])
def test_lines_run_on_beside_parts_of_sheets(run_on: int, passing: int, sheet: bool) -> None:
    assert seen(ends(1, run_on), ends(1, passing)).on_sheets(ALL).tolist() == [False, sheet, False]


def test_print_across_the_border_tells_where_edges_run_on_too() -> None:
    none = np.zeros((len(CARDS), 4, 2), bool)
    assert seen(ends(1, 3), none, text_on=1).on_sheets(ALL).tolist() == [False, True, False]
    assert not seen(none, none, text_on=1).on_sheets(ALL).any()
    assert not seen(ends(1, 3), none).on_sheets(ALL).any()


def test_edges_run_on_along_the_next_card_of_a_row() -> None:
    beside = seen(ends(1, 8), ends(1, 8))
    in_a_row = SheetLines(np.zeros((3, 4, 3), bool), beside.runs_on, beside.lines, beside.crossing)
    in_a_row.beside[1, :, [0, 2]] = True
    assert not in_a_row.on_sheets(ALL).any()
    assert in_a_row.on_sheets(np.array([False, True, False])).tolist() == [False, True, False]
