"""The bell, one button for all or one a seat: turns edges into presses, raw edges and stuck buttons.

One edge is not a press: a fridge makes one edge, and a motor's brushes make hundreds. A press counts after an unbroken
contact of `contact_ns` (0.4 ms); a finger holds ten times longer. Its time is that of its first edge. Chatter belongs
to the press until the line has been open for more than `chatter_ns`.

`feed` takes edges, `advance` takes the time between them, and `deadline_ns` is the time of the next decision.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from hardware.edges import Edge, EdgeDevice, EdgeLines, LineSpec
from hardware.events import BellEdge, BellPressed, Sink, TimedEvent
from hardware.gpio import GpioLines
from hardware.problems import BadSettingError, Health, Problem
from hardware.settings import BellSettings, DebounceSettings, MicrophoneSettings
from hardware.supervised import nothing


@dataclass(frozen=True)
class Press:
    """One press; `t_ns` is its first edge."""

    t_ns: int


class ButtonFault(Enum):
    """Reason why a button is ignored. HELD: closed without end. FLUTTER: faster than a finger can press."""

    HELD = "held"
    FLUTTER = "flutter"


@dataclass(frozen=True)
class Stuck:
    """The button is ignored since `t_ns`."""

    t_ns: int
    fault: ButtonFault


@dataclass(frozen=True)
class Recovered:
    """The button counts again since `t_ns`."""

    t_ns: int


Outcome = Press | Stuck | Recovered


class _ButtonPhase(Enum):
    IDLE = "idle"
    OPEN = "open"  # there were edges; still undecided whether they are a press
    HELD = "held"  # a press was decided, the button is still down
    OUT = "out"  # ignored


class Debouncer:
    """Debounces one line. `active` is True while the contact is closed, whatever the electrical level.

    Time stamps alone decide. A late edge never changes an earlier decision.
    """

    def __init__(self, settings: DebounceSettings | None = None, *, active: bool = False, t_ns: int = 0) -> None:
        """Start at `t_ns`; a button that is closed already is held, not pressed."""
        self._settings = settings or DebounceSettings()
        self._phase = _ButtonPhase.HELD if active else _ButtonPhase.IDLE
        self._active = active
        self._edge_ns = t_ns  # stamp of the latest edge
        self._first_ns = t_ns  # first edge of the press that is open or held
        self._contact_ns = 0  # closed time since the first edge, without a contact that is closed now
        self._needed_ns = self._settings.contact_ns
        self._presses: deque[int] = deque(maxlen=self._settings.flutter_presses)
        self._let_go_ns: int | None = None  # stamp of the edge by which the latest press ended

    @property
    def undecided_ns(self) -> int | None:
        """First edge of a possible press, ns; None: no press before now will follow."""
        return self._first_ns if self._phase is _ButtonPhase.OPEN else None

    @property
    def quiet(self) -> bool:
        """Return whether nothing can happen before the next edge."""
        return self._phase is _ButtonPhase.IDLE or (self._phase is _ButtonPhase.OUT and self._active)

    @property
    def deadline_ns(self) -> int | None:
        """Return the time of the next decision if no edge comes before it, ns; None: no decision is due."""
        settings = self._settings
        if self._phase is _ButtonPhase.IDLE:
            return None
        if self._phase is _ButtonPhase.OPEN:
            if self._active:
                return self._edge_ns + self._needed_ns
            spike = self._contact_ns < settings.spike_ns
            return self._edge_ns + (settings.spike_quiet_ns if spike else settings.chatter_ns)
        if self._phase is _ButtonPhase.OUT:
            return None if self._active else self._edge_ns + settings.recovered_ns
        if self._active:
            return self._first_ns + settings.stuck_ns
        return min(self._edge_ns + settings.chatter_ns, self._first_ns + settings.stuck_ns)

    def feed(self, t_ns: int, active: bool) -> list[Outcome]:
        """Take an edge to closed or open; return the outcomes up to it."""
        outcomes = self._run_to(t_ns, inclusive=False)
        t_ns = max(t_ns, self._edge_ns)
        if active == self._active:
            self._note_missed_release(t_ns)
            return outcomes
        if self._active:
            self._contact_ns += t_ns - self._edge_ns
        self._active = active
        self._edge_ns = t_ns
        if active and self._phase is _ButtonPhase.IDLE:
            self._close(t_ns)
        return outcomes

    def advance(self, t_ns: int) -> list[Outcome]:
        """Advance to `t_ns` without an edge; return the outcomes."""
        return self._run_to(t_ns, inclusive=True)

    def _close(self, t_ns: int) -> None:
        """Take the first contact after quiet: a new press, or late chatter of the press before."""
        if self._let_go_ns is not None and t_ns - self._let_go_ns <= self._settings.chatter_ns:
            self._phase = _ButtonPhase.HELD
        else:
            self._open(t_ns, self._settings.contact_ns)

    def _open(self, t_ns: int, needed_ns: int) -> None:
        self._phase = _ButtonPhase.OPEN
        self._first_ns = t_ns
        self._contact_ns = 0
        self._needed_ns = needed_ns

    def _note_missed_release(self, t_ns: int) -> None:
        """Take a second closing edge in a row: the opening edge between them was lost.

        It may be a new press or the chatter of the lost release. Only a press stays closed.
        """
        if not self._active:
            return
        if self._phase is _ButtonPhase.HELD and t_ns - self._edge_ns > self._settings.chatter_ns:
            self._open(t_ns, self._settings.chatter_ns)
        else:
            self._contact_ns += t_ns - self._edge_ns
        self._edge_ns = t_ns

    def _run_to(self, t_ns: int, *, inclusive: bool) -> list[Outcome]:
        outcomes: list[Outcome] = []
        if self.quiet:
            return outcomes
        while (deadline := self.deadline_ns) is not None and (deadline < t_ns or (inclusive and deadline == t_ns)):
            outcomes += self._decide(deadline)
        return outcomes

    def _decide(self, t_ns: int) -> list[Outcome]:
        """Make the decision that is due at `t_ns`."""
        if self._phase is _ButtonPhase.OPEN:
            if self._active:
                return [self._press()]
            self._phase = _ButtonPhase.IDLE
        elif self._phase is _ButtonPhase.OUT:
            self._phase = _ButtonPhase.IDLE
            self._presses.clear()
            return [Recovered(t_ns)]
        elif not self._active and t_ns - self._edge_ns >= self._settings.chatter_ns:
            self._phase = _ButtonPhase.IDLE
            self._let_go_ns = self._edge_ns
        else:
            self._phase = _ButtonPhase.OUT
            return [Stuck(t_ns, ButtonFault.HELD)]
        return []

    def _press(self) -> Outcome:
        presses = self._presses
        presses.append(self._first_ns)
        if len(presses) == presses.maxlen and self._first_ns - presses[0] <= self._settings.flutter_ns:
            self._phase = _ButtonPhase.OUT
            return Stuck(self._first_ns, ButtonFault.FLUTTER)
        self._phase = _ButtonPhase.HELD
        return Press(self._first_ns)


def bell_lines(settings: BellSettings) -> tuple[LineSpec, ...]:
    """Return the bell's lines: "bell" for all, or "seat 0", "seat 1" and so on."""
    if settings.one_for_all:
        return (LineSpec("bell", settings.pins[0]),)
    return tuple(LineSpec(f"seat {seat}", pin) for seat, pin in enumerate(settings.pins))


