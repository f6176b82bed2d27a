"""A controller without a table: devices that say what a test wants, and a voice that writes down what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS
from hardware.events import TimedEvent as DeviceEvent
from hardware.lamp import RecordedLamp
from hardware.speaker import RecordedSpeaker
from referee.engine.events import Event
from referee.engine.session import Observation, Watcher
from referee.match.announcements import OnHealth
from referee.match.devices import Devices, Parts
from referee.match.referee import Referee
from referee.match.settings import TableSettings, save_settings

S = SECOND_NS


@dataclass(frozen=True)
class Scripted:
    t_ns: int
    kind: str
    data: Mapping[str, object] = field(default_factory=dict)


class ScriptWatcher(Watcher):
    """Hands scripted events on, and remembers the events with rulings."""

    def __init__(self) -> None:
        self.told: list[Event] = []
        self.views: list[Any] = []

    def hear(self, event: DeviceEvent) -> Observation:
        return (
            Observation((Event(event.t_ns, event.kind, event.data),)) if isinstance(event, Scripted) else Observation()
        )

    def judged(self, event: Event, rulings: object, view: object) -> None:
        self.told.append(event)
        self.views.append(view)

    def begin_again(self) -> None:
        self.told.clear()
        self.views.clear()


class Clock:
    def __init__(self, now_ns: int = 1000 * S) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        self.now_ns += 1_000_000
        return self.now_ns


class Table:
    """A referee with its journal in a folder; `again` is the same folder after the process was killed."""

    def __init__(self, folder: Path, boot: str = "boot", now_ns: int = 1000 * S, **settings: object) -> None:
        self.folder, self.boot = folder, boot
        self.clock = Clock(now_ns)
        self.speaker, self.lamp, self.devices = RecordedSpeaker(self.clock), RecordedLamp(self.clock), FakeDevices()
        self.hour = (15, 0)
        self.plugged: list[tuple[str, str]] = []
        self.watchers: list[ScriptWatcher] = []
        if settings:
            save_settings(folder, TableSettings(**settings))  # type: ignore[arg-type]
        parts = Parts(
            lambda _: self.devices,
            lambda *_: self.speaker,
            lambda *_: self.lamp,
            watcher=self._watch,
            boot=boot,
            clock=self.clock,
            time_of_day=lambda: self.hour,
            plugged=lambda: self.plugged,
        )
        self.referee = Referee(folder, parts)
        self.match = self.referee.match

    def _watch(self, _header: object) -> ScriptWatcher:
        self.watchers.append(ScriptWatcher())
        return self.watchers[-1]

    @property
    def said(self) -> list[str]:
        return [sentence for _, sentence in self.speaker.said]

    def again(self, boot: str = "boot", now_ns: int | None = None) -> Table:
        """Return what comes after a `kill -9`: nothing was closed."""
        return Table(self.folder, boot, self.clock.now_ns if now_ns is None else now_ns)

    def hear(self, kind: str, **data: object) -> list[Mapping[str, object]]:
        return [dict(ruling) for ruling in self.referee.hear(Scripted(self.clock(), kind, data)).rulings]

    def card(self, seat: int, colour: str, mood: str = "happy") -> None:
        self.hear("card_shown", seat=seat, colour=colour, mood=mood)

    def piccolino_with_a_pair(self) -> None:
        self.referee.begin("piccolino", ["Ann", "Ben", "Cem"], {})
        self.card(0, "red")
        self.card(1, "red")
        self.clock.now_ns += S


class FakeDevices(Devices):
    """Devices whose camera is set up as a test wants; its supervisor is the devices themselves."""

    settling = False
    camera_notes: tuple[str, ...] = ()
    loudness: float | None = None

    def __init__(self) -> None:
        super().__init__()
        self.source = self.queue.source("bell", 0)
        self.on_health: OnHealth | None = None
        self.settles = True
        self.hangs = self.stopped = False
        self.supervisor: Any = self
        self.settled: list[tuple[Polygon | None, bool]] = []
        self.flipped = 0
        self.changed: list[str] = []

    def start(self, on_health: OnHealth) -> None:
        self.on_health = on_health

    def stop(self) -> None:
        self.stopped = True

    def camera_hangs(self) -> bool:
        return self.hangs

    @property
    def notes(self) -> tuple[str, ...]:
        return self.camera_notes

    def settle(self, area: Polygon | None, *, focus: bool) -> bool:
        self.settled.append((area, focus))
        return self.settles

    def flip(self) -> bool:
        self.flipped += 1
        return False

    def change(self, settings: TableSettings, others: frozenset[str], let_go: Callable[[str], None]) -> None:
        for device in sorted(others - {"lamp"}):
            let_go(device)
            self.changed.append(device)
