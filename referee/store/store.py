"""The store's writing side: changes go in order onto a list, and `flush` makes the list durable.

While the disk takes nothing the list stays in memory, play goes on, and the next flush that succeeds writes all of it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from referee.engine.events import Header
from referee.engine.log import Change, GameRow, Record
from referee.errors import WorkFailedError
from referee.jsonlines import to_line
from referee.log import LOG
from referee.store.database import (
    LAST_GAME,
    VERSION,
    Connect,
    Connection,
    Given,
    Statement,
    Value,
    connect,
    forget_copies,
    inserted,
    make_copy,
)
from referee.store.games import Query, event_values
from referee.store.recovery import DiskError, open_store

_LEAST_FREE_BYTES = 1 << 18
_FULL, _READ_ONLY = 13, 8
"""SQLite's codes of a full disk, and of one that cannot be written to."""
_DELETED = (
    "UPDATE outbox SET game = 0 WHERE game = ?",
    "DELETE FROM games WHERE game = ?",
    "INSERT OR IGNORE INTO deleted (game) VALUES (?)",
)
_SECOND_NS = 1_000_000_000
_REST_NS = 60 * _SECOND_NS
"""Time without writes and without a game: an evening may be over, and the power be switched off soon."""
_NIGHT_NS, _NIGHT_REST_NS = 20 * 3600 * _SECOND_NS, 600 * _SECOND_NS
"""A game that is never ended is copied once a day, too, while it rests."""


class Trouble(Enum):
    """Why nothing can be kept at the moment."""

    FULL = "full"
    READ_ONLY = "read_only"
    FAILS = "fails"
    DAMAGED = "damaged"
    """The file is damaged, and the disk does not take a mended one."""


