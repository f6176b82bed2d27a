"""Stores the tables' messages: each once, in order, and only of member tables.

A batch is one transaction. A table is acknowledged after the commit, and repeats its messages until then. An invalid
message is set aside with the reason, and does not stop the next ones.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, select, update
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError, StatementError

from referee.club.models import ClubTable
from referee.club.recording import Recorder
from referee.errors import BadInputError
from referee.jsonlines import parse_object
from referee.mqtt.client import Received, is_sealed

MOST_BYTES = 1 << 20
MOST_TRIES = 5
"""After this many failures of the database a batch is stored message by message."""
_UNFIT = (IntegrityError, DataError)
Aside = Callable[[str, bytes, object], object]


@dataclass(frozen=True)
class Ack:
    """Acknowledgement to a table: the last stored message of a stream. again: the table must repeat the rest."""

    table: str
    key: bytes
    stream: str
    seq: int
    again: bool = False

    @property
    def payload(self) -> bytes:
        """The message, JSON."""
        return json.dumps({"stream": self.stream, "seq": self.seq, "again": self.again}).encode()


@dataclass
class _Known:
    """Progress of a table's stream."""

    key: bytes
    stream: str
    seq: int
    heard: bool = False


@dataclass(frozen=True)
class _Opened:
    """A sealed message. data: its content; None for invalid JSON, with the reason `why`."""

    stream: str
    seq: int
    data: Mapping[str, Any] | None
    why: Exception | None = None


@dataclass
class Intake:
    """Stores messages; belongs to one thread.

    aside: receives topic, payload and reason of invalid messages. wall_ms: time of day, ms.
    """

    engine: Engine
    aside: Aside = lambda topic, payload, why: None
    wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    taken: int = 0
    _tries: int = field(default=0)

    def acks(self) -> list[Ack]:
        """Return the acknowledgement of each table, from which it continues."""
        with self.engine.connect() as connection:
            known = _tables(connection, None)
        return [Ack(table, one.key, one.stream, one.seq, again=True) for table, one in known.items()]

    def take(self, batch: Sequence[tuple[str, Received]]) -> list[Ack]:
        """Store messages, each with its table's name, in order of arrival; return the acknowledgements.

        Raises:
            SQLAlchemyError: the database is unavailable; the batch can be stored again.
        """
        try:
            acks = self._take(batch)
        except Exception as error:  # One message fails, for any reason: the others must not wait for it.
            self._tries += 1
            if _is_databases_own(error) and self._tries < MOST_TRIES:
                raise
            acks = [ack for one in batch for ack in self._take_or_pass(one)]
        self._tries = 0
        return acks

    def _take_or_pass(self, one: tuple[str, Received]) -> list[Ack]:
        for _ in range(MOST_TRIES):
            try:
                return self._take([one])
            except Exception as error:  # As above.
                why = error
                if not _is_databases_own(error):
                    break
        # This raises as well if the database is unavailable, and the message stays.
        return self._take([one], passing=why)

    def _take(self, batch: Sequence[tuple[str, Received]], *, passing: Exception | None = None) -> list[Ack]:
        now_ms, taken = self.wall_ms(), 0
        aside: list[tuple[Received, object]] = []
        with self.engine.begin() as connection:
            known = _tables(connection, {table for table, _ in batch})
            recorder = Recorder(connection, now_ms)
            for table, message in batch:
                one = known.get(table)
                if one is None or not is_sealed(one.key, message.topic, message.payload, message.seal):
                    continue
                try:
                    opened = _opened(message)
                    if _is_next(one, opened):
                        taken += 1
                        if passing is not None or opened.data is None:
                            aside.append((message, passing or opened.why))
                        else:
                            recorder.take(table, opened.data)
                except BadInputError as error:
                    aside.append((message, error))
            recorder.finish()
            for table, one in known.items():
                if one.heard:
                    values = {"stream": one.stream, "seq": one.seq, "seen_ms": now_ms}
                    connection.execute(update(ClubTable).where(ClubTable.id == table).values(**values))
        self.taken += taken
        for message, why in aside:
            self.aside(message.topic, message.payload, why)
        return [Ack(t, one.key, one.stream, one.seq) for t, one in known.items() if one.heard]


def _is_databases_own(error: Exception) -> bool:
    """Return whether the database is unavailable, by an error that the message has not caused."""
    unfit = isinstance(error, _UNFIT) or type(error) is StatementError
    return isinstance(error, SQLAlchemyError) and not unfit


def _is_next(one: _Known, opened: _Opened) -> bool:
    """Note that a table was heard; return whether this message is next in its stream."""
    one.heard = True
    if opened.stream != one.stream:
        # A new stream begins with its first message; later ones must wait for it.
        one.stream, one.seq = opened.stream, 0
    if opened.seq != one.seq + 1:
        # Earlier messages are stored already, or the table repeats them.
        return False
    one.seq = opened.seq
    return True


def _opened(message: Received) -> _Opened:
    """Return the content of a message.

    Raises:
        BadInputError: its stream or number is unreadable.
    """
    if len(message.payload) > MOST_BYTES:
        raise BadInputError("error.club.larger_than_any_message_of")
    try:
        loose = json.loads(message.payload)
        stream, seq = loose["stream"], loose["seq"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInputError("error.club.no_stream_and_number", why=error) from error
    if type(seq) is not int or not 0 < seq < 1 << 62:
        raise BadInputError("error.club.its_number_is_no_whole")
    if not isinstance(stream, str) or not 0 < len(stream) <= 32 or not stream.isalnum():
        raise BadInputError("error.club.its_stream_has_no_name")
    try:
        return _Opened(stream, seq, parse_object(message.payload))
    except BadInputError as error:
        return _Opened(stream, seq, None, error)


def _tables(connection: Connection, names: Iterable[str] | None) -> dict[str, _Known]:
    """Return the member tables of these names, None for all."""
    asked = select(ClubTable.id, ClubTable.key, ClubTable.stream, ClubTable.seq).where(ClubTable.out_ms.is_(None))
    if names is not None:
        asked = asked.where(ClubTable.id.in_(list(names)))
    return {table: _Known(bytes.fromhex(key), stream, seq) for table, key, stream, seq in connection.execute(asked)}
