"""Opens the store's file: begins a new one, upgrades one of an earlier version, and recovers a damaged one.

The rows of the newest sound copy, and those that SQLite still reads of the file itself, go into a new file. Its last
rename decides: a kill before leaves the old file, a kill after leaves the new one.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from referee.errors import BadInputError, WorkFailedError
from referee.files import name_aside, put_in_place, sync_folder
from referee.jsonlines import to_line
from referee.log import LOG
from referee.names import told_apart
from referee.state_folder import EVIDENCE, INSTALLED, JOURNAL, SIMULATED, state_folder
from referee.store.database import (
    COLUMNS,
    KEYS,
    VERSION,
    Connect,
    Connection,
    NewerError,
    Value,
    changed,
    check_sum,
    connect,
    connect_to_read,
    copies,
    fault_in,
    inserted,
    is_sound,
    make_copy,
    make_tables,
    read_only,
    version_of,
)
from referee.store.games import HeaderModel, Query, added, header_data, judged_again, judged_now, kept_game, shelf

_DISK = frozenset({3, 5, 6, 8, 10, 13, 14, 15})
"""SQLite's codes for a disk or a file that cannot be used now: PERM, BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN,
PROTOCOL. All others mean damaged content.
"""
_PARTS = ("-wal", "-shm", "")
_MENDED = "-mended-"
_LOG_HEAD, _FRAME_HEAD, _PAGE = 32, 24, 4096
_FRAME = _FRAME_HEAD + _PAGE
_PAGES_AT = 28
"""Where a file has the number of its pages (sqlite.org/fileformat.html, 1.3)."""
_MOST_GENERATIONS = 1 << 20
_WRITING_S = 0.1
_MOST_UNSYNCED = 3


class DiskError(WorkFailedError):
    """The disk does not let the file be opened; `cause`: the error, `damaged`: the damage to be mended."""

    def __init__(self, key: str, cause: Exception, damaged: str | None = None, /, **values: object) -> None:
        super().__init__(key, **values)
        self.cause, self.damaged = cause, damaged


@dataclass(frozen=True)
class Opened:
    """An open file. set_aside: the new path of a damaged one, None if there was none."""

    connection: Connection
    set_aside: Path | None = None


def open_store(path: Path, connector: Connect = connect, *, instead_of_newer: bool = False) -> Opened:
    """Open the file, or begin one; set a damaged one aside; make one of an earlier version the newest copy.

    instead_of_newer: a file of a newer Ringmaster is set aside, too, as the page must come up.

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
        elif path.exists() and path.stat().st_size and 0 < version_of(path) < VERSION:
            upgrade(path)
        connection = connector(path)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            if not next(iter(connection.execute("PRAGMA user_version")))[0]:
                make_tables(connection)
                sync_folder(path.parent)
        except BaseException:
            connection.close()
            raise
        return Opened(connection, aside)
    except (sqlite3.Error, OSError) as error:
        raise DiskError("error.journal.journal_cannot_be_opened", error, damage, path=path, why=error) from error


@contextmanager
def reading(given: Path | None, warn: Callable[[str], None] = lambda sentence: None) -> Iterator[Query]:
    """Yield a query on the store in a folder (None: the usual one) in its present state, whatever is added meanwhile.

    warn: receives a sentence about a damaged file; the query gives its readable rows then.

    Raises:
        WorkFailedError: there is none, or it cannot be read.
    """
    folder = state_folder(given)
    path = folder / JOURNAL
    _check_place(folder)
    if not path.exists() and not copies(path):
        raise WorkFailedError("error.no_games_are_kept_in", folder=folder)
    with tempfile.TemporaryDirectory() as place:
        source, damage = path, None
        try:
            with suppress(NewerError):
                damage = damage_in(path)
                if damage is not None or version_of(path) < VERSION:
                    source = Path(place) / path.name
                    build(path, source, sound=damage is None)
        except (sqlite3.Error, OSError) as error:
            raise WorkFailedError("error.journal.games_in_cannot_be_read", folder=folder, why=error) from error
        with closing(connect_to_read(source)) as connection:

            def query(sql: str, *values: Value) -> list[tuple[Any, ...]]:
                try:
                    return list(connection.execute(sql, values))
                except sqlite3.Error as error:
                    raise WorkFailedError("error.journal.games_cannot_be_read", why=error) from error

            query("BEGIN")
            if damage is not None:
                if not query("SELECT count(*) FROM games")[0][0]:
                    raise WorkFailedError("error.journal.games_in_cannot_be_read_file_is", folder=folder)
                warn(f"The file of games in {folder} is damaged: what can be read of it is given.")
            yield query


