"""Numbers and lists as the command line says them."""

from __future__ import annotations

from referee.words import list_of, number_word

PLAYERS = ("Ann", "Ben", "Cem")


def test_numbers_and_lists() -> None:
    assert [number_word(n) for n in (-2, 0, 12, 13)] == ["minus two", "no", "twelve", "13"]
    assert [list_of(PLAYERS[:n]) for n in range(4)] == ["", "Ann", "Ann and Ben", "Ann, Ben and Cem"]
