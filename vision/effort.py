"""How much work a reading has taken, counted in steps, so that the same picture ends alike on every machine.

Whatever looks at many places, lines or pixels counts them here. A search that a reading can do without is begun with
`at_most`, which ends it once the reading has taken so many steps, and what was found until then is what counts. Whoever
waits for a reading may listen to its progress.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Steps of the same work take about as long; a thousand are what the yardstick (`referee/bench/yardstick.py`) takes on a
# picture of 1920 by 1080 pixels.
YARDSTICK = 1000
MOST = 300 * YARDSTICK
_HEARD_EVERY = 10 * YARDSTICK


class OutOfStepsError(Exception):
    """A search has taken all the steps that it may take; caught where it was begun, by `at_most`."""


class Effort:
    """What one reading has taken so far.

    steps: so many. cut_short: whether a search was ended before its end.
    """

    def __init__(self) -> None:
        self.steps = 0.0
        self.cut_short = False
        self._limit = math.inf
        self._next_heard = float(_HEARD_EVERY)

    def _spend(self, steps: float) -> None:
        self.steps += steps
        if self.steps >= self._next_heard:
            self._next_heard = self.steps + _HEARD_EVERY
            if _thread.listener is not None:
                _thread.listener(self.steps)
        if self.steps > self._limit:
            raise OutOfStepsError

    @contextmanager
    def _bounded(self, limit: float) -> Iterator[None]:
        outer = self._limit
        self._limit = min(outer, limit)
        try:
            yield
        except OutOfStepsError:
            self.cut_short = True
        finally:
            self._limit = outer


class _Thread(threading.local):
    effort: Effort | None = None
    listener: Callable[[float], None] | None = None


_thread = _Thread()


def spend(steps: float) -> None:
    """Count some steps of the reading that this thread is at.

    Raises:
        OutOfStepsError: they are more than what `at_most` allows.
    """
    if _thread.effort is not None:
        _thread.effort._spend(steps)


@contextmanager
def counted() -> Iterator[Effort]:
    """Begin a reading, whose steps are counted from here on; within another one they are counted as that one's."""
    if _thread.effort is not None:
        yield _thread.effort
        return
    _thread.effort = Effort()
    try:
        yield _thread.effort
    finally:
        _thread.effort = None


@contextmanager
def at_most(steps: float) -> Iterator[None]:
    """End what is done in here, quietly, once the whole reading has taken so many steps; outside a reading never."""
    if _thread.effort is None:
        yield
        return
    with _thread.effort._bounded(steps):
        yield


@contextmanager
def heard_by(listener: Callable[[float], None]) -> Iterator[None]:
    """Tell `listener`, now and then, how many steps the reading that goes on in this thread has taken so far."""
    before, _thread.listener = _thread.listener, listener
    try:
        yield
    finally:
        _thread.listener = before
