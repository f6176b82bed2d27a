"""Feeds frames and device events to a session in the order in which they happened.

Live, they come from the queue, which holds everything back until nothing earlier can follow. If more frames pile up
than come late at once, only the last before each device event is read: a slow reader drops frames, but does not delay a
ring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
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


def feed(
    queue: EventQueue,
    buffer: FrameBuffer,
    session: Fed,
    on_outcome: OnOutcome,
    now_ns: int,
    lock: AbstractContextManager[object] | None = None,
) -> int:
    """Give a session all inputs that are ready at `now_ns`, and return their number.

    on_outcome: called with every input and its outcome. lock: held while the session takes an input, so that others may
    call the session between two inputs.
    """
    ready = in_order(queue.take(now_ns))
    for event in without_overtaken(ready):
        with lock or nullcontext():
            if not isinstance(event, FrameExposed):
                on_outcome(event, session.hear(event))
                continue
            frame = buffer.last_before(event.t_ns)
            # A frame that waited for too long was dropped by the buffer.
            if frame is not None and frame.exposure_end_ns + 1 == event.t_ns:
                on_outcome(event, session.look(frame))
    return len(ready)


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
