"""JSON, one object a line: parsed strictly, one sentence for a bad line, one line in memory at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from referee.errors import BadInputError

MAX_LINE = 1 << 20
"""Longest line in bytes; no hand and no event is longer, and memory stays bounded."""

MOST_DEPTH = 40
"""Deepest nesting of brackets; hands and events need less than a quarter of it."""

Line = bytes | None
"""One line without its end, or None for one that was longer than `MAX_LINE`."""


def batches(read: Callable[[], bytes]) -> Iterator[list[Line]]:
    """Yield whole lines as they arrive, in lists, so that an answer waits for nothing but its line.

    `read` returns the bytes that have arrived, at least one, and b"" at the end. A line becomes None as soon as it is
    too long: its end may never come.
    """
    pending, skipping = b"", False
    while chunk := read():
        if skipping:
            _, end, chunk = chunk.partition(b"\n")
            skipping = not end
        *lines, pending = (pending + chunk).split(b"\n")
        whole: list[Line] = [None if len(line) > MAX_LINE else line for line in lines]
        if len(pending) > MAX_LINE:
            whole.append(None)
            pending, skipping = b"", True
        if whole:
            yield whole
    if pending:
        yield [pending]


def parse_object(line: Line) -> dict[str, object]:
    """Return the JSON object in a line.

    Raises:
        BadInputError: not an object by the strict standard, or with NaN, an infinite number, a duplicate key or a lone
            surrogate.
    """
    if line is None:
        raise BadInputError("error.jsonlines.longer_than_kb_which_no", most=MAX_LINE // 1024)
    try:
        value = DECODER.decode(line.removeprefix(b"\xef\xbb\xbf").decode())
        if b"\\u" in line:
            check_characters(value)
    except UnicodeDecodeError as error:
        raise BadInputError("error.jsonlines.not_utf_8_text_byte", start=error.start + 1) from error
    except json.JSONDecodeError as error:
        raise BadInputError("error.broken_json_at_character", number=error.pos + 1) from error
    except RecursionError as error:
        raise BadInputError("error.jsonlines.brackets_are_nested_too_deeply") from error
    except BadInputError:
        raise
    except ValueError as error:
        raise BadInputError("error.jsonlines.number_in_it_is_too_long") from error
    if line.count(b"[") + line.count(b"{") > MOST_DEPTH and not is_flat(value, MOST_DEPTH):
        raise BadInputError("error.jsonlines.brackets_are_nested_too_deeply")
    if not isinstance(value, dict):
        raise BadInputError("error.json_object_in_braces_is")
    return value


def is_flat(value: object, most: int) -> bool:
    """Return whether brackets are nested at most this deep."""
    level = [value]
    for _ in range(most + 1):
        inner = (part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list))
        level = [one for parts in inner for one in parts if isinstance(one, dict | list)]
        if not level:
            return True
    return False


def check_characters(value: object) -> None:
    """Refuse a value with a text that no file, page or terminal can hold.

    Raises:
        BadInputError: it holds a lone surrogate, half of a character.
    """
    try:
        _ENCODER.encode(value).encode()
    except UnicodeEncodeError as error:
        raise BadInputError("error.jsonlines.there_is_half_of_character") from error


def whole_number(value: object, name: str, least: int = 0) -> int:
    """Return `value` if it is a whole number of at least `least`; `true` is not a number.

    Raises:
        BadInputError: it is not; `name` is the value's name in the message.
    """
    if type(value) is not int:
        raise BadInputError("error.jsonlines.must_be_whole_number_not", name=name, value=shown(value))
    if value < least:
        raise BadInputError("error.jsonlines.must_be_at_least", name=name, least=least)
    return value


def one_of(value: object, name: str, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the `allowed` words.

    Raises:
        BadInputError: it is not; `name` is the value's name in the message.
    """
    words = list(allowed)
    if not isinstance(value, str) or value not in words:
        raise BadInputError("error.jsonlines.must_be_not", name=name, list=" or ".join(words), value=shown(value))
    return value


def is_name(value: object) -> bool:
    """Return whether `value` is a text that can be shown on one line: not blank, no control characters."""
    return (
        isinstance(value, str)
        and 0 < len(value.strip()) <= len(value) <= 80
        and not any(char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" for char in value)
        and value.splitlines() == [value]
    )


def shown(value: object) -> str:
    """Return `value` for an error message: short and on one line."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a huge number"
    text = json.dumps(value, default=repr)
    return text if len(text) <= 40 else text[:37] + "…"


def to_line(value: dict[str, object]) -> str:
    """Return `value` as one line of JSON."""
    return _ENCODER.encode(value)


def _no_such_number(_text: str) -> NoReturn:
    raise BadInputError("error.jsonlines.nan_and_infinity_are_no")


def _real(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise BadInputError("error.jsonlines.number_in_it_is_too")
    return number


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            # Each key is checked once, because strangers send them.
            if key in seen:
                raise BadInputError("error.jsonlines.key_twice", key=shown(key))
            seen.add(key)
    return found


DECODER = json.JSONDecoder(parse_constant=_no_such_number, parse_float=_real, object_pairs_hook=_object)
"""Return the parsed value; `parse_object` lists the errors besides `BadInputError`."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
