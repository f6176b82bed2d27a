"""The devices at the table, opened as the settings say; one that is missing never stops the others."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from hardware.bell_device import Bell, make_bell
from hardware.camera import Camera, CameraSettings, open_camera
from hardware.camera_supervisor import CameraSupervisor
from hardware.camera_watch import CameraReport, CameraState
from hardware.event_queue import EventQueue
from hardware.frame_tap import FrameTap
from hardware.frames import SECOND_NS, FrameBuffer
from hardware.health import DeviceHealth
from hardware.sandtimer import Sandtimer
from hardware.settings import MS
from referee.service.settings import TableSettings

KEEP_NS = 4 * SECOND_NS
KEEP_BYTES = 400_000_000
EDGE_LAG_NS = 15 * MS
# A camera that is unplugged is missing at once; one that is silent for so long, and could not be opened anew, hangs.
HANGS_NS = 60 * SECOND_NS
OnHealth = Callable[[DeviceHealth], None]


class Devices(Protocol):
    """What the referee sees and hears with: the real table, or a simulated one.

    queue: where all they notice meets. buffer: the frames of the last seconds.
    """

    queue: EventQueue
    buffer: FrameBuffer

    def start(self, on_health: OnHealth) -> None:
        """Begin; returns at once. on_health: told how the devices are, from any thread; must be quick."""

    def stop(self) -> None:
        """End all threads and let all devices go."""

    def camera_hangs(self) -> bool:
        """Whether the camera's driver hangs so that only a new process can open it again."""

    def flip(self) -> bool:
        """Take it that the sandtimer was turned, told by a person; False if nothing here runs by that."""


class TableDevices:
    """Camera, bell and sandtimer on the machine.

    camera: its name as in `hardware.camera.parse_spec`, or what opens it.
    """

    def __init__(self, settings: TableSettings, camera: str | Callable[[], Camera] | None = None) -> None:
        spec = camera or settings.camera
        self.queue = EventQueue()
        self.buffer = FrameBuffer(KEEP_NS, KEEP_BYTES)
        self._supervisor = CameraSupervisor(
            (lambda: open_camera(spec, CameraSettings())) if isinstance(spec, str) else spec,
            FrameTap(self.buffer, self.queue.source("camera")),
            self._camera_report,
        )
        self._bell: Bell = make_bell(settings.bell_settings(), self.queue.source("bell", EDGE_LAG_NS))
        sand = settings.sand_settings()
        self._sand = None if sand is None else Sandtimer(sand, self.queue.source("sandtimer", EDGE_LAG_NS))
        self._by_hand = sand is not None and sand.backend == "watched"
        self._on_health: OnHealth = _nobody

    def start(self, on_health: OnHealth) -> None:
        """Begin; a device that is missing is reported."""
        self._on_health = on_health
        self._supervisor.start()
        self._bell.start()
        if self._sand is not None:
            self._sand.start()

    def stop(self) -> None:
        """End all threads and let all devices go."""
        if self._sand is not None:
            self._sand.stop()
        self._bell.stop()
        self._supervisor.stop(timeout_s=1.0)
        self._on_health = _nobody

    def camera_hangs(self) -> bool:
        """Whether the camera has been silent for so long that its driver must hang."""
        report = self._supervisor.report
        return report.state is CameraState.STALLED and time.monotonic_ns() - report.since_ns > HANGS_NS

    def flip(self) -> bool:
        """Start the sandtimer whose time is known and which has no sensors."""
        if self._sand is None or not self._by_hand:
            return False
        self._sand.flip()
        return True

    def _camera_report(self, report: CameraReport) -> None:
        # A camera takes some seconds to settle: until then it is not missing.
        if report.state is not CameraState.STARTING:
            self._on_health(report.health())


def _nobody(_health: DeviceHealth) -> None:
    """Tell nobody: nothing listens yet, or any more."""
