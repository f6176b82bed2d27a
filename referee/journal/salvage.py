"""What can still be read in a damaged journal, row by row, taken into a sound one: a bad page hides its own rows only.

SQLite gives up at the first page that makes no sense. So tables are read from their beginning, from their end, and game
by game; and what no way through the tables leads to any more is looked for page by page (`referee.journal.pages`).
"""

from __future__ import annotations

import mmap
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.journal.pages import as_text, loose_rows

if TYPE_CHECKING:
    from referee.journal.database import Connection

_DAMAGE = (sqlite3.Error, UnicodeDecodeError, OverflowError)


@dataclass(frozen=True)
class Table:
    """A table: its columns in the order in which they are kept, and how many of them, the first, name a row."""

    name: str
    columns: tuple[str, ...]
    key: int

    @property
    def _list(self) -> str:
        return ", ".join(self.columns)

    def ways(self, games: Iterable[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Give the queries that together find all rows that can be found."""
        for order in ("ASC", "DESC"):
            by = ", ".join(f"{column} {order}" for column in self.columns[: self.key])
            yield f"SELECT {self._list} FROM {self.name} ORDER BY {by}", ()
        if self.columns[0] != "game" or self.key == 1:
            return
        for game in games:
            for order in ("ASC", "DESC"):
                by = ", ".join(f"{column} {order}" for column in self.columns[1 : self.key])
                yield f"SELECT {self._list} FROM {self.name} WHERE game = ? ORDER BY {by}", (game,)

    @property
    def insert(self) -> str:
        """Give the statement that adds a row unless it is there."""
        return f"INSERT OR IGNORE INTO {self.name} ({self._list}) VALUES ({', '.join('?' * len(self.columns))})"


TABLES = (
    Table("games", ("game", "uid", "header", "started_ms", "boot", "shift_ns", "judged", "ended_ms", "closed"), 1),
    Table("events", ("game", "number", "wall_ms", "data", "refused"), 2),
    Table("rulings", ("game", "event", "place", "since", "until", "data"), 4),
    Table("corrections", ("game", "number", "wall_ms", "event", "data", "undoes"), 2),
    Table("evidence", ("file", "game", "event", "t_ms", "bytes", "kept_ms", "disputed"), 1),
    Table("sights", ("game", "event", "data"), 2),
)
# What each column can hold, to tell what table a loose row is of: i a whole number, r any number, t a text, n nothing.
_SHAPES = {
    "games": ("n", "t", "t", "i", "t", "i", "i", "in", "i"),
    "events": ("i", "i", "i", "t", "i"),
    "rulings": ("i", "i", "i", "i", "in", "t"),
    "corrections": ("i", "i", "i", "in", "tn", "in"),
    "evidence": ("t", "i", "i", "ir", "i", "i", "i"),
    "sights": ("i", "i", "t"),
}
_KINDS = {int: "i", float: "r", str: "t", type(None): "n"}


def salvage(damaged: Path, into: Connection) -> int:
    """Take all rows that can be read out of a damaged journal into a sound one, and give how many games that were."""
    into.execute("BEGIN IMMEDIATE")
    for table, row in _found(damaged):
        with suppress(*_DAMAGE):
            into.execute(table.insert, row)
    for table in TABLES[1:]:
        into.execute(f"DELETE FROM {table.name} WHERE game NOT IN (SELECT game FROM games)")
    # A row that lay about may tell of a game as it was long ago; only the last one can still be going on.
    into.execute("UPDATE games SET closed = 1 WHERE game < (SELECT max(game) FROM games)")
    ((count,),) = into.execute("SELECT count(*) FROM games")
    into.execute("COMMIT")
    return int(count)


def _found(path: Path) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    games: set[int] = set()
    for table in TABLES:
        for row in _read(path, table, sorted(games)):
            if table.name == "games" and type(row[0]) is int:
                games.add(row[0])
            yield table, row
    with path.open("rb") as file, suppress(ValueError), mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for loose in loose_rows(data):
            table_of_it = next((table for table in TABLES if _fits(table, loose.values)), None)
            if table_of_it is None or table_of_it.name == "evidence":
                # Pictures are deleted all the time, and rows of those lie about, too.
                continue
            yield table_of_it, (loose.rowid, *loose.values[1:]) if table_of_it.name == "games" else loose.values


def _read(path: Path, table: Table, games: list[int]) -> Iterator[tuple[Any, ...]]:
    """Give the rows of a table on all ways, many of them more than once."""
    with suppress(*_DAMAGE), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = as_text
        for sql, values in table.ways(games):
            with suppress(*_DAMAGE):
                yield from connection.execute(sql, values)


def _fits(table: Table, values: tuple[object, ...]) -> bool:
    shape = _SHAPES[table.name]
    if len(values) != len(shape) or any(
        _KINDS.get(type(value), "?") not in kinds for value, kinds in zip(values, shape, strict=True)
    ):
        return False
    # The list of pictures by event has the shape of the outlines, but for their braces.
    return table.name != "sights" or str(values[2]).startswith("{")
