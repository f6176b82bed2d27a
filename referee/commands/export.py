"""`ringmaster export`: games into a file, to keep, to count in a spreadsheet, or to judge again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.files import whole_file
from referee.output import Output, along, complain, for_people

if TYPE_CHECKING:
    from referee.store.games import KeptGame


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
    type=click.Choice(("zip", "json", "csv", "jsonl")),
    help="zip: everything with the pictures, for import (default for FILE.zip); json: the same without pictures "
    "(the default else); csv: the results; jsonl: one game's event log, for replay",
)
@options.output("FILE", "the file to write", show_default="standard output")
@options.language
def command(state: Path | None, game: int | None, ruling: str | None, kind: str | None, output: Path | None) -> int:
    """Write the games in the order in which they were entered; exit status 1 when some cannot be read.

    Raises:
        BadInputError: there is no such game, or an event log of several is asked for.
        WorkFailedError: no games are kept there, or the file cannot be written.
    """
    from referee.store.exchange import CSV_HEAD, as_event_log, csv_lines, game_data, json_parts
    from referee.store.folder import EVIDENCE, state_folder
    from referee.store.games import kept_game, shelf
    from referee.store.judging import checked
    from referee.store.reading import reading
    from referee.store.zip_file import pack

    if ruling is not None:
        if output is None or game is not None or kind is not None:
            raise BadInputError("say with -o which file the ruling shall go into, and nothing but --ruling")
        return _disputed(ruling, output, state)
    kind = kind or ("zip" if output is not None and output.suffix.lower() == ".zip" else "json")
    if kind == "zip" and output is None:
        raise BadInputError("say with -o which file the games and their pictures shall go into")
    if kind == "jsonl" and game is None:
        raise BadInputError("say with --game which game's event log is wanted")
    damaged: list[str] = []
    with reading(state, damaged.append) as query:
        known = shelf(query)
        rows = [row for row in known.games if game in (None, row.game)]
        if game is not None and not rows:
            raise BadInputError(f"there is no game {game}; ringmaster history lists them")
        left_out = _LeftOut(damaged, known.unreadable if game is None else ())
        kept = left_out.heeding(kept_game(query, row) for row in along(rows, len(rows), printing=output is None))
        if kind == "zip" and output is not None:
            games, pictures = pack(output, kept, query, state_folder(state) / EVIDENCE)
            print(for_people(f"{_count(games, 'game')} with {_count(pictures, 'picture')} in {output}"), flush=True)
        elif kind == "jsonl":
            _write([as_event_log(next(kept))], output)
        elif kind == "csv":
            _write(chain([CSV_HEAD], (csv_lines(checked(one)) for one in kept)), output)
        else:
            _write(json_parts(map(game_data, kept)), output)
    return left_out.told()


def _disputed(ruling: str, output: Path, state: Path | None) -> int:
    """Write the file of a ruling; what was reported on the page has its film."""
    from referee.match.settings import load_settings
    from referee.store.disputed import as_kept, last_ruling
    from referee.store.folder import state_folder
    from referee.store.reading import reading

    with reading(state) as query:
        folder = state_folder(state)
        ruling = last_ruling(query) if ruling == "last" else ruling
        settings, _ = load_settings(folder)
        data, filmed = as_kept(folder, query, ruling, settings)
    with whole_file(output) as file:
        file.write(data)
    what = "the table is seen in it" if filmed else "no pictures are in it: only what was read then"
    print(for_people(f"{output}: ruling {ruling}; {what}"))
    return 0


class _LeftOut:
    """Counts what of the games cannot be read, while they go by."""

    def __init__(self, damaged: Sequence[str], unreadable: Sequence[object]) -> None:
        self._damaged = damaged
        self._games = [str(number) for number in unreadable]

    def heeding(self, games: Iterable[KeptGame]) -> Iterator[KeptGame]:
        """Hand the games on."""
        for game in games:
            if game.lost.first_event is not None:
                self._games.append(str(game.row.game))
            yield game

    def told(self) -> int:
        """Say it, and give the exit status."""
        sentences = list(self._damaged)
        if self._games:
            named = ", ".join(self._games[:10]) + (", …" if len(self._games) > 10 else "")
            sentences.append(f"what cannot be read is left out: of game {named}")
        if sentences:
            complain("export", "; ".join(sentences))
        return 1 if sentences else 0


def _write(parts: Iterable[str], path: Path | None) -> None:
    """Write text to a file, whole or not at all, or to standard output."""
    if path is None:
        output = Output()
        for line in "".join(parts).removesuffix("\n").split("\n"):
            output.line(line)
        output.flush()
        return
    with whole_file(path) as file:
        for part in parts:
            file.write(part.encode())


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
