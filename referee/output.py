"""Answers on standard output, in UTF-8 whatever the locale says, since names may need it; complaints beside them."""

from __future__ import annotations

import sys

from referee.errors import WorkFailedError
from referee.language import Language, language_of
from referee.progress import wipe
from referee.safe_text import harmless


def complain(command: str, message: str) -> None:
    """Print one line to standard error; what a file's name may hold of line ends and the like is spelled out."""
    line = "".join(char if char.isprintable() else repr(char)[1:-1] for char in for_people(message))
    wipe()
    print(f"ringmaster {command}: {line}", file=sys.stderr, flush=True)


def for_people(text: str) -> str:
    """Give a sentence that was made in English in the language that this command speaks."""
    code = language_of()
    if code == "en":
        return text
    from referee.translated import translated

    return translated(text, Language(code))


class Output:
    """Gathers lines and writes them together; nothing is out before `flush`, or before many lines have gathered.

    Names and the like come from outside: what would steer a terminal is spelled out.
    """

    _MANY = 500

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, text: str) -> None:
        """Add a line."""
        self._lines.append(harmless(text))
        if len(self._lines) >= self._MANY:
            self.flush()

    def say(self, text: str) -> None:
        """Add a line for people that was made in English."""
        self.line(for_people(text))

    def flush(self) -> None:
        """Write out all lines so far.

        Raises:
            WorkFailedError: whoever started this command has closed its standard output.
        """
        if sys.stdout is None:
            raise WorkFailedError("there is no standard output to answer on")
        if self._lines:
            wipe()
            self._lines.append("")
            sys.stdout.buffer.write("\n".join(self._lines).encode("utf-8"))
            self._lines = []
        sys.stdout.buffer.flush()
