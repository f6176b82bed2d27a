"""`ringmaster score GAME`: score hands from standard input, or from a picture of the table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from referee.arguments import add_language
from referee.errors import BadInputError, WorkFailedError
from referee.games.kind import Scoring
from referee.games.registry import GAMES
from referee.jsonlines import Line, batches, parse_object
from referee.output import Output, complain, for_people

SUMMARY = "score hands given as JSON, one a line on standard input, or from a picture of the table"

DEFAULT_LIMIT = 6
SIDES = ("brown", "grey")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("game", metavar="GAME", help="confetti or coloretto")
    parser.add_argument("--json", action="store_true", help="answer in JSON, one object a line")
    add_language(parser)
    parser.add_argument(
        "--overlimit",
        choices=["separate", "once"],
        default="separate",
        help=("Confetti: charge a card that is unused and above the limit twice or once, where a hand does not say"),
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=DEFAULT_LIMIT,
        metavar="N",
        help=("Confetti: the most cards in this round, where a hand does not say (default: %(default)s)"),
    )
    parser.add_argument(
        "--scoring",
        choices=SIDES,
        help="Coloretto: the side of the summary card that counts, where a hand does not say (default: brown)",
    )
    picture = parser.add_argument_group("from a picture")
    picture.add_argument("--image", type=Path, metavar="PICTURE", help="a picture of the table, instead of hands")
    picture.add_argument("--players", type=int, metavar="N", help="how many seats there are round the table")
    picture.add_argument("--deck", help="the deck on the table (default: the game's own)")
    picture.add_argument(
        "--side", choices=["white", "black"], help="the side that is played (default: the one that most cards show)"
    )
    picture.add_argument("--table", metavar="PROFILE", help="the table's profile, instead of its markers")
    picture.add_argument("--profile", dest="table", help=argparse.SUPPRESS)
    picture.add_argument("--picture", type=Path, metavar="OUT", help="draw the score into a copy of the picture")


def run(args: argparse.Namespace) -> int:
    """Score what is asked for; exit status 2 when a line could not be scored.

    Raises:
        BadInputError: there is no such game, or an argument makes no sense.
    """
    if args.limit < 0:
        raise BadInputError("--limit must be at least 0")
    scoring = _scoring(args)
    _settle_side(args)
    command = import_module(scoring.module)
    if args.image is not None:
        _check_image(args, scoring)
        status: int = command.score_image(args)
        return status
    for name in ("players", "deck", "side", "table", "picture"):
        if getattr(args, name) is not None:
            raise BadInputError(f"--{name} goes with a picture of the table: name it with --image")
    scorer = command.scorer(args)
    if sys.stdin is None:
        raise BadInputError("there is no standard input to read hands from")
    if sys.stdin.isatty():
        print(for_people("Type a hand as JSON and press Enter; end with Ctrl-D."), file=sys.stderr)
    return _score_lines(scorer)


def _scoring(args: argparse.Namespace) -> Scoring:
    scored = {name: kind.scoring for name, kind in GAMES.items() if kind.scoring is not None}
    if args.game not in scored:
        raise BadInputError(f"hands of {ascii(args.game)[:40]} cannot be scored, only those of {', '.join(scored)}")
    return scored[args.game]


def _settle_side(args: argparse.Namespace) -> None:
    """Take `--table brown` for `--scoring brown`, as it was once.

    Raises:
        BadInputError: the game has no such sides.
    """
    if args.game == "coloretto" and args.table in SIDES:
        args.scoring, args.table = args.scoring or args.table, None
    if args.game != "coloretto" and args.scoring is not None:
        raise BadInputError("--scoring is for Coloretto: which side of the summary card counts")


def _check_image(args: argparse.Namespace, scoring: Scoring) -> None:
    if args.players is None:
        raise BadInputError("say how many players sit round the table, for example --players 3")
    if not 1 <= args.players <= scoring.most_players:
        raise BadInputError(f"--players must be from 1 to {scoring.most_players}, not {args.players}")
    if args.picture is not None:
        from referee.scoring.evidence_picture import check_picture_path

        check_picture_path(args.picture, [args.image])


def _score_lines(scorer: Callable[[dict[str, object]], str]) -> int:
    output, status, number = Output(), 0, 0
    for batch in _arriving():
        for line in batch:
            number += 1
            if line is not None and not line.strip():
                continue
            try:
                output.line(scorer(parse_object(line)))
            except BadInputError as error:
                output.flush()
                complain("score", f"line {number}: {error}")
                status = 2
        output.flush()
    return status


def _arriving() -> Iterator[list[Line]]:
    lines = batches(lambda: os.read(sys.stdin.fileno(), 1 << 16))
    while True:
        try:
            batch = next(lines, None)
        except OSError as error:
            raise WorkFailedError(f"standard input cannot be read: {error.strerror or error}") from error
        if batch is None:
            return
        yield batch
