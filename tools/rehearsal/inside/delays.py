"""Measures the delays of bell edges and picamera2 frames in the machine: SECONDS."""

from __future__ import annotations

import sys
import time

import numpy as np

from hardware.bell import make_bell
from hardware.camera.camera import CameraSettings, open_camera
from hardware.camera.frames import SECOND_NS, FrameBuffer, FrameExposed, FrameTap
from hardware.camera.supervisor import CameraSupervisor
from hardware.events import BellPressed, EventQueue, TimedEvent
from hardware.settings import BellSettings
from referee.match.devices import EDGE_LAG_NS

NS_PER_MS = 1e6


class TimedQueue(EventQueue):
    """A queue that records the age of events on arrival, ms."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[float] = []
        self.frames: list[float] = []

    def _put(self, event: TimedEvent) -> None:
        super()._put(event)
        age_ms = (time.monotonic_ns() - event.t_ns) / NS_PER_MS
        if isinstance(event, BellPressed):
            self.pressed.append(age_ms)
        elif isinstance(event, FrameExposed):
            self.frames.append(age_ms)


def main() -> int:
    """Listen, and print the median and the 99th percentile of each; return 1 without events."""
    queue, buffer = TimedQueue(), FrameBuffer(SECOND_NS)
    bell = make_bell(BellSettings(), queue.source("bell", EDGE_LAG_NS))
    supervisor = CameraSupervisor(
        lambda: open_camera("picamera2", CameraSettings()), FrameTap(buffer, queue.source("camera"))
    )
    end_ns = time.monotonic_ns() + round(float(sys.argv[1]) * SECOND_NS)
    bell.start()
    supervisor.start()
    try:
        while (now_ns := time.monotonic_ns()) < end_ns:
            queue.take(now_ns)
            queue.wait(0.1)
    finally:
        supervisor.stop(timeout_s=5.0)
        bell.stop()
    for name, ages in (("bell edge to queue", queue.pressed), ("exposure end to readable frame", queue.frames)):
        figures = f"median {np.median(ages):.1f} ms, 99 % {np.quantile(ages, 0.99):.1f} ms" if ages else "nothing came"
        print(f"{name}: {figures}, {len(ages)} of them")
    print(f"frames that never came: {buffer.lost}")
    return 0 if queue.pressed and queue.frames else 1


if __name__ == "__main__":
    sys.exit(main())
