"""`ringmaster replay FILE`: judge a recording again and print its rulings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from referee.announcer import Announcer
from referee.errors import BadInputError
from referee.eventlog import Fault, open_log
from referee.games.registry import game_kind
from referee.jsonlines import to_line
from referee.judge import judge
from referee.language import LANGUAGES, Language, language_of
from referee.output import Output

SUMMARY = "judge a recorded game again and print its rulings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", type=Path, help="an event log (.jsonl)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a ruling")
    parser.add_argument("--language", choices=LANGUAGES, help="of the sentences (default: the system's)")


def run(args: argparse.Namespace) -> int:
    """Print the rulings; exit status 2 when a part of the recording had to be left out.

    Raises:
        BadInputError: the file is no recording of a game that can be judged.
    """
    path: Path = args.file
    if path.suffix.lower() == ".mcap":
        raise BadInputError("recordings with pictures (.mcap) cannot be judged yet, only event logs (.jsonl)")
    return replay_log(path, as_json=args.json, language=args.language)


def replay_log(path: Path, *, as_json: bool, language: str | None = None) -> int:
    """Print the rulings of an event log, in JSON or in a language (None: the system's).

    Gives 2 when a part of it had to be left out, else 0.
    """
    output, status = Output(), 0
    with open_log(path) as (header, entries):
        game = game_kind(header.game).start(header)
        announcer = Announcer(header.game, header.players, Language(language or language_of()))
        for result in judge(game, entries):
            if isinstance(result, Fault):
                output.flush()
                print(f"ringmaster replay: {result.where}: {result.why}", file=sys.stderr)
                status = 2
            else:
                data = result.as_json()
                # A ruling that there are no words for is still shown.
                output.line(to_line(data) if as_json else announcer.say(data) or to_line(data))
    output.flush()
    return status
