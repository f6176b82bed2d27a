"""Lines arrive in any pieces, and what is wrong with one is said in one sentence."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import BadInputError
from referee.jsonlines import MAX_LINE, Line, batches, parse_object, shown


def read_all(pieces: list[bytes]) -> list[Line]:
    rest = iter([piece for piece in pieces if piece])
    return list(chain.from_iterable(batches(lambda: next(rest, b""))))


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"d\ne", b"\n\n"]), max_size=30))
def test_pieces_make_the_same_lines_as_the_whole(pieces: list[bytes]) -> None:
    whole = b"".join(pieces).split(b"\n")
    assert read_all(pieces) == (whole if whole[-1] else whole[:-1])


def test_a_line_is_given_as_soon_as_it_has_its_end() -> None:
    pieces = iter([b"one\ntw", b"o\n"])
    given_so_far = batches(lambda: next(pieces))
    assert next(given_so_far) == [b"one"]
    assert next(given_so_far) == [b"two"]


def test_a_line_too_long_is_given_as_none_and_the_next_ones_whole() -> None:
    long = [b"x" * 60_000] * (MAX_LINE // 60_000 + 2)
    assert read_all([b"one\n", *long, b"\ntwo\nthree"]) == [b"one", None, b"two", b"three"]
    assert read_all(long) == [None]


def test_of_a_line_that_never_ends_is_told_before_its_end() -> None:
    endless = batches(lambda: b"x" * 60_000)
    assert next(endless) == [None]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "broken JSON at character 2"),
        (b"[]", "object in braces"),
        (b"\xff{}", "not UTF-8 text .byte 1."),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1, "a": 2}', 'key "a" stands there twice'),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number in it is too long"),
        (None, "longer than"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: Line, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        parse_object(line)


def test_a_byte_order_mark_and_a_windows_line_end_do_no_harm() -> None:
    assert parse_object(b'\xef\xbb\xbf{"a": "\xc3\xa7"}\r') == {"a": "ç"}


def test_values_in_complaints_stay_short_and_on_one_line() -> None:
    for value in ("x" * 1000, "a\nb\ud800", 10**4500, [1] * 1000, {"a": 1}, None, 1e300):
        text = shown(value)
        assert len(text) <= 40
        assert text.isprintable()
