"""Numbers and lists as a referee says them."""

from __future__ import annotations

from collections.abc import Sequence

_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def number_word(number: int) -> str:
    """Give a number as a word up to twelve, in digits beyond; a negative one with "minus" before."""
    if number < 0:
        return f"minus {number_word(-number)}"
    return _WORDS[number] if number < len(_WORDS) else str(number)


def list_of(names: Sequence[str]) -> str:
    """Give "Ann", "Ann and Ben", "Ann, Ben and Cem"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
