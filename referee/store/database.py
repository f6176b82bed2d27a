"""The store's SQLite file: its tables, which hold a check sum in each row; opening, checking and copying it."""

from __future__ import annotations

import re
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

from referee.engine.events import Event, Header
from referee.errors import WorkFailedError
from referee.files import put_in_place
from referee.jsonlines import to_line
from referee.log import LOG

VERSION = 3
LAST_VERSION = 1000
"""No Ringmaster will ever have written a file of a higher version."""
LAST_MS = 253_402_300_799_999
"""The last wall time that has a date, in the year 9999, ms."""
MOST_COPIES = 3
_COPIES, _COPY = "journal-copies", re.compile(r"journal-([0-9]{1,9})\.sqlite")

COLUMNS = {
    "games": ("game", "uid", "header", "started_ms", "boot", "shift_ns", "judged", "ended_ms", "closed", "lost_from"),
    "events": ("game", "number", "wall_ms", "data", "refused"),
    "corrections": ("game", "number", "wall_ms", "event", "data", "undoes"),
    "rulings": ("game", "event", "place", "since", "until", "data"),
    "evidence": ("file", "game", "event", "t_ms", "bytes", "kept_ms", "disputed"),
    "sights": ("game", "event", "data"),
}
"""The columns of each table with games in it, the key first; the check sum covers them in this order."""
KEYS = {"games": 1, "events": 2, "corrections": 2, "rulings": 4, "evidence": 1, "sights": 2}
"""Number of key columns."""
LAST_GAME = "SELECT coalesce(max(game), 0) FROM (SELECT game FROM games UNION ALL SELECT game FROM deleted)"
"""Gives the highest number that a game has or had."""


def _table(name: str, columns: str) -> str:
    """Return the statement that makes a table whose rows have check sums, which SQLite computes."""
    crc, key = f"check_sum({', '.join(COLUMNS[name])})", ", ".join(COLUMNS[name][: KEYS[name]])
    # The number of a game is the number of its row.
    kind = "STRICT" if name == "games" else "STRICT, WITHOUT ROWID"
    return f"CREATE TABLE {name} ({columns}, crc INTEGER NOT NULL AS ({crc}) STORED, PRIMARY KEY ({key})) {kind}"


_GAME = "game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE"
_DATA = "data TEXT NOT NULL CHECK (json_valid(data))"
_WALL = f"wall_ms INTEGER NOT NULL CHECK (wall_ms BETWEEN 0 AND {LAST_MS})"
TABLES = (
    # The game's clock is the monotonic clock of `boot` plus shift_ns. judged: the last event with rulings. closed:
    # it is not resumed any more. lost_from: the first event that a damaged file lost, NULL if all are there.
    _table(
        "games",
        f"""game INTEGER NOT NULL CHECK (game > 0), uid TEXT NOT NULL UNIQUE,
        header TEXT NOT NULL CHECK (json_valid(header)),
        started_ms INTEGER NOT NULL CHECK (started_ms BETWEEN 0 AND {LAST_MS}),
        boot TEXT NOT NULL, shift_ns INTEGER NOT NULL, judged INTEGER NOT NULL DEFAULT 0 CHECK (judged >= 0),
        ended_ms INTEGER CHECK (ended_ms BETWEEN 0 AND {LAST_MS}),
        closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)), lost_from INTEGER""",
    ),
    # refused: the game knew no such event, so it has no rulings. An event is never changed or deleted.
    _table(
        "events",
        f"""{_GAME}, number INTEGER NOT NULL CHECK (number > 0), {_WALL}, {_DATA},
        refused INTEGER NOT NULL DEFAULT 0 CHECK (refused IN (0, 1))""",
    ),
    # A ruling holds from one correction (0: the beginning) until another revokes it (NULL: it holds).
    _table(
        "rulings",
        f"""{_GAME}, event INTEGER NOT NULL CHECK (event > 0), place INTEGER NOT NULL CHECK (place >= 0),
        since INTEGER NOT NULL CHECK (since >= 0), until INTEGER, {_DATA}, ruling TEXT AS (data ->> '$.ruling')""",
    ),
    # data: the event as it should have been; NULL strikes it. undoes: the correction that this one undoes.
    _table(
        "corrections",
        f"""{_GAME}, number INTEGER NOT NULL CHECK (number > 0), {_WALL}, event INTEGER,
        data TEXT CHECK (data IS NULL OR json_valid(data)), undoes INTEGER""",
    ),
    # file: the name in the evidence folder; t_ms: before (-) or after the instant it is about.
    _table(
        "evidence",
        f"""file TEXT NOT NULL, {_GAME}, event INTEGER NOT NULL, t_ms REAL NOT NULL, bytes INTEGER NOT NULL,
        kept_ms INTEGER NOT NULL, disputed INTEGER NOT NULL DEFAULT 0""",
    ),
    # data: the outlines in the deciding picture of an event (see `referee.match.pictures`).
    _table("sights", f"{_GAME}, event INTEGER NOT NULL, {_DATA}"),
    # The numbers of deleted games are not given again: browsers keep pictures by them.
    "CREATE TABLE deleted (game INTEGER PRIMARY KEY) STRICT",
    # See `referee.store.store.Outbox`.
    """CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, game INTEGER NOT NULL, number INTEGER NOT NULL) STRICT""",
    "CREATE TABLE outbox_head (stream TEXT NOT NULL, sent INTEGER NOT NULL) STRICT",
    # Indexes are last, as VACUUM orders them, too: `recovery` knows each table's first page by this order.
    "CREATE INDEX rulings_by_kind ON rulings (ruling, game)",
    "CREATE INDEX evidence_of ON evidence (game, event)",
)

