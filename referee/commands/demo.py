"""`ringmaster demo [GAME]`: a whole game on the simulated table, refereed before your eyes."""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.arguments import add_language, port, seed
from referee.errors import WorkFailedError
from referee.language import language_of

SUMMARY = "play a game on a simulated table, with the referee and its page"

_SEED = 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "game", nargs="?", default="confetti", metavar="GAME", help="confetti (default), piccolino or coloretto"
    )
    parser.add_argument("--deck", metavar="DECK", help="the deck that lies there (default: the game's own)")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="how many rounds, 1 to 3 (default 3)")
    parser.add_argument("--fast", action="store_true", help="as fast as this computer can, without speech and page")
    parser.add_argument("--seed", metavar="N", type=seed, default=_SEED, help="another number is another game")
    parser.add_argument("--silent", action="store_true", help="print what is said, and do not speak")
    add_language(parser)
    parser.add_argument("--port", type=port, default=8080, help="of the page (default 8080, or any that is free)")
    parser.add_argument("--no-page", action="store_true", help="serve no page")
    parser.add_argument(
        "--stay",
        action="store_true",
        help="keep the page after the game, until Ctrl-C (on a terminal it stays until Enter)",
    )
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("out/scored-table.jpg"),
        metavar="OUT",
        help="where the scored table is drawn (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Play the game; it needs no camera, no screen and no network.

    Raises:
        BadInputError: there is no demonstration of this game, or the picture cannot be written to such a place.
        WorkFailedError: the picture or the page's port cannot be had.
    """
    from referee.decks.finding import find_deck
    from referee.demo.show import ShowOptions, print_line, show_fast, show_live
    from referee.demo.table import demo_header, demo_of, demo_table
    from referee.games.registry import game_kind
    from referee.scoring.evidence_picture import check_picture_path

    try:
        args.picture.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkFailedError(f"the folder {args.picture.parent} cannot be made: {error.strerror or error}") from error
    check_picture_path(args.picture)
    players = demo_of(args.game).players
    deck = find_deck(args.deck or args.game)
    header = demo_header(args.game, players, deck)
    demo = demo_table(header, deck, args.seed, args.rounds, fast=args.fast)
    names = ", ".join(header.players)
    print_line(f"A game of {game_kind(args.game).title} for {names}, on a table that draws itself.")
    options = ShowOptions(
        args.language or language_of(), args.picture, not args.silent, None if args.no_page else args.port, args.stay
    )
    if not args.fast:
        show_live(demo, options, print_line)
    elif show_fast(demo, options, print_line):
        print_line(f"The picture with the evidence drawn in, to look at: {args.picture.absolute()}")
    return 0
