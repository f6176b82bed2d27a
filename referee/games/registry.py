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
        BadInputError: there is none.
    """
    if name not in GAMES:
        raise BadInputError("error.games.there_is_no_game_to", name=ascii(name)[:40], list=", ".join(GAMES))
    return GAMES[name]


def may_show_marks(game: str | None) -> bool:
    """Return whether a game, or none in particular, may be played with cards that marks distinguish."""
    return game is None or game_kind(game).cards.marked


def watcher_for(header: Header, setup: WatchSetup) -> Watcher:
    """Return what looks on for a game.

    Raises:
        BadDeckError: its deck is not there, or it is broken.
        BadInputError: the game cannot be played with its deck.
    """
    return game_kind(header.game).watcher(header, setup)