def _check_place(folder: Path) -> None:
    """Report the folder of the games, if not this one.

    Raises:
        WorkFailedError: they are elsewhere: they were played on the simulated table, or by the installed service.
    """
    if (folder / JOURNAL).exists():
        return
    for place in (folder / SIMULATED, INSTALLED, INSTALLED / SIMULATED):
        with suppress(OSError):
            if (place / JOURNAL).exists():
                raise WorkFailedError("error.no_games_are_kept_in_but_there", folder=folder, other=place, same=place)


def damage_in(path: Path) -> str | None:
    """Return the damage in a file, None if it is sound or a new one; nothing is written.

    Raises:
        NewerError: it is of a newer Ringmaster.
        sqlite3.OperationalError, OSError: the disk does not let it be read.
    """
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        # SQLite makes an empty file when it begins one; beside other traces of games it means that they are gone.
        return "it is empty" if copies(path) or any(path.with_name(EVIDENCE).glob("*.jpg")) else None
    if not path.is_file():
        return "it is no file"
    try:
        with closing(read_only(path)) as connection:
            connection.execute("BEGIN")
            return fault_in(connection) or _fault_in_log(path)
    except NewerError:
        raise
    except Exception as error:  # SQLite answers damage with errors of any kind, MemoryError among them.
        if _is_of_the_disk(error):
            raise
        return f"{type(error).__name__}: {error}"


def upgrade(path: Path) -> None:
    """Replace a sound file of an earlier version; it stays as the newest copy, the way back to the Ringmaster before.

    Raises:
        sqlite3.Error, OSError: the disk does not take it, or a command reads the file; then it is as it was.
    """
    LOG.info("the journal %s is of an earlier version: it is written again", path)
    try:
        make_copy(path)
    except WorkFailedError as error:
        # In a temporary folder the copies are on a read-only disk; the new file matters.
        LOG.warning("%s", error)
    new = _new(path)
    build(path, new, sound=True)
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    if Path(f"{path}-wal").exists():
        # Beside the new file the log would be taken for its own.
        raise BlockingIOError(f"{path} is being read")
    put_in_place(new, path)


def mend(path: Path) -> Path:
    """Replace a damaged file by a sound one, and return the damaged one's new path.

    Raises:
        sqlite3.Error, OSError: the disk does not take it; then the damaged one is where it was.
    """
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    new = _new(path)
    build(path, new)
    put_in_place(new, path.with_name(f"{path.stem}{_MENDED}{stamp}{path.suffix}"))
    aside = finish_mending(path)
    assert aside is not None
    return aside


def finish_mending(path: Path) -> Path | None:
    """Put a mended file into its place if there is one, and return the path of the damaged one then.

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


def build(old: Path, new: Path, *, sound: bool = False) -> None:
    """Write a new file of the newest sound copy and of all readable rows of the old one; sound: of the old one alone.

    Raises:
        sqlite3.Error, OSError: the disk does not take it.
    """
    for end in ("-journal", *_PARTS):
        Path(f"{new}{end}").unlink(missing_ok=True)
    with closing(connect(new)) as into, tempfile.TemporaryDirectory(dir=new.parent) as place:
        # Nothing of it counts before its rename, and it is synced before that.
        into.execute("PRAGMA synchronous=OFF")
        make_tables(into)
        into.execute("PRAGMA foreign_keys=OFF")
        into.execute("BEGIN IMMEDIATE")
        known: set[int] = set()
        for source, how in [(old, "mode=ro")] if sound else _sources(old, Path(place)):
            _take_rows(source, how, into, known)
        if sound:
            # The first files of version 1 have no outbox.
            with suppress(sqlite3.OperationalError), closing(read_only(old)) as connection:
                for table, marks in (("outbox", "?, ?, ?, ?"), ("outbox_head", "?, ?")):
                    rows = connection.execute(f"SELECT * FROM {table}")
                    into.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        _tidy(into, old.with_name(EVIDENCE))
        _judge_again(into)
        into.execute("COMMIT")


def _sources(path: Path, place: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files from which a damaged one is rebuilt, and how SQLite opens them; later ones have newer rows."""
    sound = (one for one in copies(path) if is_sound(one) and version_of(one) <= VERSION)
    yield from ((one, "mode=ro") for one in islice(sound, 1))
    if not path.is_file() or not path.stat().st_size:
        # SQLite would delete the log beside an empty file.
        return
    yield path, "immutable=1"
    # Without room for a copy the file is read as it is.
    with suppress(OSError):
        yield _with_new_first_page(path, place), "mode=ro"
    yield path, "mode=ro"


