"""Finds a deck: by a built-in name, the name of a taught deck, or the path of a deck file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from referee.decks.store import DeckStore
from referee.state_folder import state_folder
from vision.deck import Deck, deck_file_of, deck_names, load_deck
from vision.deck_file import SUFFIX, read_deck_file
from vision.errors import BadDeckError
from vision.read.print_deck import AnyDeck as AnyDeck
from vision.read.print_deck import PrintDeck


def find_deck(name: str, state: Path | None = None) -> AnyDeck:
    """Return the deck of a name; `state` is the folder with taught decks, None for the default.

    Raises:
        BadDeckError: there is no such deck, or it is broken.
    """
    if name.endswith(SUFFIX):
        return read_deck_file(Path(name))
    built_in = deck_file_of(name)
    if built_in is not None:
        return _built_in(built_in)
    if name in deck_names() or name.endswith(".json"):
        return load_deck(name)
    store = DeckStore(state_folder(state))
    names = store.names()
    if name not in names:
        raise BadDeckError(
            "error.there_is_no_deck_called",
            "there is no deck called {name}, only {list}",
            name=repr(name),
            list=", ".join([*deck_names(), *names]),
        )
    return store.load(name)


@cache
def _built_in(path: Path) -> AnyDeck:
    # The same deck for every game of an evening: its pictures are decoded once.
    return read_deck_file(path)


def find_marked_deck(name: str, state: Path | None = None) -> Deck:
    """Return the deck of marks of a name.

    Raises:
        BadDeckError: there is no such deck, it is broken, or it is a deck of prints.
    """
    deck = find_deck(name, state)
    if not isinstance(deck, Deck):
        raise BadDeckError(
            "error.cards_of_show_pictures_not", "the cards of {name} show pictures, not marks", name=name
        )
    return deck


def find_print_deck(name: str) -> PrintDeck:
    """Return the deck of prints of a name.

    Raises:
        BadDeckError: there is no such deck, it is broken, or it is a deck of marks.
    """
    deck = find_deck(name)
    if not isinstance(deck, PrintDeck):
        raise BadDeckError("error.cards_of_show_marks_not", "the cards of {name} show marks, not pictures", name=name)
    return deck
