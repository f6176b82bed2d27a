"""The journal's SQLite file: its tables, how it is opened so that a cut of the power harms nothing, and its doctor."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.errors import WorkFailedError
from referee.journal import outbox
from referee.journal.pages import as_text
from referee.journal.salvage import salvage

VERSION = 1
_LAST_VERSION = 1000
"""No Ringmaster will ever have written a file of a higher one."""
Value = str | int | float | bytes | None

TABLES = (
    # boot, shift_ns: the game's clock is the monotonic clock of that boot plus shift_ns: it goes on after another boot.
    # judged: the last event that was. closed: it is not resumed any more. Times in ms are wall time, for people.
    """CREATE TABLE games (
        game INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, header TEXT NOT NULL, started_ms INTEGER NOT NULL,
        boot TEXT NOT NULL, shift_ns INTEGER NOT NULL, judged INTEGER NOT NULL DEFAULT 0, ended_ms INTEGER,
        closed INTEGER NOT NULL DEFAULT 0)""",
    # refused: the game knew no such event, so it is not judged. An event is never changed or deleted.
    """CREATE TABLE events (
        game INTEGER NOT NULL REFERENCES games, number INTEGER NOT NULL, wall_ms INTEGER NOT NULL, data TEXT NOT NULL,
        refused INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (game, number)) WITHOUT ROWID""",
    # A ruling holds from one correction (0: the beginning) until another takes it back (NULL: it holds).
    """CREATE TABLE rulings (
        game INTEGER NOT NULL, event INTEGER NOT NULL, place INTEGER NOT NULL, since INTEGER NOT NULL,
        until INTEGER, data TEXT NOT NULL, PRIMARY KEY (game, event, place, since)) WITHOUT ROWID""",
    # data: the event as it should have been; NULL strikes it. undoes: the correction that this one takes back.
    """CREATE TABLE corrections (
        game INTEGER NOT NULL REFERENCES games, number INTEGER NOT NULL, wall_ms INTEGER NOT NULL, event INTEGER,
        data TEXT, undoes INTEGER, PRIMARY KEY (game, number)) WITHOUT ROWID""",
    # file: the name in the evidence folder; t_ms: before (-) or after the instant it is about.
    """CREATE TABLE evidence (
        file TEXT PRIMARY KEY, game INTEGER NOT NULL, event INTEGER NOT NULL, t_ms REAL NOT NULL,
        bytes INTEGER NOT NULL, kept_ms INTEGER NOT NULL, disputed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""",
    "CREATE INDEX evidence_of ON evidence (game, event)",
)

# What is asked of each table: `PRAGMA quick_check` does not look at names.
_COLUMNS = (
    "game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed FROM games",
    "game, number, wall_ms, data, refused FROM events",
    "game, event, place, since, until, data FROM rulings",
    "game, number, wall_ms, event, data, undoes FROM corrections",
    "file, game, event, t_ms, bytes, kept_ms, disputed FROM evidence",
)

WAY_CLEARED = tuple(
    f"DELETE FROM {table} WHERE game = ?" for table in ("events", "rulings", "corrections", "evidence", "sights")
)
"""What a new game's number is freed by: a damaged file may hold rows that belong to no game, or to none any more."""

# Added later, so it is made where it is missing: a version before, to which an upgrade may be rolled back, ignores it.
# data: what was outlined in the picture that an event was judged on (see `referee.service.overlay`).
SIGHTS = """CREATE TABLE IF NOT EXISTS sights (
    game INTEGER NOT NULL, event INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (game, event)) WITHOUT ROWID"""
# Added later, too: the numbers of games that were deleted. None is given again: browsers keep pictures by them.
DELETED = "CREATE TABLE IF NOT EXISTS deleted (game INTEGER PRIMARY KEY)"
LAST_GAME = "SELECT coalesce(max(game), 0) FROM (SELECT game FROM games UNION ALL SELECT game FROM deleted)"
"""Gives the highest number that a game has or had."""


# Where a name in the file is damaged, Python cannot even read SQLite's complaint about it.
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)


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


def connect_to_read(path: Path) -> Connection:
    """Open a file that is there for reading only; a referee that is at work is not disturbed.

    Raises:
        WorkFailedError: there is none.
    """
    if not path.is_file():
        raise WorkFailedError(f"no games are kept in {path.parent} yet")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=2.0)
    connection.text_factory = as_text
    try:
        connection.execute("SELECT count(*) FROM games").fetchone()
    except _DAMAGE as error:
        connection.close()
        raise _UnreadableError(f"the games in {path.parent} cannot be read: {error}") from error
    return connection