def trouble_of(error: BaseException | None) -> Trouble:
    """Return the trouble of a SQLite error."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return {_FULL: Trouble.FULL, _READ_ONLY: Trouble.READ_ONLY}.get(code, Trouble.FAILS)


class Store:
    """Safe to use from any thread. wall_ms: the time of day, ms since 1970, for people only.

    trouble: why the latest changes are in memory only, None if all is kept. set_aside: the new path of a damaged file.
    changes: the number of writes. outbox: messages to others.
    A disk that does not even let the file be opened is a trouble like others: each flush tries again.
    """

    def __init__(
        self,
        path: Path,
        connector: Connect = connect,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """Open the file, or begin it; one that is damaged, or of a newer Ringmaster, is set aside."""
        self._path, self._connector = path, connector
        self._connection: Connection | None = None
        self._mover: Connection | None = None
        self.set_aside: Path | None = None
        self.changes = 0
        self.trouble: Trouble | None = None
        self._lock = threading.RLock()
        self.wall_ms = wall_ms
        self._waiting: list[Statement] = []
        self._unsynced = True
        self.outbox = Outbox(self._add)
        if self._open():
            self._last_game = int(self.read(LAST_GAME)[0][0])
        else:
            # A number that no game has yet, whatever is in the file when it opens at last.
            self._last_game = wall_ms() // 1000

    @property
    def is_open(self) -> bool:
        """Return whether the file could be opened, so that queries find all there is."""
        return self._connection is not None

    def begin_game(self, header: Header, boot: str, shift_ns: int) -> GameRow:
        """Begin a game; the one before is closed."""
        with self._lock:
            self._last_game += 1
            row = GameRow(self._last_game, uuid.uuid4().hex, header, self.wall_ms(), boot, shift_ns)
            self.close_all()
            self.add("games", **vars(row))
            self.outbox.post("game", row.game)
            LOG.info("game %d begins: %s, %d players", row.game, header.game, len(header.players))
            return row

    def add(self, table: str, **values: Given) -> None:
        """Add a row."""
        # One game must never take another one's place, and with it its rows.
        sql, row = inserted("INSERT" if table == "games" else "INSERT OR REPLACE", table, **values)
        self._add(sql, *row)

    def change_game(self, game: int, **values: Value) -> None:
        """Change columns of a game: its clock, or whether it is closed, which means that it is not to be resumed."""
        LOG.info("game %d: %s", game, to_line(dict(values)))
        columns = ", ".join(f"{column} = ?" for column in values)
        self._add(f"UPDATE games SET {columns} WHERE game = ?", *values.values(), game)

    def close_all(self) -> None:
        """Note that no game that was begun is to be resumed."""
        self._add("UPDATE games SET closed = 1 WHERE closed = 0")

    def set_ended(self, game: int, ended: bool) -> None:
        """Note that a game ended, or that after a correction it did not."""
        self.change_game(game, ended_ms=self.wall_ms() if ended else None)

    def add_event(self, game: int, record: Record) -> None:
        """Add an event before its rulings."""
        values = event_values(replace(record, wall_ms=self.wall_ms(), refused=False))
        self.add("events", game=game, **values)

    def add_rulings(self, game: int, record: Record) -> None:
        """Add the rulings on an event, or that the game could not take it, and note that it has them."""
        with self._lock:
            if record.refused:
                self._add("UPDATE events SET refused = 1 WHERE game = ? AND number = ?", game, record.number)
            for row in record.ruled:
                self.add("rulings", game=game, **vars(row))
            self._add("UPDATE games SET judged = ? WHERE game = ?", record.number, game)
            self.outbox.post("event", game, record.number)

    def add_correction(self, game: int, change: Change) -> None:
        """Add a correction with the rulings that it ends and begins."""
        assert change.row is not None
        with self._lock:
            self.add("corrections", game=game, **vars(replace(change.row, wall_ms=self.wall_ms())))
            for row in (*change.gone, *change.new):
                self.add("rulings", game=game, **vars(row))
            self.outbox.post("correction", game, change.row.number)

    def forget_evidence(self, file: str) -> None:
        """Note that a picture is gone."""
        self._add("DELETE FROM evidence WHERE file = ?", file)

    def dispute(self, game: int, event: int) -> None:
        """Note that the pictures of an event are disputed: they are kept longest."""
        with self._lock:
            self._add("UPDATE evidence SET disputed = 1 WHERE game = ? AND event = ?", game, event)
            self.outbox.post("dispute", game, event)

    def flush(self, *, durable: bool = True) -> bool:
        """Write waiting changes; False, with the reason in `trouble`, if the disk refuses: they wait on then.

        durable: return only when a power cut cannot undo it; else it outlasts this process, and the next durable flush
        makes it outlast the power, too.
        """
        with self._lock:
            if self._connection is None and not self._open():
                return False
            if durable and self._unsynced and not self._waiting:
                # Another thread has written it meanwhile, without waiting for the disk: any write waits for all of it.
                self._add(f"PRAGMA user_version = {VERSION}")
            if not self._waiting or self._connection is None:
                self.trouble = None
                return True
            try:
                self._connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                self._connection.execute("BEGIN IMMEDIATE")
                for sql, values in self._waiting:
                    try:
                        self._connection.execute(sql, values)
                    except sqlite3.IntegrityError as error:
                        # A row that the tables refuse must not block all others for ever; for example a picture of a
                        # game deleted meanwhile.
                        LOG.error("%s is not kept: %s", values, error)
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                _roll_back(self._connection)
                self.trouble = trouble_of(error)
                return False
            self._waiting.clear()
            self.trouble = None
            self.changes += 1
            self._unsynced = not durable
            if durable:
                self.outbox.lasting = self.outbox.last
            return True

    def take_in(self, work: Callable[[Connection], object]) -> None:
        """Let `work` add games, all or none. Raises WorkFailedError if the disk refuses them, and errors of `work`."""
        with self._lock:
            if not self.flush() or self._connection is None:
                raise WorkFailedError("error.journal.journal_cannot_be_written_now")
            try:
                work(self._connection)
            except BaseException as error:
                _roll_back(self._connection)
                if isinstance(error, sqlite3.Error):
                    raise WorkFailedError("error.commands.games_could_not_be_taken", why=error) from error
                raise
            self.changes += 1
            self._last_game = max(self._last_game, *self.read(LAST_GAME)[0])

    def delete_game(self, game: int) -> None:
        """Delete a game with all its rows, in the copies, too; the files of its pictures stay.

        Raises:
            WorkFailedError: the disk does not take it.
        """
        LOG.info("game %d is deleted", game)
        self._change_past([(sql, (game,)) for sql in _DELETED])

    def change_headers(self, headers: Mapping[int, Header]) -> None:
        """Replace the headers of games, by their numbers, all or none; the copies with the old ones go.

        Raises:
            WorkFailedError: the disk does not take it.
        """
        sql = "UPDATE games SET header = ? WHERE game = ?"
        self._change_past([(sql, (to_line(header.as_json()), game)) for game, header in headers.items()])

    def _change_past(self, statements: Sequence[Statement]) -> None:
        """Change finished games; nothing of the old content stays in the file or its copies."""

        def work(connection: Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            for statement in statements:
                connection.execute(*statement)
            connection.execute("COMMIT")
            try:
                connection.execute("VACUUM")
                list(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
            except sqlite3.Error as error:
                # It is changed all the same; the old bytes go when others take their place.
                LOG.warning("the journal could not be written again whole: %s", error)

        self.take_in(work)
        try:
            forget_copies(self._path)
        except OSError as error:
            raise WorkFailedError("error.journal.copies_of_journal_cannot_be", why=error.strerror or error) from error

    def read(self, sql: str, *values: Value) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none while the file cannot be opened.

        Raises:
            WorkFailedError: the file cannot be read.
        """
        with self._lock:
            if self._connection is None:
                return []
            try:
                return list(self._connection.execute(sql, values))
            except Exception as error:  # SQLite answers damage with errors of any kind, MemoryError among them.
                raise WorkFailedError("error.journal.journal_cannot_be_read", why=error) from error

    def change_outbox(self, change: Callable[[Outbox], object], *, durable: bool = False) -> None:
        """Change the outbox, and write it."""
        with self._lock:
            # Waiting changes are of the time before.
            self.flush(durable=durable)
            change(self.outbox)
            self.flush(durable=durable)

    def checkpoint(self) -> None:
        """Move written data to its last place while there is time, so that no ruling has to wait for that.

        Nobody waits for it; it is done some other time if it cannot be done now.
        """
        with suppress(sqlite3.Error):
            if self._mover is None:
                self._mover = self._connector(self._path)
            list(self._mover.execute("PRAGMA wal_checkpoint(PASSIVE)"))

    def copy(self) -> Path:
        """Make a checked copy, beside the writing, and return it.

        Raises:
            WorkFailedError: the disk does not take it.
        """
        return make_copy(self._path)

    def close(self) -> None:
        """Write waiting changes, and close the file. Harmless when done twice."""
        with self._lock:
            self.flush()
            for connection in (self._mover, self._connection):
                if connection is not None:
                    connection.close()

    def _add(self, sql: str, *values: Value) -> None:
        with self._lock:
            self._waiting.append((sql, values))

    def _open(self) -> bool:
        try:
            self._connection, aside = open_store(self._path, self._connector, instead_of_newer=True)
        except DiskError as error:
            full = disk_is_full(self._path.parent)
            self.trouble = Trouble.DAMAGED if error.damaged else Trouble.FULL if full else trouble_of(error.__cause__)
            return False
        self.set_aside = self.set_aside or aside
        self.outbox.resume(self.read)
        return True


