"""Games out of an export, one after the other: whatever the file unpacks to, no more of it is held than one game.

A game that breaks the standard (NaN, half of a character, a key twice) is given with what is wrong with it; a file that
is no JSON is refused.
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from zipfile import BadZipFile

from referee.errors import BadInputError
from referee.jsonlines import check_characters, key_twice

FORMAT = "ringmaster-games-1"
MOST_GAME_CHARS = 4 << 20
"""A game of 500 events, with what was outlined at each of them, takes a megabyte."""
MOST_CHARS = 1 << 28
_CHUNK = 1 << 18
_BLANK = " \t\r\n"
_TORN = (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError)

Read = Callable[[int], bytes]


@dataclass(frozen=True)
class Item:
    """A game as it stands in the file, the first one has the number 1; or what is wrong with it."""

    number: int
    data: Any = None
    fault: str | None = None


def games_in(read: Read) -> Iterator[Item]:
    """Give the games of an export; read: gives so many bytes of it, or less.

    Raises:
        BadInputError: it is torn, no export, or one game in it is larger than any of ours.
    """
    yield from _Text(read).games()


class _Text:
    """The file's text, of which only what is being read is held."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at, self._count = "", 0, 0
        self._ended = False
        self._fault: str | None = None
        self._decoder = json.JSONDecoder(
            parse_constant=self._no_number, parse_float=self._real, object_pairs_hook=self._object
        )

    def games(self) -> Iterator[Item]:
        known: set[str] = set()
        self._expect("{")
        first = True
        while self._next() != "}":
            if not first:
                self._expect(",")
                self._next()
            first = False
            key = self._value()
            self._expect(":")
            if not isinstance(key, str) or key in known:
                raise BadInputError("error.journal.this_is_no_export_of_games_it")
            known.add(key)
            if key == "games" and self._next() == "[":
                yield from self._items()
                continue
            value = self._value()
            if (key == "format" and value != FORMAT) or key == "games":
                raise _no_export()
        self._expect("}")
        if self._next() or not {"format", "games"} <= known:
            raise _no_export()

    def _items(self) -> Iterator[Item]:
        self._expect("[")
        number = 0
        while self._next() != "]":
            if number:
                self._expect(",")
                self._next()
            number += 1
            start = self._at
            data = self._value()
            if self._fault is None and "\\u" in self._text[start : self._at]:
                try:
                    check_characters(data)
                except BadInputError as error:
                    self._fault = str(error)
            yield Item(number, data) if self._fault is None else Item(number, fault=self._fault)
            del data
        self._expect("]")

    def _value(self) -> object:
        """Give the value that begins here."""
        self._next()
        self._fault = None
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._ended or self._held() > MOST_GAME_CHARS:
                    if not self._ended:
                        raise BadInputError("error.journal.game_in_it_is_larger") from error
                    raise BadInputError("error.journal.this_is_no_export_of_games_it") from error
            except RecursionError as error:
                raise BadInputError("error.journal.this_is_no_export_of_games_brackets") from error
            except ValueError as error:
                raise BadInputError("error.journal.this_is_no_export_of_games_number") from error
            else:
                # A number may go on in what has not been read yet.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
                if self._held() > MOST_GAME_CHARS:
                    raise BadInputError("error.journal.game_in_it_is_larger")
            self._more(min(max(_CHUNK, self._held()), MOST_GAME_CHARS + _CHUNK - self._held()))

    def _next(self) -> str:
        """Go to the next character that is not blank, and give it; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANK:
                self._at += 1
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more(_CHUNK)

    def _expect(self, char: str) -> None:
        if self._next() != char:
            raise BadInputError("error.journal.this_is_no_export_of_games_it")
        self._at += 1

    def _held(self) -> int:
        return len(self._text) - self._at

    def _more(self, most: int) -> None:
        """Read so many bytes more: less only at the end, as what is held is decoded anew each time."""
        parts: list[bytes] = []
        left = most
        try:
            while left > 0 and (part := self._read(left)):
                parts.append(part)
                left -= len(part)
            data = b"".join(parts)
            text = self._utf8.decode(data, final=left > 0)
        except UnicodeDecodeError as error:
            raise BadInputError("error.journal.this_is_no_export_of_games_it_is_not_utf") from error
        except _TORN as error:
            raise BadInputError("error.journal.this_export_of_games_is") from error
        self._ended = left > 0
        self._count += len(text)
        if self._count > MOST_CHARS:
            raise BadInputError("error.journal.it_is_larger_than_any")
        self._text = self._text[self._at :] + text
        self._at = 0

    def _no_number(self, _text: str) -> None:
        self._fault = "NaN and Infinity are no numbers"

    def _real(self, text: str) -> float:
        number = float(text)
        if number in (float("inf"), float("-inf")):
            self._fault = "a number in it is too large"
        return number

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self._fault = key_twice(pairs)
        return found


def _no_export() -> BadInputError:
    return BadInputError("error.journal.this_is_no_export_of", value=FORMAT)
