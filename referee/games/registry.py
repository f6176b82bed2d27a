"""The games that can be judged: each a way to start it from a header, and its rulings in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.errors import BadInputError
from referee.events import Game, Header
from referee.games import confetti, confetti_words


@dataclass(frozen=True)
class GameKind:
    """One game: `start` may raise `BadInputError` for a header it cannot play by; `say` gives a ruling's sentence."""

    start: Callable[[Header], Game]
    say: Callable[[object, Sequence[str]], str]


GAMES = {
    "confetti": GameKind(confetti.from_header, confetti_words.say),
}


def game_kind(name: str) -> GameKind:
    """Give the game called `name`.

    Raises:
        BadInputError: there is none.
    """
    if name not in GAMES:
        raise BadInputError(f"there is no game {ascii(name)[:40]} to judge, there is {', '.join(GAMES)}")
    return GAMES[name]
