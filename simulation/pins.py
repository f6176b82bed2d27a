"""Mock pins of a Raspberry Pi that a script moves, with the stamps that a kernel would have given."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence

from gpiozero.pins.mock import MockFactory, MockPin

from hardware.edges import Edge, LineSpec
from hardware.gpio import PinFactory

SECOND_NS = 1_000_000_000
_AGAIN_NS = SECOND_NS // 10  # between two looks whether people go on


class StampedPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's mock pin, moved at a given time; it keeps no list of what it did, so it can be moved for ever."""

    _state: bool
    _last_change: float

    def move(self, t_ns: int, level: bool) -> None:
        """Take a level, as the kernel stamped it: ns on the monotonic clock."""
        if self._state != level:
            self._state = level
            self._last_change = t_ns / SECOND_NS
            if self._when_changed is not None:
                self._call_when_changed()

    def _change_state(self, value: object) -> bool:
        changed = self._state != bool(value)
        self._state = bool(value)
        return changed


def pin_factory() -> MockFactory:
    """Give gpiozero's mock factory with pins that can be moved at a given time."""
    return MockFactory(pin_class=StampedPin)


class PinMover:
    """Moves mock pins as edges say, on a thread of its own or step by step.

    edges: in the order of time; those of lines that `specs` does not have are left out. clock: monotonic, ns. due:
    gives when an edge of the script comes, ns; None: nobody knows yet. levels: whether a line it moved is active.
    """

    def __init__(
        self,
        factory: PinFactory,
        specs: Sequence[LineSpec],
        edges: Iterable[Edge],
        clock: Callable[[], int] = time.monotonic_ns,
        due: Callable[[int], int | None] = lambda t_ns: t_ns,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._factory = factory
        self._edges = [edge for edge in edges if edge.line in self._specs]
        self._clock = clock
        self._due = due
        self._next = 0
        self.levels: dict[str, bool] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pins", daemon=True)

    def start(self) -> None:
        """Move the pins in real time."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for it; harmless when not started."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def move_until(self, t_ns: int) -> int:
        """Move all that is due before `t_ns`, and give how many edges that were."""
        moved = 0
        while (due_ns := self._next_ns()) is not None and due_ns < t_ns:
            edge = self._edges[self._next]
            pin = self._specs[edge.line].pin
            mock = self._factory.pin(pin.number)
            if not isinstance(mock, StampedPin):
                raise TypeError("only the pins of simulation.pins.pin_factory can be moved at a given time")
            mock.move(due_ns, edge.active is pin.active_high)
            self.levels[edge.line] = edge.active
            self._next += 1
            moved += 1
        return moved

    def horizon_ns(self, now_ns: int) -> int:
        """Give the time up to which the pins are as they should be: a kernel is never late, a busy thread may be."""
        following_ns = self._next_ns()
        return now_ns if following_ns is None else min(now_ns, following_ns)

    def _next_ns(self) -> int | None:
        following = self._next
        return self._due(self._edges[following].t_ns) if following < len(self._edges) else None

    def _run(self) -> None:
        while self._next < len(self._edges):
            due_ns = self._next_ns()
            wait_ns = _AGAIN_NS if due_ns is None else due_ns - self._clock()
            if wait_ns > 0 and self._stop.wait(wait_ns / SECOND_NS):
                return
            if self._stop.is_set():
                return
            self.move_until(self._clock() + 1)
