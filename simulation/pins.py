"""Mock pins and edges that bounce and flicker, with kernel-like time stamps."""

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

_GRAIN_S = 0.012  # mean time between two edges of the light barrier
_LONGEST_GAP_S = 0.11


def edges_of(script: Script, seed: int, start_ns: int, *, tilted: bool = False) -> tuple[Edge, ...]:
    """Return all edges in the order of time, on the lines of `hardware.bell` and `hardware.sand`.

    start_ns: start of the script, ns on the monotonic clock. tilted: level of the sandtimer's tilt switch then.
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
    """Return the edges of a press that begins at `t_ns`: up to five bounces at each end."""
    for closed, begin_ns in ((True, t_ns), (False, t_ns + hold_ns)):
        yield Edge(begin_ns, line, closed)
        at_ns = begin_ns
        for _ in range(rng.randint(0, 5)):
            at_ns += rng.randint(20 * US, 900 * US)
            yield Edge(at_ns, line, not closed)
            at_ns += rng.randint(20 * US, 900 * US)
            yield Edge(at_ns, line, closed)


def sand(rng: random.Random, start_ns: int, runs_s: float) -> Iterator[Edge]:
    """Return the light barrier's edges while sand runs; the last edge is the last grain's."""
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
    """Return the tilt switch's edges while the timer is turned: its ball rolls back and forth."""
    at_ns = start_ns + _ns(flip.at_s - 0.45 * TURN_S)
    for _ in range(rng.randint(1, 4)):
        yield Edge(at_ns, TILT, tilted)
        at_ns += rng.randint(200 * US, 12 * MS)
        yield Edge(at_ns, TILT, not tilted)
        at_ns += rng.randint(200 * US, 20 * MS)
    yield Edge(at_ns, TILT, tilted)


def _ns(seconds: float) -> int:
    return round(seconds * SECOND_NS)


_AGAIN_NS = SECOND_NS // 10  # between two questions whether the script goes on


class StampedPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's mock pin with given times; it keeps no list of states, which would grow without end."""

    _state: bool
    _last_change: float

    def move(self, t_ns: int, level: bool) -> None:
        """Set a level with the kernel's stamp, ns on the monotonic clock."""
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
    """Return gpiozero's mock factory with `StampedPin` pins."""
    return MockFactory(pin_class=StampedPin)


class PinMover:
    """Moves mock pins by a list of edges, on its own thread or step by step.

    edges: in the order of time; edges of lines that `specs` lacks are ignored. clock: monotonic, ns. due: returns an
    edge's time, ns; None: unknown, because the script is paused. levels: last state of each line.
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
        """Stop, and wait for the thread; harmless when not started."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def move_until(self, t_ns: int) -> int:
        """Move the pins for all edges before `t_ns`; return their number."""
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
        """Return the time up to which the pins are right: a kernel is never late, a busy thread may be."""
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
