"""The tables of the demonstration: a game's script, drawn from its deck."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.camera.frames import SECOND_NS, Frame
from referee.decks.game_deck import check_plays
from referee.engine.events import DECK, Header
from referee.errors import BadInputError
from referee.games.kind import Demo, DemoScript
from referee.games.registry import GAMES, game_kind
from simulation.live import LiveTable, Shots
from vision.deck import Deck

NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil")
MOST_ROUNDS = 3
TABLE_SEED = 7
"""Seed of the table, its marker cards and its light, always the same."""


@dataclass(frozen=True)
class DemoTable:
    """A table with a script, the header of the game, and the deck."""

    table: LiveTable
    header: Header
    played: DemoScript
    deck: Deck

    def frame_at(self, t_ns: int) -> Frame:
        """Draw the frame again whose exposure ended at `t_ns`, on any thread; old frames are not kept."""
        twin = self.table.twin()
        return twin.frame(max(0, round((t_ns - twin.start_ns) * twin.shots.frames_per_s / SECOND_NS) - 1))


def demo_table(
    header: Header,
    deck: Deck,
    seed: int,
    rounds: int | None = None,
    shots: Shots | None = None,
    *,
    fast: bool = False,
) -> DemoTable:
    """Return a table for a game.

    rounds: of Confetti or Coloretto, or eight turns of Piccolino each; None: to the game's end. seed: of the players'
    moves; the table is always the same. shots: camera parameters, None: those of the game. fast: for `SteppedTable`.

    Raises:
        BadInputError: there is no script for this game, number of players or rounds, or deck.
    """
    if rounds is not None and not 1 <= rounds <= MOST_ROUNDS:
        raise BadInputError("error.demo.one_to_three_rounds_can", rounds=rounds)
    demo = demo_of(header.game)
    if len(header.players) > len(NAMES):
        raise BadInputError("error.demo.players_have_room_at_simulated", number=len(NAMES), number2=len(header.players))
    check_plays(deck, header.game)
    played = demo.script(header, deck, seed, rounds)
    shots = shots or Shots(frames_per_s=demo.fast_fps if fast else demo.live_fps)
    return DemoTable(LiveTable(played.script, deck, TABLE_SEED, shots), header, played, deck)


def demo_of(game: str) -> Demo:
    """Return a game's demonstration.

    Raises:
        BadInputError: it has none.
    """
    kind = GAMES.get(game)
    if kind is None or kind.demo is None:
        shown = [name for name, one in GAMES.items() if one.demo is not None]
        raise BadInputError("error.demo.there_is_no_demonstration_of", game=ascii(game)[:40], list=shown)
    return kind.demo


def demo_header(game: str, players: int, deck: Deck) -> Header:
    """Return the header of a game for a number of players with a deck."""
    return game_kind(game).explicit(Header(game, NAMES[:players], {} if deck.name == game else {DECK: deck.name}))
