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
from hardware.problems import HardwareError, Health, Problem
from hardware.settings import MS, SECOND, Pin
from hardware.supervised import SupervisedThread

EARLIEST_KERNEL = (5, 10)


class StampCheck:
    """Compares every stamp with the moment it arrived, and replaces those that cannot be right.

    A stamp is believed if it is not from the future (by more than `future_ns`) and not older than `oldest_ns`.
    """

    def __init__(self, future_ns: int = 1 * MS, oldest_ns: int = 2 * SECOND) -> None:
        self._future_ns = future_ns
        self._oldest_ns = oldest_ns
        self.stamps = 0
        self.refused = 0
        self.worst_lag_ns = 0

    @property
    def agrees(self) -> bool | None:
        """Return whether stamp and clock agree; None while there was no stamp."""
        return None if not self.stamps else self.refused == 0

    def correct(self, stamp_ns: int, arrival_ns: int) -> int:
        """Return the time that counts: the stamp, or the arrival if the stamp cannot be right."""
        self.stamps += 1
        lag_ns = arrival_ns - stamp_ns
        if -self._future_ns <= lag_ns <= self._oldest_ns:
            self.worst_lag_ns = max(self.worst_lag_ns, lag_ns)
            return stamp_ns
        self.refused += 1
        return arrival_ns


def kernel_stamps_monotonic(release: str) -> bool:
    """Return whether a kernel's release ("6.6.20-rpi") stamps GPIO edges on CLOCK_MONOTONIC.

    They are with the second version of the GPIO interface, which lgpio 0.2 asks for: kernel 5.10 and later.
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
    """Some input lines. Back-ends: `hardware.gpio.GpioLines`, `RecordedLines`, and simulated ones."""

    def open(self, on_edge: OnEdge, on_health: OnHealth) -> Sequence[Edge]:
        """Begin to watch; give the lines' present levels as edges. Edges of one line come in time order.

        Both callbacks may be called from any thread; they never block and never raise. Raises HardwareError if a line
        cannot be had; then nothing stays open.
        """

    def close(self) -> None:
        """Stop watching and free the lines; no callback follows. Harmless when not open."""


class EdgeLogic(Protocol):
    """Interpretation of edges: pure, without a clock."""

    @property
    def deadline_ns(self) -> int | None:
        """Return when time alone will decide something, ns; None: nothing is pending."""

    @property
    def undecided_ns(self) -> int | None:
        """Time of the earliest thing that is not decided yet, ns; None: nothing is."""

    def begin(self, edge: Edge) -> list[TimedEvent]:
        """Take a line's level as it was found when the watching began."""

    def feed(self, edge: Edge) -> list[TimedEvent]:
        """Take an edge."""

    def advance(self, t_ns: int) -> list[TimedEvent]:
        """Take the promise that all edges up to `t_ns` have been fed."""


def judge_edges(logic: EdgeLogic, edges: Iterable[Edge], until_ns: int | None = None) -> list[TimedEvent]:
    """Put recorded edges, in time order, through a logic; then let time go on to `until_ns` (None: the last edge's)."""
    events: list[TimedEvent] = []
    last_ns = 0
    for edge in edges:
        events += logic.advance(edge.t_ns - 1)
        events += logic.feed(edge)
        last_ns = edge.t_ns
    return events + logic.advance(last_ns if until_ns is None else until_ns)


class RecordedLines:
    """Lines that repeat what was recorded, all at once when opened; the levels before are inactive."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._edges = tuple(edges)

    def open(self, on_edge: OnEdge, on_health: OnHealth) -> Sequence[Edge]:
        """Hand over every recorded edge."""
        for edge in self._edges:
            on_edge(edge)
        return ()

    def close(self) -> None:
        """Do nothing: there is nothing to free."""


@dataclass(frozen=True)
class LineSpec:
    """A line's name for the logic and the pin where it is."""

    name: str
    pin: Pin


