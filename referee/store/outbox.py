"""What is still to be told to others (a broker, a club): a list in the journal's own file, written in its transactions.

A row names what happened and holds no copy of it; a message is made from the journal when it is sent. What it is made
of never changes afterwards, so that a message sent twice is the same twice.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.store.database import Statement
from referee.store.games import Query

Add = Callable[[Statement], None]


@dataclass(frozen=True)
class Message:
    """Something to be told. seq: its number in the stream, from 1 without a gap. data: what happened, as plain JSON."""

    stream: str
    seq: int
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """A name that no other message has, and that it keeps when it is sent again."""
        return f"{self.stream}-{self.seq}"


class Outbox:
    """The writing side; belongs to a `Store`, whose lock is held whenever it is used.

    stream: the numbering's name, "" as long as nothing is to be sent. last: the number of the last row. lasting: up to
    which row a cut of the power takes nothing back; only that may be sent, or a number could come to mean two things.
    """

    def __init__(self, add: Add) -> None:
        self._add = add
        self.stream = ""
        self.last = self.sent = self.lasting = 0
        self.on_lasting: Callable[[], None] = lambda: None

    def resume(self, query: Query) -> None:
        """Go on where an earlier process ended."""
        for stream, sent in query("SELECT stream, sent FROM outbox_head LIMIT 1"):
            ((last,),) = query("SELECT coalesce(max(seq), 0) FROM outbox")
            self.stream, self.sent, self.last = str(stream), int(sent), max(int(last), int(sent))

    def begin(self) -> None:
        """Begin a stream, instead of the one that there may be; its rows are posted after this."""
        self.end()
        self.stream = uuid.uuid4().hex[:12]
        self._add(("INSERT INTO outbox_head (stream, sent) VALUES (?, 0)", (self.stream,)))

    def end(self) -> None:
        """Send nothing any more, and forget what waits."""
        self.stream, self.last, self.sent, self.lasting = "", 0, 0, 0
        self._add(("DELETE FROM outbox_head", ()))
        self._add(("DELETE FROM outbox", ()))

    def post(self, kind: str, game: int, number: int = 0) -> None:
        """Add a row, if anything is to be sent at all."""
        if self.stream:
            self.last += 1
            values = (self.last, kind, game, number)
            self._add(("INSERT INTO outbox (seq, kind, game, number) VALUES (?, ?, ?, ?)", values))

    def post_whole(self, query: Query, games: Iterable[int]) -> None:
        """Add all that has happened in some games."""
        for game in games:
            self.post("game", game)
            # What is not judged yet is posted when it is.
            sql = "SELECT number FROM events WHERE game = ?1 AND number <= (SELECT judged FROM games WHERE game = ?1)"
            for (number,) in query(f"{sql} ORDER BY number", game):
                self.post("event", game, number)
            for (number,) in query("SELECT number FROM corrections WHERE game = ? ORDER BY number", game):
                self.post("correction", game, number)
            for (number,) in query("SELECT DISTINCT event FROM evidence WHERE game = ? AND disputed ORDER BY 1", game):
                self.post("dispute", game, number)

    def arrived(self, seq: int) -> bool:
        """Take it that all up to `seq` has arrived; False if that was known, or cannot be."""
        if not self.sent < seq <= self.last:
            return False
        self.sent = seq
        self._add(("DELETE FROM outbox WHERE seq <= ?", (seq,)))
        self._add(("UPDATE outbox_head SET sent = ?", (seq,)))
        return True

    def made_to_last(self) -> None:
        """Take it that all rows outlast a cut of the power."""
        if self.lasting != self.last:
            self.lasting = self.last
            self.on_lasting()


def messages(query: Query, stream: str, after: int, until: int) -> Iterator[Message]:
    """Return the messages after one number until another one, in order. query: asks the journal's file."""
    rows = query("SELECT seq, kind, game, number FROM outbox WHERE seq > ? AND seq <= ? ORDER BY seq", after, until)
    for seq, kind, game, number in rows:
        try:
            data = _data(query, str(kind), game, number)
        except (ValueError, TypeError, RecursionError):
            # A damaged row must not hold up those that follow.
            data = {"kind": "nothing"}
        yield Message(stream, seq, data)


def _data(query: Query, kind: str, game: int, number: int) -> dict[str, Any]:
    rows = query("SELECT uid, header, started_ms FROM games WHERE game = ?", game)
    if not rows:
        # Where a file was damaged a game may be gone; its number in the stream is not.
        return {"kind": "nothing"}
    uid, header, started_ms = rows[0]
    found: dict[str, Any] | None = {"kind": kind, "game": uid}
    match kind:
        case "game":
            found = {"kind": kind, "game": uid, "header": json.loads(header), "started_ms": started_ms}
        case "event":
            found = _event(query, uid, game, number)
        case "correction":
            found = _correction(query, uid, game, number)
        case _:
            found = {"kind": kind, "game": uid, "event": number}
    return found or {"kind": "nothing"}


def _event(query: Query, uid: str, game: int, number: int) -> dict[str, Any] | None:
    """Return an event with the rulings on it when it happened, whatever was corrected since."""
    rows = query("SELECT wall_ms, data, refused FROM events WHERE game = ? AND number = ?", game, number)
    if not rows:
        return None
    wall_ms, data, refused = rows[0]
    rulings = query("SELECT data FROM rulings WHERE game = ? AND event = ? AND since = 0 ORDER BY place", game, number)
    return {
        "kind": "event",
        "game": uid,
        "number": number,
        "wall_ms": wall_ms,
        "event": json.loads(data),
        "refused": bool(refused),
        "rulings": [json.loads(ruling) for (ruling,) in rulings],
    }


def _correction(query: Query, uid: str, game: int, number: int) -> dict[str, Any] | None:
    """Return a correction, with which rulings (event, place) it ended, and which it began."""
    sql = "SELECT wall_ms, event, data, undoes FROM corrections WHERE game = ? AND number = ?"
    rows = query(sql, game, number)
    if not rows:
        return None
    wall_ms, event, data, undoes = rows[0]
    gone = query("SELECT event, place FROM rulings WHERE game = ? AND until = ? ORDER BY event, place", game, number)
    new = query("SELECT event, place, data FROM rulings WHERE game = ? AND since = ? ORDER BY 1, 2", game, number)
    return {
        "kind": "correction",
        "game": uid,
        "number": number,
        "wall_ms": wall_ms,
        "event": event,
        "data": None if data is None else json.loads(data),
        "undoes": undoes,
        "gone": [list(row) for row in gone],
        "new": [[row[0], row[1], json.loads(row[2])] for row in new],
    }
