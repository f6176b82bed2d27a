"""Answers on standard output, always in UTF-8, since names may need it; errors on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

from referee.errors import WorkFailedError
from referee.language import Language, language_of
from referee.phrases import in_language
from referee.safe_text import harmless

Item = TypeVar("Item")
_CLEARED = "\r\x1b[K"  # the line of a progress bar


def complain(command: str, message: object) -> None:
    """Print one line to standard error, in this command's language."""
    error_line(f"ringmaster {command}", for_people(message))


def error_line(program: str, message: str) -> None:
    """Print one line to standard error; line breaks and the like, which file names may hold, are escaped."""
    line = "".join(char if char.isprintable() else repr(char)[1:-1] for char in message)
    cleared = _CLEARED if sys.stderr.isatty() else ""
    print(f"{cleared}{program}: {line}", file=sys.stderr, flush=True)


def along(items: Iterable[Item], count: int, *, printing: bool = True) -> Iterator[Item]:
    """Yield the items under a progress bar, unless output is a pipe or answers appear on the terminal meanwhile."""
    shown = count > 1 and sys.stderr is not None and sys.stderr.isatty()
    hidden = not shown or (printing and sys.stdout is not None and sys.stdout.isatty())
    with click.progressbar(items, length=count, file=sys.stderr, show_pos=True, hidden=hidden) as bar:
        yield from bar


def for_people(text: object) -> str:
    """Return a phrase or an error in this command's language, any other value as it is."""
    return in_language(text, Language(language_of()))


class Output:
    """Gathers lines and writes them together, at `flush` or after many lines.

    Names and the like come from outside, so terminal control characters are escaped.
    """

    _MANY = 500

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, text: str) -> None:
        """Add a line."""
        self._lines.append(harmless(text))
        if len(self._lines) >= self._MANY:
            self.flush()

    def say(self, text: object) -> None:
        """Add a line in this command's language."""
        self.line(for_people(text))

    def flush(self) -> None:
        """Write all lines so far.

        Raises:
            WorkFailedError: standard output was closed.
        """
        if sys.stdout is None:
            raise WorkFailedError("error.output.there_is_no_standard_output")
        if self._lines:
            self._lines.append("")
            sys.stdout.buffer.write("\n".join(self._lines).encode("utf-8"))
            self._lines = []
        sys.stdout.buffer.flush()
