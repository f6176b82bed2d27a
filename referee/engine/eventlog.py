"""Event logs (`.jsonl`): a header, then events, read line by line; a bad line is reported and the rest still read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from referee.engine.events import Event, Header, parse_event, parse_header
from referee.errors import BadInputError, WorkFailedError
from referee.jsonlines import MAX_LINE, Line, parse_object


@dataclass(frozen=True)
class Entry:
    """An event, and where in the recording it stands ("line 7")."""

    where: str
    event: Event


@dataclass(frozen=True)
class Fault:
    """A place in a recording that cannot be used, and why, in one sentence."""

    where: str
    why: str


@contextmanager
def open_log(path: Path) -> Iterator[tuple[Header, Iterator[Entry | Fault]]]:
    """Open an event log, and give its header and its entries, read as they are asked for.

    Raises:
        BadInputError: the file cannot be opened, or does not begin with a header.
    """
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "that is no file's name"
        raise BadInputError(f"{ascii(str(path))[1:-1]} cannot be opened: {why}") from error
    with file:
        lines = _lines(file)
        yield _header(lines), _entries(lines)


@dataclass(frozen=True)
class _Numbered:
    """A line that is not blank; `whole` tells whether it has its end."""

    where: str
    text: Line
    whole: bool


def _lines(file: BufferedReader) -> Iterator[_Numbered]:
    number = 0
    while part := _readline(file):
        number += 1
        whole = part.endswith(b"\n")
        text = part.rstrip(b"\r\n")
        if len(part) > MAX_LINE:
            # Told before its end is looked for: a device's may never come.
            yield _Numbered(f"line {number}", None, True)
            while not whole and (part := _readline(file)):
                whole = part.endswith(b"\n")
        elif text.strip():
            yield _Numbered(f"line {number}", text, whole)


def _readline(file: BufferedReader) -> bytes:
    try:
        return file.readline(MAX_LINE + 1)
    except OSError as error:
        raise WorkFailedError(f"the recording could not be read to its end: {error.strerror or error}") from error


def _header(lines: Iterator[_Numbered]) -> Header:
    first = next(lines, None)
    if first is None:
        raise BadInputError("the event log is empty")
    try:
        return parse_header(parse_object(first.text))
    except BadInputError as error:
        raise BadInputError(f"{first.where}: {error}") from error


def _entries(lines: Iterator[_Numbered]) -> Iterator[Entry | Fault]:
    for line in lines:
        try:
            data = parse_object(line.text)
        except BadInputError as error:
            yield Fault(line.where, str(error) if line.whole else "torn off in the middle, the recording stopped there")
            continue
        try:
            yield Entry(line.where, parse_event(data))
        except BadInputError as error:
            yield Fault(line.where, str(error))
