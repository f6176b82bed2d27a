"""Looking into the journal from a command, beside a referee that may be at work."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee.errors import WorkFailedError
from referee.journal.database import Value, connect_to_read
from referee.journal.folder import JOURNAL, state_folder
from referee.journal.rows import Query


@contextmanager
def reading(given: Path | None) -> Iterator[Query]:
    """Give what asks the journal in a folder (None: the usual one).

    Raises:
        WorkFailedError: there is none, or it cannot be read.
    """
    connection = connect_to_read(state_folder(given) / JOURNAL)

    def query(sql: str, *values: Value) -> list[tuple[Any, ...]]:
        try:
            return list(connection.execute(sql, values))
        except sqlite3.Error as error:
            raise WorkFailedError(f"the games cannot be read: {error}") from error

    try:
        yield query
    finally:
        connection.close()
