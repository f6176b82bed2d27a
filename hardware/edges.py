"""Edges of GPIO lines: their time stamps, raw copies for recordings, and the pump onto the event queue."""

from __future__ import annotations

import contextlib
import queue
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hardware.events import BellEdge, SandEdge, SandLine, Sink, TimedEvent
from hardware.problems import HardwareError, Health, Problem, one_line
from hardware.settings import MS, SECOND, Pin
from hardware.supervised import SupervisedThread

EARLIEST_KERNEL = (5, 10)


class StampCheck:
    """Compares each time stamp with its arrival, and replaces impossible ones.

    A stamp is possible if it is at most 1 ms ahead and at most 2 s old.
    """

    def __init__(self) -> None:
        self.stamps = 0
        self.refused = 0
        self.worst_lag_ns = 0

    @property
    def agrees(self) -> bool | None:
        """Return whether stamps and clock agree; None before the first stamp."""
        return None if not self.stamps else self.refused == 0

    def correct(self, stamp_ns: int, arrival_ns: int) -> int:
        """Return the stamp, or the arrival if the stamp is impossible."""
        self.stamps += 1
        lag_ns = arrival_ns - stamp_ns
        if -1 * MS <= lag_ns <= 2 * SECOND:
            self.worst_lag_ns = max(self.worst_lag_ns, lag_ns)
            return stamp_ns
        self.refused += 1
        return arrival_ns


def kernel_stamps_monotonic(release: str) -> bool:
    """Return whether a kernel's release ("6.6.20-rpi") stamps GPIO edges on CLOCK_MONOTONIC.

    The second version of the GPIO interface does, which lgpio 0.2 uses: kernel 5.10 and later.
    """
    match = re.match(r"(\d+)\.(\d+)", release)
    return match is not None and (int(match[1]), int(match[2])) >= EARLIEST_KERNEL


Clock = Callable[[], int]


@dataclass(frozen=True)
class Edge:
    """A change of one line. active: True is pressed, blocked or tilted, whatever the electrical level."""

    t_ns: int
    line: str
    active: bool


OnEdge = Callable[[Edge], None]
OnHealth = Callable[[Health, str], None]


class EdgeLines(Protocol):
    """Input lines. Back-ends: `hardware.gpio.GpioLines`, and simulated ones."""

    def open(self, on_edge: OnEdge, on_health: OnHealth) -> Sequence[Edge]:
        """Start watching; return the lines' levels as edges. Edges of one line come in time order.

        Both callbacks may be called from any thread; they never block and never raise. Raises HardwareError if a line
        cannot be opened; then all are closed.
        """

    def close(self) -> None:
        """Stop watching and free the lines; no callback follows. Harmless when not open."""


class EdgeLogic(Protocol):
    """Interpretation of edges: pure, without a clock."""

    @property
    def deadline_ns(self) -> int | None:
        """Return the next time at which time alone decides something, ns; None: nothing is pending."""

    @property
    def undecided_ns(self) -> int | None:
        """Time of the earliest undecided edge, ns; None without one."""

    def begin(self, edge: Edge) -> list[TimedEvent]:
        """Take a line's level at the start."""

    def feed(self, edge: Edge) -> list[TimedEvent]:
        """Take an edge."""

    def advance(self, t_ns: int) -> list[TimedEvent]:
        """Take the promise that all edges up to `t_ns` were fed; return the events."""


def judge_edges(logic: EdgeLogic, edges: Iterable[Edge], until_ns: int | None = None) -> list[TimedEvent]:
    """Return the events of recorded edges, in time order; time advances to `until_ns` (None: to the last edge)."""
    events: list[TimedEvent] = []
    last_ns = 0
    for edge in edges:
        events += logic.advance(edge.t_ns - 1)
        events += logic.feed(edge)
        last_ns = edge.t_ns
    return events + logic.advance(last_ns if until_ns is None else until_ns)


@dataclass(frozen=True)
class LineSpec:
    """A line's name, and its pin."""

    name: str
    pin: Pin


DELIVERY_NS = 5 * MS
"""Longest delay of an edge from the kernel: only after it can no earlier edge follow."""
RETRY_NS = 2 * SECOND


