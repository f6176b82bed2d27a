"""A referee that takes commands as a page gives them, and its state as a page gets it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.match.pictures import PictureRequest
from tests.support.commands import sent
from tests.support.table_fakes import Table


class Office:
    """A table; `wanted`: the pictures that were wanted of it, which are never taken."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder)
        self.referee, self.devices = self.table.referee, self.table.devices
        self.health, self.evidence, self.pictures = self.referee.health, self.referee.evidence, self.referee.pictures

    @property
    def wanted(self) -> list[PictureRequest]:
        return list(self.pictures.waiting)

    def do(self, **command: object) -> Mapping[str, Any]:
        return self.referee.do(sent(command))

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(json.dumps(self.referee.state()))
        return state


def piccolino(office: Office, options: dict[str, object] | None = None) -> None:
    office.do(do="start", game="piccolino", players=["Ann", "Ben", "Cem"], options=options or {})
    office.table.card(0, "red")
    office.table.card(1, "red")
    office.table.clock.now_ns += 1_000_000_000
