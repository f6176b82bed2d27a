"""Work of a reading, counted in steps, so that the same picture ends alike on every machine.

Whatever looks at many places, lines or pixels counts them here. A search that a reading can do without is begun with
`at_most`, which ends it once the reading has taken such a share of the steps that it may take, and what was found until
then is what counts. Whoever waits for a reading may listen to its progress.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

# Steps of the same work take about as long; a thousand are what the yardstick (`referee/speed.py`) takes on a
# picture of 1920 by 1080 pixels.
YARDSTICK = 1000
MOST = 300 * YARDSTICK
# Without a marker the size of a card is unknown, and finding cards alone takes 150 to 270.
MOST_UNSIZED = 4 * MOST
_HEARD_EVERY = 10 * YARDSTICK


class OutOfStepsError(Exception):
    """A search has taken all the steps that it may take; caught where it was begun, by `at_most`."""


class Effort:
    """Work of one reading so far.

    most: steps that it may take. steps: those taken. limit: those at which the search that goes on is ended. cut_short:
    whether one was.
    """

    def __init__(self, most: float = MOST) -> None:
        self.most = most
        self.steps = 0.0
        self.cut_short = False
        self.limit = math.inf
        self._next_heard = float(_HEARD_EVERY)

    def _spend(self, steps: float) -> None:
        self.steps += steps
        if self.steps >= self._next_heard:
            self._next_heard = self.steps + _HEARD_EVERY
            if _thread.listener is not None:
                _thread.listener(self.steps)
        if self.steps > self.limit:
            raise OutOfStepsError


class _Thread(threading.local):
    effort: Effort | None = None
    beside: Effort | None = None  # what is no reading, while somebody listens
    listener: Callable[[float], None] | None = None


_thread = _Thread()


def spend(steps: float) -> None:
    """Count some steps of the reading that this thread is at.

    Raises:
        OutOfStepsError: they are more than what `at_most` allows.
    """
    effort = _thread.effort or _thread.beside
    if effort is not None:
        effort._spend(steps)


@contextmanager
def counted(most: float = MOST) -> Iterator[Effort]:
    """Begin a reading of `most` steps, counted from here on; within another one they are counted as that one's."""
    if _thread.effort is not None:
        yield _thread.effort
        return
    _thread.effort = Effort(most)
    try:
        yield _thread.effort
    finally:
        _thread.effort = None


class at_most:  # noqa: N801 - it is used as a function is
    """End what is done in here, quietly, once the reading has taken a share of its steps; outside a reading never."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._outer = math.inf

    def __enter__(self) -> None:
        effort = _thread.effort
        if effort is not None:
            self._outer, effort.limit = effort.limit, min(effort.limit, self._share * effort.most)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        effort = _thread.effort
        if effort is None:
            return False
        effort.limit = self._outer
        if kind is not None and issubclass(kind, OutOfStepsError):
            effort.cut_short = True
            return True
        return False


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
