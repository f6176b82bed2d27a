"""Which row a card lies in, by what lies near it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.games.coloretto.watching.eyes import RowCard, RowPlaces

HOMES = [(100.0, 100.0), (600.0, 100.0), (100.0, 230.0), (600.0, 230.0)]


def cards(*places: tuple[float, float]) -> list[RowCard]:
    return [RowCard(place, None) for place in places]


def test_rows_go_on_from_card_to_card_and_are_counted_as_people_read() -> None:
    rows = RowPlaces((3, 3, 3, 3))
    rows.find(cards(*reversed(HOMES)))
    # The third card of the left row is nearer to the right row's own card than to the left one's.
    assert rows.rows_of([(170, 102), (240, 99), (310, 101), (672, 231), (101, 160)]) == [0, 0, 0, 3, 0]
    assert [rows.is_marked(row) for row in range(4)] == [True] * 4


@given(st.floats(-300, 300), st.lists(st.floats(-20, 20), min_size=5, max_size=5))
def test_rows_are_counted_line_by_line_wherever_they_lie_on_the_table(down_mm: float, astray_mm: list[float]) -> None:
    lines = [(240.0, 0.0), (711.0, 0.0), (234.0, 91.0), (246.0, 182.0), (711.0, 182.0)]
    places = [(x, y + down_mm + astray) for (x, y), astray in zip(lines, astray_mm, strict=True)]
    rows = RowPlaces((3,) * 5)
    rows.find(cards(*reversed(places)))
    assert rows.rows_of([(x + 30, y) for x, y in places]) == [0, 1, 2, 3, 4]


def test_a_row_stays_where_its_own_card_lay() -> None:
    rows = RowPlaces((3, 3, 3, 3))
    rows.find(cards(*HOMES))
    rows.find(cards(*HOMES[1:]))
    assert rows.is_marked(0) is False
    assert rows.rows_of([(172, 100)]) == [0]
    # Put back a hand's breadth further away, it takes the row with it.
    rows.find(cards((100, 330), *HOMES[1:]))
    assert rows.rows_of([(170, 330)]) == [0]


def test_without_row_cards_rows_are_where_cards_come_to_lie() -> None:
    rows = RowPlaces((3, 3, 3))
    rows.find([])
    assert rows.rows_of([(100, 100)]) == [0]
    assert rows.rows_of([(100, 100), (170, 100), (500, 100)]) == [0, 0, 1]
    assert rows.is_marked(0) is None
    # Rows that nothing marks may lie a hand's breadth apart, and go on more loosely once all have begun.
    assert rows.rows_of([(100, 100), (170, 100), (500, 100), (100, 222)]) == [0, 0, 1, 2]
    assert rows.rows_of([(100, 100), (230, 100), (500, 100), (100, 222)]) == [0, 0, 1, 2]


def test_what_nobody_sees_begins_no_row() -> None:
    rows = RowPlaces((3, 3))
    rows.find([])
    assert rows.rows_of([(100, 100), (170, 100)]) == [0, 0]
    assert rows.rows_of([(240, 100), (600, 100)], hidden=True) == [0, None]
    assert rows.homes == ((100, 100),)


def test_green_rows_are_told_by_their_room() -> None:
    rows = RowPlaces((1, 2, 3))
    rows.find([RowCard((100, 100), 3), RowCard((300, 100), 1), RowCard((500, 100), 2)])
    assert rows.rows_of([(100, 190), (300, 190), (500, 190)]) == [2, 0, 1]


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
