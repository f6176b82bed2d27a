"""Counts the work of a reading in steps, the same on every machine.

Code that samples many places, lines or pixels counts them here. A listener may follow the progress of a reading.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Steps of the same work take about as long; a thousand are what the yardstick (`referee/speed.py`) takes on a
# picture of 1920 by 1080 pixels.
YARDSTICK = 1000
MOST = 300 * YARDSTICK  # of a hard picture: without a marker the size of a card is unknown, and finding takes 270
_HEARD_EVERY = 10 * YARDSTICK


class Effort:
    """Work of one reading so far, in `steps`."""

    def __init__(self) -> None:
        self.steps = 0.0
        self._next_heard = float(_HEARD_EVERY)

    def _spend(self, steps: float) -> None:
        self.steps += steps
        if self.steps >= self._next_heard:
            self._next_heard = self.steps + _HEARD_EVERY
            if _thread.listener is not None:
                _thread.listener(self.steps)


class _Thread(threading.local):
    effort: Effort | None = None
    beside: Effort | None = None  # what is no reading, while somebody listens
    listener: Callable[[float], None] | None = None


_thread = _Thread()


def spend(steps: float) -> None:
    """Count some steps of the reading that this thread is at."""
    effort = _thread.effort or _thread.beside
    if effort is not None:
        effort._spend(steps)


@contextmanager
def counted() -> Iterator[Effort]:
    """Begin a reading, counted from here on; within another one steps are counted as that one's."""
    if _thread.effort is not None:
        yield _thread.effort
        return
    _thread.effort = Effort()
    try:
        yield _thread.effort
    finally:
        _thread.effort = None


@contextmanager
def heard_by(listener: Callable[[float], None]) -> Iterator[None]:
    """Report to `listener`, now and then, how many steps the reading in this thread has taken.

    Of steps outside a reading it hears, too, how many they are since it began to listen.
    """
    before, beside = _thread.listener, _thread.beside
    _thread.listener, _thread.beside = listener, Effort()
    try:
        yield
    finally:
        _thread.listener, _thread.beside = before, beside
