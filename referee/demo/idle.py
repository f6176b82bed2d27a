"""The simulated table without a game: empty, or with people who do what setting up asks for.

These ring the bell and turn the sandtimer repeatedly, and ten cards are on the table.
"""

from __future__ import annotations

import random

from hardware.lamp import NullLamp
from referee.demo.devices import SAND_S, SimulatedDevices
from referee.demo.table import TABLE_SEED
from referee.games.seating import AREA_MM, people_at, ring_of, spot
from referee.match.devices import Parts
from simulation.live import LiveTable, Shots
from simulation.script import Action, BellHit, Flip, Script, ScriptCard
from vision.deck import load_deck

_PLAYERS = 3
_BELL_MM, _SANDTIMER_MM = (575.0, 300.0), (330.0, 110.0)
_EVERY_FLIP_S, _EVERY_RING_S = 22.0, 5.5
_FIRST_S, _LENGTH_S = 2.0, 1800.0
_FRAMES_PER_S = 15.0
_SEED = 3


def simulated_parts(devices: SimulatedDevices) -> Parts:
    """Return the parts of a referee at a simulated table, on which no earlier game is resumed."""
    return Parts(lambda settings: devices, lamp=lambda settings, on_health: NullLamp(), resumes=False, drawn=True)


def simulated_devices(*, setting_up: bool = False) -> SimulatedDevices:
    """Return the devices of a simulated table without a game."""
    return SimulatedDevices(set_up_table() if setting_up else empty_table(), TABLE_SEED)


def empty_table() -> LiveTable:
    """Return a table with its marker cards only."""
    return _table((), (), 0.0)


def set_up_table() -> LiveTable:
    """Return a table whose people do what setting up asks for, for half an hour."""
    ring = ring_of(_PLAYERS)
    faces = [face.id for face in load_deck("confetti").side("white")]
    random.Random(_SEED).shuffle(faces)
    places = [spot(ring, seat, column, row, "white") for seat in range(_PLAYERS) for row, column in _HAND[seat]]
    cards = tuple(ScriptCard(face, face, place) for face, place in zip(faces, places, strict=False))
    rings = [
        BellHit(1 + number % 2, _FIRST_S + number * _EVERY_RING_S) for number in range(int(_LENGTH_S / _EVERY_RING_S))
    ]
    flips = [Flip(0, 4.0 + number * _EVERY_FLIP_S, SAND_S) for number in range(int(_LENGTH_S / _EVERY_FLIP_S))]
    return _table(cards, (*rings, *flips), _LENGTH_S)


def _table(cards: tuple[ScriptCard, ...], actions: tuple[Action, ...], length_s: float) -> LiveTable:
    spots = (_BELL_MM, _SANDTIMER_MM) if actions else (None, None)
    people = people_at(ring_of(_PLAYERS))
    script = Script(AREA_MM, cards, people, actions, length_s, bell_mm=spots[0], sandtimer_mm=spots[1])
    return LiveTable(script, load_deck("confetti"), TABLE_SEED, Shots(frames_per_s=_FRAMES_PER_S))


_HAND = (
    ((0, -1.5), (0, -0.5), (0, 0.5), (0, 1.5)),
    ((0, -1.0), (0, 0.0), (0, 1.0)),
    ((0, -1.0), (0, 0.0), (0, 1.0)),
)
