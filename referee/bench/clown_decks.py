"""Which clowns lie on a drawn table, and how the referee knows them."""

from __future__ import annotations

import argparse

from referee.bench.drawn_lesson import taught
from referee.decks.finding import find_deck
from referee.decks.game_deck import check_plays
from referee.demo.piccolino_script import ClownDeck
from simulation.clowns import full_bleed_clowns
from vision.deck import Deck
from vision.pictured.picture_deck import PictureDeck
from vision.prints.print_deck import Print, PrintDeck

_LESSON = 5


def chosen_decks(args: argparse.Namespace) -> tuple[ClownDeck, ClownDeck] | None:
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
    deck = find_deck(args.deck)
    check_plays(deck, "piccolino")
    assert not isinstance(deck, Deck)
    return deck, as_prints(deck) if isinstance(deck, PictureDeck) else deck


def as_prints(deck: PictureDeck) -> PrintDeck:
    """Give a deck of framed pictures as one of prints, of which nothing but the pictures is known."""
    fronts = [Print(face.id, "front", dict(face.attributes), deck.picture(face.id), face.count) for face in deck.faces]
    back = Print(deck.back, "back", {}, deck.picture(deck.back))
    return PrintDeck(deck.name, deck.card_mm, (*fronts, back), "piccolino", deck.corner_radius_mm)
