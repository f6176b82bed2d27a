"""Mock pins and edges that bounce and flicker, stamped as a kernel stamps them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from gpiozero.pins.mock import MockFactory, MockPin

from hardware.edges import Edge, LineSpec
from hardware.gpio import PinFactory
from simulation.script import TURN_S, BellHit, Flip, Script

SECOND_NS = 1_000_000_000
MS = 1_000_000
US = 1_000
BARRIER, TILT = "barrier", "tilt"

_GRAIN_S = 0.012  # usual time between two edges of the light barrier
_LONGEST_GAP_S = 0.11


def edges_of(script: Script, seed: int, start_ns: int, *, tilted: bool = False) -> tuple[Edge, ...]:
    """Return all edges in the order of time, on the lines that `hardware.bell` and `hardware.sand` name.

    start_ns: when the script begins, ns on the monotonic clock. tilted: how the sandtimer's tilt switch is then.
    """
    rng = random.Random(seed)
    edges: list[Edge] = []
    flips = sorted((action for action in script.actions if isinstance(action, Flip)), key=lambda flip: flip.at_s)
    for number, flip in enumerate(flips):
        edges += _tilt(rng, flip, start_ns, tilted=(number % 2 == 0) is not tilted)
        following = flips[number + 1].at_s - TURN_S if number + 1 < len(flips) else script.length_s
        edges += sand(rng, start_ns + _ns(flip.at_s), min(flip.runs_s, following - flip.at_s))
    for action in script.actions:
        if isinstance(action, BellHit):
            edges += press(rng, action.line, start_ns + _ns(action.at_s), _ns(action.hold_s))
    return tuple(sorted(edges, key=lambda edge: edge.t_ns))


def press(rng: random.Random, line: str, t_ns: int, hold_ns: int) -> Iterator[Edge]:
    """Return the edges of a press that begins at `t_ns`: up to five bounces at either end."""
    for closed, begin_ns in ((True, t_ns), (False, t_ns + hold_ns)):
        yield Edge(begin_ns, line, closed)
        at_ns = begin_ns
        for _ in range(rng.randint(0, 5)):
            at_ns += rng.randint(20 * US, 900 * US)
            yield Edge(at_ns, line, not closed)
            at_ns += rng.randint(20 * US, 900 * US)
            yield Edge(at_ns, line, closed)


def sand(rng: random.Random, start_ns: int, runs_s: float) -> Iterator[Edge]:
    """Return the light barrier's edges while sand runs; the last one is that of the last grain, at the very end."""
    end_ns = start_ns + _ns(runs_s)
    at_ns, blocked = start_ns, True
    while at_ns < end_ns:
        yield Edge(at_ns, BARRIER, blocked)
        blocked = not blocked
        at_ns += max(50 * US, _ns(min(rng.expovariate(1 / _GRAIN_S), _LONGEST_GAP_S)))
    yield Edge(end_ns, BARRIER, blocked)
    if blocked:
        yield Edge(end_ns + 400 * US, BARRIER, False)


def _tilt(rng: random.Random, flip: Flip, start_ns: int, *, tilted: bool) -> Iterator[Edge]:
    """Return the tilt switch's edges while the timer is turned: its ball rolls to and fro."""
    at_ns = start_ns + _ns(flip.at_s - 0.45 * TURN_S)
    for _ in range(rng.randint(1, 4)):
        yield Edge(at_ns, TILT, tilted)
        at_ns += rng.randint(200 * US, 12 * MS)
        yield Edge(at_ns, TILT, not tilted)
        at_ns += rng.randint(200 * US, 20 * MS)
    yield Edge(at_ns, TILT, tilted)


def _ns(seconds: float) -> int:
    return round(seconds * SECOND_NS)


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
    """Return gpiozero's mock factory with pins that can be moved at a given time."""
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
        """Return the time up to which the pins are as they should be: a kernel is never late, a busy thread may be."""
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
