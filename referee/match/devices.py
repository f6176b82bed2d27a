"""Opens the devices at the table from the settings; a missing one never stops the others."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from hardware.bell import BellDevice, make_bell
from hardware.camera.camera import Camera, CameraSettings, CameraTimeoutError, Turn, open_camera, opened_turned
from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS, FrameBuffer, FrameTap
from hardware.camera.plugged import Plugged
from hardware.camera.supervisor import CameraReport, CameraState, CameraSupervisor, WatchLimits
from hardware.edges import EdgeLines
from hardware.events import EventQueue, Source
from hardware.lamp import Lamp
from hardware.microphone import MicrophoneBell
from hardware.problems import HardwareError, Problem
from hardware.sand import Sandtimer
from hardware.settings import MS
from hardware.speaker import Speaker
from referee.engine.log import RulingData
from referee.errors import SettingError
from referee.match.match import MakeWatcher
from referee.match.process import time_of_day
from referee.match.settings import TableSettings
from referee.match.voice import OnHealth, default_lamp, default_speaker
from referee.store.database import Connect, connect
from vision.profile import TableProfile

KEEP_NS = 4 * SECOND_NS
KEEP_BYTES = 400_000_000
EDGE_LAG_NS = 15 * MS
# An unplugged camera is missing at once. One that is silent for so long, and could not be opened again, hangs.
HANGS_NS = 60 * SECOND_NS
TRIAL_S = 25.0
_LOOKS = 5


@runtime_checkable
class FollowsPlay(Protocol):
    """Devices whose users wait for the referee: those of a simulated table."""

    def ruled(self, rulings: Sequence[RulingData]) -> None:
        """Take new rulings; must be quick."""


class Devices(Protocol):
    """The referee's devices: of the real table, or of a simulated one.

    queue: of all their events. buffer: the frames of the last seconds.
    """

    queue: EventQueue
    buffer: FrameBuffer

    def start(self, on_health: OnHealth) -> None:
        """Begin; return at once. on_health: takes the devices' states, from any thread; must be quick."""

    def stop(self) -> None:
        """End all threads and let all devices go."""

    def camera_hangs(self) -> bool:
        """Return whether the camera's driver hangs so that only a new process can open it again."""

    def settle(self, area: Polygon | None, *, focus: bool) -> bool:
        """Let the camera be set up again (`hardware.camera.camera.Settling`); return at once, False if it cannot be."""

    @property
    def settling(self) -> bool:
        """Return whether the camera is being set up."""

    @property
    def camera_notes(self) -> tuple[str, ...]:
        """Return the failures of the camera's setup, of `hardware.camera.notes`."""

    @property
    def loudness(self) -> float | None:
        """Return the loudness at the bell's microphone now, 0 to 1; None without one."""

    def flip(self) -> bool:
        """Start the sandtimer for a person; False if no device here runs by that."""

    def check(self, settings: TableSettings, others: frozenset[str]) -> None:
        """Try the devices that are to change. Raises SettingError, with nothing changed, if that fails."""

    def change(self, settings: TableSettings, others: frozenset[str], let_go: Callable[[str], None]) -> None:
        """Change to other devices; let_go: called for each closed one, before the next one begins."""


@dataclass(frozen=True)
class Fitted:
    """Replacements of the machine's own devices, for tests: lines of bell and sandtimer, limits of the camera."""

    bell: EdgeLines | None = None
    sand: EdgeLines | None = None
    limits: WatchLimits | None = None


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


