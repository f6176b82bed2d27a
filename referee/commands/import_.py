"""`ringmaster import`: adds games of an export to the journal; existing ones stay unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import WorkFailedError
from referee.output import complain, for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from referee.store.archive import ImportTally


@click.command(help=COMMANDS["import"])
@click.argument("path", metavar="FILE", type=options.FILE, help="what ringmaster export wrote")
@options.state()
@options.language
def command(path: Path, state: Path | None) -> int:
    """Add all readable games of the file; exit status 2 when some are not.

    Raises:
        BadInputError: the file cannot be read, or is no export; nothing is added then.
        WorkFailedError: a referee is running, or the journal does not take the games.
    """
    import sqlite3

    from referee.state_folder import EVIDENCE, JOURNAL, locked, state_folder
    from referee.store.archive import ImportTally, open_archive, take_games
    from referee.store.recovery import open_store

    tally = ImportTally()
    with locked(state_folder(state)) as folder, open_archive(path) as archive:
        connection, aside = open_store(folder / JOURNAL)
        if aside is not None:
            complain("import", phrase("terminal.games_damaged_kept_as", name=aside.name))
        try:
            take_games(archive, connection, folder / EVIDENCE, tally)
        except sqlite3.Error as error:
            raise WorkFailedError("error.commands.games_could_not_be_taken", why=error) from error
        finally:
            connection.close()
    return _report(tally)


def _report(tally: ImportTally) -> int:
    """Report the result, and return the exit status."""
    if tally.added or tally.there or not tally.left_out:
        print(for_people(phrase("terminal.taken_there_already", added=tally.added, there=tally.there)), flush=True)
    if tally.again:
        named = ", ".join(map(str, tally.again[:5])) + (", …" if len(tally.again) > 5 else "")
        again = phrase("terminal.judged_again_for_their_results", list=named)
        print(for_people(again))
    complaints = [] if (games := tally.complaint()) is None else [games]
    if tally.pictures_left_out:
        complaints.append(phrase("terminal.pictures_in_it_that_cannot", number=tally.pictures_left_out))
    if complaints:
        complain("import", "; ".join(map(for_people, complaints)))
    return 2 if complaints else 0
