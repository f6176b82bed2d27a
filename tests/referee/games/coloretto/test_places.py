"""Which row a card lies in, by what lies near it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.games.coloretto.watching.eyes import RowCard, RowPlaces


@given(st.floats(-300, 300), st.lists(st.floats(-20, 20), min_size=5, max_size=5))
def test_rows_are_counted_line_by_line_wherever_they_lie_on_the_table(down_mm: float, astray_mm: list[float]) -> None:
    lines = [(240.0, 0.0), (711.0, 0.0), (234.0, 91.0), (246.0, 182.0), (711.0, 182.0)]
    places = [(x, y + down_mm + astray) for (x, y), astray in zip(lines, astray_mm, strict=True)]
    rows = RowPlaces((3,) * 5)
    rows.find([RowCard(place, None) for place in reversed(places)])
    assert rows.rows_of([(x + 30, y) for x, y in places]) == [0, 1, 2, 3, 4]


def test_without_row_cards_rows_are_where_cards_come_to_lie() -> None:
    rows = RowPlaces((3, 3, 3))
    rows.find([])
    assert rows.rows_of([(100, 100), (170, 100), (500, 100)]) == [0, 0, 1]
    # Rows that nothing marks may lie a hand's breadth apart, and go on more loosely once all have begun.
    assert rows.rows_of([(100, 100), (170, 100), (500, 100), (100, 222)]) == [0, 0, 1, 2]
    assert rows.rows_of([(100, 100), (230, 100), (500, 100), (100, 222)]) == [0, 0, 1, 2]


def test_green_rows_that_nothing_marks_are_told_by_the_cards_that_lie_in_them() -> None:
    rows = RowPlaces((1, 2, 3))
    rows.find([])
    first, second, third = (100.0, 100.0), (100.0, 300.0), (500.0, 100.0)
    assert rows.rows_of([first, second, third]) == [2, 1, 0]
    # Two cards in what was taken for the row with room for one.
    assert rows.rows_of([first, second, third, (570.0, 100.0)]) == [2, 0, 1, 1]
    assert rows.rows_of([third, (570.0, 100.0), (640.0, 100.0)]) == [2, 2, 2]
    # No row of four is anywhere: that is one card too many.
    assert rows.rows_of([third, (570.0, 100.0), (640.0, 100.0), (710.0, 100.0)]) == [2, 2, 2, 2]
