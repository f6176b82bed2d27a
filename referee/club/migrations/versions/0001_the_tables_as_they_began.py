"""The first version of the tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_INDICES = (("games", "evening"), ("games", "table_id"), ("rulings", "kind"), ("seats", "player"))
_TABLES = ("seats", "rulings", "events", "disputes", "corrections", "games", "tables", "invitations")


def upgrade() -> None:
    """Create all tables and indices."""
    op.create_table("invitations", _text("code", 16, key=True), _long("made_ms"), _long("until_ms"))
    op.create_table(
        "tables",
        *(_text("id", 64, key=True), _text("name", 200), _text("key", 64)),
        *(_long("joined_ms"), _long("out_ms", empty=True), _text("stream", 32), _long("seq"), _long("seen_ms")),
    )
    op.create_table(
        "games",
        *(_text("uid", 64, key=True), sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), nullable=False)),
        *(
            _text("kind", 40),
            _json("options"),
            _long("started_ms"),
            _text("evening", 10),
            _long("ended_ms", empty=True),
        ),
    )
    _create_of_games("seats", ("seat",), _text("name", 200), _text("player", 200), _int("points"), _int("place"))
    _create_of_games(
        "events", ("number",), _long("wall_ms"), _long("received_ms"), _json("data"), _int("refused", empty=False)
    )
    _create_of_games("rulings", ("event", "place", "since"), _int("until"), _text("kind", 40), _json("data"))
    _create_of_games(
        "corrections", ("number",), _long("wall_ms"), _int("event"), _json("data", empty=True), _int("undoes")
    )
    _create_of_games("disputes", ("event",), _long("noted_ms"))
    for table, column in _INDICES:
        op.create_index(f"ix_{table}_{column}", table, [column])


def downgrade() -> None:
    """Drop all tables."""
    for table in _TABLES:
        op.drop_table(table)


def _create_of_games(name: str, key: tuple[str, ...], *columns: sa.Column[Any]) -> None:
    """Create a table whose primary key is a game and the numbers in `key`."""
    game = sa.Column("game_uid", sa.String(64), sa.ForeignKey("games.uid"), primary_key=True)
    numbers = [sa.Column(one, sa.Integer, primary_key=True, autoincrement=False) for one in key]
    op.create_table(name, game, *numbers, *columns)


def _text(name: str, most: int, *, key: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(most), primary_key=key, nullable=False)


def _long(name: str, *, empty: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger, nullable=empty)


def _int(name: str, *, empty: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer, nullable=empty)


def _json(name: str, *, empty: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON, nullable=empty)