def _roll_back(connection: Connection) -> None:
    # SQLite has rolled back by itself already where the disk is full.
    with suppress(sqlite3.Error):
        connection.execute("ROLLBACK")


def disk_is_full(folder: Path) -> bool:
    """Return whether a folder's disk is nearly full."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE_BYTES
    except OSError:
        return False


@dataclass(frozen=True)
class Message:
    """A message to send. seq: its number in the stream, from 1 without a gap. data: the event, as JSON data."""

    stream: str
    seq: int
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Return a unique name, which it keeps when it is sent again."""
        return f"{self.stream}-{self.seq}"


class Outbox:
    """Messages that wait for a broker or a club; belongs to a `Store`, whose lock is held whenever it is used.

    A row names an event, and holds no copy of it: a message is made of the journal when it is sent. Its sources never
    change afterwards, so a message sent twice is the same twice.

    stream: the numbering's name, "" as long as nothing is to be sent. last: the number of the last row. lasting: the
    last row that survives a power cut; only rows up to it may be sent, or a number could come to mean two things.
    """

    def __init__(self, add: Callable[..., None]) -> None:
        self._add = add
        self.stream = ""
        self.last = self.sent = self.lasting = 0

    def resume(self, query: Query) -> None:
        """Continue after an earlier process."""
        for stream, sent in query("SELECT stream, sent FROM outbox_head LIMIT 1"):
            ((last,),) = query("SELECT coalesce(max(seq), 0) FROM outbox")
            self.stream, self.sent, self.last = str(stream), int(sent), max(int(last), int(sent))

    def begin(self) -> None:
        """Begin a stream, instead of any present one; its rows are posted after this."""
        self.end()
        self.stream = uuid.uuid4().hex[:12]
        self._add("INSERT INTO outbox_head (stream, sent) VALUES (?, 0)", self.stream)

    def end(self) -> None:
        """Stop sending, and forget waiting rows."""
        self.stream, self.last, self.sent, self.lasting = "", 0, 0, 0
        self._add("DELETE FROM outbox_head")
        self._add("DELETE FROM outbox")

    def post(self, kind: str, game: int, number: int = 0) -> None:
        """Add a row, if anything is to be sent at all."""
        if self.stream:
            self.last += 1
            self._add("INSERT INTO outbox (seq, kind, game, number) VALUES (?, ?, ?, ?)", self.last, kind, game, number)

    def post_whole(self, query: Query, games: Iterable[int]) -> None:
        """Add all events of some games."""
        for game in games:
            for kind, number in query(_WHOLE, game):
                self.post(kind, game, number)

    def arrived(self, seq: int) -> bool:
        """Note the arrival of all rows up to `seq`; False if that was known, or cannot be."""
        if not self.sent < seq <= self.last:
            return False
        self.sent = seq
        self._add("DELETE FROM outbox WHERE seq <= ?", seq)
        self._add("UPDATE outbox_head SET sent = ?", seq)
        return True


