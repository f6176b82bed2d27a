"""A table without devices: the real journal, stage and desk, told everything by hand. For measuring, and for tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame, FrameBuffer
from hardware.health import HealthBoard
from hardware.lamp import NullLamp
from hardware.speaker import NullSpeaker
from referee.events import Header
from referee.journal.evidence import EvidenceFolder
from referee.journal.journal import Journal
from referee.service.pictures import Pictures
from referee.service.settings import TableSettings
from referee.service.stage import Stage
from referee.service.table_area import TableArea
from referee.service.table_desk import TableDesk
from referee.service.voice import Voice
from referee.session import Watcher
from referee.watchers.by_hand import ByHandWatcher


@dataclass(frozen=True)
class QuietTable:
    """The parts that somebody without devices may want to touch."""

    desk: TableDesk
    stage: Stage
    health: HealthBoard
    buffer: FrameBuffer
    pictures: Pictures
    evidence: EvidenceFolder
    journal: Journal

    def show(self, image: NDArray[np.uint8], t_ns: int | None = None) -> None:
        """Let the camera see a picture, (h, w, 3) uint8 BGR."""
        when = time.monotonic_ns() if t_ns is None else t_ns
        self.buffer.push(Frame(when, when, image, self.buffer.pushed))

    def close(self) -> None:
        """Put everything away."""
        self.stage.voice.close()
        self.journal.close()

    def tell(self, kind: str, **data: object) -> Sequence[Mapping[str, Any]]:
        """Tell the game an event, as the devices would, and give the rulings."""
        return self.stage.say(kind, data).rulings


def quiet_table(
    folder: Path,
    settings: TableSettings | None = None,
    watcher: Callable[[Header], Watcher] = lambda header: ByHandWatcher(),
    clock: Callable[[], int] = time.monotonic_ns,
) -> QuietTable:
    """Lay a table whose journal is in `folder`; pictures are taken when `pictures.take` is called."""
    kept = settings or TableSettings()
    journal = Journal(folder / "journal.sqlite")
    evidence = EvidenceFolder(folder / "evidence", journal)
    buffer = FrameBuffer()
    pictures = Pictures(buffer, evidence, TableArea())
    voice = Voice(lambda _: NullSpeaker(), NullLamp(), kept, lambda: (12, 0))
    stage = Stage(journal, voice, kept, watcher, "", clock)
    health = HealthBoard()
    desk = TableDesk(stage, evidence, pictures, health, folder, clock=clock)
    stage.on_change = voice.on_caption = desk.refresh
    pictures.on_kept = desk.pictures_kept
    return QuietTable(desk, stage, health, buffer, pictures, evidence, journal)
