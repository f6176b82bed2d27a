"""Puts presses of phone bells, which come over the network, on the time line of the presses.

Where phones ring, the queue waits for them: so a ring is ruled on the cards visible at the press, not at its arrival.
If two presses are closer together than their times are certain, nobody knows who was first: then the players are asked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from hardware.camera.frames import SECOND_NS
from hardware.events import BellPressed, EventQueue, PhoneWay, Source
from hardware.settings import MS
from referee.errors import RingmasterError

LAG_NS = 300 * MS
"""The longest delay of a press; all rulings wait for that while phones ring."""
MOST_WITHIN_NS = 40 * MS
"""The greatest error of a press's time."""
GONE_NS = 60 * SECOND_NS
"""A phone silent for so long rings no more, and nothing waits for it."""


class PhoneRingError(RingmasterError):
    """A press that cannot count."""


@dataclass(frozen=True)
class Arrival:
    """Time of a press's arrival, and how far before it may be dated: half of the measured round trip."""

    t_ns: int
    half_ns: int


@dataclass(frozen=True)
class _Press:
    t_ns: int
    within_ns: int
    seat: int
    way: PhoneWay | None = None


class PhoneBells:
    """Presses on phones, on their way to the queue. Safe to use from any thread."""

    def __init__(self, queue: EventQueue, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._queue = queue
        self._clock = clock
        self._lock = threading.Lock()
        self._source: Source | None = None
        self._heard_ns = 0
        self._pending: list[_Press] = []

    def here(self) -> None:
        """Expect rings of a phone from now on."""
        with self._lock:
            self._open()

    def ring(self, seat: int, t_ns: int, within_ns: int, arrival: Arrival | None = None) -> None:
        """Take a press of a seat's phone at `t_ns` of the monotonic clock, certain to ± `within_ns`.

        The time is the phone's. With its arrival it is believed as far as the delay of its requests allows.

        Raises:
            PhoneRingError: it came too late for its order, or its time is too uncertain.
        """
        with self._lock:
            source, now_ns = self._open(), self._clock()
            if within_ns > MOST_WITHIN_NS:
                raise PhoneRingError("fault.bell_uncertain", ms=round(within_ns / MS))
            late_ns = now_ns - t_ns
            if late_ns > LAG_NS:
                raise PhoneRingError("fault.bell_late", ms=round(late_ns / MS))
            # It cannot have been pressed after it came.
            pressed_ns, way = min(t_ns, now_ns), None
            if arrival is not None:
                most_ns = min(arrival.half_ns, MOST_WITHIN_NS)
                pressed_ns = max(min(t_ns, arrival.t_ns), arrival.t_ns - most_ns)
                way = PhoneWay(round((arrival.t_ns - pressed_ns) / MS, 1), round(most_ns / MS, 1))
            self._pending.append(_Press(pressed_ns, within_ns, seat, way))
            self._pending.sort(key=lambda press: press.t_ns)
            source.hold(self._pending[0].t_ns)

    def tend(self) -> None:
        """Hand on presses that no earlier one can still follow; to be called often."""
        if self._source is None:
            return
        with self._lock:
            now_ns = self._clock()
            while self._pending and self._source is not None and now_ns >= self._ripe_ns():
                self._source.put(self._next())
                self._source.hold(self._pending[0].t_ns if self._pending else None)
            if self._source is not None and not self._pending and now_ns - self._heard_ns > GONE_NS:
                self._source.close()
                self._source = None

    def _open(self) -> Source:
        self._heard_ns = self._clock()
        if self._source is None:
            self._source = self._queue.source("phones", LAG_NS, patience_ns=4 * LAG_NS)
        return self._source

    def _ripe_ns(self) -> int:
        """Return when every press has come that may have been before the first one."""
        return self._pending[0].t_ns + self._pending[0].within_ns + MOST_WITHIN_NS + LAG_NS

    def _next(self) -> BellPressed:
        """Return the first press; without a seat if another seat's may have been before it."""
        first = self._pending.pop(0)
        rivals = [one for one in self._pending if one.t_ns - first.t_ns <= first.within_ns + one.within_ns]
        if all(one.seat == first.seat for one in rivals):
            return BellPressed(first.t_ns, first.seat, first.way)
        self._pending = [one for one in self._pending if one not in rivals]
        return BellPressed(first.t_ns, None, first.way)
