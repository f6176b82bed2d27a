"""Opens the devices at the table from the settings; a missing one never stops the others."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hardware.bell import BellDevice, NoBell, make_bell
from hardware.camera.camera import Camera, CameraSettings, open_camera, opened_turned
from hardware.camera.frames import SECOND_NS, FrameBuffer, FrameTap
from hardware.camera.plugged import Plugged
from hardware.camera.supervisor import CameraReport, CameraState, CameraSupervisor, WatchLimits
from hardware.edges import EdgeLines
from hardware.events import BellPressed, EventQueue, PhoneWay, Source
from hardware.lamp import Lamp
from hardware.microphone import MicrophoneBell
from hardware.sand import Sandtimer
from hardware.settings import MS
from hardware.speaker import Speaker
from hardware.supervised import nothing
from referee.engine.log import RulingData
from referee.errors import RingmasterError
from referee.match.announcements import OnHealth, default_lamp, default_speaker
from referee.match.match import MakeWatcher
from referee.match.process import time_of_day
from referee.match.settings import TableSettings
from referee.store.database import Connect, connect
from vision.profile import TableProfile

KEEP_NS = 4 * SECOND_NS
KEEP_BYTES = 400_000_000
EDGE_LAG_NS = 15 * MS
# An unplugged camera is missing at once. One that is silent for so long, and could not be opened again, hangs.
HANGS_NS = 60 * SECOND_NS
WORKED = 5_000
"""The least number of pictures, three minutes, after which a camera that hangs is worth a new process: no sooner, so
that one that hangs again and again does not end play each minute."""
PHONE_LAG_NS = 300 * MS
"""The longest delay of a press; all rulings wait for that while phones ring."""
MOST_WITHIN_NS = 40 * MS
"""The greatest error of a press's time."""
GONE_NS = 60 * SECOND_NS
"""A phone silent for so long rings no more, and nothing waits for it."""


class Devices:
    """The referee's devices: of the real table, or of a simulated one.

    queue: of all their events. inbox: the publisher's, which takes each ring on arrival. buffer: the frames of the last
    seconds. supervisor: the camera's. ruled: takes new rulings, quickly; None: nobody at the table waits for them.
    """

    supervisor: CameraSupervisor
    ruled: Callable[[Sequence[RulingData]], None] | None = None

    def __init__(self) -> None:
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.queue = EventQueue(self.inbox)
        self.buffer = FrameBuffer(KEEP_NS, KEEP_BYTES)
        self._on_health: OnHealth = nothing

    def start(self, on_health: OnHealth) -> None:
        """Begin; return at once. on_health: takes the devices' states, from any thread; must be quick."""
        self._on_health = on_health

    def stop(self) -> None:
        """End all threads and let all devices go."""
        self._on_health = nothing

    def check(self, settings: TableSettings, others: frozenset[str]) -> None:
        """Raise SettingError if a device that is to change cannot."""

    def change(self, settings: TableSettings, others: frozenset[str], let_go: Callable[[str], None]) -> None:
        """Change to other devices; let_go: called for each closed one, before the next one begins."""

    def camera_hangs(self) -> bool:
        """Return whether the camera worked, and is silent for so long that only a new process can open it again."""
        report, has_worked = self.supervisor.report, self.buffer.pushed > WORKED
        return has_worked and report.state is CameraState.STALLED and time.monotonic_ns() - report.since_ns > HANGS_NS

    @property
    def camera_notes(self) -> tuple[str, ...]:
        """Return the failures of the camera's setup, of `hardware.camera.notes`."""
        return self.supervisor.notes

    @property
    def loudness(self) -> float | None:
        """Return the loudness at the bell's microphone now, 0 to 1; None without one."""
        return None

    def flip(self) -> bool:
        """Start the sandtimer for a person; False if no device here runs by that."""
        return False

    def _report_camera(self, report: CameraReport) -> None:
        # A camera takes some seconds to settle: until then it is not missing.
        if report.state is not CameraState.STARTING:
            self._on_health(report.health())


