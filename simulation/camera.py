"""The simulated table's camera: a peer of the real ones, for `CameraSupervisor`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from hardware.camera.frames import Frame
from simulation.live import SECOND_NS, LiveTable

_LONGEST_NS = SECOND_NS / 2


class SimulatedCamera:
    """Films a table (a `Camera`), each frame at its time; frames that it is too slow for are lost.

    The film goes on where it is by the clock, so a camera that is opened again misses what happened meanwhile; after
    the script's end the last picture stays. table: what is before it, asked for with each frame: it may be another one
    any time. clock: monotonic, ns. sleep: waits so many seconds.
    """

    name = "the simulated camera"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        table: Callable[[], LiveTable],
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._tables, self._table = table, table()
        self._clock = clock
        self._sleep = sleep
        self._next = self._before = 0
        self._drawing_ns = 0.0

    def read(self) -> Frame | None:
        """Wait for the next frame; it comes when its exposure is over, or a little later if it was hard to draw."""
        started_ns = self._clock()
        # Drawn is the first frame that can be ready in time: a camera that is too slow loses frames, it delays none.
        table = self._tables()
        ready_s = (started_ns + round(self._drawing_ns) - table.start_ns) / SECOND_NS
        due = max(math.ceil(ready_s * table.shots.frames_per_s) - 1, 0)
        if table is not self._table:
            # The camera's own count goes on.
            self._before += self._next - due
            self._table, self._next = table, due
        self._next = max(self._next, due)
        drawn = table.frame(self._next)
        frame = replace(drawn, sequence=self._before + self._next)
        self._next += 1
        drawn_ns = self._clock()
        self._drawing_ns = max(0.9 * self._drawing_ns, min(1.2 * (drawn_ns - started_ns), _LONGEST_NS))
        if frame.exposure_end_ns > drawn_ns:
            self._sleep((frame.exposure_end_ns - drawn_ns) / SECOND_NS)
        return frame

    def close(self) -> None:
        """Let it go; closing twice is fine."""
