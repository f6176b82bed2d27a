"""What a referee is put together from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hardware.lamp import Lamp
from hardware.speaker import Speaker
from referee.service.defaults import OnHealth
from referee.service.devices import Devices
from referee.service.settings import TableSettings
from vision.profile import TableProfile


@dataclass(frozen=True)
class Parts:
    """What the referee is put together from, where it is not the usual; for the simulated table and for tests.

    devices: eyes and ears for the settings. speaker, lamp: its voice and light, told how they are. resumes: whether
    the game that was being played goes on.
    decks: the folder with the decks that were taught, None: the referee's own. deck: the one to choose first, whatever
    was played with before. profile: the measured table, None: the one that is kept. drawn: whether the table draws
    itself.
    """

    devices: Callable[[TableSettings], Devices]
    speaker: Callable[[TableSettings, OnHealth], Speaker] | None = None
    lamp: Callable[[TableSettings, OnHealth], Lamp] | None = None
    resumes: bool = True
    decks: Path | None = None
    deck: str | None = None
    profile: TableProfile | None = None
    drawn: bool = False
