"""The games that can be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.coloretto.kind import COLORETTO
from referee.games.confetti.kind import CONFETTI
from referee.games.kind import GameKind
from referee.games.piccolino.kind import PICCOLINO

if TYPE_CHECKING:
    from referee.engine.session import Watcher
    from referee.watchers.table_finder import WatchSetup

GAMES = {kind.name: kind for kind in (CONFETTI, PICCOLINO, COLORETTO)}


def game_kind(name: str) -> GameKind:
    """Return the game called `name`.

    Raises:
        BadInputError: no game has that name.
    """
    if name not in GAMES:
        raise BadInputError("error.games.there_is_no_game_to", name=ascii(name)[:40], list=", ".join(GAMES))
    return GAMES[name]


def may_show_marks(game: str | None) -> bool:
    """Return whether a game, or any game if None, can be played with cards that differ by marks."""
    return game is None or game_kind(game).cards.marked


def watcher_for(header: Header, setup: WatchSetup) -> Watcher:
    """Return the watcher of a game.

    Raises:
        BadDeckError: the deck is missing or broken.
        BadInputError: the deck does not fit the game.
    """
    return game_kind(header.game).watcher(header, setup)
