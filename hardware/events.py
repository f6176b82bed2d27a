"""Events of the devices as frozen values, and the queue that releases them in time order."""

from __future__ import annotations

import heapq
import threading
from dataclasses import dataclass, field
from enum import Enum
from queue import SimpleQueue
from typing import Any, Protocol


class TimedEvent(Protocol):
    """An event with a time."""

    @property
    def t_ns(self) -> int:
        """Time of the event itself, not of its detection, ns on the monotonic clock."""


class Sink(Protocol):
    """Destination of a device's events, such as a `Source`."""

    def put(self, event: TimedEvent) -> None:
        """Take an event; never blocks."""

    def hold(self, t_ns: int | None) -> None:
        """Hold back events from `t_ns` on, which is still undecided; None: nothing is."""


@dataclass(frozen=True)
class BellEdge:
    """A raw edge of a bell's line, as recordings keep it on `/bell`.

    found: not a change, but the line's level at the start.
    """

    t_ns: int
    seat: int | None
    pressed: bool
    found: bool = False


@dataclass(frozen=True)
class PhoneWay:
    """Back-dating of a phone's press: `back_ms`, at most `most_ms`, half of its round trip."""

    back_ms: float
    most_ms: float


@dataclass(frozen=True)
class BellPressed:
    """A ring: `t_ns` is the first edge of the press. seat: None when the line does not identify the ringer.

    way: of a press over the network; else None.
    """

    t_ns: int
    seat: int | None
    way: PhoneWay | None = field(default=None, compare=False)


class SandLine(Enum):
    """The sandtimer's two sensors; the value is the name in a recording."""

    BARRIER = "barrier"
    TILT = "tilt"


@dataclass(frozen=True)
class SandEdge:
    """A raw edge of a sandtimer's sensor, as recordings keep it on `/sandtimer`.

    level: 1 is blocked (barrier) or tilted one way (tilt), 0 the other. found: not a change, but the line's level at
    the start.
    """

    t_ns: int
    line: SandLine
    level: int
    found: bool = False


class SandReason(Enum):
    """Faults of a sandtimer; the announcer has the words.

    CLOGGED: the sand stopped although the timer did not move. KNOCKED_OVER: it moved and the sand stopped.
    FLIPPED_EARLY: it was turned while sand was left. STOPPED: the sand stopped early, and without a tilt switch the
    cause is unknown. NO_SAND: it was turned but no sand runs. ENDLESS: sand runs for longer than all of it takes.
    BARRIER_SILENT: the light barrier has never seen anything; the learned duration replaces it.
    """

    CLOGGED = "clogged"
    KNOCKED_OVER = "knocked_over"
    FLIPPED_EARLY = "flipped_early"
    STOPPED = "stopped"
    NO_SAND = "no_sand"
    ENDLESS = "endless"
    BARRIER_SILENT = "barrier_silent"


@dataclass(frozen=True)
class SandFlipped:
    """A whole run of the sandtimer began."""

    t_ns: int


@dataclass(frozen=True)
class SandRanOut:
    """The last grain fell at `t_ns`; the event comes a pause later, when no other can follow.

    flow_ns: how long sand ran in all, ns.
    """

    t_ns: int
    flow_ns: int


@dataclass(frozen=True)
class SandTrouble:
    """A fault of the sandtimer since `t_ns`."""

    t_ns: int
    reason: SandReason


@dataclass(frozen=True)
class SandResumed:
    """The sand runs again in the same direction after a fault."""

    t_ns: int


@dataclass(order=True)
class _Entry:
    t_ns: int
    arrival: int
    event: TimedEvent = field(compare=False)


class Source:
    """One device's access to the queue, made by `EventQueue.source`."""

    def __init__(self, queue: EventQueue, name: str, lag_ns: int | None, patience_ns: int) -> None:
        self.name = name
        self._queue = queue
        self._lag_ns = lag_ns
        self._patience_ns = patience_ns
        self._held_ns: int | None = None
        self._seen_ns: int | None = None

    def put(self, event: TimedEvent) -> None:
        """Take an event; waits at most for the queue's lock."""
        self._queue._put(event)

    def hold(self, t_ns: int | None) -> None:
        """Hold back events of `t_ns` or later until the next call; None: nothing is undecided."""
        with self._queue._changed:
            self._held_ns = t_ns
            self._queue._changed.notify_all()

    def advance(self, t_ns: int) -> None:
        """Promise that no event before `t_ns` will follow, for a source without a fixed lag, such as a camera."""
        with self._queue._changed:
            self._seen_ns = t_ns if self._seen_ns is None else max(t_ns, self._seen_ns)
            self._queue._changed.notify_all()

    def close(self) -> None:
        """Leave the queue: nothing waits for this source any more."""
        self._queue._remove(self)

    def _ready_ns(self, now_ns: int) -> int:
        """Return the time before which no further event can come."""
        if self._lag_ns is not None:
            bound = now_ns - self._lag_ns + 1
        elif self._seen_ns is None:
            bound = now_ns + 1
        else:
            bound = self._seen_ns
        if self._held_ns is not None:
            bound = min(bound, self._held_ns)
        # A source without any promise for so long hangs; the others do not wait for it.
        return max(bound, now_ns - self._patience_ns)


class EventQueue:
    """Takes events from many threads and returns them in time order, equal times in order of arrival.

    An event is released when every source has passed its time. A later one is released at once, out of order, and
    counted in `late`; no event is lost. rings: takes each ring on arrival, for another thread.
    """

    def __init__(self, rings: SimpleQueue[Any] | None = None) -> None:
        self._changed = threading.Condition()
        self._entries: list[_Entry] = []
        self._sources: list[Source] = []
        self._arrivals = 0
        self._given_ns: int | None = None
        self.late = 0
        self._rings = rings

    def source(self, name: str, lag_ns: int | None = None, patience_ns: int = 1_000_000_000) -> Source:
        """Return a device's access to the queue.

        lag_ns: the longest delay of the device's events, ns; None: the device calls `Source.advance`, and nobody waits
        for it before its first call. patience_ns: the longest that the others wait for it, ns.
        """
        source = Source(self, name, lag_ns, patience_ns)
        with self._changed:
            self._sources.append(source)
        return source

    def take(self, now_ns: int) -> list[TimedEvent]:
        """Return the events that are ready at `now_ns` of the monotonic clock, in time order; does not wait."""
        with self._changed:
            bound = min((source._ready_ns(now_ns) for source in self._sources), default=now_ns + 1)
            events: list[TimedEvent] = []
            while self._entries and self._entries[0].t_ns < bound:
                events.append(heapq.heappop(self._entries).event)
            if events:
                last = events[-1].t_ns
                self._given_ns = last if self._given_ns is None else max(last, self._given_ns)
            return events

    def wait(self, timeout_s: float) -> None:
        """Sleep until an event comes, a source advances, or `timeout_s` seconds have passed."""
        with self._changed:
            self._changed.wait(timeout_s)

    def __len__(self) -> int:
        with self._changed:
            return len(self._entries)

    def _put(self, event: TimedEvent) -> None:
        with self._changed:
            if self._given_ns is not None and event.t_ns < self._given_ns:
                self.late += 1
            heapq.heappush(self._entries, _Entry(event.t_ns, self._arrivals, event))
            self._arrivals += 1
            self._changed.notify_all()
        if self._rings is not None and isinstance(event, BellPressed):
            self._rings.put(event)

    def _remove(self, source: Source) -> None:
        with self._changed:
            if source in self._sources:
                self._sources.remove(source)
            self._changed.notify_all()
