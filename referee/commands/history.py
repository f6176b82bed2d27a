"""`ringmaster history`: lists the games, deletes one, or forgets a player."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError, WorkFailedError
from referee.jsonlines import shown, to_line
from referee.language import Language, language_of
from referee.output import Output, complain, for_people
from referee.phrases import phrase

_MOST_FAULTS = 3


@click.command(help=COMMANDS["history"])
@options.state()
@click.option("--simulated", is_flag=True, help="the games of run --simulated, kept in a folder of their own")
@options.as_json("print one JSON object a game")
@click.option("--delete", metavar="GAME", help="delete the game of this number with its pictures")
@click.option("--forget", metavar="NAME", help='put "Somebody" in the place of a name in all games')
@options.language
def command(state: Path | None, simulated: bool, as_json: bool, delete: str | None, forget: str | None) -> int:
    """Print a line a game, the newest first; exit status 1 when some cannot be read completely.

    Raises:
        BadInputError: there is no such game to delete, or no player of that name.
        WorkFailedError: there are no games, they cannot be read, or a running referee prevents a change.
    """
    from referee.state_folder import JOURNAL, SIMULATED, state_folder
    from referee.store.history import history
    from referee.store.recovery import opened_to_read

    output, faults, language = Output(), list[str](), Language(language_of())
    folder = state_folder(state) / (SIMULATED if simulated else "")
    if delete is not None or forget is not None:
        if delete is not None and forget is not None:
            raise BadInputError("error.commands.delete_or_forget_not_both")
        with opened_to_read(folder):  # raises WorkFailedError if no games are kept
            pass
        return _forget(folder, delete, forget, language)
    with opened_to_read(folder, faults.append) as query:
        found = history(query, language)
    games = found["games"]
    for game in games:
        output.line(to_line(game) if as_json else _line(game, language))
    faults += [*found["faults"], *(game["fault"] for game in games if game["fault"])]
    if not games and not as_json and not faults:
        output.say(phrase("terminal.no_game_has_been_played"))
    if not as_json and (folder / SIMULATED / JOURNAL).exists():
        output.say(phrase("terminal.simulated_tables_games_lie_apart"))
    output.flush()
    if faults:
        more = len(faults) - _MOST_FAULTS
        said = [*faults[:_MOST_FAULTS], *[phrase("terminal.and_more_like_this", n=more)] * (more > 0)]
        complain("history", " ".join(map(for_people, said)))
    return 1 if faults else 0


def _forget(folder: Path, game: str | None, name: str | None, language: Language) -> int:
    """Delete a game, or forget a player.

    Raises:
        BadInputError: there is no game or player of that number or name.
        WorkFailedError: a referee is running, or the disk does not take the change.
    """
    from hardware.voice import forget_phrases
    from referee.state_folder import EVIDENCE, JOURNAL, locked
    from referee.store.evidence import EvidenceFolder
    from referee.store.games import game_numbered
    from referee.store.history import forget_player
    from referee.store.store import Store

    with locked(folder), closing(Store(folder / JOURNAL)) as journal:
        if not journal.is_open:
            raise WorkFailedError("error.games_in_cannot_be_changed", folder=folder)
        if name is not None:
            count = forget_player(journal, name, language)
            forget_phrases()
            print(for_people(phrase("terminal.is_forgotten", n=count, name=name)))
            return 0
        number = int(game) if game is not None and game.isascii() and game.isdecimal() and len(game) < 16 else -1
        if game_numbered(journal.read, number) is None:
            raise BadInputError("error.there_is_no_game", game=shown(game))
        EvidenceFolder(folder / EVIDENCE, journal).forget_game(number)
        print(for_people(phrase("terminal.game_is_deleted_with_its", number=number)))
        return 0


def _line(game: Mapping[str, Any], language: Language) -> str:
    players, points, winners = game["players"], game["points"], game["winners"]
    if points:
        result = ", ".join(f"{name} {points[seat]}{'*' * (seat in winners)}" for seat, name in enumerate(players))
    else:
        result = language.text("terminal.not_played_to_its_end", players=", ".join(players))
    # For people: local time.
    started = datetime.fromisoformat(game["started"]).astimezone().strftime("%Y-%m-%d %H:%M")
    return f"{game['id']:>4}  {started}  {game['game']}: {result}"
