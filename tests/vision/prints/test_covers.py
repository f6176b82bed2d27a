"""What lies over cards: the cells of a sheet that known cards hide."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.prints.straight import Covers, cells
from vision.quads import enlarged, points_within, within_quads

Floats = NDArray[np.float64]

_SHEET = np.array([[100.0, 80.0], [190.0, 95.0], [175.0, 230.0], [90.0, 220.0]])
_ROWS, _COLUMNS = 36, 24
_A_CELL_MORE = 1.25


def _card(x: float, y: float, turn: float, clockwise: bool) -> Floats:
    cos, sin = np.cos(turn), np.sin(turn)
    corners = np.array([[-30.0, -45.0], [30.0, -45.0], [30.0, 45.0], [-30.0, 45.0]])
    quad: Floats = corners @ np.array([[cos, sin], [-sin, cos]]) + (x, y)
    return quad if clockwise else quad[::-1]


@example([np.array([[98.776, 141.347], [104.773, 81.648], [15.224, 72.653], [9.227, 132.352]])])
@given(st.lists(st.builds(_card, *[st.floats(0, 300)] * 2, st.floats(0, 7), st.booleans()), max_size=4))
def test_what_is_covered_is_what_lies_within_a_card_but_for_the_cells_at_its_edge(cards: list[Floats]) -> None:
    covers = Covers(np.array(cards).reshape(-1, 4, 2))
    over = covers.over(_SHEET[None], _ROWS, _COLUMNS).reshape(-1)
    points = points_within(_SHEET[None], cells(_ROWS, _COLUMNS)[None])[0]
    within, near = (within_quads(points, quads) for quads in (covers.quads, enlarged(covers.quads, _A_CELL_MORE)))
    # Whatever lies within a card is covered; nothing is that is more than a cell beyond one.
    assert (over | ~within).all() and (near | ~over).all()
