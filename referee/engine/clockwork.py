"""Feeds frames and device events to a session in the order in which they happened.

Live, `Clockwork` takes them from the queue, which holds everything back until nothing earlier can follow. If more
frames pile up than come late at once, only the last before each device event is read: a slow reader drops frames, but
does not delay a ring.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from hardware.camera.frames import Frame, FrameBuffer, FrameExposed
from hardware.events import EventQueue
from hardware.events import TimedEvent as DeviceEvent
from referee.engine.session import Outcome

LONGEST_SLEEP_S = 0.1
MOST_AT_ONCE = 10
OnOutcome = Callable[[DeviceEvent, Outcome], None]


class Fed(Protocol):
    """A receiver of frames and device events in their order: a `Session`, or a wrapper of one."""

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame."""

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take an event of a device."""


class Clockwork:
    """Feeds a session from the queue.

    on_outcome: called with every input and its outcome, on the thread that calls `step`. lock: held while the session
    takes an input, so that others may call the session between two inputs.
    """

    def __init__(
        self,
        queue: EventQueue,
        buffer: FrameBuffer,
        session: Fed,
        on_outcome: OnOutcome,
        lock: threading.RLock | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._queue = queue
        self._buffer = buffer
        self._session = session
        self._on_outcome = on_outcome
        self._lock = lock or threading.RLock()
        self._clock = clock

    def step(self) -> int:
        """Take all ready inputs, and return their number."""
        ready = in_order(self._queue.take(self._clock()))
        for event in without_overtaken(ready):
            self._feed(event)
        return len(ready)

    def _feed(self, event: DeviceEvent) -> None:
        with self._lock:
            if not isinstance(event, FrameExposed):
                self._on_outcome(event, self._session.hear(event))
                return
            frame = self._buffer.last_before(event.t_ns)
            if frame is None or frame.exposure_end_ns + 1 != event.t_ns:
                # It waited for so long that the buffer has dropped it.
                return
            self._on_outcome(event, self._session.look(frame))


def in_order(events: Sequence[DeviceEvent]) -> list[DeviceEvent]:
    """Return events by time; a frame that counts from the very instant of an event comes before it."""
    return sorted(events, key=lambda event: (event.t_ns, not isinstance(event, FrameExposed)))


def without_overtaken(events: Sequence[DeviceEvent]) -> Iterator[DeviceEvent]:
    """Yield the events without frames that a newer one follows directly, if more have piled up than come at once.

    A few that came late together are all read: a card hidden by a hand in the last may be visible in the one before.
    """
    if sum(isinstance(event, FrameExposed) for event in events) <= MOST_AT_ONCE:
        yield from events
        return
    for index, event in enumerate(events):
        following = events[index + 1] if index + 1 < len(events) else None
        if not (isinstance(event, FrameExposed) and isinstance(following, FrameExposed)):
            yield event