# An event without rulings is posted when it has them.
_WHOLE = """SELECT 'game', 0 UNION ALL
    SELECT 'event', number FROM events JOIN games USING (game) WHERE game = ?1 AND number <= judged UNION ALL
    SELECT 'correction', number FROM corrections WHERE game = ?1 UNION ALL
    SELECT 'dispute', event FROM (SELECT DISTINCT event FROM evidence WHERE game = ?1 AND disputed ORDER BY event)"""
# An event has its first rulings, before any correction; a correction names the rulings that it ended and began. A
# damaged file may have lost a game or an event: then the number in the stream remains, with nothing to it.
_MESSAGES = """SELECT o.seq, CASE WHEN g.game IS NULL THEN NULL
    WHEN o.kind = 'game'
    THEN json_object('kind', o.kind, 'game', uid, 'header', json(header), 'started_ms', started_ms)
    WHEN o.kind = 'event' THEN (
        SELECT json_object('kind', o.kind, 'game', uid, 'number', number, 'wall_ms', wall_ms, 'event', json(data),
            'refused', json(iif(refused, 'true', 'false')),
            'rulings', (SELECT json_group_array(json(data)) FROM rulings AS r
                WHERE r.game = o.game AND r.event = o.number AND since = 0))
        FROM events AS e WHERE e.game = o.game AND e.number = o.number)
    WHEN o.kind = 'correction' THEN (
        SELECT json_object('kind', o.kind, 'game', uid, 'number', number, 'wall_ms', wall_ms, 'event', event,
            'data', json(data), 'undoes', undoes,
            'gone', (SELECT json_group_array(json_array(event, place)) FROM rulings AS r
                WHERE r.game = o.game AND until = o.number),
            'new', (SELECT json_group_array(json_array(event, place, json(data))) FROM rulings AS r
                WHERE r.game = o.game AND since = o.number))
        FROM corrections AS c WHERE c.game = o.game AND c.number = o.number)
    ELSE json_object('kind', o.kind, 'game', uid, 'event', o.number) END
    FROM outbox AS o LEFT JOIN games AS g USING (game) WHERE o.seq > ? AND o.seq <= ? ORDER BY o.seq"""


def messages(query: Query, stream: str, after: int, until: int) -> Iterator[Message]:
    """Yield the messages after one number until another one, in order. query: reads the journal's file."""
    for seq, data in query(_MESSAGES, after, until):
        yield Message(stream, seq, {"kind": "nothing"} if data is None else json.loads(data))


class Copying:
    """Makes copies; called by the referee's thread, on a thread of their own, as they may take seconds."""

    def __init__(self, store: Store) -> None:
        self._store, self._thread = store, threading.Thread()
        self._changes, self._changed_ns = -1, 0
        self._tried_ns: int | None = None
        self._copied: int | None = None

    def tend(self, now_ns: int, *, in_play: bool) -> None:
        """Begin a copy if one is due."""
        if self._store.changes != self._changes:
            self._changes, self._changed_ns = self._store.changes, now_ns
        if self._tried_ns is None:
            self._tried_ns = now_ns
        if self._changes == self._copied or not self._store.is_open or self._thread.is_alive():
            return
        rested_ns = now_ns - self._changed_ns
        night = rested_ns > _NIGHT_REST_NS and now_ns - self._tried_ns > _NIGHT_NS
        if (rested_ns > _REST_NS and not in_play) or night:
            self._copied, self._tried_ns = self._changes, now_ns
            self._thread = threading.Thread(target=self._copy, name="journal copy", daemon=True)
            self._thread.start()

    def _copy(self) -> None:
        try:
            self._store.copy()
        except WorkFailedError as error:
            # The next change, or the next night, is another try.
            LOG.warning("%s", error)
