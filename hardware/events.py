"""Events of the devices as frozen values, and the queue that releases them in time order."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class TimedEvent(Protocol):
    """Anything that happened at a time."""

    @property
    def t_ns(self) -> int:
        """Return when it happened, ns, monotonic clock; not when it was noticed."""


class Sink(Protocol):
    """Sink for a device's events; `hardware.events.Source` is one."""

    def put(self, event: TimedEvent) -> None:
        """Take an event; never blocks."""

    def hold(self, t_ns: int | None) -> None:
        """Note that something of this time is not decided yet, so that nothing later is given out; None: all is."""


@dataclass(frozen=True)
class BellEdge:
    """A raw edge of a bell's line, undebounced: what a recording keeps on `/bell`.

    found: no change, but how the line was found when the recording began.
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

    way: of a press that came over the network; None: it did not.
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
    """A raw edge of a sandtimer's sensor: what a recording keeps on `/sandtimer`.

    level: 1 is blocked (barrier) or tilted the one way (tilt), 0 the other. found: no change, but how the line was
    found when the recording began.
    """

    t_ns: int
    line: SandLine
    level: int
    found: bool = False


class Witness(Enum):
    """Source of a sandtimer's event."""

    BARRIER = "barrier"
    TILT = "tilt"
    DURATION = "duration"
    HAND = "hand"


class SandReason(Enum):
    """Faults of a sandtimer; the announcer has the words.

    CLOGGED: the sand stopped though the timer stands as it stood. KNOCKED_OVER: it was moved and no sand runs since.
    FLIPPED_EARLY: it was turned while sand was left. STOPPED: it stopped early, and without a tilt switch nobody can
    tell whether it is clogged or lies. NO_SAND: it was turned but no sand runs. ENDLESS: the light barrier sees more
    than all the sand. BARRIER_SILENT: the light barrier has never seen anything; the learned duration is used instead.
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
    witness: Witness


@dataclass(frozen=True)
class SandRanOut:
    """The last grain has fallen at `t_ns`; it is announced a pause later, when it is certain that none follows.

    flow_ns: how long sand ran in all, ns. disturbed: the run was stopped, knocked over or flipped in between.
    """

    t_ns: int
    flow_ns: int
    witness: Witness
    disturbed: bool


@dataclass(frozen=True)
class SandTrouble:
    """Something is wrong with the sandtimer since `t_ns`."""

    t_ns: int
    reason: SandReason


@dataclass(frozen=True)
class SandResumed:
    """The sand runs again, the same way round, after a trouble."""

    t_ns: int


@dataclass(order=True)
class _Entry:
    t_ns: int
    arrival: int
    event: TimedEvent = field(compare=False)


class Source:
    """One device's way onto the queue; make it with `EventQueue.source`."""

    def __init__(self, queue: EventQueue, name: str, lag_ns: int | None, patience_ns: int) -> None:
        self.name = name
        self._queue = queue
        self._lag_ns = lag_ns
        self._patience_ns = patience_ns
        self._held_ns: int | None = None
        self._seen_ns: int | None = None

    def put(self, event: TimedEvent) -> None:
        """Take an event; never blocks for longer than the queue's lock."""
        self._queue._put(event)

    def hold(self, t_ns: int | None) -> None:
        """Let nothing of `t_ns` or later out until this is called again; None: nothing is undecided."""
        with self._queue._changed:
            self._held_ns = t_ns
            self._queue._changed.notify_all()

    def advance(self, t_ns: int) -> None:
        """Promise that no event before `t_ns` will follow (for a source without a fixed lag, such as a camera)."""
        with self._queue._changed:
            self._seen_ns = t_ns if self._seen_ns is None else max(t_ns, self._seen_ns)
            self._queue._changed.notify_all()

    def close(self) -> None:
        """Leave the queue: nothing waits for this source any more."""
        self._queue._remove(self)

    def _ready_ns(self, now_ns: int) -> int:
        """Up to which time, exclusive, nothing more is to be expected."""
        if self._lag_ns is not None:
            bound = now_ns - self._lag_ns + 1
        elif self._seen_ns is None:
            bound = now_ns + 1
        else:
            bound = self._seen_ns
        if self._held_ns is not None:
            bound = min(bound, self._held_ns)
        # Who promises nothing for so long hangs: the others must not wait for it for ever.
        return max(bound, now_ns - self._patience_ns)


class EventQueue:
    """Takes events from many threads and gives them out in time order, equal times in order of arrival.

    An event is given out when every source is past its time. One that comes later than that is given out at once,
    out of order, and counted in `late`: it is never lost. on_put: receives each event when it comes, from any thread;
    must be quick.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: list[_Entry] = []
        self._sources: list[Source] = []
        self._arrivals = 0
        self._given_ns: int | None = None
        self.late = 0
        self.on_put: Callable[[TimedEvent], None] = lambda event: None

    def source(self, name: str, lag_ns: int | None = None, patience_ns: int = 1_000_000_000) -> Source:
        """Give a device its way onto the queue.

        lag_ns: the device reports an event at most this long after it happened, ns; None: it reports how far it is
        (`Source.advance`), and is not waited for before it has said so once. patience_ns: the longest that the others
        wait for it, ns.
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
        """Sleep until something is put, a source moves on, or `timeout_s` seconds are over."""
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
        self.on_put(event)

    def _remove(self, source: Source) -> None:
        with self._changed:
            if source in self._sources:
                self._sources.remove(source)
            self._changed.notify_all()