def bell_seats(settings: BellSettings) -> dict[str, int | None]:
    """Return the seat of each line; None: one bell for all."""
    if settings.one_for_all:
        return {"bell": None}
    return {spec.name: seat for seat, spec in enumerate(bell_lines(settings))}


@dataclass(order=True)
class _WaitingPress:
    t_ns: int
    order: int
    event: BellPressed = field(compare=False)


class BellLogic:
    """Orders the presses of all buttons (an `EdgeLogic`).

    A press waits until no other button can have been pressed before it: `advance` has passed it, and the chatter of the
    others is decided. Two presses therefore keep their order, however close they are.
    """

    def __init__(self, seats: Mapping[str, int | None], settings: DebounceSettings | None = None) -> None:
        """seats: the seat of each line; None: one bell for all."""
        self._seats = dict(seats)
        self._settings = settings or DebounceSettings()
        self._lines: dict[str, Debouncer] = {name: Debouncer(self._settings) for name in self._seats}
        self._order = {name: i for i, name in enumerate(self._seats)}
        # Lines with a pending decision; empty on a quiet table, where `advance` then costs nothing.
        self._busy: dict[str, Debouncer] = {}
        self._waiting: list[_WaitingPress] = []
        self._complete_ns: int | None = None

    @property
    def deadline_ns(self) -> int | None:
        """Return the next time at which time alone decides something, ns."""
        times = [deadline for line in self._busy.values() if (deadline := line.deadline_ns) is not None]
        if self._waiting and (self._complete_ns is None or self._waiting[0].t_ns > self._complete_ns):
            times.append(self._waiting[0].t_ns)
        return min(times, default=None)

    @property
    def undecided_ns(self) -> int | None:
        """Earliest first edge of a possible or waiting press, ns."""
        first = self._first_open_ns()
        if self._waiting:
            return self._waiting[0].t_ns if first is None else min(first, self._waiting[0].t_ns)
        return first

    def begin(self, edge: Edge) -> list[TimedEvent]:
        """Take a line's state at the start: a button that is down already was not pressed now."""
        if edge.line in self._seats:
            self._lines[edge.line] = Debouncer(self._settings, active=edge.active, t_ns=edge.t_ns)
            self._mark(edge.line)
        return []

    def feed(self, edge: Edge) -> list[TimedEvent]:
        """Take an edge; lines of other devices are ignored."""
        if edge.line not in self._seats:
            return []
        events: list[TimedEvent] = [BellEdge(edge.t_ns, self._seats[edge.line], edge.active)]
        events += self._note(edge.line, self._lines[edge.line].feed(edge.t_ns, edge.active))
        self._mark(edge.line)
        return events + self._release()

    def advance(self, t_ns: int) -> list[TimedEvent]:
        """Take the promise that all edges up to `t_ns` were fed; return the events."""
        self._complete_ns = t_ns if self._complete_ns is None else max(t_ns, self._complete_ns)
        events: list[TimedEvent] = []
        for name, line in list(self._busy.items()):
            events += self._note(name, line.advance(t_ns))
            self._mark(name)
        return events + self._release()

    def _mark(self, name: str) -> None:
        line = self._lines[name]
        if line.quiet:
            self._busy.pop(name, None)
        else:
            self._busy[name] = line

    def _first_open_ns(self) -> int | None:
        return min((t for line in self._busy.values() if (t := line.undecided_ns) is not None), default=None)

    def _note(self, name: str, outcomes: list[Outcome]) -> list[TimedEvent]:
        events: list[TimedEvent] = []
        seat = self._seats[name]
        device = "bell" if seat is None else f"bell {seat}"
        for outcome in outcomes:
            if isinstance(outcome, Press):
                press = BellPressed(outcome.t_ns, seat)
                heapq.heappush(self._waiting, _WaitingPress(outcome.t_ns, self._order[name], press))
            elif isinstance(outcome, Recovered):
                events.append(Problem(device, Health.OK, t_ns=outcome.t_ns))
            else:
                message = _stuck_message(seat, outcome.fault)
                events.append(Problem(device, Health.STUCK, message, t_ns=outcome.t_ns))
        return events

    def _release(self) -> list[TimedEvent]:
        """Return the presses before which no other press can come any more."""
        if not self._waiting:
            return []
        undecided = self._first_open_ns()
        events: list[TimedEvent] = []
        while self._waiting and self._complete_ns is not None:
            first = self._waiting[0]
            if first.t_ns > self._complete_ns or (undecided is not None and undecided < first.t_ns):
                break
            events.append(heapq.heappop(self._waiting).event)
        return events


