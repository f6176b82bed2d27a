"""Looking into the journal from a command, beside a referee that may be at work."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from referee.errors import WorkFailedError
from referee.journal.database import Value, readable
from referee.journal.folder import INSTALLED, JOURNAL, SIMULATED, state_folder
from referee.journal.rows import Query


@contextmanager
def reading(given: Path | None, warn: Callable[[str], None] = lambda sentence: None) -> Iterator[Query]:
    """Give what asks the journal in a folder (None: the usual one) as it is now, whatever is added meanwhile.

    warn: is told of a damaged file, of which what can be read is given.

    Raises:
        WorkFailedError: there is none, or it cannot be read.
    """
    folder = state_folder(given)
    _check_place(folder)
    with readable(folder / JOURNAL) as (connection, damaged):

        def query(sql: str, *values: Value) -> list[tuple[Any, ...]]:
            try:
                return list(connection.execute(sql, values))
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise WorkFailedError("error.journal.games_cannot_be_read", why=error) from error

        if damaged:
            warn(f"The file of games in {folder} is damaged: what can be read of it is given.")
        query("BEGIN")
        yield query


def _check_place(folder: Path) -> None:
    """Say where games are kept, if not in this folder.

    Raises:
        WorkFailedError: they lie elsewhere: they were played on the simulated table, or by the installed service.
    """
    if (folder / JOURNAL).exists():
        return
    for place in (folder / SIMULATED, INSTALLED, INSTALLED / SIMULATED):
        with suppress(OSError):
            if (place / JOURNAL).exists():
                raise WorkFailedError("error.no_games_are_kept_in_but_there", folder=folder, other=place, same=place)