def _with_new_first_page(path: Path, place: Path) -> Path:
    """Return a copy of a file, with its log, that begins as a new one.

    A damaged first page hides all tables; that of a new file names the same places, as `make_tables` is their order.
    """
    copy, fresh = place / path.name, place / "new.sqlite"
    with closing(connect(fresh)) as connection:
        make_tables(connection)
    shutil.copyfile(path, copy)
    log = Path(f"{path}-wal")
    with copy.open("r+b") as file:
        _apply_log(log.read_bytes() if log.exists() else b"", file)
        first = bytearray(fresh.read_bytes()[:_PAGE])
        struct.pack_into(">I", first, _PAGES_AT, file.seek(0, 2) // _PAGE)
        file.seek(0)
        file.write(first)
    return copy


def _apply_log(data: bytes, file: BinaryIO) -> None:
    """Write the pages of a log into a file, whatever its check sums say: the rows have their own."""
    pages: dict[int, bytes] = {}
    for start in range(_LOG_HEAD, len(data) - _FRAME + 1, _FRAME):
        page, commit = struct.unpack_from(">II", data, start)
        if data[start + 8 : start + 16] == data[16:24] and 0 < page < _MOST_GENERATIONS:
            pages[page] = data[start + _FRAME_HEAD : start + _FRAME]
        if commit:
            for number, content in pages.items():
                file.seek((number - 1) * _PAGE)
                file.write(content)
            pages.clear()


def _take_rows(path: Path, how: str, into: sqlite3.Connection, known: set[int]) -> None:
    """Take all rows of a file: those with the right check sum, and of others only rows that are not there yet.

    known: the hash values of rows that were read before, and are passed over.
    """
    try:
        connection = read_only(path, how)
    except Exception as error:  # SQLite answers damage with errors of any kind.
        LOG.warning("%s cannot be read: %s", path, error)
        return
    with closing(connection):
        games: set[int] = set()
        # Games are read once more when their numbers are known: each is found by its own then.
        for table in (*COLUMNS, "games"):
            for row in _rows(connection, table, games, known):
                try:
                    _take(table, row, into)
                except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, TypeError, KeyError) as error:
                    LOG.warning("a row of %s is not taken: %s", table, error)
            games |= {game for (game,) in into.execute(f"SELECT DISTINCT game FROM {table}")}
        with suppress(Exception):
            into.executemany("INSERT OR IGNORE INTO deleted VALUES (?)", connection.execute("SELECT game FROM deleted"))


def _take(table: str, row: dict[str, Any], into: sqlite3.Connection) -> None:
    crc = row.pop("crc", None)
    if crc is None or crc != check_sum(*(row.get(column) for column in COLUMNS[table])):
        keys = COLUMNS[table][: KEYS[table]]
        where = " AND ".join(f"{key} = ?" for key in keys)
        there = into.execute(f"SELECT 1 FROM {table} WHERE {where}", [row[key] for key in keys]).fetchone()
        # Version 1 has no check sums. A game whose row is damaged may still have events.
        if there or not (crc is None or table == "games"):
            return
        if table == "games":
            row["header"] = _readable(row["header"])
    into.execute(*inserted(table, **row))


def _readable(header: str) -> str:
    """Return a header whose names can be shown, or an empty one: then the events stay, and the list names the game."""
    try:
        told = HeaderModel.model_validate_json(header).header()
    except ValidationError:
        return "{}"
    return to_line(header_data(replace(told, players=told_apart(told.players))))