Value = str | int | float | bytes | None
Given = Value | Mapping[str, Any] | Header | Event
Statement = tuple[str, tuple[Value, ...]]


class Connection(Protocol):
    """The used part of `sqlite3.Connection`; tests on unreliable storage replace it."""

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Iterable[tuple[Any, ...]]:
        """Run one statement and return its rows."""

    def close(self) -> None:
        """Close the file."""


Connect = Callable[[Path], Connection]


class NewerError(Exception):
    """The file is of a newer Ringmaster."""


def check_sum(*values: Value) -> int:
    """Return the CRC-32 of a row's values."""
    return zlib.crc32("\x1f".join(map(str, values)).encode(errors="surrogatepass"))


def inserted(how: str, table: str, **values: Given) -> Statement:
    """Return the statement that adds a row; how: "INSERT", "INSERT OR REPLACE" or "INSERT OR IGNORE".

    A header, an event or a mapping becomes JSON.
    """
    parts = (one.as_json() if isinstance(one, Header | Event) else one for one in values.values())
    row = (to_line(dict(one)) if isinstance(one, Mapping) else one for one in parts)
    return f"{how} INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", tuple(row)


def as_text(data: bytes) -> str:
    """Return a text with bad bytes replaced: one bad byte must not hide all games."""
    return data.decode("utf-8", "replace")


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for reading and writing; the caller begins and ends transactions."""
    return _opened(str(path))


def read_only(path: Path, how: str = "mode=ro") -> sqlite3.Connection:
    """Open an existing file for reading only."""
    return _opened(f"{path.absolute().as_uri()}?{how}")


def _opened(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False, timeout=2.0)
    connection.text_factory = as_text
    connection.create_function("check_sum", -1, check_sum, deterministic=True)
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


def make_tables(connection: Connection) -> None:
    """Make the tables of a new file, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    for table in TABLES:
        connection.execute(table)
    connection.execute(f"PRAGMA user_version={VERSION}")
    connection.execute("COMMIT")


