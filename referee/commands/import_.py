"""`ringmaster import`: games from an export into the journal; those that are there already stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError, WorkFailedError
from referee.output import complain, for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from referee.journal.database import Connection
    from referee.journal.taking import Tally


@click.command(help=COMMANDS["import"])
@click.argument("path", metavar="FILE", type=options.FILE, help="what ringmaster export wrote")
@options.state()
@options.language
def command(path: Path, state: Path | None) -> int:
    """Take all games of the file that can be read; exit status 2 when some cannot.

    Raises:
        BadInputError: the file cannot be read, or is no export; nothing is taken then.
        WorkFailedError: a referee is at work, or the journal does not take them.
    """
    import sqlite3

    from referee.journal.database import open_journal
    from referee.journal.folder import EVIDENCE, JOURNAL, locked, state_folder
    from referee.journal.taking import Tally
    from referee.journal.zip_file import is_zip_file, opened, unpack

    tally = Tally()
    try:
        path.open("rb").close()
    except OSError as error:
        raise BadInputError("error.cannot_be_read", path=path, why=error.strerror or error) from error
    with locked(state_folder(state)) as folder:
        journal = open_journal(folder / JOURNAL)
        if journal.set_aside is not None:
            complain("import", f"the file of games was damaged; it is kept as {journal.set_aside.name}")
        try:
            if is_zip_file(path):
                with opened(path) as parcel:
                    unpack(parcel, journal.connection, folder / EVIDENCE, tally)
            else:
                _take_plain(path, journal.connection, tally)
        except sqlite3.Error as error:
            raise WorkFailedError("error.commands.games_could_not_be_taken", why=error) from error
        finally:
            journal.connection.close()
    return _told(tally)


def _take_plain(path: Path, connection: Connection, tally: Tally) -> None:
    from referee.journal.exchange import add_games
    from referee.journal.stream import games_in

    with path.open("rb") as file:
        add_games(connection, tally.games(games_in(file.read)), lambda game: game, tally)


def _told(tally: Tally) -> int:
    """Say what came of it, and give the exit status."""
    if tally.added or tally.there or not tally.left_out:
        print(for_people(phrase("terminal.taken_there_already", added=tally.added, there=tally.there)), flush=True)
    if tally.otherwise:
        named = ", ".join(map(str, tally.otherwise[:5])) + (", …" if len(tally.otherwise) > 5 else "")
        told = phrase("terminal.judged_again_for_their_results", list=named)
        print(for_people(told))
    complaint = tally.complaint()
    if complaint is not None:
        complain("import", complaint)
    return 0 if complaint is None else 2
