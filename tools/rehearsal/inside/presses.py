"""Presses simulated buttons inside the rehearsal machine, and checks that the bell reports every press once, in time.

presses.py COUNT SEED; prints a line, exit status 1 if a press was lost, doubled, or out of order.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from hardware.bell import make_bell
from hardware.events import BellEdge, BellPressed, TimedEvent
from hardware.problems import Problem
from hardware.settings import MS, BellSettings, Pin

PINS = (17, 27, 22)
LINES = Path("/run/gpio-sim")
HOLD_S, REST_S = 0.06, 0.08
# The emulated computer stalls at times; contacts this far apart are two presses by our rules.
STALLED_NS = 25 * MS


class Collector:
    """A sink that keeps the bell's events in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[TimedEvent] = []

    def put(self, event: TimedEvent) -> None:
        """Keep an event."""
        with self._lock:
            self._events.append(event)

    def hold(self, t_ns: int | None) -> None:
        """Do nothing."""

    def events(self) -> list[TimedEvent]:
        """Return all events so far."""
        with self._lock:
            return list(self._events)


@dataclass(frozen=True)
class MadePress:
    """One press: the seat, times before and after its first edge, ns, and its number of edges."""

    seat: int
    before_ns: int
    after_ns: int
    edges: int
    stalled: bool


def set_line(seat: int, pressed: bool) -> int:
    """Move a line; return the time afterwards, ns."""
    (LINES / f"sim_gpio{PINS[seat]}" / "pull").write_text("pull-down" if pressed else "pull-up")
    return time.monotonic_ns()


def press(seat: int, chance: random.Random) -> MadePress:
    """Close a contact with chatter, hold it, open it with chatter."""
    before_ns = time.monotonic_ns()
    after_ns = last_ns = set_line(seat, True)
    edges, stalled, closed = 1, False, True
    for end in (False, True):
        for _ in range(2 * chance.randint(0, 4) + (1 if end else 0)):
            time.sleep(chance.uniform(0.0001, 0.002))
            closed = not closed
            now_ns = set_line(seat, closed)
            stalled = stalled or now_ns - last_ns > STALLED_NS
            last_ns, edges = now_ns, edges + 1
        if not end:
            time.sleep(HOLD_S)
            last_ns = time.monotonic_ns()
    time.sleep(REST_S)
    return MadePress(seat, before_ns, after_ns, edges, stalled)


def faults(made: list[MadePress], events: list[TimedEvent]) -> list[str]:
    """Return the faults in the bell's reports of these presses."""
    presses = [event for event in events if isinstance(event, BellPressed)]
    found = []
    for number, (press, until) in enumerate(zip(made, [*made[1:], None], strict=True)):
        end_ns = until.before_ns if until else time.monotonic_ns()
        own = [event for event in presses if press.before_ns <= event.t_ns < end_ns]
        # Contacts that this machine moved too far apart are two presses by our rules.
        if not own or (len(own) > 1 and not press.stalled) or {event.seat for event in own} != {press.seat}:
            found.append(f"press {number} of seat {press.seat} was reported as {[event.seat for event in own]}")
        elif own[0].t_ns > press.after_ns:
            found.append(f"press {number} has a stamp {(own[0].t_ns - press.after_ns) / MS:.2f} ms late")
    if len(presses) > len(made) + sum(press.stalled for press in made):
        found.append(f"{len(presses)} presses were reported of {len(made)}")
    if sorted(stamps := [event.t_ns for event in presses]) != stamps:
        found.append("stamps go back in time")
    raw, moved = sum(isinstance(event, BellEdge) for event in events), sum(press.edges for press in made)
    if raw != moved:
        found.append(f"{raw} edges came of {moved}")
    found += [event.message for event in events if isinstance(event, Problem) and event.state.name != "OK"]
    return found


def main(count: int, seed: int) -> int:
    """Press, and print the result."""
    chance, sink = random.Random(seed), Collector()
    for seat in range(len(PINS)):
        set_line(seat, False)
    bell = make_bell(BellSettings(pins=tuple(Pin(number) for number in PINS), one_for_all=False), sink)
    bell.start()
    time.sleep(2)
    made = [press(chance.randrange(len(PINS)), chance) for _ in range(count)]
    time.sleep(1)
    bell.stop()
    events = sink.events()
    found = faults(made, events)
    widest_ms = max((press.after_ns - press.before_ns) / MS for press in made)
    print(
        f"{count} presses, {sum(press.edges for press in made)} edges"
        + f" ({sum(isinstance(event, BellEdge) for event in events)} raw ones reported), first contact known to"
        + f" {widest_ms:.2f} ms, stalls of the emulator in {sum(press.stalled for press in made)}: "
        + ("; ".join(found) or "none lost, none doubled, in order, stamped at the first contact")
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
