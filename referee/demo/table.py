"""The tables that can be shown: a game's script, drawn from its deck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hardware.camera.frames import SECOND_NS, Frame
from referee.decks.finding import AnyDeck, find_deck
from referee.decks.game_deck import check_plays
from referee.engine.events import DECK, Header
from referee.errors import BadInputError
from referee.games.registry import GAMES, game_kind
from referee.words import list_of
from simulation.live import LiveTable, Shots

NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil")
MOST_ROUNDS = 3


@dataclass(frozen=True)
class DemoTable:
    """A table with a script on it, and the header of the game that is played.

    ruling, rulings: which kind of ruling shows how far the referee has come, and how many of them there will be.
    rings: how each ring of the script is to be ruled, with its `seat`; `t_ns` counts from the script's beginning.
    deck: the one that lies there. stops: whether nobody plays on at its end, though the game is not over.
    """

    table: LiveTable
    header: Header
    seed: int
    ruling: str
    rulings: int
    rings: tuple[Mapping[str, Any], ...] = ()
    deck: AnyDeck | None = None
    stops: bool = False

    def frame_at(self, t_ns: int) -> Frame:
        """Draw the frame anew whose exposure ended at `t_ns`, from any thread: a busy computer keeps none so long."""
        twin = self.table.twin()
        return twin.frame(max(0, round((t_ns - twin.start_ns) * twin.shots.frames_per_s / SECOND_NS) - 1))


def demo_table(
    game: str,
    seed: int,
    rounds: int = MOST_ROUNDS,
    shots: Shots | None = None,
    deck: AnyDeck | None = None,
    *,
    fast: bool = False,
) -> DemoTable:
    """Lay a table for three, or four at Piccolino; `rounds`: of Confetti, or eight turns of Piccolino each.

    shots: how it is photographed, None: as often as the game needs. deck: the one that lies there, None: the game's
    own. fast: whether it will be played as fast as can be.

    Raises:
        BadInputError: there is no script for this game, it has no such number of rounds, or the deck is none for it.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise BadInputError(f"one to three rounds can be shown, not {rounds}")
    kind = GAMES.get(game)
    if kind is None or kind.demo is None:
        shown = [name for name, one in GAMES.items() if one.demo is not None]
        raise BadInputError(f"there is no demonstration of {ascii(game)[:40]} yet, only of {list_of(shown)}")
    if deck is not None:
        check_plays(deck, game)
    often = kind.demo.fast_fps if fast else kind.demo.live_fps
    return kind.demo.table(deck or find_deck(game), seed, rounds, shots or Shots(frames_per_s=often))


def demo_header(game: str, players: int, deck: AnyDeck) -> Header:
    """Give the header of a game for so many with a deck."""
    return game_kind(game).explicit(Header(game, NAMES[:players], {} if deck.name == game else {DECK: deck.name}))
