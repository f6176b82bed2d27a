"""Opens the store's file: begins a new one, upgrades one of an earlier version, and recovers a damaged one.

The rows of the newest sound copy, and those that SQLite still reads of the file itself, go into a new file. Its last
rename decides: a kill before leaves the old file, a kill after leaves the new one.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hardware.problems import Health, HealthBoard, Problem
from referee.errors import BadInputError, WorkFailedError
from referee.files import name_aside, name_kept, put_in_place, set_aside_files, sync_folder
from referee.log import LOG
from referee.names import distinct_names
from referee.phrases import phrase
from referee.sayings.service import set_aside as said_of
from referee.state_folder import EVIDENCE, INSTALLED, JOURNAL, SIMULATED, state_folder
from referee.store.database import (
    COLUMNS,
    KEYS,
    VERSION,
    Connect,
    Connection,
    NewerError,
    Value,
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
from referee.store.games import Query, games, header_in, judged_again, kept_game, statements

if TYPE_CHECKING:
    from referee.store.store import Store

FILES = "files"
"""The device under which the page lists files that were set aside."""
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
_LOST_FROM = """UPDATE games SET lost_from = (
    SELECT iif(gap <= max(last, judged), gap, NULL) FROM (
        SELECT coalesce(min(place) FILTER (WHERE place <> number), count(*) + 1) AS gap,
            coalesce(max(number), 0) AS last
        FROM (SELECT number, row_number() OVER (ORDER BY number) AS place FROM events WHERE game = games.game)))"""


class DiskError(WorkFailedError):
    """The disk does not let the file be opened, by its cause; `damaged`: it is to be mended, besides."""

    damaged = False


def open_store(
    path: Path, connector: Connect = connect, *, instead_of_newer: bool = False
) -> tuple[Connection, Path | None]:
    """Open the file, or begin one, and return it with the new path of a damaged one, None if there was none.

    One of an earlier version becomes the newest copy. instead_of_newer: a file of a newer Ringmaster is set aside, too,
    as the page must come up.

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
        return connection, aside
    except (sqlite3.Error, OSError) as error:
        failed = DiskError("error.journal.journal_cannot_be_opened", path=path, why=error)
        failed.damaged = damage is not None
        raise failed from error


@contextmanager
def opened_to_read(given: Path | None, warn: Callable[[str], None] = lambda sentence: None) -> Iterator[Query]:
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
                warn(phrase("error.journal.is_damaged", folder=folder))
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
    copy = None if sound else next((one for one in copies(old) if is_sound(one) and version_of(one) <= VERSION), None)
    with tempfile.TemporaryDirectory(dir=new.parent) as place, closing(connect(new)) as into:
        # Nothing of it counts before its rename, and it is synced before that.
        into.execute("PRAGMA synchronous=OFF")
        make_tables(into)
        first = new.read_bytes()[:_PAGE]
        into.execute("PRAGMA foreign_keys=OFF")
        if sound:
            _take_rows(into, old, "mode=ro", "outbox", "outbox_head")
            return
        if copy is not None:
            _take_rows(into, copy, "mode=ro")
        # Rulings that are as in a sound copy are complete.
        changed = set[int]().union(*(_take_rows(into, *state) for state in _states(old, Path(place), first)))
        into.execute("BEGIN")
        _tidy(into, old.with_name(EVIDENCE))
        _judge_again(into, changed)
        into.execute("COMMIT")


def _states(path: Path, place: Path, first: bytes) -> Iterator[tuple[Path, str]]:
    """Yield a damaged file without its log, with a new first page, and as it is; and how SQLite opens it.

    A damaged first page hides all tables; `first`, that of a new file, names the same places, as `make_tables` is their
    order.
    """
    if not path.is_file() or not path.stat().st_size:
        # SQLite would delete the log beside an empty file.
        return
    yield path, "immutable=1"
    # Without room for a copy the file is read as it is.
    with suppress(OSError):
        copy, log = place / path.name, Path(f"{path}-wal")
        shutil.copyfile(path, copy)
        with copy.open("r+b") as file:
            _apply_log(log.read_bytes() if log.exists() else b"", file)
            pages = file.seek(0, 2) // _PAGE
            file.seek(0)
            file.write(first[:_PAGES_AT] + pages.to_bytes(4, "big") + first[_PAGES_AT + 4 :])
        yield copy, "mode=ro"
    yield path, "mode=ro"


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


