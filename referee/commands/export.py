"""`ringmaster export`: games into a file, to keep, to count in a spreadsheet, or to judge again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from referee.errors import BadInputError
from referee.output import Output

SUMMARY = "write the games that were played into a file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--state", metavar="DIR", type=Path, help="where games are kept (default: the usual place)")
    parser.add_argument("--game", metavar="N", type=int, help="only the game with this number (see history)")
    parser.add_argument(
        "--format",
        choices=("zip", "json", "csv", "jsonl"),
        help="zip: everything with the pictures, for import (default for FILE.zip); json: the same without pictures "
        "(the default else); csv: the results; jsonl: one game's event log, for replay",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="the file to write (default: standard output)"
    )


def run(args: argparse.Namespace) -> int:
    """Write the games, oldest first.

    Raises:
        BadInputError: there is no such game, or an event log of several is asked for.
        WorkFailedError: no games are kept there, or the file cannot be written.
    """
    from referee.files import write_whole
    from referee.journal.exchange import as_csv, as_event_log, as_json
    from referee.journal.folder import EVIDENCE, state_folder
    from referee.journal.parcel import pack
    from referee.journal.reading import reading
    from referee.journal.rows import games, kept_game

    kind = args.format or ("zip" if args.output is not None and args.output.suffix.lower() == ".zip" else "json")
    if kind == "zip" and args.output is None:
        raise BadInputError("say with -o which file the games and their pictures shall go into")
    with reading(args.state) as query:
        rows = [row for row in reversed(games(query)) if args.game in (None, row.game)]
        kept = [kept_game(query, row) for row in rows]
        if args.game is not None and not kept:
            raise BadInputError(f"there is no game {args.game}; ringmaster history lists them")
        if kind == "zip":
            pictures = pack(args.output, kept, query, state_folder(args.state) / EVIDENCE)
            print(f"{_count(len(kept), 'game')} with {_count(pictures, 'picture')} in {args.output}")
            return 0
    match kind:
        case "jsonl":
            if args.game is None:
                raise BadInputError("say with --game which game's event log is wanted")
            text = as_event_log(kept[0])
        case "csv":
            text = as_csv(kept)
        case _:
            text = json.dumps(as_json(kept), ensure_ascii=False, indent=1) + "\n"
    if args.output is None:
        output = Output()
        output.line(text.removesuffix("\n"))
        output.flush()
    else:
        write_whole(args.output, text.encode())
    return 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