class TableDevices:
    """Camera, bell and sandtimer on the machine.

    camera: its name as in `hardware.camera.camera.parse_spec`, or its opener; until another one is set.
    """

    def __init__(
        self,
        settings: TableSettings,
        camera: str | Callable[[], Camera] | None = None,
        fitted: Fitted | None = None,
    ) -> None:
        self.queue = EventQueue()
        self.buffer = FrameBuffer(KEEP_NS, KEEP_BYTES)
        self._fitted = fitted or Fitted()
        self._lock = threading.Lock()
        self._on_health: OnHealth = _nobody
        self._camera = self._make_camera(camera or settings.camera, settings.camera_turn())
        self._bell = self._make_bell(settings)
        self._sand = self._make_sand(settings)

    def start(self, on_health: OnHealth) -> None:
        """Begin; report missing devices."""
        self._on_health = on_health
        for device in (self._camera, self._bell, self._sand):
            device.start()

    def stop(self) -> None:
        """End all threads and let all devices go."""
        with self._lock:
            for device in (self._sand, self._bell, self._camera):
                device.stop()
            self._on_health = _nobody

    def camera_hangs(self) -> bool:
        """Return whether the camera has been silent for so long that its driver must hang."""
        report = self._camera.supervisor.report
        return report.state is CameraState.STALLED and time.monotonic_ns() - report.since_ns > HANGS_NS

    def settle(self, area: Polygon | None, *, focus: bool) -> bool:
        """Let the camera be set up again."""
        return self._camera.supervisor.settle(area, focus=focus)

    @property
    def settling(self) -> bool:
        """Return whether the camera is being set up."""
        return self._camera.supervisor.settling

    @property
    def camera_notes(self) -> tuple[str, ...]:
        """Return sentences about settings that the camera could not apply."""
        return self._camera.supervisor.notes

    @property
    def loudness(self) -> float | None:
        """Return the loudness at the microphone now."""
        bell = self._bell.bell
        return bell.loudness if isinstance(bell, MicrophoneBell) else None

    def flip(self) -> bool:
        """Start the sandtimer that has a known time and no sensors."""
        return self._sand.flip()

    def check(self, settings: TableSettings, others: frozenset[str]) -> None:
        """Try a camera that is to change."""
        if "camera" in others:
            try_camera(settings.camera)

    def change(self, settings: TableSettings, others: frozenset[str], let_go: Callable[[str], None]) -> None:
        """Change to other devices."""
        with self._lock:
            if "camera" in others:
                self._camera.stop()
                let_go("camera")
                self._camera = self._make_camera(settings.camera, settings.camera_turn())
                self._camera.start()
            if "bell" in others:
                self._bell.stop()
                let_go("bell")
                self._bell = self._make_bell(settings)
                self._bell.start()
            if "sandtimer" in others:
                self._sand.stop()
                let_go("sandtimer")
                self._sand = self._make_sand(settings)
                self._sand.start()

    def _make_camera(self, spec: str | Callable[[], Camera], turn: Turn) -> _CameraPart:
        plain = (lambda: open_camera(spec, CameraSettings())) if isinstance(spec, str) else spec
        source = self.queue.source("camera")
        tap = FrameTap(self.buffer, source)

        def opener() -> Camera:
            return opened_turned(plain, turn)

        return _CameraPart(CameraSupervisor(opener, tap, self._camera_report, limits=self._fitted.limits), source)

    def _make_bell(self, settings: TableSettings) -> _BellPart:
        source = self.queue.source("bell", EDGE_LAG_NS)
        return _BellPart(make_bell(settings.bell_settings(), source, lines=self._fitted.bell), source)

    def _make_sand(self, settings: TableSettings) -> _SandPart:
        sand = settings.sand_settings()
        source = self.queue.source("sandtimer", EDGE_LAG_NS)
        timer = None if sand is None else Sandtimer(sand, source, lines=self._fitted.sand)
        return _SandPart(timer, sand is not None and sand.backend == "watched", source)

    def _camera_report(self, report: CameraReport) -> None:
        # A camera takes some seconds to settle: until then it is not missing.
        if report.state is not CameraState.STARTING:
            self._on_health(report.health())


@dataclass
class _CameraPart:
    supervisor: CameraSupervisor
    source: Source

    def start(self) -> None:
        self.supervisor.start()

    def stop(self) -> None:
        self.supervisor.stop(timeout_s=1.0)
        self.source.close()


@dataclass
class _BellPart:
    bell: BellDevice
    source: Source

    def start(self) -> None:
        self.bell.start()

    def stop(self) -> None:
        self.bell.stop()
        self.source.close()


@dataclass
class _SandPart:
    """timer: None where there is none. by_hand: a person starts it."""

    timer: Sandtimer | None
    by_hand: bool
    source: Source

    def start(self) -> None:
        if self.timer is not None:
            self.timer.start()

    def stop(self) -> None:
        if self.timer is not None:
            self.timer.stop()
        self.source.close()

    def flip(self) -> bool:
        if self.timer is None or not self.by_hand:
            return False
        self.timer.flip()
        return True


def try_camera(spec: str) -> None:
    """Open a camera, take a frame, and close it.

    Raises:
        SettingError: it gives no picture.
    """
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    # A driver may hang: then its thread is left behind, and the caller gets an error.
    threading.Thread(target=lambda: answers.put(_why_no_picture(spec)), name="camera trial", daemon=True).start()
    try:
        why = answers.get(timeout=TRIAL_S)
    except queue.Empty:
        why = "it does not answer"
    if why:
        raise SettingError("fault.no_picture_from", why=why)


def _why_no_picture(spec: str) -> str:
    """Return "" if a camera gives a picture, else the reason."""
    camera: Camera | None = None
    try:
        camera = open_camera(spec, CameraSettings(lock=False))
        for _ in range(_LOOKS):
            with contextlib.suppress(CameraTimeoutError):
                return "" if camera.read() is not None else "there are no more pictures"
        return "no picture came"
    except (HardwareError, OSError, RuntimeError, ValueError) as error:
        return " ".join(str(error).split()).rstrip(".")[:200]
    finally:
        if camera is not None:
            camera.close()


def _nobody(_health: Problem) -> None:
    """Ignore the report: nothing listens yet, or any more."""
