"""The deck of a game: named in the game's options, with its version at the start.

The option `deck` is the deck's name, `deck_version` the fingerprint of a taught deck's version. Journal and recordings
keep both: a replayed game finds its deck even after a change of its name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from referee.decks.lookup import find_deck
from referee.decks.store import DeckStore
from referee.engine.events import DECK, DECK_COLOURS, DECK_VERSION, Header
from referee.errors import BadInputError, WorkFailedError
from referee.games.registry import game_kind
from referee.state_folder import state_folder
from vision.deck import Deck, deck_names
from vision.deck_file import fingerprint
from vision.errors import BadDeckError


@dataclass(frozen=True)
class GameDeck:
    """A deck found for a game; `changed`: it differs from the one at the game's start."""

    deck: Deck
    changed: bool = False


def deck_of(header: Header, state: Path | None = None) -> GameDeck:
    """Return the deck of a game; `state` is the folder with taught decks, None for the default.

    Raises:
        BadDeckError: the deck is missing or broken.
        BadInputError: the game cannot be played with it.
    """
    name, version = header.options.get(DECK), header.options.get(DECK_VERSION)
    if not isinstance(name, str):
        return GameDeck(find_deck(header.game))
    try:
        deck = find_deck(name, state)
    except BadDeckError as error:
        renamed = _of_version(version, state)
        if renamed is None:
            raise BadDeckError(
                "error.deck.this_game_was_played_with",
                "this game was played with the deck {name}, which is not here: {why}",
                name=name,
                why=error,
            ) from error
        deck = renamed
    if version_of(deck) != version and isinstance(version, str) and (other := _of_version(version, state)):
        deck = other
    check_plays(deck, header.game)
    return GameDeck(deck, changed=isinstance(version, str) and version_of(deck) != version)


def with_version(header: Header, state: Path | None = None) -> Header:
    """Return the header with its deck's version and colours, unless the deck is the game's own.

    Raises:
        BadDeckError: the deck is missing or broken.
        BadInputError: the game cannot be played with it.
    """
    options = {key: value for key, value in header.options.items() if key not in (DECK_VERSION, DECK_COLOURS)}
    name = options.get(DECK)
    if name is None or name == header.game:
        options.pop(DECK, None)
        return replace(header, options=options)
    deck = find_deck(str(name), state)
    check_plays(deck, header.game)
    _check_side(deck, str(options.get("side", "white")))
    if not deck.has_true_size:
        raise BadInputError("error.decks.nobody_knows_how_large_cards", deck=deck.name)
    version, colours = version_of(deck), _header_colours(deck, header.game)
    if version is not None:
        options[DECK_VERSION] = version
    return replace(header, options={**options, DECK_COLOURS: colours} if colours else options)


def check_plays(deck: Deck, game: str) -> None:
    """Check that a game can be played with a deck.

    Raises:
        BadInputError: it cannot, with the reason.
    """
    kind = game_kind(game)
    if deck.game not in (None, game):
        raise BadInputError(
            "error.decks.cards_of_are_for_not", deck=deck.name, game=deck.game.capitalize(), title=kind.title
        )
    try:
        kind.cards.check(deck)
    except BadInputError as error:
        raise BadInputError("error.decks.deck_is_none_for", deck=deck.name, title=kind.title, why=error) from error


def _check_side(deck: Deck, side: str) -> None:
    if deck.background and side not in deck.background:
        taught = " and ".join(sorted(deck.background))
        raise BadInputError("error.decks.of_deck_only_side_was", deck=deck.name, taught=taught)


def version_of(deck: Deck) -> str | None:
    """Return the fingerprint of a taught deck's version; None for a built-in deck."""
    return None if deck.name in deck_names() else fingerprint(deck)


def decks_for(game: str, store: DeckStore) -> list[str]:
    """Return the names of further decks for a game, besides its own: built-in and taught ones."""
    found = list(game_kind(game).cards.beside)
    for kept in store.all():
        if kept.deck is None:
            continue
        try:
            check_plays(kept.deck, game)
        except BadInputError:
            continue
        found.append(kept.name)
    return found


def _header_colours(deck: Deck, game: str) -> list[str]:
    return game_kind(game).cards.header_colours(deck)


def _of_version(version: object, state: Path | None) -> Deck | None:
    """Return a stored deck of this version, under any name."""
    if not isinstance(version, str):
        return None
    try:
        kept = DeckStore(state_folder(state)).all()
        return next((one.deck for one in kept if one.deck is not None and fingerprint(one.deck) == version), None)
    except WorkFailedError:
        return None
