"""`ringmaster import`: games from an export into the journal; those that are there already stay as they are."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import BadInputError, WorkFailedError

if TYPE_CHECKING:
    from referee.journal.rows import KeptGame

SUMMARY = "take games from an export into the journal"
MOST_BYTES = 1 << 28


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", type=Path, help="what ringmaster export wrote")
    parser.add_argument("--state", metavar="DIR", type=Path, help="where games are kept (default: the usual place)")


def run(args: argparse.Namespace) -> int:
    """Take all games of the file, or none.

    Raises:
        BadInputError: the file cannot be read, or is no export.
        WorkFailedError: a referee is at work, or the journal does not take them.
    """
    import sqlite3

    from referee.journal.database import open_journal
    from referee.journal.exchange import add_games
    from referee.journal.folder import EVIDENCE, JOURNAL, locked, state_folder
    from referee.journal.parcel import is_parcel, opened, unpack

    path: Path = args.file
    parcel_given = is_parcel(path)
    games = [] if parcel_given else _plain_games(path)
    with locked(state_folder(args.state)) as folder:
        journal = open_journal(folder / JOURNAL)
        try:
            if parcel_given:
                with opened(path) as parcel:
                    added, there = unpack(parcel, journal.connection, folder / EVIDENCE)
            else:
                added, there = add_games(journal.connection, games)
        except sqlite3.Error as error:
            raise WorkFailedError(f"the games could not be taken: {error}") from error
        finally:
            journal.connection.close()
    print(f"{added} taken, {there} there already")
    return 0


def _plain_games(path: Path) -> list[KeptGame]:
    from referee.journal.exchange import load_games

    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInputError(f"{path} is larger than any export")
        return load_games(path.read_bytes())
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}") from error
