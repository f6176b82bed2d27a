"""Which clowns lie on a drawn table, and how the referee knows them."""

from __future__ import annotations

import argparse
from dataclasses import replace

from referee.bench.drawn_lesson import taught
from referee.decks.finding import find_print_deck
from referee.decks.game_deck import check_plays
from simulation.clowns import full_bleed_clowns
from vision.prints.print_deck import PrintDeck

_LESSON = 5


def chosen_decks(args: argparse.Namespace) -> tuple[PrintDeck, PrintDeck] | None:
    """Give the deck that lies there and how the referee knows it; None: the built-in one, by its own reader.

    Raises:
        BadDeckError: there is no such deck.
        BadInputError: Piccolino cannot be played with it.
    """
    if args.unframed:
        printed = full_bleed_clowns()
        return printed, taught(printed, _LESSON)
    if args.deck is None:
        return None
    deck = find_print_deck(args.deck)
    check_plays(deck, "piccolino")
    return deck, as_prints(deck)


def as_prints(deck: PrintDeck) -> PrintDeck:
    """Give a deck as if nothing but its pictures were known."""
    return replace(deck, frame_mm=None)
