"""A disk that forgets with the power: of a journal only what had been synced at the last commit is there afterwards.

SQLite decides by `PRAGMA synchronous` whether it syncs at a commit; what it promises then, a copy of its files keeps.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from referee.store.database import Connection, Value, connect

KEPT, NEXT = "synced", "syncing"


class ForgetfulConnection:
    """A connection to a database on such a disk (`referee.store.database.Connection`)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        connection = connect(path)
        assert isinstance(connection, sqlite3.Connection)
        self._connection = connection
        self._changes = 0

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Iterable[tuple[Any, ...]]:
        rows = self._connection.execute(sql, values).fetchall()
        changes = self._connection.total_changes
        if not self._connection.in_transaction and (changes != self._changes or sql.startswith(("CREATE", "COMMIT"))):
            self._changes = changes
            full = 2
            if self._connection.execute("PRAGMA synchronous").fetchone()[0] >= full:
                _keep(self._path)
        return rows

    def close(self) -> None:
        self._connection.close()


def forgetful_connect(path: Path) -> Connection:
    return ForgetfulConnection(path)


def cut_the_power(folder: Path) -> None:
    """Let a folder be as it was at the last sync; without any, nothing is there."""
    # A process that was killed between two renames had copied all.
    kept = folder / (KEPT if (folder / KEPT).exists() else NEXT)
    for path in folder.iterdir():
        if path.is_file() and ".sqlite" in path.name:
            path.unlink()
    for path in kept.iterdir() if kept.is_dir() else ():
        shutil.copy(path, folder / path.name)


def _keep(path: Path) -> None:
    """Copy the database and its log; a process that is killed meanwhile leaves the copy before."""
    fresh, kept = path.parent / NEXT, path.parent / KEPT
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for end in ("", "-wal"):
        if (part := Path(f"{path}{end}")).exists():
            shutil.copy(part, fresh / part.name)
    old = path.parent / "old"
    shutil.rmtree(old, ignore_errors=True)
    if kept.exists():
        kept.rename(old)
    fresh.rename(kept)
