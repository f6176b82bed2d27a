"""The decks on the referee's table: the choices for each game, and the watcher for the chosen one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hardware.problems import Health, Problem
from referee.decks.game_deck import decks_for, with_version
from referee.decks.lookup import find_deck
from referee.decks.store import DeckStore
from referee.engine.events import DECK, Header
from referee.engine.session import Watcher
from referee.errors import BadInputError
from referee.games.registry import GAMES, game_kind, watcher_for
from referee.setup.step import deck_of, load_kept
from referee.store.games import Query, games
from referee.watchers.table_finder import WatchSetup
from vision.errors import BadDeckError
from vision.profile import TableProfile

DEVICE = "deck"
"""Name of a missing deck among the devices."""


class TableDecks:
    """The decks in a folder. report, forget: called when the deck of the game on the table is gone, or is back.

    wanted: the first choice for every game that it fits; None: the one played last.
    """

    def __init__(
        self,
        folder: Path,
        report: Callable[[Problem], object],
        forget: Callable[[str], None] = lambda kind: None,
        wanted: str | None = None,
    ) -> None:
        self._folder, self._report, self._forget, self._wanted = folder, report, forget, wanted

    def complete(self, header: Header) -> Header:
        """Return a header with the version of its deck.

        Raises BadInputError: the deck is not among the family's, is broken, or does not fit the game.
        """
        name = header.options.get(DECK)
        built_in = game_kind(header.game).cards.beside
        if name not in (None, header.game, *built_in, *DeckStore(self._folder).names()):
            raise BadInputError("error.this_deck_is_not_here")
        try:
            return with_version(header, self._folder)
        except BadDeckError as error:
            raise BadInputError(error.key, **error.values) from error

    def watcher(self, header: Header, profile: TableProfile | None) -> Watcher:
        """Return the watcher of a game; where its deck is gone, people enter the events."""
        try:
            watcher = watcher_for(header, WatchSetup(profile=profile, state=self._folder))
        except (BadDeckError, BadInputError) as error:
            self._report(Problem(DEVICE, Health.MISSING, f"{error}.", t_ns=time.monotonic_ns()))
            return Watcher()
        self._forget(DEVICE)
        return watcher

    def choices(self, query: Query) -> Mapping[str, Any]:
        """Return the decks for each game, the one played last first.

        Before the first game of its kind it is the one chosen at setup. `{game: [name, …]}`, where the game's own deck
        has the game's name.
        """
        store, last = DeckStore(self._folder), _last_decks(query)
        chosen = deck_of(load_kept(self._folder))
        found = {}
        for game in GAMES:
            names = [game, *decks_for(game, store)]
            first = self._wanted if self._wanted in names else last.get(game, chosen if chosen in names else game)
            found[game] = sorted(names, key=lambda name, first=first: name != first)  # type: ignore[misc]
        return found

    def colours(self, choices: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """Return the colours of decks that people choose by before a game. choices: as from `choices`."""
        found: dict[str, list[str]] = {}
        for game, names in choices.items():
            colours_of = game_kind(game).cards.colours
            # Decks that nobody chooses by colour are not loaded for it.
            for name in names if colours_of is not None else ():
                with suppress(BadDeckError):
                    if colours_of is not None:
                        found[name] = colours_of(find_deck(name, self._folder))
        return found


def check_kept(name: str, folder: Path) -> None:
    """Check that a deck is kept and fits a game. Raises BadDeckError or BadInputError if not."""
    find_deck(name, folder)
    if not any(name in (game, *decks_for(game, DeckStore(folder))) for game in GAMES):
        raise BadInputError("error.service.no_game_can_be_played", name=repr(name))


def _last_decks(query: Query) -> dict[str, str]:
    """Return the deck with which each game was played last."""
    last: dict[str, str] = {}
    for row in games(query):
        name = row.header.options.get(DECK)
        last.setdefault(row.header.game, name if isinstance(name, str) else row.header.game)
    return last
