"""The journal's SQLite file: opened so that a cut of the power harms nothing, and mended where it is damaged."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.errors import WorkFailedError
from referee.files import sync_folder
from referee.journal.copies import copies
from referee.journal.recovery import NewerError, as_text, build, damage_in, finish_mending, mend
from referee.journal.tables import LATER, TABLES, VERSION
from referee.log import LOG

Value = str | int | float | bytes | None


class Connection(Protocol):
    """What is used of `sqlite3.Connection`; the trials on storage that forgets bring another one."""

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Iterable[tuple[Any, ...]]:
        """Run one statement and give its rows."""

    def close(self) -> None:
        """Close the file."""


Connect = Callable[[Path], Connection]


def connect(path: Path) -> Connection:
    """Open a file for reading and writing; transactions are begun and ended by hand."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=2.0)
    connection.text_factory = as_text
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a file that is there for reading only; a referee that is at work is not disturbed.

    Raises:
        WorkFailedError: there is none, or it cannot be read.
    """
    if not path.is_file():
        raise WorkFailedError("error.no_games_are_kept_in", folder=path.parent)
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=2.0)
    connection.text_factory = as_text
    try:
        connection.execute("SELECT count(*) FROM games").fetchone()
    except Exception as error:  # SQLite answers damage with errors of any kind.
        connection.close()
        raise WorkFailedError("error.journal.games_in_cannot_be_read", folder=path.parent, why=error) from error
    return connection


class DiskError(WorkFailedError):
    """The disk does not let the journal be opened; `cause`: the error, `damaged`: why it would have to be mended."""

    def __init__(self, key: str, cause: Exception, damaged: str | None = None, /, **values: object) -> None:
        super().__init__(key, **values)
        self.cause, self.damaged = cause, damaged


@dataclass(frozen=True)
class Opened:
    """An open journal file. set_aside: where a damaged one was put, None if there was none."""

    connection: Connection
    set_aside: Path | None = None


def open_journal(path: Path, connector: Connect = connect, *, instead_of_newer: bool = False) -> Opened:
    """Open the journal, or begin one.

    A damaged file is set aside, and one begun with its newest copy and all that can be read of it: nothing is deleted.
    instead_of_newer: one of a newer Ringmaster is set aside, too, as the page must come up.

    Raises:
        DiskError: the disk does not let it be opened.
        WorkFailedError: it was written by a newer Ringmaster.
    """
    damage = None
    try:
        aside = finish_mending(path)
        try:
            damage = damage_in(path)
        except NewerError:
            if not instead_of_newer:
                raise WorkFailedError("error.journal.is_of_newer_ringmaster", path=path) from None
            damage = "it is of a newer Ringmaster"
        if damage is not None:
            LOG.warning("the journal %s is damaged: %s", path, damage)
            aside = mend(path)
        connection = connector(path)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return Opened(connection, aside)
    except (sqlite3.Error, OSError) as error:
        raise DiskError("error.journal.journal_cannot_be_opened", error, damage, path=path, why=error) from error


@contextmanager
def readable(path: Path) -> Iterator[tuple[Connection, bool]]:
    """Open a file that is there for reading only, and tell whether it is damaged; then what can be read of it is given.

    A referee that is at work is not disturbed.

    Raises:
        WorkFailedError: there is none, or nothing in it can be read.
    """
    if not path.exists() and not copies(path):
        raise WorkFailedError("error.no_games_are_kept_in", folder=path.parent)
    with tempfile.TemporaryDirectory() as folder:
        saved, damaged = Path(folder) / path.name, False
        try:
            with suppress(NewerError):
                damaged = damage_in(path) is not None
            if damaged:
                build(path, saved)
        except (sqlite3.Error, OSError) as error:
            raise WorkFailedError("error.journal.games_in_cannot_be_read", folder=path.parent, why=error) from error
        with closing(connect_to_read(saved if damaged else path)) as connection:
            if damaged and not connection.execute("SELECT count(*) FROM games").fetchone()[0]:
                raise WorkFailedError("error.journal.games_in_cannot_be_read_file_is", folder=path.parent)
            yield connection, damaged


def _prepare(connection: Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    ((version,),) = connection.execute("PRAGMA user_version")
    if version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            connection.execute(table)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
        sync_folder(path.parent)
    for table in LATER:
        connection.execute(table)
