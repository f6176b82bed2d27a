"""A simulated table played as fast as possible, in one thread with its own clock; deterministic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hardware.camera.frames import SECOND_NS, FrameBuffer, FrameTap
from hardware.events import EventQueue
from hardware.events import TimedEvent as DeviceEvent
from hardware.gpio import PinFactory
from hardware.settings import MS
from referee.demo.devices import EdgeSide, go_on_after
from referee.engine.clockwork import Fed, OnOutcome, feed
from referee.engine.log import RulingData
from referee.engine.session import Outcome
from simulation.live import LiveTable
from simulation.waits import Waits

# Largest delay of an edge by the kernel, and of a frame by the camera.
_DELIVERY_NS = 6 * MS
_STEP_NS = 10 * MS


class SteppedTable:
    """Pins, debouncer, sand logic, queue and buffer as in real time, without their threads.

    Time advances in steps of 10 ms, and frames come at the end of their exposure. make_factory: wraps the pins'
    factory; a test's may fail.
    """

    def __init__(
        self,
        table: LiveTable,
        seed: int,
        session: Fed,
        on_outcome: OnOutcome,
        make_factory: Callable[[PinFactory], PinFactory] | None = None,
    ) -> None:
        self.table = table
        table.waits = Waits(table.script.waits_s)
        self._now_ns = table.start_ns
        queue = EventQueue()
        self.queue = queue
        self.buffer = FrameBuffer(2 * SECOND_NS)
        self._tap = FrameTap(self.buffer, queue.source("camera"))
        self._edges = EdgeSide(table, seed, queue, self.clock, make_factory)
        self._mover = self._edges.begin(table)
        self._session, self._on_outcome = session, on_outcome
        self._next = 0

    def clock(self) -> int:
        """Return the table's own time, ns."""
        return self._now_ns

    def play(self, until_s: float | None = None) -> Iterator[float]:
        """Play to the script's end or to `until_s`; yield the time, s, after each frame."""
        end_s = self.table.script.length_s if until_s is None else until_s
        while self.table.seconds(self.table.exposure_end_ns(self._next)) <= end_s:
            frame_ns = self.table.exposure_end_ns(self._next)
            while self._now_ns + _STEP_NS < frame_ns:
                self._step_devices(self._now_ns + _STEP_NS)
            self._step_devices(frame_ns + _DELIVERY_NS)
            self._tap.push(self.table.frame(self._next))
            self._next += 1
            while feed(self.queue, self.buffer, self._session, self._heard, self._now_ns):
                pass
            yield self.table.seconds(self._now_ns)

    def _heard(self, event: DeviceEvent, outcome: Outcome) -> None:
        self._on_outcome(event, outcome)
        self.ruled(outcome.rulings)

    def ruled(self, rulings: Sequence[RulingData]) -> None:
        """Let people continue who wait for the count; the caller calls this for its own outcomes."""
        go_on_after(rulings, self.table, self._now_ns)

    def close(self) -> None:
        """Free the pins."""
        self._edges.bell.close()
        self._edges.sandtimer.device.close()
        self._edges.close()

    def _step_devices(self, now_ns: int) -> None:
        self._now_ns = now_ns
        self._mover.move_until(now_ns)
        self._edges.bell.step()
        self._edges.sandtimer.device.step()
