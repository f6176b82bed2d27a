"""`ringmaster teach NAME PICTURE…`: learns a deck from pictures of separate cards."""

from __future__ import annotations

from pathlib import Path

import click

from referee.commands import COMMANDS, options


@click.command(help=COMMANDS["teach"])
@click.argument("name", metavar="NAME", help="what the deck shall be called")
@click.argument(
    "images",
    nargs=-1,
    required=True,
    metavar="PICTURE...",
    type=options.FILE,
    help="pictures of its cards, each lying by itself",
)
@click.option("--game", type=options.GAME, help="the game that it is for")
@click.option("--names", type=options.FILE, metavar="FILE.json", help="what faces are called: image, at_px, face")
@click.option("--card-mm", metavar="WxH", help="the cards' size in mm, where no marker cards lie there")
@options.output("FILE.deck", "write this file, and keep nothing")
@options.state("where decks are kept")
@options.as_json("answer in JSON, a line a picture and one for the deck")
@options.language
def command(
    name: str,
    images: tuple[Path, ...],
    game: str | None,
    names: Path | None,
    card_mm: str | None,
    output: Path | None,
    state: Path | None,
    as_json: bool,
) -> int:
    """Learn and store the deck.

    Raises:
        BadInputError: an argument is invalid, or the deck does not fit its game.
        VisionError: the pictures or the names give no deck.
        WorkFailedError: the deck cannot be stored.
    """
    from referee.decks.teach import print_lesson, teach

    options.check_deck_file(output)
    lesson = teach(name, images, game=game, names=names, card_mm=card_mm, output=output, state=state)
    print_lesson(lesson, as_json=as_json)
    return 0
