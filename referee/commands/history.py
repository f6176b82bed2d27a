"""`ringmaster history`: the games that were played."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from referee.arguments import add_language
from referee.jsonlines import to_line
from referee.language import Language, language_of
from referee.output import Output, complain
from referee.sayings.terminal import unfinished

_MOST_FAULTS = 3
SUMMARY = "list the games that were played"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--state", metavar="DIR", type=Path, help="where games are kept (default: the usual place)")
    parser.add_argument("--simulated", action="store_true", help="the games of run --simulated, which lie apart")
    parser.add_argument("--json", action="store_true", help="print one JSON object a game")
    add_language(parser)


def run(args: argparse.Namespace) -> int:
    """Print a line a game, the last played first; exit status 1 when some cannot be read as they were kept.

    Raises:
        WorkFailedError: no games are kept there, or they cannot be read.
    """
    from referee.journal.folder import JOURNAL, SIMULATED, state_folder
    from referee.journal.reading import reading
    from referee.service.archive import history

    output, faults, language = Output(), list[str](), Language(language_of())
    folder = state_folder(args.state) / (SIMULATED if args.simulated else "")
    with reading(folder, faults.append) as query:
        found = history(query, language)
    games = found["games"]
    for game in games:
        output.line(to_line(game) if args.json else _line(game, language))
    faults += [*found["faults"], *(game["fault"] for game in games if game["fault"])]
    if not games and not args.json and not faults:
        output.say("No game has been played yet.")
    if not args.json and (folder / SIMULATED / JOURNAL).exists():
        output.say("The simulated table's games lie apart: add --simulated to list those.")
    output.flush()
    if faults:
        more = len(faults) - _MOST_FAULTS
        complain("history", " ".join([*faults[:_MOST_FAULTS], *([f"And {more} more like this."] if more > 0 else [])]))
    return 1 if faults else 0


def _line(game: Mapping[str, Any], language: Language) -> str:
    players, points, winners = game["players"], game["points"], game["winners"]
    if points:
        result = ", ".join(f"{name} {points[seat]}{'*' * (seat in winners)}" for seat, name in enumerate(players))
    else:
        result = unfinished(", ".join(players), language)
    # For people: by the clock of the house.
    started = datetime.fromisoformat(game["started"]).astimezone().strftime("%Y-%m-%d %H:%M")
    return f"{game['id']:>4}  {started}  {game['game']}: {result}"
