"""The club's database. Times in ms are wall time; messages are stored unchanged, as JSON."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Integer, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_UID, _NAME = 64, 200


class Base(DeclarativeBase):
    """All tables."""


class Invitation(Base):
    """A code that admits one table, until its use or its end."""

    __tablename__ = "invitations"
    code: Mapped[str] = mapped_column(String(16), primary_key=True)
    made_ms: Mapped[int] = mapped_column(BigInteger)
    until_ms: Mapped[int] = mapped_column(BigInteger)


class ClubTable(Base):
    """A member table. out_ms: time of its removal. stream, seq: its last stored message."""

    __tablename__ = "tables"
    id: Mapped[str] = mapped_column(String(_UID), primary_key=True)
    name: Mapped[str] = mapped_column(String(_NAME))
    key: Mapped[str] = mapped_column(String(64))
    joined_ms: Mapped[int] = mapped_column(BigInteger)
    out_ms: Mapped[int | None] = mapped_column(BigInteger)
    stream: Mapped[str] = mapped_column(String(32), default="")
    seq: Mapped[int] = mapped_column(BigInteger, default=0)
    seen_ms: Mapped[int] = mapped_column(BigInteger, default=0)


class ClubGame(Base):
    """A game. evening: its date (ISO 8601); a game after midnight belongs to the evening before."""

    __tablename__ = "games"
    uid: Mapped[str] = mapped_column(String(_UID), primary_key=True)
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), index=True)
    kind: Mapped[str] = mapped_column(String(40))
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    started_ms: Mapped[int] = mapped_column(BigInteger)
    evening: Mapped[str] = mapped_column(String(10), index=True)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger)


class ClubSeat(Base):
    """A seat of a game. player: one name for one person; points, place: set at the end of the game."""

    __tablename__ = "seats"
    game_uid: Mapped[str] = mapped_column(ForeignKey("games.uid"), primary_key=True)
    seat: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(_NAME))
    player: Mapped[str] = mapped_column(String(_NAME), index=True)
    points: Mapped[int | None] = mapped_column(Integer)
    place: Mapped[int | None] = mapped_column(Integer)


class ClubEvent(Base):
    """An event of the table's journal. received_ms: time of its arrival here."""

    __tablename__ = "events"
    game_uid: Mapped[str] = mapped_column(ForeignKey("games.uid"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    wall_ms: Mapped[int] = mapped_column(BigInteger)
    received_ms: Mapped[int] = mapped_column(BigInteger)
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    refused: Mapped[int] = mapped_column(Integer)


class ClubRuling(Base):
    """A ruling on an event, in force from correction `since` (0: at once) to correction `until` (None: still)."""

    __tablename__ = "rulings"
    game_uid: Mapped[str] = mapped_column(ForeignKey("games.uid"), primary_key=True)
    event: Mapped[int] = mapped_column(Integer, primary_key=True)
    place: Mapped[int] = mapped_column(Integer, primary_key=True)
    since: Mapped[int] = mapped_column(Integer, primary_key=True)
    until: Mapped[int | None] = mapped_column(Integer)
    kind: Mapped[str] = mapped_column(String(40), index=True)
    data: Mapped[dict[str, Any]] = mapped_column(JSON)


class Correction(Base):
    """A correction, as in the table's journal."""

    __tablename__ = "corrections"
    game_uid: Mapped[str] = mapped_column(ForeignKey("games.uid"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    wall_ms: Mapped[int] = mapped_column(BigInteger)
    event: Mapped[int | None] = mapped_column(Integer)
    data: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    undoes: Mapped[int | None] = mapped_column(Integer)


class Dispute(Base):
    """An event that a player asked to see again."""

    __tablename__ = "disputes"
    game_uid: Mapped[str] = mapped_column(ForeignKey("games.uid"), primary_key=True)
    event: Mapped[int] = mapped_column(Integer, primary_key=True)
    noted_ms: Mapped[int] = mapped_column(BigInteger)
