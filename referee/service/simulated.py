"""The referee on a simulated table: a whole game of Confetti is played before its eyes, in real time."""

from __future__ import annotations

from hardware.lamp import NullLamp
from referee.demo.devices import SimulatedDevices
from referee.engine.events import Header
from referee.games.confetti.demo import Plan, write_confetti
from referee.service.parts import Parts
from simulation.live import LiveTable, Shots
from vision.deck import load_deck

PLAYERS = ("Ann", "Ben", "Cem")
_ROUNDS = 3
_FRAMES_PER_S = 15.0
_SEED = 7


def simulated_parts() -> Parts:
    """Give the parts of a referee at the simulated table; its game begins with it."""
    deck = load_deck("confetti")
    game = write_confetti(deck, _SEED, Plan(players=len(PLAYERS), rounds=_ROUNDS))
    table = LiveTable(game.script, deck, _SEED, Shots(frames_per_s=_FRAMES_PER_S))
    return Parts(
        devices=lambda settings: SimulatedDevices(table, _SEED),
        lamp=lambda settings, on_health: NullLamp(),
        opening=Header("confetti", PLAYERS, {}),
        drawn=True,
    )