def fault_in(connection: sqlite3.Connection) -> str | None:
    """Return the first fault of a file, None if it is sound: by SQLite's check, foreign keys and check sums.

    Raises:
        NewerError: it is of a newer Ringmaster.
    """
    ((version,),) = connection.execute("PRAGMA user_version")
    if VERSION < version <= LAST_VERSION:
        raise NewerError
    tables = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if version > LAST_VERSION or (version < 1 and tables):
        return f"version {version} makes no sense"
    if version == VERSION and tables != set(TABLES):
        return "its tables are described differently"
    ((verdict,),) = connection.execute("PRAGMA integrity_check(1)")
    if verdict != "ok":
        return str(verdict)
    for row in connection.execute("PRAGMA foreign_key_check"):
        return f"a row of {row[0]} belongs to no game"
    if version == 1:
        # It has no check sums, and no column for lost events.
        return None
    for table, columns in COLUMNS.items():
        if connection.execute(f"SELECT 1 FROM {table} WHERE crc <> check_sum({', '.join(columns)})").fetchone():
            return f"a row of {table} has another check sum"
    events = "SELECT count(*) FROM events WHERE events.game = games.game"
    missing = connection.execute(f"SELECT game FROM games WHERE lost_from IS NULL AND judged > ({events})").fetchone()
    return None if missing is None else f"events of game {missing[0]} are missing"


def version_of(path: Path) -> int:
    """Return the version of a file."""
    with closing(read_only(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_sound(path: Path) -> bool:
    """Return whether a copy is sound."""
    try:
        with closing(read_only(path, "mode=ro&immutable=1")) as connection:
            return fault_in(connection) is None
    except Exception:  # SQLite answers damage with errors of any kind, MemoryError among them.
        return False


def copies(path: Path) -> list[Path]:
    """Return the copies of a file, the newest first.

    Copies are numbered, because a Raspberry Pi without a network does not know the day.
    """
    with suppress(OSError):
        return sorted((one for one in _folder(path).iterdir() if _COPY.fullmatch(one.name)), key=_number, reverse=True)
    return []


def make_copy(path: Path) -> Path:
    """Copy a file that may be in use, check the copy, and return it; an earlier one of today is deleted.

    Three are kept, one a day.

    Raises:
        WorkFailedError: the disk does not take it, or the copy is not sound.
    """
    kept, folder = copies(path), _folder(path)
    part, copy = folder / "journal.part", folder / f"journal-{_number(kept[0]) + 1 if kept else 1}.sqlite"
    try:
        folder.mkdir(mode=0o750, exist_ok=True)
        part.unlink(missing_ok=True)
        # SQLite 3.40 cannot VACUUM a file that is open for reading only: it knows no CHECK constraints then.
        with closing(connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        if not is_sound(part):
            raise WorkFailedError("error.journal.copy_of_journal_is_not")
        put_in_place(part, copy)
        # One of an earlier version is the way back to the Ringmaster before.
        today = [one for one in kept[:1] if _day(one) == _day(copy) and version_of(one) == version_of(copy)]
        for old in {*today, *kept[MOST_COPIES - 1 + len(today) :]}:
            old.unlink(missing_ok=True)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise WorkFailedError("error.journal.journal_cannot_be_copied", why=error) from error
    LOG.info("the journal is copied to %s", copy.name)
    return copy


def forget_copies(path: Path) -> None:
    """Delete all copies, because they hold deleted names or games. Raises OSError if the disk refuses."""
    for copy in copies(path):
        copy.unlink(missing_ok=True)


def _folder(path: Path) -> Path:
    return path.with_name(_COPIES)


def _number(copy: Path) -> int:
    return int(copy.stem.partition("-")[2])


def _day(path: Path) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing file for reading only; a running referee is not disturbed.

    Raises:
        WorkFailedError: there is none, or it cannot be read.
    """
    if not path.is_file():
        raise WorkFailedError("error.no_games_are_kept_in", folder=path.parent)
    connection = read_only(path)
    try:
        connection.execute("SELECT count(*) FROM games").fetchone()
    except Exception as error:  # SQLite answers damage with errors of any kind.
        connection.close()
        raise WorkFailedError("error.journal.games_in_cannot_be_read", folder=path.parent, why=error) from error
    return connection
