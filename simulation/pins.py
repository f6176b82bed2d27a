"""Mock pins of a Raspberry Pi that a script moves, with the stamps that a kernel would have given."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence

from gpiozero.pins.mock import MockFactory, MockPin

from hardware.edges import Edge, LineSpec
from hardware.gpio import PinFactory

SECOND_NS = 1_000_000_000


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

    edges: in the order of time; those of lines that `specs` does not have are left out. clock: monotonic, ns.
    levels: of each line that it has moved, whether it is active.
    """

    def __init__(
        self,
        factory: PinFactory,
        specs: Sequence[LineSpec],
        edges: Iterable[Edge],
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._factory = factory
        self._edges = [edge for edge in edges if edge.line in self._specs]
        self._clock = clock
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

    def end_at(self, t_ns: int) -> None:
        """Move nothing that is due at `t_ns` or later."""
        self._edges = [edge for edge in self._edges if edge.t_ns < t_ns]

    def move_until(self, t_ns: int) -> int:
        """Move all that is due before `t_ns`, and give how many edges that were."""
        moved = 0
        while (edge := self._following()) is not None and edge.t_ns < t_ns:
            pin = self._specs[edge.line].pin
            mock = self._factory.pin(pin.number)
            if not isinstance(mock, StampedPin):
                raise TypeError("only the pins of simulation.pins.pin_factory can be moved at a given time")
            mock.move(edge.t_ns, edge.active is pin.active_high)
            self.levels[edge.line] = edge.active
            self._next += 1
            moved += 1
        return moved

    def horizon_ns(self, now_ns: int) -> int:
        """Give the time up to which the pins are as they should be: a kernel is never late, a busy thread may be."""
        following = self._following()
        return now_ns if following is None else min(now_ns, following.t_ns)

    def _following(self) -> Edge | None:
        edges = self._edges
        return edges[self._next] if self._next < len(edges) else None

    def _run(self) -> None:
        while (edge := self._following()) is not None:
            wait_ns = edge.t_ns - self._clock()
            if wait_ns > 0 and self._stop.wait(wait_ns / SECOND_NS):
                return
            if self._stop.is_set():
                return
            self.move_until(self._clock() + 1)
