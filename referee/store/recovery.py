"""Goes on from a damaged journal: its newest sound copy, and whatever SQLite still reads of the damaged file itself.

All of it goes into a new file, whose last rename (`_MENDED`) decides: a kill before leaves the damaged journal, which
is mended at the next start; a kill after leaves the new one, which the next start puts into its place.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from referee.files import name_aside, put_in_place, sync_folder
from referee.log import LOG
from referee.store.copies import copies, is_sound
from referee.store.folder import EVIDENCE
from referee.store.tables import COLUMNS, JSON, KEYS, LAST_VERSION, LATER, TABLES, TAKE, VERSION

_DISK = frozenset({3, 5, 6, 8, 10, 13, 14, 15})
"""SQLite's codes for a disk or a file that cannot be used now: PERM, BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN,
PROTOCOL. All others mean that the content makes no sense."""
_PARTS = ("-wal", "-shm", "")
_MENDED = "-mended-"
_GHOSTS = (
    """DELETE FROM games WHERE game NOT IN (SELECT game FROM events) AND EXISTS (
    SELECT 1 FROM games other WHERE other.game <> games.game AND other.header = games.header
    AND other.started_ms = games.started_ms AND other.game IN (SELECT game FROM events))""",
    """DELETE FROM events WHERE typeof(number) <> 'integer' OR number < 1 OR (
    number > (SELECT judged FROM games WHERE games.game = events.game) AND NOT EXISTS (
    SELECT 1 FROM events before WHERE before.game = events.game AND before.number = events.number - 1))""",
)
"""Delete rows whose own number is damaged: a game that is there twice, events that nothing leads to."""
_LOG_HEAD, _FRAME_HEAD = 32, 24
_MOST_GENERATIONS = 1 << 20
_WRITING_S = 0.1
_MOST_UNSYNCED = 3


class NewerError(Exception):
    """The file is of a newer Ringmaster."""


def is_of_the_disk(error: BaseException) -> bool:
    """Whether SQLite complains of the disk, and not of what is in the file."""
    if not isinstance(error, sqlite3.OperationalError):
        return isinstance(error, OSError)
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF in _DISK


def as_text(data: bytes) -> str:
    """Give a text as well as it can be read: one bad byte must not hide all games."""
    return data.decode("utf-8", "replace")


def damage_in(path: Path) -> str | None:
    """Give what is wrong with a journal, None if it is sound or a new one; nothing is written.

    Raises:
        NewerError: it is of a newer Ringmaster.
        sqlite3.OperationalError, OSError: the disk does not let it be read.
    """
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        # SQLite makes an empty file when it begins a journal; where games were kept, they are gone.
        return "it is empty" if copies(path) or any(path.with_name(EVIDENCE).glob("*.jpg")) else None
    if not path.is_file():
        return "it is no file"
    try:
        with closing(_read_only(path, "mode=ro")) as connection:
            return _fault_in(connection, path)
    except NewerError:
        raise
    except Exception as error:  # SQLite answers damage with errors of any kind, MemoryError among them.
        if is_of_the_disk(error):
            raise
        return f"{type(error).__name__}: {error}"


def mend(path: Path) -> Path:
    """Put a sound journal in the place of a damaged one, and give the damaged one's new name.

    Raises:
        sqlite3.Error, OSError: the disk does not take it; then the damaged one is where it was.
    """
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    new = path.with_name(f"{path.stem}-mending{path.suffix}")
    build(path, new)
    put_in_place(new, path.with_name(f"{path.stem}{_MENDED}{stamp}{path.suffix}"))
    aside = finish_mending(path)
    assert aside is not None
    return aside


def finish_mending(path: Path) -> Path | None:
    """Put a mended journal into its place if there is one, and give the name of the damaged one then.

    Raises:
        OSError: the disk does not let it.
    """
    mended = sorted(path.parent.glob(f"{path.stem}{_MENDED}[0-9]*{path.suffix}"))
    if not mended:
        return None
    aside = path.with_name(mended[-1].name.replace(_MENDED, "-damaged-"))
    if path.exists():
        aside = name_aside(path, aside.stem.removeprefix(f"{path.stem}-damaged-"))
    # The log goes first: beside the new file it would be taken for its own.
    for end in _PARTS:
        with suppress(FileNotFoundError):
            Path(f"{path}{end}").rename(f"{aside}{end}")
    # One that was missing is reported, too.
    aside.touch()
    sync_folder(path.parent)
    mended[-1].rename(path)
    sync_folder(path.parent)
    return aside


def build(damaged: Path, new: Path) -> None:
    """Write a new journal of the newest sound copy and of all rows that can be read of the damaged one.

    Raises:
        sqlite3.Error, OSError: the disk does not take it.
    """
    for end in ("-wal", "-shm", "-journal", ""):
        Path(f"{new}{end}").unlink(missing_ok=True)
    copy = next((one for one in copies(damaged) if is_sound(one) and _version(one) <= VERSION), None)
    if copy is not None:
        LOG.warning("the journal goes on with its copy %s", copy.name)
        shutil.copyfile(copy, new)
    with closing(sqlite3.connect(new, isolation_level=None)) as into:
        # Nothing of it counts before its rename, and it is synced before that.
        into.execute("PRAGMA synchronous=OFF")
        into.execute("BEGIN IMMEDIATE")
        for sql in (*TABLES, *LATER):
            into.execute(sql)
        into.execute(f"PRAGMA user_version={VERSION}")
        _take_rows(damaged, into)
        _take_deleted(damaged, into)
        if copy is not None:
            for table, column in JSON.items():
                into.execute(f"DELETE FROM {table} WHERE NOT {_is_json(column)}")
        for sql in _GHOSTS:
            into.execute(sql)
        for table in COLUMNS:
            into.execute(f"DELETE FROM {table} WHERE game NOT IN (SELECT game FROM games)")
        # Only the last game can still be going on.
        into.execute("UPDATE games SET closed = 1 WHERE game < (SELECT max(game) FROM games)")
        # Numbers of messages would come to mean two things: another file has another stream.
        into.execute("DELETE FROM outbox")
        into.execute("DELETE FROM outbox_head")
        _forget_pictures(damaged.with_name(EVIDENCE), into)
        into.execute("COMMIT")


def _take_rows(damaged: Path, into: sqlite3.Connection) -> None:
    games: set[int] = set()
    for table in COLUMNS:
        for row in _rows(damaged, table, games):
            # What makes no row of this table is passed over.
            with suppress(sqlite3.IntegrityError, sqlite3.DataError, OverflowError):
                into.execute(TAKE[table], row)
        games |= {game for (game,) in into.execute(f"SELECT DISTINCT game FROM {table}") if type(game) is int}


def _take_deleted(damaged: Path, into: sqlite3.Connection) -> None:
    try:
        with closing(_read_only(damaged, "mode=ro")) as connection:
            into.executemany("INSERT OR IGNORE INTO deleted VALUES (?)", connection.execute("SELECT game FROM deleted"))
    except Exception as error:  # SQLite answers damage with errors of any kind.
        LOG.warning("numbers of deleted games cannot be read: %s", error)


def _rows(path: Path, table: str, games: set[int]) -> Iterator[tuple[Any, ...]]:
    """Give all rows of a table that SQLite reads, many of them more than once.

    SQLite gives up at the first page that makes no sense: so a table is read from both ends, and game by game.
    """
    if not path.is_file() or not path.stat().st_size:
        # SQLite would delete the log beside an empty file.
        return
    for how in ("mode=ro", "immutable=1"):
        try:
            connection = _read_only(path, how)
            names = [one[0] for one in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]
        except Exception as error:  # SQLite answers damage with errors of any kind.
            LOG.warning("%s cannot be read: %s", table, error)
            continue
        columns = COLUMNS[table]
        wanted = columns if set(columns) <= set(names) else names if len(names) == len(columns) else ()
        if not wanted:
            continue
        with closing(connection):
            for count, (sql, values) in enumerate(_ways(table, wanted, games)):
                try:
                    yield from connection.execute(sql, values)
                except GeneratorExit:
                    raise
                except Exception as error:  # The same: the rows behind it are read on another way.
                    LOG.debug("%s: %s", sql, error)
                    continue
                if count == 0:
                    # A table that can be read from end to end is read once.
                    return


def _ways(table: str, columns: Sequence[str], games: set[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    listed = ", ".join(f'"{column}"' for column in columns)
    keys = columns[: KEYS[table]]
    for order in ("ASC", "DESC"):
        yield f"SELECT {listed} FROM {table} ORDER BY {', '.join(f'{key} {order}' for key in keys)}", ()
    if columns[0] != "game":
        return
    for game in sorted(games):
        for order in ("ASC", "DESC"):
            by = ", ".join(f"{key} {order}" for key in keys)
            yield f"SELECT {listed} FROM {table} WHERE game = ? ORDER BY {by}", (game,)


def _forget_pictures(folder: Path, into: sqlite3.Connection) -> None:
    """Take pictures off the list that were deleted since the copy was made."""
    for (file,) in into.execute("SELECT file FROM evidence").fetchall():
        if not (folder / f"{file}.jpg").is_file():
            into.execute("DELETE FROM evidence WHERE file = ?", (file,))


def _read_only(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, timeout=2.0)
    connection.text_factory = as_text
    # A damaged entry in the list of tables, or an end that is missing, then hides nothing but itself.
    connection.execute("PRAGMA writable_schema=ON")
    return connection


def _version(path: Path) -> int:
    with closing(_read_only(path, "immutable=1")) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _fault_in(connection: sqlite3.Connection, path: Path) -> str | None:
    connection.execute("PRAGMA writable_schema=OFF")
    connection.execute("BEGIN")
    ((version,),) = connection.execute("PRAGMA user_version")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if VERSION < version <= LAST_VERSION:
        raise NewerError
    if version > LAST_VERSION or (version < VERSION and tables):
        return f"version {version} makes no sense"
    verdict = connection.execute("PRAGMA quick_check(1)").fetchall()
    if verdict != [("ok",)]:
        return str(verdict[0][0])
    for table, columns in COLUMNS.items():
        if tables and (table in tables or table != "sights"):
            # Each value is read once: the check looks at the shape of rows, and not into all of them.
            connection.execute(f"SELECT {', '.join(f'max(length({one}))' for one in columns)} FROM {table}").fetchall()
    ((page_size,),) = connection.execute("PRAGMA page_size")
    newest = next(iter(copies(path)), None) if tables else None
    return _fault_in_log(path, page_size) or (None if newest is None else _fault_beside(connection, newest))


def _fault_beside(connection: sqlite3.Connection, copy: Path) -> str | None:
    """Give what a copy can mend: rows that are no JSON any more, or that are not there at all."""
    for table, column in JSON.items():
        if connection.execute(f"SELECT 1 FROM {table} WHERE NOT {_is_json(column)} LIMIT 1").fetchone():
            return f"a row of {table} makes no sense"
    if not is_sound(copy):
        return None
    with closing(_read_only(copy, "immutable=1")) as kept:
        for table in ("games", "events", "corrections"):
            sql = f"SELECT count(*) FROM {table} WHERE {_is_json(JSON[table])} AND game IN (SELECT game FROM games)"
            here, there = (one.execute(sql).fetchone()[0] for one in (connection, kept))
            if here < there:
                return f"its copy has more {table}"
    return None


def _is_json(value: str) -> str:
    """Give the SQL condition that a value is JSON, or nothing."""
    return f"({value} IS NULL OR (typeof({value}) = 'text' AND json_valid({value})))"


def _fault_in_log(path: Path, page_size: int) -> str | None:
    """Give what is wrong with the write-ahead log, which SQLite passes over in silence from its first bad frame on.

    By sqlite.org/walformat.html. A cut of the power leaves frames of an earlier log, of zeros, without a commit, or of
    the few last commits, which were not synced yet.
    """
    log = Path(f"{path}-wal")
    if not log.exists() or log.stat().st_size <= _LOG_HEAD:
        return None
    data, valid = log.read_bytes(), _valid_frames(path)
    fault = _fault_in_frames(data, valid, _FRAME_HEAD + page_size)
    if fault is not None:
        # A referee at work writes a frame a moment before it counts as valid.
        time.sleep(_WRITING_S)
    return fault if valid == _valid_frames(path) else None


def _valid_frames(path: Path) -> int:
    return int(struct.unpack_from("=I", Path(f"{path}-shm").read_bytes(), 16)[0])


def _fault_in_frames(data: bytes, valid: int, frame: int) -> str | None:
    salts, commits = struct.unpack_from(">II", data, 16), 0
    for start in range(_LOG_HEAD + valid * frame, len(data) - frame + 1, frame):
        commit, *own = struct.unpack_from(">III", data, start + 4)
        age = (salts[0] - own[0]) % (1 << 32)
        earlier = own[1] != salts[1] and 0 < age < _MOST_GENERATIONS
        if earlier or not any(data[start : start + _FRAME_HEAD]):
            continue
        commits += bool(commit)
        if tuple(own) != salts or commits > _MOST_UNSYNCED:
            return "its log is damaged"
    return None
