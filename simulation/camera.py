"""The simulated table's camera: a peer of the real ones, for `CameraSupervisor`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from hardware.camera.frames import Frame
from simulation.live import SECOND_NS, LiveTable

_LONGEST_NS = SECOND_NS / 2


class SimulatedCamera:
    """Films a table (a `Camera`), each frame at its time; frames that it is too slow for are lost.

    The film goes on where it is by the clock, so a camera that is opened anew misses what happened meanwhile; after the
    script's end the last picture stays. clock: monotonic, ns. sleep: waits so many seconds.
    """

    name = "the simulated camera"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        table: LiveTable,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._table = table
        self._clock = clock
        self._sleep = sleep
        self._next = 0
        self._drawing_ns = 0.0

    def read(self) -> Frame | None:
        """Wait for the next frame; it comes when its exposure is over, or a little later if it was hard to draw."""
        started_ns = self._clock()
        # Drawn is the first frame that can be ready in time: a camera that is too slow loses frames, it delays none.
        ready_s = (started_ns + round(self._drawing_ns) - self._table.start_ns) / SECOND_NS
        self._next = max(self._next, math.ceil(ready_s * self._table.shots.frames_per_s) - 1, 0)
        frame = self._table.frame(self._next)
        self._next += 1
        drawn_ns = self._clock()
        self._drawing_ns = max(0.9 * self._drawing_ns, min(1.2 * (drawn_ns - started_ns), _LONGEST_NS))
        if frame.exposure_end_ns > drawn_ns:
            self._sleep((frame.exposure_end_ns - drawn_ns) / SECOND_NS)
        return frame

    def close(self) -> None:
        """Let it go; closing twice is fine."""
