"""`ringmaster export`: writes games into a file, to keep, to count in a spreadsheet, or to judge again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.files import whole_file
from referee.output import Output, along, complain, for_people
from referee.phrases import phrase


@click.command(help=COMMANDS["export"])
@options.state()
@click.option("--game", metavar="N", type=int, help="only the game with this number (see history)")
@click.option(
    "--ruling",
    metavar="ID",
    help="only what a disputed ruling was made of, as a file to send (.mcap), for replay: last, or as the page's "
    "address names it (#ruling/3-17-0); no names and nothing beyond the table are in it",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(("zip", "csv", "jsonl")),
    help="zip: everything with the pictures, for import (the default); csv: the results; jsonl: one game's event log, "
    "for replay",
)
@options.output("FILE", "the file to write", show_default="standard output")
@options.language
def command(state: Path | None, game: int | None, ruling: str | None, kind: str | None, output: Path | None) -> int:
    """Write the games in the order of the journal; exit status 1 when some cannot be read.

    Raises:
        BadInputError: there is no such game, or several games were asked for as an event log.
        WorkFailedError: there are no games, or the file cannot be written.
    """
    from referee.state_folder import EVIDENCE, state_folder
    from referee.store.export_zip import CSV_HEAD, csv_lines, event_log, write_zip
    from referee.store.games import games, kept_game, unreadable
    from referee.store.recovery import opened_to_read

    if ruling is not None:
        if output is None or game is not None or kind is not None:
            raise BadInputError("error.commands.say_with_o_which_file_ruling_shall")
        return _disputed(ruling, output, state)
    kind = kind or "zip"
    if kind == "zip" and output is None:
        raise BadInputError("error.commands.say_with_o_which_file")
    if kind == "jsonl" and game is None:
        raise BadInputError("error.commands.say_with_game_which_games")
    damaged: list[str] = []
    with opened_to_read(state, damaged.append) as query:
        rows = [row for row in games(query)[::-1] if game in (None, row.game)]
        if game is not None and not rows:
            raise BadInputError("error.there_is_no_game_ringmaster", number=game)
        kept = (kept_game(query, row) for row in along(rows, len(rows), printing=output is None))
        if kind == "zip" and output is not None:
            number, pictures = write_zip(output, kept, query, state_folder(state) / EVIDENCE)
            counted = {"games": phrase("terminal.games", n=number), "pictures": phrase("terminal.pictures", n=pictures)}
            print(for_people(phrase("terminal.exported", path=output, **counted)), flush=True)
        elif kind == "jsonl":
            _write([event_log(next(kept))], output)
        else:
            _write(chain([CSV_HEAD], map(csv_lines, kept)), output)
        partly = [row.game for row in rows if row.lost_from is not None]
        return _complained(damaged, [*partly, *(unreadable(query) if game is None else ())])


def _disputed(ruling: str, output: Path, state: Path | None) -> int:
    """Write the file of a ruling; a ruling reported on the page has its frames in it."""
    from referee.match.settings import load_settings
    from referee.state_folder import state_folder
    from referee.store.evidence import as_kept, last_ruling
    from referee.store.recovery import opened_to_read

    with opened_to_read(state) as query:
        folder = state_folder(state)
        ruling = last_ruling(query) if ruling == "last" else ruling
        settings, _ = load_settings(folder)
        data, filmed = as_kept(folder, query, ruling, settings.open_to_all())
    with whole_file(output) as file:
        file.write(data)
    what = phrase("terminal.table_is_seen_in_it") if filmed else phrase("terminal.no_pictures_are_in_it")
    print(for_people(phrase("terminal.ruling", path=output, ruling=ruling, what=what)))
    return 0


def _complained(sentences: list[str], games: Sequence[int]) -> int:
    """Report games that cannot be read completely, and return the exit status."""
    if games:
        named = ", ".join(map(str, games[:10])) + (", …" if len(games) > 10 else "")
        sentences.append(phrase("terminal.what_cannot_be_read_is", list=named))
    if sentences:
        complain("export", "; ".join(map(for_people, sentences)))
    return 1 if sentences else 0


def _write(parts: Iterable[str], path: Path | None) -> None:
    """Write text to a file atomically, or to standard output."""
    if path is None:
        output = Output()
        for line in "".join(parts).removesuffix("\n").split("\n"):
            output.line(line)
        output.flush()
        return
    with whole_file(path) as file:
        for part in parts:
            file.write(part.encode())
