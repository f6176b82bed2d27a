"""The games that can be judged: each a way to start it from a header, and its rulings in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.errors import BadInputError
from referee.events import Game, Header
from referee.games import coloretto, coloretto_words, confetti, confetti_words, piccolino, piccolino_words


@dataclass(frozen=True)
class GameKind:
    """One game: `start` may raise `BadInputError` for a header it cannot play by; `say` gives a ruling's sentence."""

    start: Callable[[Header], Game]
    say: Callable[[object, Sequence[str]], str]


GAMES = {
    "confetti": GameKind(confetti.from_header, confetti_words.say),
    "piccolino": GameKind(piccolino.from_header, piccolino_words.say),
    "coloretto": GameKind(coloretto.from_header, coloretto_words.say),
}


def game_kind(name: str) -> GameKind:
    """Give the game called `name`.

    Raises:
        BadInputError: there is none.
    """
    if name not in GAMES:
        raise BadInputError(f"there is no game {ascii(name)[:40]} to judge, there is {', '.join(GAMES)}")
    return GAMES[name]
