"""Finds a deck: by a built-in name, the name of a taught deck, or the path of a deck file."""

from __future__ import annotations

from pathlib import Path

from referee.decks.store import DeckStore
from referee.state_folder import state_folder
from vision.deck import Deck, deck_names, load_deck
from vision.deck_file import SUFFIX, read_deck_file
from vision.errors import BadDeckError


def find_deck(name: str, state: Path | None = None) -> Deck:
    """Return the deck of a name; `state` is the folder with taught decks, None for the default.

    Raises:
        BadDeckError: there is no such deck, or it is broken.
    """
    if name.endswith(SUFFIX):
        return read_deck_file(Path(name))
    if name in deck_names():
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