def _take_rows(into: sqlite3.Connection, path: Path, how: str, *others: str) -> set[int]:
    """Take all rows of a file that SQLite reads and that are not there yet, and return the numbers of their games.

    A row with its check sum replaces another one. Without it, a row of a game fills a gap, as its events may be sound;
    and so does any row of version 1, which has no check sums. others: tables without games that are taken whole.
    """
    try:
        into.execute("ATTACH ? AS old", (f"{path.absolute().as_uri()}?{how}",))
    except Exception as error:  # SQLite answers damage with errors of any kind.
        LOG.warning("%s cannot be read: %s", path, error)
        return set()
    numbers, changed = set[int](), set[int]()
    # Games are read once more when their numbers are known: each is found by its own then.
    for table in (*COLUMNS, "games"):
        for rows in _rows(into, table, numbers):
            into.execute("BEGIN")
            for sound, row in rows:
                if table == "games" and not sound:
                    row["header"] = _readable(row["header"])
                try:
                    into.execute(*inserted("INSERT OR REPLACE" if sound else "INSERT OR IGNORE", table, **row))
                    changed.add(row["game"])
                except (sqlite3.Error, OverflowError, TypeError) as error:
                    LOG.warning("a row of %s is not taken: %s", table, error)
            into.execute("COMMIT")
        numbers |= {game for (game,) in into.execute(f"SELECT DISTINCT game FROM main.{table}")}
    for table in ("deleted", *others):
        # The first files of version 1 have no outbox.
        with suppress(Exception):
            into.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM old.{table}")
    into.execute("DETACH old")
    return changed


def _rows(into: sqlite3.Connection, table: str, numbers: set[int]) -> Iterator[list[tuple[bool, dict[str, Any]]]]:
    """Yield lists of the rows of a table of `old` that are worth taking, and whether their check sums are right.

    SQLite gives up at the first damaged page: so a damaged table is read from both ends, and game by game.
    """
    keys = COLUMNS[table][: KEYS[table]]
    try:
        there = [one[1] for one in into.execute(f"PRAGMA old.table_xinfo({table})")]
    except Exception as error:  # SQLite answers damage with errors of any kind.
        LOG.debug("%s: %s", table, error)
        return
    columns, summed = [name for name in COLUMNS[table] if name in there], "crc" in there
    sound = f"old.crc = check_sum({', '.join(columns)})" if summed else "0"
    worth = 1 if table == "games" or not summed else sound
    same = " AND ".join(f"new.{name} = old.{name}" for name in (*keys, *["crc"] * summed))
    sql = (
        f"SELECT {sound}, {', '.join(columns)} FROM old.{table} AS old "
        f"WHERE iif(EXISTS (SELECT 1 FROM main.{table} AS new WHERE {same}), 0, {worth})"
    )
    orders = [", ".join(f"{key} {order}" for key in keys) for order in ("ASC", "DESC")]
    ways: list[tuple[str, tuple[int, ...]]] = [(f"{sql} ORDER BY {order}", ()) for order in orders]
    ways += [(f"{sql} AND game = ? ORDER BY {order}", (game,)) for game in sorted(numbers) for order in orders]
    for place, (way, values) in enumerate(ways):
        found: list[tuple[bool, dict[str, Any]]] = []
        try:
            for sound_one, *row in into.execute(way, values):
                found.append((bool(sound_one), dict(zip(columns, row, strict=True))))
        except Exception as error:  # SQLite answers damage with errors of any kind.
            LOG.debug("%s: %s", way, error)
            yield found
            continue
        yield found
        if place == 0:
            return