class _UnreadableError(WorkFailedError):
    """The file is no journal, or a broken one."""


class DiskError(WorkFailedError):
    """The disk does not let the journal be opened; `cause` is what it said."""

    def __init__(self, message: str, cause: Exception) -> None:
        super().__init__(message)
        self.cause = cause


@dataclass(frozen=True)
class Opened:
    """An open journal file.

    set_aside: where a damaged one was put, None if there was none. saved: how many games could be read in that one.
    """

    connection: Connection
    set_aside: Path | None = None
    saved: int = 0


def open_journal(path: Path, connector: Connect = connect) -> Opened:
    """Open the journal, or begin one.

    A damaged file is set aside, and a new one begun with all that can be read of it: nothing is ever deleted.

    Raises:
        DiskError: the disk does not let it be opened.
        WorkFailedError: it was written by a newer Ringmaster, or a damaged one cannot be set aside.
    """
    try:
        return Opened(_sound(path, connector))
    except _DamagedError:
        aside = _set_aside(path)
    except (sqlite3.Error, OSError) as error:
        raise DiskError(f"the journal {path} cannot be opened: {error}", error) from error
    try:
        connection = _sound(path, connector)
        return Opened(connection, aside, salvage(aside, connection))
    except (_DamagedError, sqlite3.Error, OSError) as error:
        raise DiskError(f"no new journal can be begun at {path}: {error}", error) from error


@contextmanager
def readable(path: Path) -> Iterator[tuple[Connection, bool]]:
    """Open a file that is there for reading only, and tell whether it is damaged; then what can be read of it is given.

    Raises:
        WorkFailedError: there is none, or nothing in it can be read.
    """
    connection: Connection | None = None
    with suppress(_UnreadableError):
        connection = connect_to_read(path)
    if connection is not None and is_whole(connection):
        with closing(connection):
            yield connection, False
        return
    if connection is not None:
        connection.close()
    with tempfile.TemporaryDirectory() as folder, closing(_sound(Path(folder) / path.name, connect)) as saved:
        if not salvage(path, saved):
            raise WorkFailedError(f"the games in {path.parent} cannot be read: the file is damaged all through")
        yield saved, True


def is_whole(connection: Connection) -> bool:
    """Whether SQLite finds nothing wrong in a file."""
    try:
        return list(connection.execute("PRAGMA quick_check(1)")) == [("ok",)]
    except _DAMAGE:
        return False


class _DamagedError(Exception):
    """The file is no journal, or a broken one."""


def _sound(path: Path, connector: Connect) -> Connection:
    connection = connector(path)
    try:
        return _prepared(connection, path)
    except _DAMAGE as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise _DamagedError(str(error)) from error
    except (_DamagedError, WorkFailedError):
        connection.close()
        raise


def _prepared(connection: Connection, path: Path) -> Connection:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    verdict = list(connection.execute("PRAGMA quick_check(1)"))
    if verdict != [("ok",)]:
        raise _DamagedError(str(verdict[0][0]))
    ((version,),) = connection.execute("PRAGMA user_version")
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'games'")
    if version > _LAST_VERSION or (version < VERSION and tables):
        raise _DamagedError("its version makes no sense")
    if version > VERSION:
        raise WorkFailedError(f"the journal {path} was written by a newer Ringmaster: please upgrade this one")
    if version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            connection.execute(table)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
        _sync_folder(path.parent)
    for table in (SIGHTS, DELETED, *outbox.TABLES):
        connection.execute(table)
    try:
        for columns in _COLUMNS:
            connection.execute(f"SELECT {columns} LIMIT 0")
    except sqlite3.OperationalError as error:
        if "no such" not in str(error):
            raise
        raise _DamagedError(str(error)) from error
    return connection


def _set_aside(path: Path) -> Path:
    """Give the damaged file, and what belongs to it, another name."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    aside = path.with_name(f"{path.stem}-damaged-{stamp}{path.suffix}")
    count = 1
    while aside.exists():
        count += 1
        aside = path.with_name(f"{path.stem}-damaged-{stamp}-{count}{path.suffix}")
    try:
        for end in ("-wal", "-shm", ""):
            part = Path(f"{path}{end}")
            if part.exists():
                part.rename(f"{aside}{end}")
        _sync_folder(path.parent)
    except OSError as error:
        raise WorkFailedError(f"the damaged journal {path} cannot be set aside: {error.strerror or error}") from error
    return aside


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder last: without this a cut of the power may forget the file."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
