"""The tables that can be shown: a game's script, drawn from its deck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hardware.frames import SECOND_NS, Frame
from referee.demo import confetti_script, piccolino_script
from referee.errors import BadInputError
from referee.events import Header
from simulation.live import LiveTable, Shots
from vision.deck import load_deck
from vision.pictured.picture_deck import load_picture_deck

GAMES = ("confetti", "piccolino")
NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil")
MOST_ROUNDS = 3
# Fewer cards than the rules lay out are read sooner.
_HEAP = 30


@dataclass(frozen=True)
class DemoTable:
    """A table with a script on it, and the header of the game that is played.

    ruling, rulings: which kind of ruling shows how far the referee has come, and how many of them there will be.
    rings: how each ring of the script is to be ruled, with its `seat`; `t_ns` counts from the script's beginning.
    """

    table: LiveTable
    header: Header
    seed: int
    ruling: str
    rulings: int
    rings: tuple[Mapping[str, Any], ...] = ()

    def frame_at(self, t_ns: int) -> Frame:
        """Draw the frame anew whose exposure ended at `t_ns`, from any thread: a busy computer keeps none so long."""
        twin = self.table.twin()
        return twin.frame(max(0, round((t_ns - twin.start_ns) * twin.shots.frames_per_s / SECOND_NS) - 1))


def demo_table(game: str, seed: int, rounds: int = MOST_ROUNDS, shots: Shots | None = None) -> DemoTable:
    """Lay a table for three, or four at Piccolino; `rounds`: of Confetti, or eight turns of Piccolino each.

    Raises:
        BadInputError: there is no script for this game, or it has no such number of rounds.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise BadInputError(f"one to three rounds can be shown, not {rounds}")
    header = Header(game, NAMES[:3], {})
    if game == "confetti":
        deck = load_deck("confetti")
        script = confetti_script.write_confetti(deck, seed, confetti_script.Plan(rounds=rounds, heap=_HEAP)).script
        return DemoTable(LiveTable(script, deck, seed, shots), header, seed, "hand", 3 * rounds)
    if game == "piccolino":
        clowns = load_picture_deck("piccolino")
        plan = piccolino_script.Plan(players=4, turns=8 * rounds)
        played = piccolino_script.write_piccolino(clowns, seed, plan)
        rings = tuple(ruling for ruling in played.rulings if ruling["ruling"] == "ring")
        four = Header(game, NAMES[:4], {})
        return DemoTable(LiveTable(played.script, clowns, seed, shots), four, seed, "ring", len(rings), rings)
    raise BadInputError(f"there is no demonstration of {ascii(game)[:40]} yet, only of {' and '.join(GAMES)}")
