"""A desk with all that it needs, and no threads, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hardware.problems import HealthBoard
from referee.journal.evidence import EvidenceFolder
from referee.service.ring_pictures import Pictures, Wanted
from referee.service.settings import TableSettings
from referee.service.table_area import TableArea
from referee.service.table_desk import TableDesk
from tests.support.commands import sent
from tests.support.table_fakes import FakeDevices, Table


class Office:
    def __init__(self, folder: Path) -> None:
        self.table = Table(folder)
        self.devices = FakeDevices()
        self.health = HealthBoard()
        self.evidence = EvidenceFolder(folder / "evidence", self.table.journal)
        self.pictures = Pictures(self.devices.buffer, self.evidence, TableArea(), self.table.clock, self.table.bus)
        controller = self.table.controller
        self.desk = TableDesk(controller, self.evidence, self.pictures, self.health, folder, self, self.table.clock)
        self.desk.listen(self.table.bus)
        self.fitted = self.table.settings
        self.plugged: list[tuple[str, str]] = []
        self.wanted: list[Wanted] = []
        self.table.bus.subscribe(Wanted, self.wanted.append)

    def flip(self) -> bool:
        return self.devices.flip()

    def cameras(self) -> list[tuple[str, str]]:
        return self.plugged

    def camera_notes(self) -> tuple[str, ...]:
        return self.devices.camera_notes

    def ring(self, seat: int, t_ns: int, within_ns: int) -> bool:
        return False

    def bell_here(self) -> None:
        pass

    def check(self, settings: TableSettings) -> None:
        self.devices.check(settings, self.table.controller.settings.other_devices(settings))

    def fit(self, settings: TableSettings) -> None:
        self.fitted = settings

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(json.dumps(self.desk.state()))
        return state


def piccolino(office: Office, options: dict[str, object] | None = None) -> None:
    players = ["Ann", "Ben", "Cem"]
    office.desk.do(sent({"do": "start", "game": "piccolino", "players": players, "options": options or {}}))
    office.table.card(0, "red")
    office.table.card(1, "red")
    office.table.clock.now_ns += 1_000_000_000