class EdgeDevice:
    """A device made of lines and an `EdgeLogic`, with its own thread.

    Lines that cannot be opened are reported as missing and retried every RETRY_NS.
    """

    def __init__(
        self,
        name: str,
        lines: EdgeLines,
        logic: EdgeLogic,
        sink: Sink,
        clock: Clock = time.monotonic_ns,
    ) -> None:
        self.name = name
        self._lines = lines
        self._logic = logic
        self._sink = sink
        self._clock = clock
        self._inbox: queue.SimpleQueue[Edge | Problem | None] = queue.SimpleQueue()
        self._thread = SupervisedThread(name, self._run, self._failed, first_wait_s=RETRY_NS / SECOND)
        self._open = False
        self._retry_at_ns: int | None = None
        self._health: tuple[Health, str] | None = None

    def start(self) -> None:
        """Start and return at once; a missing device is reported, never raised."""
        if not self._thread.is_alive:
            self._thread.start()

    def stop(self) -> None:
        """Stop, free the lines, and wait until that is done."""
        if self._thread.is_alive:
            self._inbox.put(None)
            self._thread.stop()
            # A thread that waited to restart has not taken it.
            self._inbox = queue.SimpleQueue()

    def command(self, edge: Edge) -> None:
        """Take an edge from another source, such as the page's button; from any thread."""
        self._inbox.put(edge)

    def step(self, timeout_s: float = 0.0) -> bool:
        """Open the lines if due, wait up to `timeout_s` for an edge, decide what is due; return False at the end.

        The thread calls this in a loop; tests call it with their own clock.
        """
        self._try_open()
        items = self._receive(timeout_s)
        # The clock is read before the inbox: a later edge must not count as earlier.
        now_ns = self._clock()
        for item in items + self._receive(0.0):
            if item is None:
                return False
            if isinstance(item, Problem):
                self._report(item.state, item.message, item.t_ns)
            else:
                self._give(self._logic.feed(item))
        self._give(self._logic.advance(now_ns - DELIVERY_NS))
        self._sink.hold(self._logic.undecided_ns)
        return True

    def close(self) -> None:
        """Free the lines."""
        self._lines.close()
        self._open = False

    def _run(self) -> None:
        try:
            while self.step(self._wait_s()):
                pass
        finally:
            # Lines that are gone cannot be freed.
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                self.close()

    def _failed(self, error: Exception) -> None:
        """Report a driver that failed; its lines are reopened later."""
        self._open, self._retry_at_ns = False, None
        # Without this the other devices' events would wait for an edge that nobody decides.
        self._sink.hold(None)
        self._report(Health.MISSING, f"It has a fault: {one_line(error)}", self._clock())

    def _wait_s(self) -> float:
        """Return the thread's longest sleep, seconds."""
        due = [SECOND]
        now_ns = self._clock()
        if (deadline := self._logic.deadline_ns) is not None:
            due.append(deadline + DELIVERY_NS - now_ns)
        if self._retry_at_ns is not None:
            due.append(self._retry_at_ns - now_ns)
        return max(min(due), 0) / SECOND

    def _receive(self, timeout_s: float) -> list[Edge | Problem | None]:
        """Return all that has arrived; wait for the first."""
        items: list[Edge | Problem | None] = []
        try:
            items.append(self._inbox.get(timeout=timeout_s) if timeout_s > 0 else self._inbox.get_nowait())
            while True:
                items.append(self._inbox.get_nowait())
        except queue.Empty:
            return items

    def _try_open(self) -> None:
        now_ns = self._clock()
        if self._open or (self._retry_at_ns is not None and now_ns < self._retry_at_ns):
            return
        try:
            levels = self._lines.open(self._inbox.put, self._put_health)
        except HardwareError as error:
            self._retry_at_ns = now_ns + RETRY_NS
            self._report(Health.MISSING, error.said, now_ns)
            return
        self._open = True
        self._retry_at_ns = None
        self._report(Health.OK, "", now_ns)
        for level in levels:
            self._give(self._logic.begin(level))

    def _put_health(self, state: Health, message: str) -> None:
        self._inbox.put(Problem(self.name, state, message, t_ns=self._clock()))

    def _report(self, state: Health, message: str, t_ns: int) -> None:
        if self._health != (state, message):
            self._health = (state, message)
            self._sink.put(Problem(self.name, state, message, t_ns=t_ns))

    def _give(self, events: Iterable[TimedEvent]) -> None:
        for event in events:
            self._sink.put(event)


class EdgeTap:
    """Collects the edges of some lines until `fetch`.

    lines: their source. seats: the bell's lines by name, with their seats (None: one bell for all). The lines "barrier"
    and "tilt" are the sandtimer's; others are ignored. on_trouble: receives one sentence, from any thread.
    """

    def __init__(self, lines: EdgeLines, seats: Mapping[str, int | None], on_trouble: Callable[[str], None]) -> None:
        self._lines = lines
        self._seats = seats
        self._on_trouble = on_trouble
        self._inbox: queue.SimpleQueue[tuple[Edge, bool]] = queue.SimpleQueue()

    def open(self) -> None:
        """Start with the lines' present levels. Raises HardwareError if a line cannot be opened."""
        # An edge may come before the levels are read; a replay takes levels first, in any order.
        for level in self._lines.open(lambda edge: self._inbox.put((edge, False)), self._health):
            self._inbox.put((level, True))

    def fetch(self) -> list[BellEdge | SandEdge]:
        """Return the edges since the last call, in order of arrival; never waits."""
        edges: list[BellEdge | SandEdge] = []
        while True:
            try:
                edge, found = self._inbox.get_nowait()
            except queue.Empty:
                return edges
            if edge.line in self._seats:
                edges.append(BellEdge(edge.t_ns, self._seats[edge.line], edge.active, found))
            elif edge.line in (SandLine.BARRIER.value, SandLine.TILT.value):
                edges.append(SandEdge(edge.t_ns, SandLine(edge.line), int(edge.active), found))

    def close(self) -> None:
        """End and free the lines."""
        self._lines.close()

    def _health(self, state: Health, message: str) -> None:
        if state is not Health.OK:
            self._on_trouble(message)
