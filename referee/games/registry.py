"""The games that can be judged, each with a way to start it from a header."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.errors import BadInputError
from referee.events import Game, Header
from referee.games.coloretto import rules as coloretto
from referee.games.confetti import rules as confetti
from referee.games.piccolino import rules as piccolino


@dataclass(frozen=True)
class GameKind:
    """One game: `start` may raise `BadInputError` for a header it cannot play by."""

    start: Callable[[Header], Game]


GAMES = {
    "confetti": GameKind(confetti.from_header),
    "piccolino": GameKind(piccolino.from_header),
    "coloretto": GameKind(coloretto.from_header),
}


def game_kind(name: str) -> GameKind:
    """Give the game called `name`.

    Raises:
        BadInputError: there is none.
    """
    if name not in GAMES:
        raise BadInputError(f"there is no game {ascii(name)[:40]} to judge, there is {', '.join(GAMES)}")
    return GAMES[name]