def _rows(connection: sqlite3.Connection, table: str, games: set[int], known: set[int]) -> Iterator[dict[str, Any]]:
    """Yield all rows of a table that SQLite reads and that are not known.

    SQLite gives up at the first damaged page: so a damaged table is read from both ends, and game by game.
    """
    keys = COLUMNS[table][: KEYS[table]]
    orders = [", ".join(f"{key} {order}" for key in keys) for order in ("ASC", "DESC")]
    ways: list[tuple[str, tuple[int, ...]]] = [(f"SELECT * FROM {table} ORDER BY {order}", ()) for order in orders]
    by_game = [f"SELECT * FROM {table} WHERE game = ? ORDER BY {order}" for order in orders]
    ways += [(sql, (game,)) for game in sorted(games) for sql in by_game]
    for place, (sql, values) in enumerate(ways):
        try:
            found = connection.execute(sql, values)
            names = [one[0] for one in found.description]
            for row in found:
                if (mark := hash((table, row))) not in known:
                    known.add(mark)
                    yield dict(zip(names, row, strict=True))
        except Exception as error:  # SQLite answers damage with errors of any kind.
            LOG.debug("%s: %s", sql, error)
            continue
        if place == 0:
            return


def _tidy(into: sqlite3.Connection, evidence: Path) -> None:
    """Delete rows of deleted games, rows without a game, and pictures that are gone; close all games but the last."""
    for table in COLUMNS:
        into.execute(f"DELETE FROM {table} WHERE game IN (SELECT game FROM deleted)")
        into.execute(f"DELETE FROM {table} WHERE game NOT IN (SELECT game FROM games)")
    into.execute(*changed("games", {"closed": 1}, "game < (SELECT max(game) FROM games) AND closed = 0"))
    for (file,) in into.execute("SELECT file FROM evidence").fetchall():
        if not (evidence / f"{file}.jpg").is_file():
            into.execute("DELETE FROM evidence WHERE file = ?", (file,))


def _judge_again(into: sqlite3.Connection) -> None:
    """Note the first unknown event of each game, and replace rulings that differ from those of its events."""

    def query(sql: str, *values: Value) -> list[tuple[Any, ...]]:
        return into.execute(sql, values).fetchall()

    for game, judged in query("SELECT game, judged FROM games"):
        numbers = [number for (number,) in query("SELECT number FROM events WHERE game = ? ORDER BY number", game)]
        gap = next((place for place, number in enumerate(numbers, 1) if place != number), len(numbers) + 1)
        lost = gap if gap <= max([judged, *numbers]) else None
        into.execute(*changed("games", {"lost_from": lost}, "game = ?", game))
    for row in shelf(query).games:
        kept = kept_game(query, row)
        known = replace(kept, events=tuple(one for one in kept.events if one.number <= row.judged))
        last = len(known.events)
        held = {number: rulings for number, rulings in kept.by_event().items() if number <= last}
        with suppress(BadInputError):
            if held == {number: list(rulings) for number, rulings in judged_now(known).items() if rulings}:
                continue
            LOG.warning("game %d is judged again: its rulings were not those that its events lead to", row.game)
            into.execute("DELETE FROM rulings WHERE game = ? AND event <= ?", (row.game, last))
            for one in judged_again(known).rulings:
                into.execute(*added(row.game, one))


def _new(path: Path) -> Path:
    return path.with_name(f"{path.stem}-mending{path.suffix}")


def _is_of_the_disk(error: BaseException) -> bool:
    """Return whether SQLite complains of the disk, and not of the file's content."""
    if not isinstance(error, sqlite3.OperationalError):
        return isinstance(error, OSError)
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF in _DISK


def _fault_in_log(path: Path) -> str | None:
    """Return the fault of the write-ahead log, which SQLite passes over in silence from its first bad frame on.

    By sqlite.org/walformat.html. A power cut leaves frames of an earlier log, of zeros, or of the last commits, which
    were not synced yet.
    """
    log = Path(f"{path}-wal")
    if not log.exists() or log.stat().st_size <= _LOG_HEAD:
        return None
    data, valid = log.read_bytes(), _valid_frames(path)
    salts, commits = struct.unpack_from(">II", data, 16), 0
    for start in range(_LOG_HEAD + valid * _FRAME, len(data) - _FRAME + 1, _FRAME):
        commit, *own = struct.unpack_from(">III", data, start + 4)
        age = (salts[0] - own[0]) % (1 << 32)
        earlier = own[1] != salts[1] and 0 < age < _MOST_GENERATIONS
        if earlier or not any(data[start : start + _FRAME_HEAD]):
            continue
        commits += bool(commit)
        if tuple(own) != salts or commits > _MOST_UNSYNCED:
            # A referee at work writes a frame a moment before it counts as valid.
            time.sleep(_WRITING_S)
            return "its log is damaged" if valid == _valid_frames(path) else None
    return None


def _valid_frames(path: Path) -> int:
    return int(struct.unpack_from("=I", Path(f"{path}-shm").read_bytes(), 16)[0])
