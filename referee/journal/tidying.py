"""Changes of what is over: a game is deleted, players are called otherwise; nothing of it stays in the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from referee.engine.events import Header
from referee.journal.database import Connection
from referee.journal.journal import Journal
from referee.journal.rows import header_data
from referee.journal.tables import WAY_CLEARED
from referee.jsonlines import to_line
from referee.log import LOG

_GONE = (
    "UPDATE outbox SET game = 0 WHERE game = ?",
    "DELETE FROM games WHERE game = ?",
    "INSERT OR IGNORE INTO deleted (game) VALUES (?)",
)


def delete_game(journal: Journal, game: int) -> None:
    """Delete a game with all that is kept of it but the files of its pictures.

    Raises:
        WorkFailedError: the disk does not take it.
    """
    LOG.info("game %d is deleted", game)

    def work(connection: Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        for sql in (*WAY_CLEARED, *_GONE):
            connection.execute(sql, (game,))
        connection.execute("COMMIT")
        _wipe(connection)

    journal.take_in(work)
    journal.forget_copies()


def change_headers(journal: Journal, headers: Mapping[int, Header]) -> None:
    """Let games, by their numbers, have other headers, all or none.

    Raises:
        WorkFailedError: the disk does not take it.
    """

    def work(connection: Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        for game, header in headers.items():
            connection.execute("UPDATE games SET header = ? WHERE game = ?", (to_line(header_data(header)), game))
        connection.execute("COMMIT")
        _wipe(connection)

    journal.take_in(work)
    journal.forget_copies()


def _wipe(connection: Connection) -> None:
    """Have nothing stay in free pages and in the write-ahead log of what was deleted."""
    try:
        connection.execute("VACUUM")
        list(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    except sqlite3.Error as error:
        # It is deleted all the same; its bytes go when others take their place.
        LOG.warning("the journal could not be written again whole: %s", error)
