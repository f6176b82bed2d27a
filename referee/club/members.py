"""Which tables belong to the club: invited by a code, let in once, and put out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, delete, select, update

from referee.club.models import Invitation, Table
from referee.errors import BadInputError
from referee.mqtt.line import Received
from referee.mqtt.seal import is_sealed, key_of, new_code
from referee.safe_text import harmless

VALID_MS = 7 * 24 * 3600 * 1000
MOST_INVITATIONS = 60
"""To try them all takes a second of those that make a key."""


@dataclass(frozen=True)
class LetIn:
    """A table that is let in, and what it is told."""

    table: str
    key: bytes
    nonce: str


def now_ms() -> int:
    """Give the time of day, ms."""
    return time.time_ns() // 1_000_000


def invite(engine: Engine) -> str:
    """Give a code that lets one table in, for a week.

    Raises:
        BadInputError: too many wait already.
    """
    with engine.begin() as connection:
        now = now_ms()
        connection.execute(delete(Invitation).where(Invitation.until_ms < now))
        if len(_codes(connection)) >= MOST_INVITATIONS:
            raise BadInputError(f"{MOST_INVITATIONS} invitations wait already: they end by themselves after a week")
        code = new_code()
        connection.execute(Invitation.__table__.insert().values(code=code, made_ms=now, until_ms=now + VALID_MS))  # type: ignore[attr-defined]
        return code


def let_in(engine: Engine, table: str, message: Received) -> LetIn | None:
    """Let a table in that asks with a seal which only an invitation can make; None for any other.

    One that was let in before, and asks once more because it did not hear so, is told again.
    """
    try:
        data = json.loads(message.payload)
        name, nonce = harmless(str(data["name"]))[:60] or table, str(data["nonce"])[:64]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    with engine.begin() as connection:
        known = connection.execute(select(Table.key, Table.out_ms).where(Table.id == table)).first()
        if known is not None and known[1] is None and _fits(bytes.fromhex(known[0]), message):
            return LetIn(table, bytes.fromhex(known[0]), nonce)
        for code in _codes(connection):
            key = _key(code, table)
            if not _fits(key, message):
                continue
            connection.execute(delete(Invitation).where(Invitation.code == code))
            values: dict[str, Any] = {"name": name, "key": key.hex(), "joined_ms": now_ms(), "out_ms": None}
            values |= {"stream": "", "seq": 0}
            if known is None:
                connection.execute(Table.__table__.insert().values(id=table, seen_ms=0, **values))  # type: ignore[attr-defined]
            else:
                connection.execute(update(Table).where(Table.id == table).values(**values))
            return LetIn(table, key, nonce)
    return None


def put_out(engine: Engine, which: str) -> str:
    """Put a table out, named by its id or its name, and give its name; its games stay.

    Raises:
        BadInputError: there is no such table, or more than one of that name.
    """
    with engine.begin() as connection:
        rows = [
            row
            for row in connection.execute(select(Table.id, Table.name).where(Table.out_ms.is_(None)))
            if which in (row[0], row[1])
        ]
        if len(rows) != 1:
            there_is = "no table" if not rows else "more than one table"
            raise BadInputError(f"{there_is} is called {ascii(which)[:60]}: ringmaster club tables lists them")
        connection.execute(update(Table).where(Table.id == rows[0][0]).values(out_ms=now_ms()))
        return str(rows[0][1])


def keys(engine: Engine) -> Iterator[tuple[str, bytes, bool]]:
    """Give each table that ever was let in, its key, and whether it was put out."""
    with engine.connect() as connection:
        rows = connection.execute(select(Table.id, Table.key, Table.out_ms)).all()
    for table, key, out_ms in rows:
        yield table, bytes.fromhex(key), out_ms is not None


def _codes(connection: Connection) -> list[str]:
    return list(connection.scalars(select(Invitation.code).where(Invitation.until_ms >= now_ms())))


@lru_cache(maxsize=512)
def _key(code: str, table: str) -> bytes:
    return key_of(code, table)


def _fits(key: bytes, message: Received) -> bool:
    return is_sealed(key, message.topic, message.payload, message.seal)
