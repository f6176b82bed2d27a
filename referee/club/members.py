"""Members of the club: invited by a code, admitted once, removed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, delete, select, update

from referee.club.models import ClubTable, Invitation
from referee.errors import BadInputError
from referee.jsonlines import parse_object
from referee.mqtt.client import Received, is_sealed, key_of, new_code, secret_of
from referee.names import folded
from referee.safe_text import harmless

VALID_MS = 7 * 24 * 3600 * 1000
MOST_INVITATIONS = 60
_MOST_BYTES = 2000


@dataclass(frozen=True)
class Admission:
    """The answer to a table's request. why: the key of a refusal, "" for an admitted table."""

    table: str
    key: bytes
    nonce: str
    why: str = ""


def now_ms() -> int:
    """Return the time of day, ms."""
    return time.time_ns() // 1_000_000


def invite(engine: Engine) -> str:
    """Return a code that admits one table, valid for a week.

    Raises:
        BadInputError: too many invitations are open.
    """
    with engine.begin() as connection:
        now = now_ms()
        connection.execute(delete(Invitation).where(Invitation.until_ms < now))
        if len(_codes(connection)) >= MOST_INVITATIONS:
            raise BadInputError("error.club.invitations_wait_already_they_end", most=MOST_INVITATIONS)
        code = new_code()
        connection.execute(Invitation.__table__.insert().values(code=code, made_ms=now, until_ms=now + VALID_MS))  # type: ignore[attr-defined]
        return code


class Door:
    """Admits tables. Belongs to one thread; a request without an invitation costs well below 1 ms."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._secrets: dict[str, bytes] = {}
        self._keys: dict[str, bytes] = {}

    def prepare(self) -> None:
        """Read members and invitations; derive the secret of at most one new invitation, which takes about 50 ms."""
        with self._engine.connect() as connection:
            codes = _codes(connection)
            asked = select(ClubTable.id, ClubTable.key).where(ClubTable.out_ms.is_(None))
            self._keys = {table: bytes.fromhex(key) for table, key in connection.execute(asked)}
        self._secrets = {code: secret for code, secret in self._secrets.items() if code in codes}
        fresh = next((code for code in codes if code not in self._secrets), None)
        if fresh is not None:
            self._secrets[fresh] = secret_of(fresh)

    def asked(self, table: str, message: Received) -> Admission | None:
        """Admit a table whose seal matches an invitation, and return the answer; None without a match.

        A member that asks again, because it missed the answer, gets it again. A name in use is refused.

        Raises:
            BadInputError: the message is invalid.
        """
        if len(message.payload) > _MOST_BYTES:
            return None
        known = self._keys.get(table)
        if known is not None and _fits(known, message):
            return Admission(table, known, _wish(table, message)[1])
        for code, secret in self._secrets.items():
            key = key_of(secret, table)
            if _fits(key, message):
                name, nonce = _wish(table, message)
                return Admission(table, key, nonce, self._let_in(table, key, name, code))
        return None

    def _let_in(self, table: str, key: bytes, name: str, code: str) -> str:
        """Admit a table, unless its invitation or its name is already used; return the reason of a refusal."""
        with self._engine.begin() as connection:
            tables = connection.execute(select(ClubTable.id, ClubTable.name, ClubTable.out_ms)).all()
            others = [one for one in tables if one.out_ms is None]
            if any(one.id == table or folded(one.name) == folded(name) for one in others):
                return "name_in_use"
            if not connection.execute(delete(Invitation).where(Invitation.code == code)).rowcount:
                return "not_let_in"
            values: dict[str, Any] = {"name": name, "key": key.hex(), "joined_ms": now_ms(), "out_ms": None}
            values |= {"stream": "", "seq": 0}
            if any(one.id == table for one in tables):
                connection.execute(update(ClubTable).where(ClubTable.id == table).values(**values))
            else:
                connection.execute(ClubTable.__table__.insert().values(id=table, seen_ms=0, **values))  # type: ignore[attr-defined]
        del self._secrets[code]
        self._keys[table] = key
        return ""


def put_out(engine: Engine, which: str) -> str:
    """Remove a table, given by its id or name, and return its name; its games stay.

    Raises:
        BadInputError: there is no such table, or more than one of that name.
    """
    with engine.begin() as connection:
        rows = [
            row
            for row in connection.execute(select(ClubTable.id, ClubTable.name).where(ClubTable.out_ms.is_(None)))
            if which in (row[0], row[1])
        ]
        if len(rows) != 1:
            there_is = "no table" if not rows else "more than one table"
            raise BadInputError("error.club.is_called_ringmaster_club_tables", tables=there_is, which=ascii(which)[:60])
        connection.execute(update(ClubTable).where(ClubTable.id == rows[0][0]).values(out_ms=now_ms()))
        return str(rows[0][1])


def keys(engine: Engine) -> Iterator[tuple[str, bytes, bool]]:
    """Yield every table that was ever admitted, its key, and whether it was removed."""
    with engine.connect() as connection:
        rows = connection.execute(select(ClubTable.id, ClubTable.key, ClubTable.out_ms)).all()
    for table, key, out_ms in rows:
        yield table, bytes.fromhex(key), out_ms is not None


def _codes(connection: Connection) -> list[str]:
    """Return the valid invitations, the newest first."""
    asked = select(Invitation.code).where(Invitation.until_ms >= now_ms()).order_by(Invitation.made_ms.desc())
    return list(connection.scalars(asked))


def _wish(table: str, message: Received) -> tuple[str, str]:
    """Return the requested name of a table, and the nonce for the answer."""
    data = parse_object(message.payload)
    return harmless(str(data.get("name", "")))[:60].strip() or table, str(data.get("nonce", ""))[:64]


def _fits(key: bytes, message: Received) -> bool:
    return is_sealed(key, message.topic, message.payload, message.seal)