@dataclass(frozen=True)
class Parts:
    """Unusual parts of the referee, for the simulated table and for tests.

    devices: makes cameras and bells for the settings. speaker, lamp: make those, which report their states. resumes:
    whether the game in play goes on. decks: the folder with the taught decks, None: the referee's own. deck: the first
    choice, whatever was played before. profile: the measured table, None: the kept one. drawn: whether the table draws
    itself. watcher: makes a game's watcher, None: by its deck. boot: id of the start of the machine that `clock`
    belongs to, monotonic, ns. time_of_day: hour, minute. plugged: returns the cameras that are plugged in, each with
    its name in the settings and its maker's name.
    """

    devices: Callable[[TableSettings], Devices]
    speaker: Callable[[TableSettings, OnHealth], Speaker] = default_speaker
    lamp: Callable[[TableSettings, OnHealth], Lamp] = default_lamp
    resumes: bool = True
    decks: Path | None = None
    deck: str | None = None
    profile: TableProfile | None = None
    drawn: bool = False
    watcher: MakeWatcher | None = None
    boot: str | None = None
    clock: Callable[[], int] = time.monotonic_ns
    time_of_day: Callable[[], tuple[int, int]] = time_of_day
    connector: Connect = connect
    plugged: Callable[[], Sequence[tuple[str, str]]] = field(default_factory=Plugged)


class TableDevices(Devices):
    """Camera, bell and sandtimer on the machine.

    camera: its name as in `hardware.camera.camera.parse_spec`, or its opener; until another one is set. bell_lines,
    sand_lines, limits: instead of the machine's own lines, and of the usual limits of the camera, for tests.
    """

    def __init__(
        self,
        settings: TableSettings,
        camera: str | Callable[[], Camera] | None = None,
        bell_lines: EdgeLines | None = None,
        sand_lines: EdgeLines | None = None,
        limits: WatchLimits | None = None,
    ) -> None:
        super().__init__()
        self._given, self._bell_lines, self._sand_lines, self._limits = camera, bell_lines, sand_lines, limits
        self._lock = threading.Lock()
        self._makers: dict[str, Callable[[TableSettings], tuple[_Device, Source]]] = {
            "camera": self._make_camera,
            "bell": self._make_bell,
            "sandtimer": self._make_sand,
        }
        self._open = {name: make(settings) for name, make in self._makers.items()}

    def start(self, on_health: OnHealth) -> None:
        """Begin; report missing devices."""
        super().start(on_health)
        for device, _ in self._open.values():
            device.start()

    def stop(self) -> None:
        """End all threads and let all devices go."""
        with self._lock:
            for name in reversed(self._open):
                self._close(name)
        super().stop()

    def change(self, settings: TableSettings, others: frozenset[str], let_go: Callable[[str], None]) -> None:
        """Change to other devices."""
        with self._lock:
            self._given = None if "camera" in others else self._given
            for name in (one for one in self._open if one in others):
                self._close(name)
                let_go(name)
                self._open[name] = self._makers[name](settings)
                self._open[name][0].start()

    @property
    def loudness(self) -> float | None:
        """Return the loudness at the microphone now."""
        bell = self._open["bell"][0]
        return bell.loudness if isinstance(bell, MicrophoneBell) else None

    def flip(self) -> bool:
        """Start the sandtimer that has a known time and no sensors."""
        timer = self._open["sandtimer"][0]
        if not isinstance(timer, Sandtimer) or not self._is_by_hand:
            return False
        timer.flip()
        return True

    def _close(self, name: str) -> None:
        device, source = self._open[name]
        device.stop()
        source.close()

    def _make_camera(self, settings: TableSettings) -> tuple[_Device, Source]:
        spec, turn, source = self._given or settings.camera, settings.camera_turn(), self.queue.source("camera")

        def opener() -> Camera:
            upright = (lambda: open_camera(spec, CameraSettings())) if isinstance(spec, str) else spec
            return opened_turned(upright, turn)

        tap = FrameTap(self.buffer, source)
        self.supervisor = CameraSupervisor(opener, tap, self._report_camera, limits=self._limits)
        return self.supervisor, source

    def _make_bell(self, settings: TableSettings) -> tuple[_Device, Source]:
        source = self.queue.source("bell", EDGE_LAG_NS)
        return make_bell(settings.bell_settings(), source, lines=self._bell_lines), source

    def _make_sand(self, settings: TableSettings) -> tuple[_Device, Source]:
        sand, source = settings.sand_settings(), self.queue.source("sandtimer", EDGE_LAG_NS)
        self._is_by_hand = sand is not None and sand.backend == "watched"
        return NoBell() if sand is None else Sandtimer(sand, source, lines=self._sand_lines), source


