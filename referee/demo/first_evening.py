"""A simulated table on which nobody plays yet: for trying how a table is set up, and what comes then.

Its people ring the bell and turn the sandtimer again and again, as who sets up is asked to, and ten cards lie there.
"""

from __future__ import annotations

import random

from hardware.lamp import NullLamp
from referee.demo.devices import SimulatedDevices
from referee.demo.seating import AREA_MM, people_at, ring_of, spot
from referee.service.parts import Parts
from simulation.live import LiveTable, Shots
from simulation.script import Flip, Ring, Script, ScriptCard
from vision.deck import load_deck

_PLAYERS = 3
_BELL_MM, _SANDTIMER_MM = (575.0, 300.0), (330.0, 110.0)
_SAND_S, _EVERY_FLIP_S, _EVERY_RING_S = 14.0, 22.0, 5.5
_FIRST_S = 2.0
_FRAMES_PER_S = 15.0
_SEED = 3


def first_evening_parts(length_s: float = 1800.0) -> Parts:
    """Give the parts of a referee at that table; no game begins with it."""
    table = first_evening_table(length_s)
    return Parts(
        devices=lambda settings: SimulatedDevices(table, _SEED),
        lamp=lambda settings, on_health: NullLamp(),
        drawn=True,
    )


def first_evening_table(length_s: float) -> LiveTable:
    """Give that table; its people go on for `length_s`."""
    deck = load_deck("confetti")
    ring = ring_of(_PLAYERS)
    faces = [face.id for face in deck.side("white")]
    random.Random(_SEED).shuffle(faces)
    places = [spot(ring, seat, column, row, "white") for seat in range(_PLAYERS) for row, column in _HAND[seat]]
    cards = tuple(ScriptCard(face, face, place) for face, place in zip(faces, places, strict=False))
    rings = [Ring(1 + number % 2, _FIRST_S + number * _EVERY_RING_S) for number in range(int(length_s / _EVERY_RING_S))]
    flips = [Flip(0, 4.0 + number * _EVERY_FLIP_S, _SAND_S) for number in range(int(length_s / _EVERY_FLIP_S))]
    script = Script(
        AREA_MM,
        cards,
        people_at(ring),
        (*rings, *flips),
        length_s,
        bell_mm=_BELL_MM,
        sandtimer_mm=_SANDTIMER_MM,
    )
    return LiveTable(script, deck, _SEED, Shots(frames_per_s=_FRAMES_PER_S))


_HAND = (
    ((0, -1.5), (0, -0.5), (0, 0.5), (0, 1.5)),
    ((0, -1.0), (0, 0.0), (0, 1.0)),
    ((0, -1.0), (0, 0.0), (0, 1.0)),
)
