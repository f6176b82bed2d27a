"""A referee at a simulated table, with the people who play there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardware.lamp import NullLamp
from hardware.speaker import RecordedSpeaker
from referee.decks.game_deck import deck_of
from referee.demo.devices import SimulatedDevices
from referee.demo.director import Director
from referee.demo.table import TABLE_SEED, DemoTable, demo_table
from referee.engine.events import Header
from referee.match.devices import Parts
from referee.match.referee import Referee, running
from simulation.live import LiveTable, Shots
from simulation.script import Script
from simulation.truth import TableTruth, truth_at
from tests.support.commands import sent
from vision.deck import load_deck

PATIENCE_S = 120.0
SMALL = Shots(size=(160, 90), frames_per_s=4.0)


@dataclass
class Simulated:
    """A referee at work, its simulated table, and what was said; `tables`: those that were laid, by game."""

    service: Referee
    devices: SimulatedDevices
    director: Director
    speaker: RecordedSpeaker
    tables: dict[int, DemoTable] = field(default_factory=dict)

    def do(self, **command: object) -> dict[str, Any]:
        return dict(self.service.do(sent(command)))

    def start(self, game: str, players: str, **options: object) -> int:
        return int(self.do(do="start", game=game, players=players.split(), options=options)["game"])

    @property
    def seen(self) -> TableTruth:
        return truth_at(self.devices.table, time.monotonic_ns())

    @property
    def said(self) -> str:
        return " ".join(sentence for _, sentence in self.speaker.said)

    def wait_for(self, what: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        end = time.monotonic() + patience_s
        while not what():
            assert time.monotonic() < end, f"that never came; said: {self.said}"
            time.sleep(0.02)


def empty(shots: Shots = SMALL) -> LiveTable:
    return LiveTable(Script((1150.0, 647.0), (), (), (), 0.0), load_deck("confetti"), TABLE_SEED, shots)


@contextmanager
def simulated(
    folder: Path, shots: Shots | None = SMALL, write: Callable[[Header, int], DemoTable] | None = None
) -> Iterator[Simulated]:
    """Return a referee at a simulated table; shots: how its games are filmed, None: as the game needs."""
    devices, speaker = SimulatedDevices(empty(shots or SMALL), TABLE_SEED), RecordedSpeaker()
    parts = Parts(lambda _: devices, lambda *_: speaker, lambda *_: NullLamp(), resumes=False)
    tables: dict[int, DemoTable] = {}

    def kept(header: Header, number: int) -> DemoTable:
        make = write or (lambda one, seed: demo_table(one, deck_of(one, folder).deck, seed, shots=shots))
        tables[number] = make(header, number)
        return tables[number]

    with running(folder, parts) as service:
        director = Director(service, devices, kept)
        director.start()
        try:
            yield Simulated(service, devices, director, speaker, tables)
        finally:
            director.stop()
