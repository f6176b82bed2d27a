"""`ringmaster teach NAME PICTURE…`: learn a deck from pictures in which its cards lie apart."""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.arguments import add_language
from referee.games import GAME_NAMES

SUMMARY = "learn a deck of cards that you have, from pictures in which they lie apart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", metavar="NAME", help="what the deck shall be called")
    parser.add_argument("images", nargs="+", metavar="PICTURE", help="pictures of its cards, each lying by itself")
    parser.add_argument("--game", choices=GAME_NAMES, help="the game that it is for")
    parser.add_argument("--names", type=Path, metavar="FILE.json", help="what faces are called: image, at_px, face")
    parser.add_argument("--card-mm", metavar="WxH", help="the cards' size in mm, where no marker cards lie there")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.deck", help="write this file, and keep nothing")
    parser.add_argument("--state", type=Path, metavar="DIR", help="where decks are kept (default: the usual place)")
    parser.add_argument("--json", action="store_true", help="answer in JSON, a line a picture and one for the deck")
    add_language(parser)


def run(args: argparse.Namespace) -> int:
    """Learn the deck, and keep it.

    Raises:
        BadInputError: an argument makes no sense, or the deck does not fit its game.
        VisionError: the pictures or the names give no deck.
        WorkFailedError: the deck cannot be kept.
    """
    from referee.decks.teach import teach

    return teach(args)