def _readable(header: str) -> dict[str, object]:
    """Return a header whose names can be shown, or an empty one: then the events stay, and the list names the game."""
    with suppress(ValueError, RecursionError):
        read = header_in(json.loads(header))
        return replace(read, players=distinct_names(read.players)).as_json()
    return {}


def _tidy(into: sqlite3.Connection, evidence: Path) -> None:
    """Delete rows of deleted games, rows without a game, and pictures that are gone; close all games but the last."""
    for table in COLUMNS:
        into.execute(f"DELETE FROM {table} WHERE game IN deleted OR game NOT IN (SELECT game FROM games)")
    into.execute("UPDATE games SET closed = 1 WHERE game < (SELECT max(game) FROM games)")
    for (file,) in into.execute("SELECT file FROM evidence").fetchall():
        if not (evidence / f"{file}.jpg").is_file():
            into.execute("DELETE FROM evidence WHERE file = ?", (file,))


def _judge_again(into: sqlite3.Connection, changed: set[int]) -> None:
    """Note the first lost event of each game, and replace rulings of `changed` games that its events do not lead to."""

    def query(sql: str, *values: Value) -> list[tuple[Any, ...]]:
        return into.execute(sql, values).fetchall()

    into.execute(_LOST_FROM)
    for row in games(query):
        if row.game not in changed and row.lost_from is None:
            continue
        kept = kept_game(query, row)
        records = {number: record for number, record in kept.records.items() if number <= row.judged}
        with suppress(BadInputError):
            again = judged_again(replace(kept, records=records))
            if again.records != records:
                LOG.warning("game %d is judged again: its rulings were not those that its events lead to", row.game)
                into.execute("DELETE FROM rulings WHERE game = ? AND event <= ?", (row.game, len(records)))
                for statement in statements(again, row.game):
                    into.execute(*statement)


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

    By sqlite.org/walformat.html. A power cut leaves frames of an earlier log or of zeros, and tears the last commit:
    frames behind a commit that does not count mean damage.
    """
    log = Path(f"{path}-wal")
    if not log.exists() or log.stat().st_size <= _LOG_HEAD:
        return None
    data, valid = log.read_bytes(), _valid_frames(path)
    salts, is_past_commit = struct.unpack_from(">II", data, 16), False
    for start in range(_LOG_HEAD + valid * _FRAME, len(data) - _FRAME + 1, _FRAME):
        commit, *own = struct.unpack_from(">III", data, start + 4)
        age = (salts[0] - own[0]) % (1 << 32)
        earlier = own[1] != salts[1] and 0 < age < _MOST_GENERATIONS
        if earlier or not any(data[start : start + _FRAME_HEAD]):
            continue
        if tuple(own) != salts or is_past_commit:
            # A referee at work writes a frame a moment before it counts as valid.
            time.sleep(_WRITING_S)
            return "its log is damaged" if valid == _valid_frames(path) else None
        is_past_commit |= bool(commit)
    return None


def _valid_frames(path: Path) -> int:
    return int(struct.unpack_from("=I", Path(f"{path}-shm").read_bytes(), 16)[0])


def report_set_aside(folder: Path, store: Store, health: HealthBoard) -> bool:
    """Report files that were set aside, and return whether any was not reported before."""
    found = set_aside_files(folder)
    known = next((one for one in health.troubles() if one.part == FILES), None)
    if not found:
        if known is not None:
            health.report(Problem(FILES, Health.OK, t_ns=time.monotonic_ns()))
        return False
    ((count,),) = store.read("SELECT count(*) FROM games") or [(0,)]
    sentences = [said_of(name_kept(path), path.name, count) for path in found]
    listed = reduce(lambda before, one: phrase("common.sentences", first=before, second=one), sentences)
    if not health.report(Problem(FILES, Health.POOR, listed, t_ns=time.monotonic_ns())):
        return False
    LOG.warning("%s", listed)
    return True
