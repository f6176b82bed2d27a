"""The tables that can be shown: a game's script, drawn from its deck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hardware.camera.frames import SECOND_NS, Frame
from referee.decks.finding import AnyDeck, find_deck
from referee.decks.game_deck import check_plays
from referee.demo import coloretto_script, confetti_script, piccolino_script
from referee.errors import BadInputError
from referee.events import DECK, Header
from referee.games import GAME_NAMES
from referee.words import list_of
from simulation.live import LiveTable, Shots
from vision.deck import Deck
from vision.prints.print_deck import PrintDeck

NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil")
MOST_ROUNDS = 3
# Fewer cards than the rules lay out are read sooner.
_HEAP = 30


@dataclass(frozen=True)
class DemoTable:
    """A table with a script on it, and the header of the game that is played.

    ruling, rulings: which kind of ruling shows how far the referee has come, and how many of them there will be.
    rings: how each ring of the script is to be ruled, with its `seat`; `t_ns` counts from the script's beginning.
    deck: the one that lies there.
    """

    table: LiveTable
    header: Header
    seed: int
    ruling: str
    rulings: int
    rings: tuple[Mapping[str, Any], ...] = ()
    deck: AnyDeck | None = None

    def frame_at(self, t_ns: int) -> Frame:
        """Draw the frame anew whose exposure ended at `t_ns`, from any thread: a busy computer keeps none so long."""
        twin = self.table.twin()
        return twin.frame(max(0, round((t_ns - twin.start_ns) * twin.shots.frames_per_s / SECOND_NS) - 1))


def demo_table(
    game: str, seed: int, rounds: int = MOST_ROUNDS, shots: Shots | None = None, deck: AnyDeck | None = None
) -> DemoTable:
    """Lay a table for three, or four at Piccolino; `rounds`: of Confetti, or eight turns of Piccolino each.

    deck: the one that lies there, None: the game's own.

    Raises:
        BadInputError: there is no script for this game, it has no such number of rounds, or the deck is none for it.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise BadInputError(f"one to three rounds can be shown, not {rounds}")
    if game not in GAME_NAMES:
        raise BadInputError(f"there is no demonstration of {ascii(game)[:40]} yet, only of {list_of(GAME_NAMES)}")
    if deck is not None:
        check_plays(deck, game)
    lies = deck or find_deck(game)
    options: dict[str, object] = {} if lies.name == game else {DECK: lies.name}
    if isinstance(lies, Deck):
        plan = confetti_script.Plan(rounds=rounds, heap=_HEAP)
        script = confetti_script.write_confetti(lies, seed, plan).script
        header = Header(game, NAMES[:3], options)
        return DemoTable(LiveTable(script, lies, seed, shots), header, seed, "hand", 3 * rounds, deck=lies)
    if game == "coloretto" and isinstance(lies, PrintDeck):
        told = coloretto_script.write_coloretto(lies, seed, coloretto_script.Plan(rounds=rounds))
        header = Header(game, NAMES[:4], options)
        look = replace((shots or Shots()).look, table="cloth")
        shots = replace(shots or Shots(), look=look)
        return DemoTable(LiveTable(told.script, lies, seed, shots), header, seed, "end", 1, deck=lies)
    played = piccolino_script.write_piccolino(lies, seed, piccolino_script.Plan(players=4, turns=8 * rounds))
    rings = tuple(ruling for ruling in played.rulings if ruling["ruling"] == "ring")
    header = Header(game, NAMES[:4], options)
    return DemoTable(LiveTable(played.script, lies, seed, shots), header, seed, "ring", len(rings), rings, lies)
