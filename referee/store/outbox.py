"""Messages that wait for a broker or a club: a list in the journal's own file, written in its transactions.

A row names an event and holds no copy of it; a message is made from the journal when it is sent. Its sources never
change afterwards, so a message sent twice is the same twice.
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
    """A message to send. seq: its number in the stream, from 1 without a gap. data: the event, as JSON data."""

    stream: str
    seq: int
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Return a unique name, which it keeps when it is sent again."""
        return f"{self.stream}-{self.seq}"


class Outbox:
    """The writing side; belongs to a `Store`, whose lock is held whenever it is used.

    stream: the numbering's name, "" as long as nothing is to be sent. last: the number of the last row. lasting: the
    last row that survives a power cut; only rows up to it may be sent, or a number could come to mean two things.
    """

    def __init__(self, add: Add) -> None:
        self._add = add
        self.stream = ""
        self.last = self.sent = self.lasting = 0
        self.on_lasting: Callable[[], None] = lambda: None

    def resume(self, query: Query) -> None:
        """Continue after an earlier process."""
        for stream, sent in query("SELECT stream, sent FROM outbox_head LIMIT 1"):
            ((last,),) = query("SELECT coalesce(max(seq), 0) FROM outbox")
            self.stream, self.sent, self.last = str(stream), int(sent), max(int(last), int(sent))

    def begin(self) -> None:
        """Begin a stream, instead of any present one; its rows are posted after this."""
        self.end()
        self.stream = uuid.uuid4().hex[:12]
        self._add(("INSERT INTO outbox_head (stream, sent) VALUES (?, 0)", (self.stream,)))

    def end(self) -> None:
        """Stop sending, and forget waiting rows."""
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
        """Add all events of some games."""
        for game in games:
            self.post("game", game)
            # An event without rulings is posted when it has them.
            sql = "SELECT number FROM events WHERE game = ?1 AND number <= (SELECT judged FROM games WHERE game = ?1)"
            for (number,) in query(f"{sql} ORDER BY number", game):
                self.post("event", game, number)
            for (number,) in query("SELECT number FROM corrections WHERE game = ? ORDER BY number", game):
                self.post("correction", game, number)
            for (number,) in query("SELECT DISTINCT event FROM evidence WHERE game = ? AND disputed ORDER BY 1", game):
                self.post("dispute", game, number)

    def arrived(self, seq: int) -> bool:
        """Note the arrival of all rows up to `seq`; False if that was known, or cannot be."""
        if not self.sent < seq <= self.last:
            return False
        self.sent = seq
        self._add(("DELETE FROM outbox WHERE seq <= ?", (seq,)))
        self._add(("UPDATE outbox_head SET sent = ?", (seq,)))
        return True

    def made_to_last(self) -> None:
        """Note that all rows survive a power cut."""
        if self.lasting != self.last:
            self.lasting = self.last
            self.on_lasting()


def messages(query: Query, stream: str, after: int, until: int) -> Iterator[Message]:
    """Yield the messages after one number until another one, in order. query: reads the journal's file."""
    rows = query("SELECT seq, kind, game, number FROM outbox WHERE seq > ? AND seq <= ? ORDER BY seq", after, until)
    for seq, kind, game, number in rows:
        try:
            data = _data(query, str(kind), game, number)
        except (ValueError, TypeError, RecursionError):
            # A damaged row must not block those that follow.
            data = {"kind": "nothing"}
        yield Message(stream, seq, data)


def _data(query: Query, kind: str, game: int, number: int) -> dict[str, Any]:
    rows = query("SELECT uid, header, started_ms FROM games WHERE game = ?", game)
    if not rows:
        # A damaged file may have lost a game; its number in the stream remains.
        return {"kind": "nothing"}
    uid, header, started_ms = rows[0]
    match kind:
        case "game":
            return {"kind": kind, "game": uid, "header": json.loads(header), "started_ms": started_ms}
        case "event":
            found = _event(query, game, number)
        case "correction":
            found = _correction(query, game, number)
        case _:
            return {"kind": kind, "game": uid, "event": number}
    return {"kind": kind, "game": uid, "number": number, **found} if found else {"kind": "nothing"}


def _event(query: Query, game: int, number: int) -> dict[str, Any]:
    """Return an event with its first rulings, without later corrections; nothing if it is lost."""
    rows = query("SELECT wall_ms, data, refused FROM events WHERE game = ? AND number = ?", game, number)
    rulings = query("SELECT data FROM rulings WHERE game = ? AND event = ? AND since = 0 ORDER BY place", game, number)
    given = [json.loads(ruling) for (ruling,) in rulings]
    for wall_ms, data, refused in rows:
        return {"wall_ms": wall_ms, "event": json.loads(data), "refused": bool(refused), "rulings": given}
    return {}


def _correction(query: Query, game: int, number: int) -> dict[str, Any]:
    """Return a correction, with the rulings (event, place) that it ended, and those that it began."""
    rows = query("SELECT wall_ms, event, data, undoes FROM corrections WHERE game = ? AND number = ?", game, number)
    gone = query("SELECT event, place FROM rulings WHERE game = ? AND until = ? ORDER BY event, place", game, number)
    new = query("SELECT event, place, data FROM rulings WHERE game = ? AND since = ? ORDER BY 1, 2", game, number)
    for wall_ms, event, data, undoes in rows:
        return {
            "wall_ms": wall_ms,
            "event": event,
            "data": None if data is None else json.loads(data),
            "undoes": undoes,
            "gone": [list(place) for place in gone],
            "new": [[event, place, json.loads(ruling)] for event, place, ruling in new],
        }
    return {}
