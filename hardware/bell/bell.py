"""The bell: one button for all or one a seat. Edges in; raw edges, presses and stuck buttons out, in time order."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field

from hardware.bell.debounce import Debouncer, Fault, Outcome, Press, Recovered
from hardware.edges import Edge, LineSpec
from hardware.events import BellEdge, BellPressed, Event
from hardware.health import DeviceHealth, Health
from hardware.settings import BellSettings, DebounceSettings


def bell_lines(settings: BellSettings) -> tuple[LineSpec, ...]:
    """Name the bell's lines: "bell" for all, or "seat 0", "seat 1" and so on."""
    if settings.one_for_all:
        return (LineSpec("bell", settings.pins[0]),)
    return tuple(LineSpec(f"seat {seat}", pin) for seat, pin in enumerate(settings.pins))


def bell_seats(settings: BellSettings) -> dict[str, int | None]:
    """Give whose button each line is; None: nobody knows."""
    if settings.one_for_all:
        return {"bell": None}
    return {spec.name: seat for seat, spec in enumerate(bell_lines(settings))}


@dataclass(order=True)
class _Waiting:
    t_ns: int
    order: int
    event: BellPressed = field(compare=False)


class BellLogic:
    """All buttons together (an `EdgeLogic`).

    A press is given out when no other button can still turn out to have been pressed before it: that takes as long as
    the other button's chatter is undecided, and no edge before it may be on its way (`advance`). So two buttons keep
    their order however little apart they were pressed.
    """

    def __init__(self, seats: Mapping[str, int | None], settings: DebounceSettings | None = None) -> None:
        """seats: whose button each line is; None: nobody knows."""
        self._seats = dict(seats)
        self._settings = settings or DebounceSettings()
        self._lines: dict[str, Debouncer] = {name: Debouncer(self._settings) for name in self._seats}
        self._order = {name: i for i, name in enumerate(self._seats)}
        # Lines on which something is pending: on a quiet table none, so that looking costs nothing.
        self._busy: dict[str, Debouncer] = {}
        self._waiting: list[_Waiting] = []
        self._complete_ns: int | None = None

    @property
    def deadline_ns(self) -> int | None:
        """When time alone will decide something, ns."""
        times = [deadline for line in self._busy.values() if (deadline := line.deadline_ns) is not None]
        if self._waiting and (self._complete_ns is None or self._waiting[0].t_ns > self._complete_ns):
            times.append(self._waiting[0].t_ns)
        return min(times, default=None)

    @property
    def undecided_ns(self) -> int | None:
        """The earliest first edge that may become a press, or press that waits for another, ns."""
        first = self._first_open_ns()
        if self._waiting:
            return self._waiting[0].t_ns if first is None else min(first, self._waiting[0].t_ns)
        return first

    def begin(self, edge: Edge) -> list[Event]:
        """Take a line as it is found: a button that is down already was not pressed now."""
        if edge.line in self._seats:
            self._lines[edge.line] = Debouncer(self._settings, active=edge.active, t_ns=edge.t_ns)
            self._mark(edge.line)
        return []

    def feed(self, edge: Edge) -> list[Event]:
        """Take an edge; lines of other devices are ignored."""
        if edge.line not in self._seats:
            return []
        events: list[Event] = [BellEdge(edge.t_ns, self._seats[edge.line], edge.active)]
        events += self._note(edge.line, self._lines[edge.line].feed(edge.t_ns, edge.active))
        self._mark(edge.line)
        return events + self._release()

    def advance(self, t_ns: int) -> list[Event]:
        """Take the promise that all edges up to `t_ns` have been fed."""
        self._complete_ns = t_ns if self._complete_ns is None else max(t_ns, self._complete_ns)
        events: list[Event] = []
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

    def _note(self, name: str, outcomes: list[Outcome]) -> list[Event]:
        events: list[Event] = []
        seat = self._seats[name]
        device = "bell" if seat is None else f"bell {seat}"
        for outcome in outcomes:
            if isinstance(outcome, Press):
                press = BellPressed(outcome.t_ns, seat)
                heapq.heappush(self._waiting, _Waiting(outcome.t_ns, self._order[name], press))
            elif isinstance(outcome, Recovered):
                events.append(DeviceHealth(outcome.t_ns, device, Health.OK))
            else:
                message = _stuck_message(seat, outcome.fault)
                events.append(DeviceHealth(outcome.t_ns, device, Health.STUCK, message))
        return events

    def _release(self) -> list[Event]:
        """Give out the presses before which nothing can come any more."""
        if not self._waiting:
            return []
        undecided = self._first_open_ns()
        events: list[Event] = []
        while self._waiting and self._complete_ns is not None:
            first = self._waiting[0]
            if first.t_ns > self._complete_ns or (undecided is not None and undecided < first.t_ns):
                break
            events.append(heapq.heappop(self._waiting).event)
        return events


def _stuck_message(seat: int | None, fault: Fault) -> str:
    which = "The bell" if seat is None else f"The bell button of seat {seat + 1}"
    if fault is Fault.HELD:
        return f"{which} is held down, jammed or shorted and does not count until it is let go."
    return f"{which} rings faster than anybody can: its wire may be loose; it does not count until it is quiet."