class EdgeDevice:
    """A device that consists of lines and what their edges mean, with a thread of its own.

    Lines that cannot be opened are tried again every `retry_ns` and reported as missing meanwhile. `delivery_ns` is
    the longest that an edge is on its way from the kernel to us: only that long after a time is it certain that
    nothing came before it.
    """

    def __init__(
        self,
        name: str,
        lines: EdgeLines,
        logic: EdgeLogic,
        sink: Sink,
        clock: Clock = time.monotonic_ns,
        delivery_ns: int = 5 * MS,
        retry_ns: int = 2 * SECOND,
    ) -> None:
        self.name = name
        self._lines = lines
        self._logic = logic
        self._sink = sink
        self._clock = clock
        self._delivery_ns = delivery_ns
        self._retry_ns = retry_ns
        self._inbox: queue.SimpleQueue[Edge | Problem | None] = queue.SimpleQueue()
        self._thread = SupervisedThread(name, self._run, self._failed, first_wait_s=retry_ns / SECOND)
        self._open = False
        self._retry_at_ns: int | None = None
        self._health: tuple[Health, str] | None = None

    def start(self) -> None:
        """Begin; returns at once. Never raises for a missing device: that is reported."""
        if not self._thread.is_alive:
            self._thread.start()

    def stop(self) -> None:
        """End, free the lines, and wait until that is done."""
        if self._thread.is_alive:
            self._inbox.put(None)
            self._thread.stop()
            # A thread that waited to begin again has not taken it.
            self._inbox = queue.SimpleQueue()

    def command(self, edge: Edge) -> None:
        """Take an edge from elsewhere, such as the web page's button; from any thread."""
        self._inbox.put(edge)

    def step(self, timeout_s: float = 0.0) -> bool:
        """Do one round: open if need be, wait up to `timeout_s` for an edge, decide what is due. False: the end came.

        The thread calls this for ever; tests call it with a clock of their own.
        """
        self._try_open()
        items = self._receive(timeout_s)
        # The clock is read before the last look: an edge that comes after it is not taken to have come before.
        now_ns = self._clock()
        for item in items + self._receive(0.0):
            if item is None:
                return False
            if isinstance(item, Problem):
                self._report(item.state, item.message, item.t_ns)
            else:
                self._give(self._logic.feed(item))
        self._give(self._logic.advance(now_ns - self._delivery_ns))
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
            # What is gone cannot be let go either, and nobody minds.
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                self.close()

    def _failed(self, error: Exception) -> None:
        """Report a driver that failed, in whatever way; its lines are opened again later."""
        self._open, self._retry_at_ns = False, None
        # All other devices' events would wait for an edge that nobody decides on.
        self._sink.hold(None)
        self._report(Health.MISSING, f"It has a fault: {' '.join(str(error).split())[:200]}", self._clock())

    def _wait_s(self) -> float:
        """Return how long the thread may sleep, seconds."""
        due = [SECOND]
        now_ns = self._clock()
        if (deadline := self._logic.deadline_ns) is not None:
            due.append(deadline + self._delivery_ns - now_ns)
        if self._retry_at_ns is not None:
            due.append(self._retry_at_ns - now_ns)
        return max(min(due), 0) / SECOND

    def _receive(self, timeout_s: float) -> list[Edge | Problem | None]:
        """Return all that has arrived, waiting for the first."""
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
            self._retry_at_ns = now_ns + self._retry_ns
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
    """Collects the edges of some lines until somebody fetches them.

    lines: where they come from. seats: the bell's lines by name, and whose they are (None: nobody knows). The lines
    "barrier" and "tilt" are the sandtimer's; others are left out. on_trouble: receives one sentence, from any thread.
    """

    def __init__(self, lines: EdgeLines, seats: Mapping[str, int | None], on_trouble: Callable[[str], None]) -> None:
        self._lines = lines
        self._seats = seats
        self._on_trouble = on_trouble
        self._inbox: queue.SimpleQueue[tuple[Edge, bool]] = queue.SimpleQueue()

    def open(self) -> None:
        """Begin, with the lines' levels as they are found. Raises HardwareError if a line cannot be had."""
        # An edge may come before the levels are known; a replay takes levels first, whenever they were written.
        for level in self._lines.open(lambda edge: self._inbox.put((edge, False)), self._health):
            self._inbox.put((level, True))

    def fetch(self) -> list[BellEdge | SandEdge]:
        """Give what has come since the last time, in the order it came; never waits."""
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