_Device = CameraSupervisor | BellDevice | Sandtimer


class PhoneRingError(RingmasterError):
    """A press that cannot count."""


@dataclass(frozen=True)
class Arrival:
    """Time of a press's arrival, and how far before it may be dated: half of the measured round trip."""

    t_ns: int
    half_ns: int


class PhoneBells:
    """Puts presses on phones, which come over the network, on the time line of the presses; safe from any thread.

    Where phones ring, the queue waits for them: so a ring is ruled on the cards visible at the press, not at its
    arrival. If two presses are closer together than their times are certain, nobody knows who was first: then the
    players are asked.
    """

    def __init__(self, queue: EventQueue, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._queue, self._clock = queue, clock
        self._lock = threading.Lock()
        self._source: Source | None = None
        self._heard_ns = 0
        self._pending: list[tuple[BellPressed, int]] = []  # each with the error of its time

    def here(self) -> None:
        """Expect rings of a phone from now on."""
        with self._lock:
            self._open()

    def ring(self, seat: int, t_ns: int, within_ns: int, arrival: Arrival | None = None) -> None:
        """Take a press of a seat's phone at `t_ns` of the monotonic clock, certain to ± `within_ns`.

        The time is the phone's. With its arrival it is believed as far as the delay of its requests allows.

        Raises:
            PhoneRingError: it came too late for its order, or its time is too uncertain.
        """
        with self._lock:
            source, now_ns = self._open(), self._clock()
            if within_ns > MOST_WITHIN_NS:
                raise PhoneRingError("fault.bell_uncertain", ms=round(within_ns / MS))
            late_ns = now_ns - t_ns
            if late_ns > PHONE_LAG_NS:
                raise PhoneRingError("fault.bell_late", ms=round(late_ns / MS))
            # It cannot have been pressed after it came.
            pressed_ns, way = min(t_ns, now_ns), None
            if arrival is not None:
                most_ns = min(arrival.half_ns, MOST_WITHIN_NS)
                pressed_ns = max(min(t_ns, arrival.t_ns), arrival.t_ns - most_ns)
                way = PhoneWay(round((arrival.t_ns - pressed_ns) / MS, 1), round(most_ns / MS, 1))
            self._pending.append((BellPressed(pressed_ns, seat, way), within_ns))
            self._pending.sort(key=lambda one: one[0].t_ns)
            source.hold(self._pending[0][0].t_ns)

    def tend(self) -> None:
        """Hand on presses that no earlier one can still follow; to be called often."""
        with self._lock:
            if self._source is None:
                return
            now_ns = self._clock()
            while self._pending and now_ns >= self._ripe_ns():
                self._source.put(self._next())
                self._source.hold(self._pending[0][0].t_ns if self._pending else None)
            if not self._pending and now_ns - self._heard_ns > GONE_NS:
                self._source.close()
                self._source = None

    def _open(self) -> Source:
        self._heard_ns = self._clock()
        if self._source is None:
            self._source = self._queue.source("phones", PHONE_LAG_NS, patience_ns=4 * PHONE_LAG_NS)
        return self._source

    def _ripe_ns(self) -> int:
        """Return when every press has come that may have been before the first one."""
        first, within_ns = self._pending[0]
        return first.t_ns + within_ns + MOST_WITHIN_NS + PHONE_LAG_NS

    def _next(self) -> BellPressed:
        """Return the first press; without a seat if another seat's may have been before it."""
        first, within_ns = self._pending.pop(0)
        rivals = [one for one in self._pending if one[0].t_ns - first.t_ns <= within_ns + one[1]]
        if all(press.seat == first.seat for press, _ in rivals):
            return first
        self._pending = [one for one in self._pending if one not in rivals]
        return replace(first, seat=None)
