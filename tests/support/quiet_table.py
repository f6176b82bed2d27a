"""A referee at a table without devices, its threads not started, that takes all by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from hardware.lamp import NullLamp
from hardware.speaker import NullSpeaker
from referee.engine.events import Header
from referee.engine.session import Watcher
from referee.match.devices import Parts
from referee.match.referee import Referee
from referee.match.settings import TableSettings, save_settings
from tests.support.table_fakes import FakeDevices


@dataclass(frozen=True)
class QuietTable:
    referee: Referee
    devices: FakeDevices
    plugged: list[tuple[str, str]]

    def show(self, image: NDArray[np.uint8], t_ns: int | None = None) -> None:
        when = time.monotonic_ns() if t_ns is None else t_ns
        self.devices.buffer.push(Frame(when, when, image, self.devices.buffer.pushed))

    def close(self) -> None:
        self.referee.announcements.close()
        self.referee.store.close()

    def report(self, kind: str, **data: object) -> Sequence[Mapping[str, Any]]:
        return self.referee.say(kind, data).rulings


def quiet_table(
    folder: Path,
    settings: TableSettings | None = None,
    watcher: Callable[[Header], Watcher] = lambda header: Watcher(),
    clock: Callable[[], int] = time.monotonic_ns,
    can_be_set_up: bool = False,
) -> QuietTable:
    """Lay a table whose journal is in `folder`; pictures are taken when `pictures.take` is called."""
    if settings is not None:
        save_settings(folder, settings)
    devices, plugged = FakeDevices(), list[tuple[str, str]]()
    parts = Parts(
        lambda _: devices,
        lambda *_: NullSpeaker(),
        lambda *_: NullLamp(),
        watcher=watcher,
        boot="",
        clock=clock,
        time_of_day=lambda: (12, 0),
        plugged=lambda: plugged,
    )
    referee = Referee(folder, parts)
    referee.begins_with_setup = can_be_set_up
    referee.changed()
    return QuietTable(referee, devices, plugged)
