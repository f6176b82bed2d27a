"""Takes what the tables tell into the database: each message once, in order, and only of tables that were let in.

A batch is one transaction. A table is told up to where all is here only when that is written; whatever else happens, it
sends again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, select, update
from sqlalchemy.exc import DataError, IntegrityError

from referee.club.models import Table
from referee.club.recording import Recorder
from referee.mqtt.line import Received
from referee.mqtt.seal import is_sealed

MOST_BYTES = 1 << 20
_UNFIT = (IntegrityError, DataError, OverflowError)


@dataclass(frozen=True)
class Ack:
    """What a table is told: up to which message of a stream all is here. again: the rest has to be sent again."""

    table: str
    key: bytes
    stream: str
    seq: int
    again: bool = False

    @property
    def payload(self) -> bytes:
        """The message."""
        return json.dumps({"stream": self.stream, "seq": self.seq, "again": self.again}).encode()


@dataclass
class _Known:
    """How far a table is. again: something is missing before what came."""

    key: bytes
    stream: str
    seq: int
    again: bool = False
    heard: bool = False


class Intake:
    """Belongs to one thread. wall_ms: the time of day, ms."""

    def __init__(self, engine: Engine, wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._engine, self._wall_ms = engine, wall_ms
        self.taken = 0

    def acks(self) -> list[Ack]:
        """Give where each table is, so that it goes on from there."""
        with self._engine.connect() as connection:
            known = _tables(connection, None)
        return [Ack(table, one.key, one.stream, one.seq, again=True) for table, one in known.items()]

    def take(self, batch: Sequence[tuple[str, Received]]) -> list[Ack]:
        """Take messages, each with its table's name, in the order in which they came; gives what the tables are told.

        Raises:
            SQLAlchemyError: the database cannot be had; nothing of the batch is taken.
        """
        try:
            return self._take(batch)
        except _UNFIT:
            # One of them does not fit into the database, and would hold up all others for ever: it is passed over.
            return [ack for one in batch for ack in self._take_or_pass(one)]

    def _take_or_pass(self, one: tuple[str, Received]) -> list[Ack]:
        try:
            return self._take([one])
        except _UNFIT:
            return self._take([one], passing=True)

    def _take(self, batch: Sequence[tuple[str, Received]], *, passing: bool = False) -> list[Ack]:
        now_ms, taken = self._wall_ms(), 0
        with self._engine.begin() as connection:
            known = _tables(connection, {table for table, _ in batch})
            recorder = None if passing else Recorder(connection, now_ms)
            for table, message in batch:
                one = known.get(table)
                data = None if one is None else _opened(one.key, message)
                if one is not None and data is not None:
                    taken += self._take_one(recorder, table, one, data)
            if recorder is not None:
                recorder.finish()
            for table, one in known.items():
                if one.heard:
                    values = {"stream": one.stream, "seq": one.seq, "seen_ms": now_ms}
                    connection.execute(update(Table).where(Table.id == table).values(**values))
        self.taken += taken
        return [Ack(t, one.key, one.stream, one.seq, one.again) for t, one in known.items() if one.heard]

    def _take_one(self, recorder: Recorder | None, table: str, one: _Known, data: Mapping[str, Any]) -> bool:
        """Take a message if it is the next one."""
        stream, seq = str(data["stream"])[:32], int(data["seq"])
        one.heard = True
        if stream != one.stream:
            # Another stream begins with its first message; a later one has to wait for that.
            if seq != 1:
                one.stream, one.seq, one.again = stream, 0, True
                return False
            one.stream, one.seq = stream, 0
        if seq != one.seq + 1:
            one.again = one.again or seq > one.seq + 1
            return False
        if recorder is not None:
            recorder.take(table, data)
        one.seq, one.again = seq, False
        return True


def _opened(key: bytes, message: Received) -> dict[str, Any] | None:
    """Give what a message says, None if it is not the table's or makes no sense."""
    if len(message.payload) > MOST_BYTES or not is_sealed(key, message.topic, message.payload, message.seal):
        return None
    try:
        data = json.loads(message.payload)
        whole = type(data["seq"]) is int and 0 < data["seq"] < 1 << 62 and isinstance(data["stream"], str)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return data if whole else None


def _tables(connection: Connection, names: Iterable[str] | None) -> dict[str, _Known]:
    """Give the tables of these names, None for all, that were let in and not put out."""
    asked = select(Table.id, Table.key, Table.stream, Table.seq).where(Table.out_ms.is_(None))
    if names is not None:
        asked = asked.where(Table.id.in_(list(names)))
    return {table: _Known(bytes.fromhex(key), stream, seq) for table, key, stream, seq in connection.execute(asked)}
