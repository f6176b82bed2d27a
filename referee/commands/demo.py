"""`ringmaster demo [GAME]`: what Ringmaster does, shown on a table and a game that come with it."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

from referee.errors import BadInputError, WorkFailedError

SUMMARY = "show what Ringmaster does: a table is scored, a game is judged"

_PLAYERS, _LIMIT = 3, 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("game", nargs="?", default="confetti", metavar="GAME", help="confetti (default)")
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("out/scored-table.jpg"),
        metavar="OUT",
        help="where the scored table is drawn (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Show the demonstration; it needs no camera, no screen and no network.

    Raises:
        BadInputError: there is no demonstration of this game, or the picture cannot be written to such a place.
        WorkFailedError: the picture cannot be written.
    """
    if args.game != "confetti":
        raise BadInputError(f"there is no demonstration of {ascii(args.game)[:40]} yet, only of confetti")
    from referee.commands.replay import replay_log
    from referee.evidence_picture import check_picture_path, write_picture
    from referee.table_score import score_picture
    from vision.deck import load_deck
    from vision.image import load_picture

    try:
        args.picture.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkFailedError(f"the folder {args.picture.parent} cannot be made: {error.strerror or error}") from error
    check_picture_path(args.picture)
    deck = load_deck("confetti")
    with resources.as_file(resources.files("referee").joinpath("demo", "confetti-table.jpg")) as path:
        picture = load_picture(path)
    result = score_picture(picture, deck, None, _PLAYERS, _LIMIT)
    print("A table of Confetti at the end of a round, three players, at most six cards:\n")
    for _, sentence in result.sentences():
        print(f"  {sentence}")
    write_picture(args.picture, result.drawn(picture, deck))
    print(f"\nThe picture with the evidence drawn in, to look at: {args.picture.absolute()}")
    print("\nA short game of two, judged from its log:\n", flush=True)
    with resources.as_file(resources.files("referee").joinpath("demo", "confetti-game.jsonl")) as path:
        return replay_log(path, as_json=False)
