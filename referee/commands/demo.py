"""`ringmaster demo [GAME]`: plays and referees a whole game on the simulated table."""

from __future__ import annotations

from pathlib import Path

import click

from referee.commands import COMMANDS, options
from referee.errors import WorkFailedError
from referee.language import language_of
from referee.phrases import phrase

_SEED = 7


@click.command(help=COMMANDS["demo"])
@click.argument(
    "game",
    metavar="[GAME]",
    default="confetti",
    shell_complete=options.games_from,
    help="confetti (default), piccolino or coloretto",
)
@options.deck("the deck on the table", show_default="the game's own")
@click.option("--rounds", metavar="N", type=int, default=3, help="how many rounds, 1 to 3")
@click.option("--fast", is_flag=True, help="as fast as this computer can, without speech and page")
@click.option("--seed", metavar="N", type=click.IntRange(0), default=_SEED, help="another number is another game")
@click.option("--silent", is_flag=True, help="print what is said, and do not speak")
@options.language
@options.port(8080)
@click.option("--no-page", is_flag=True, help="serve no page")
@click.option(
    "--stay", is_flag=True, help="keep the page after the game, until Ctrl-C (on a terminal it stays until Enter)"
)
@click.option(
    "--picture",
    type=options.FILE,
    default=Path("out/scored-table.jpg"),
    metavar="OUT",
    help="where the scored table is drawn",
)
def command(
    game: str,
    deck: str | None,
    rounds: int,
    fast: bool,
    seed: int,
    silent: bool,
    port: int,
    no_page: bool,
    stay: bool,
    picture: Path,
) -> int:
    """Play the game; it needs no camera, no screen and no network.

    Raises:
        BadInputError: there is no demonstration of this game, or the picture's path is invalid.
        WorkFailedError: the picture cannot be written, or the page's port is in use.
    """
    from referee.decks.lookup import find_deck
    from referee.demo.show import ShowOptions, print_line, show_fast, show_live
    from referee.demo.table import demo_header, demo_of, demo_table
    from referee.games.registry import game_kind
    from referee.scoring.evidence_picture import check_picture_path

    try:
        picture.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkFailedError(
            "error.club.folder_cannot_be_made", folder=picture.parent, why=error.strerror or error
        ) from error
    check_picture_path(picture)
    players = demo_of(game).players
    known = find_deck(deck or game)
    header = demo_header(game, players, known)
    demo = demo_table(header, known, seed, rounds, fast=fast)
    names = ", ".join(header.players)
    print_line(f"A game of {game_kind(game).title} for {names}, on a table that draws itself.")
    how = ShowOptions(language_of(), picture, not silent, None if no_page else port, stay)
    if not fast:
        show_live(demo, how, print_line)
    elif show_fast(demo, how, print_line):
        print_line(phrase("terminal.picture_with_evidence_drawn_in", path=picture.absolute()))
    return 0
