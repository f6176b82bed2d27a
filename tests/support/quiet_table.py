"""A table without devices: the real journal, controller and desk, told all by hand. For measuring, and for tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.camera.exposure import Polygon
from hardware.camera.frames import Frame, FrameBuffer
from hardware.lamp import NullLamp
from hardware.problems import HealthBoard
from hardware.speaker import NullSpeaker
from referee.engine.events import Header
from referee.engine.session import Watcher
from referee.service.bus import Bus
from referee.service.game_controller import GameController
from referee.service.keeping import Keeping
from referee.service.ring_pictures import Pictures
from referee.service.settings import TableSettings
from referee.service.setup_kit import SetupKit
from referee.service.table_area import TableArea
from referee.service.table_decks import TableDecks
from referee.service.table_desk import TableDesk
from referee.service.voice import Voice
from referee.setup.walk import Walk
from referee.store.evidence import EvidenceFolder
from referee.store.store import Store
from referee.watchers.by_hand import ByHandWatcher
from vision.profile import TableProfile


@dataclass
class _NoEyes:
    """A camera that shows what it is shown, and what was measured of its table."""

    buffer: FrameBuffer
    profile: TableProfile | None = None
    settling: bool = False
    camera_notes: tuple[str, ...] = ()
    loudness: float | None = None

    def settle(self, area: Polygon | None, *, focus: bool) -> bool:
        return False

    def measured(self, profile: TableProfile) -> None:
        self.profile = profile


@dataclass(frozen=True)
class QuietTable:
    desk: TableDesk
    controller: GameController
    health: HealthBoard
    buffer: FrameBuffer
    pictures: Pictures
    evidence: EvidenceFolder
    journal: Store
    kit: SetupKit
    keeping: Keeping
    bus: Bus

    def show(self, image: NDArray[np.uint8], t_ns: int | None = None) -> None:
        when = time.monotonic_ns() if t_ns is None else t_ns
        self.buffer.push(Frame(when, when, image, self.buffer.pushed))

    def close(self) -> None:
        self.controller.voice.close()
        self.journal.close()

    def tell(self, kind: str, **data: object) -> Sequence[Mapping[str, Any]]:
        return self.controller.say(kind, data).rulings


def quiet_table(
    folder: Path,
    settings: TableSettings | None = None,
    watcher: Callable[[Header], Watcher] = lambda header: ByHandWatcher(),
    clock: Callable[[], int] = time.monotonic_ns,
    can_be_set_up: bool = False,
) -> QuietTable:
    """Lay a table whose journal is in `folder`; pictures are taken when `pictures.take` is called."""
    kept = settings or TableSettings()
    journal = Store(folder / "journal.sqlite")
    evidence = EvidenceFolder(folder / "evidence", journal)
    buffer = FrameBuffer()
    bus = Bus()
    pictures = Pictures(buffer, evidence, TableArea(), bus=bus)
    voice = Voice(lambda _: NullSpeaker(), NullLamp(), kept, lambda: (12, 0), bus)
    health = HealthBoard()
    decks = TableDecks(folder, health.report)
    controller = GameController(journal, voice, kept, watcher, "", clock, decks.complete, bus)
    desk = TableDesk(controller, evidence, pictures, health, folder, clock=clock, decks=decks)
    desk.listen(bus)
    eyes, area = _NoEyes(buffer), TableArea()
    kit = SetupKit(
        folder, controller, health, eyes, desk.change_settings, lambda: eyes.profile, eyes.measured, area.outline, clock
    )
    keeping = Keeping(folder, controller, health, desk.change_settings, eyes.measured, lambda: ())
    if can_be_set_up:
        desk.walk = Walk(kit)
        desk.refresh()
    return QuietTable(desk, controller, health, buffer, pictures, evidence, journal, kit, keeping, bus)