def _stuck_message(seat: int | None, fault: ButtonFault) -> str:
    which = "The bell" if seat is None else f"The bell button of seat {seat + 1}"
    if fault is ButtonFault.HELD:
        return f"{which} is held down, jammed or shorted and does not count until it is let go."
    return f"{which} rings faster than anybody can: its wire may be loose; it does not count until it is quiet."


class BellDevice(Protocol):
    """A bell that puts `BellPressed`, `BellEdge` and `Problem` on its sink."""

    def start(self) -> None:
        """Start and return at once; a missing device is reported, never raised."""

    def stop(self) -> None:
        """Stop, free the lines, and wait until that is done."""


class NoBell:
    """The bell of a table without a bell."""

    start = stop = staticmethod(nothing)


def make_bell(
    settings: BellSettings,
    sink: Sink,
    lines: EdgeLines | None = None,
) -> BellDevice:
    """Return the bell that the settings name, not started yet.

    lines: source of the edges instead of the back-end, recorded or simulated; its names are those of `bell_lines`.
    Raises BadSettingError for an unknown back-end.
    """
    if lines is not None or settings.backend == "gpio":
        lines = lines or GpioLines(bell_lines(settings))
        return EdgeDevice("bell", lines, BellLogic(bell_seats(settings), settings.debounce), sink)
    if settings.backend == "microphone":
        from hardware.microphone import MicrophoneBell

        return MicrophoneBell(MicrophoneSettings(), sink)
    if settings.backend == "none":
        return NoBell()
    raise BadSettingError(
        "error.setting.there_is_no_bell_of", 'there is no bell of the kind "{kind}"', kind=settings.backend
    )
