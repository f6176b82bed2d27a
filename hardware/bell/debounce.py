"""From the edges of one button's line to presses: without clock, thread or hardware, so that it can be tested whole.

The first edge is the time of the press, but one edge alone does not make a press: a spike from a fridge or a lamp
switch has one, too, and a motor's brushes make hundreds. So a press is *decided* when the contact has been closed for
`contact_ns` in one piece (some 0.4 ms, which a finger's press passes ten times over, however it chatters before), and
is then *dated* back to its first edge. Chatter afterwards belongs to the press until the line has been open for more
than `chatter_ns`.

Time comes in with the edges (`feed`) and between them (`advance`); `deadline_ns` says when it would next matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from hardware.settings import DebounceSettings


@dataclass(frozen=True)
class Press:
    """One press; `t_ns` is its first edge."""

    t_ns: int


class Fault(Enum):
    """Why a button is out of play. HELD: closed without end. FLUTTER: more presses than fingers can do."""

    HELD = "held"
    FLUTTER = "flutter"


@dataclass(frozen=True)
class Stuck:
    """The button is out of play since `t_ns`."""

    t_ns: int
    fault: Fault


@dataclass(frozen=True)
class Recovered:
    """The button is back in play since `t_ns`."""

    t_ns: int


Outcome = Press | Stuck | Recovered


class _Phase(Enum):
    IDLE = "idle"
    OPEN = "open"  # there were edges; not decided whether they are a press
    HELD = "held"  # a press was decided, the button is not let go yet
    OUT = "out"  # out of play


class Debouncer:
    """The state of one line. `active` is True while the contact is closed, whatever the electrical level.

    Edges may be told late: what was decided before stays, but contacts are as long as their stamps say, and a press
    keeps the stamp of its own first edge.
    """

    def __init__(self, settings: DebounceSettings | None = None, *, active: bool = False, t_ns: int = 0) -> None:
        """Begin at `t_ns` with the line as it is: a button that is closed already is held, not pressed."""
        self._settings = settings or DebounceSettings()
        self._phase = _Phase.HELD if active else _Phase.IDLE
        self._active = active
        self._edge_ns = t_ns  # stamp of the latest edge
        self._first_ns = t_ns  # first edge of what is open or held
        self._contact_ns = 0  # closed time since the first edge, without the contact that lasts still
        self._needed_ns = self._settings.contact_ns
        self._presses: deque[int] = deque(maxlen=self._settings.flutter_presses)
        self._let_go_ns: int | None = None  # stamp of the edge by which the latest press ended

    @property
    def undecided_ns(self) -> int | None:
        """The first edge of what may become a press, or None: no press before this time will follow."""
        return self._first_ns if self._phase is _Phase.OPEN else None

    @property
    def quiet(self) -> bool:
        """Whether nothing happens here until the next edge."""
        return self._phase is _Phase.IDLE or (self._phase is _Phase.OUT and self._active)

    @property
    def deadline_ns(self) -> int | None:
        """When something will be decided if no edge comes before, ns; None: nothing will."""
        settings = self._settings
        if self._phase is _Phase.IDLE:
            return None
        if self._phase is _Phase.OPEN:
            if self._active:
                return self._edge_ns + self._needed_ns
            spike = self._contact_ns < settings.spike_ns
            return self._edge_ns + (settings.spike_quiet_ns if spike else settings.chatter_ns)
        if self._phase is _Phase.OUT:
            return None if self._active else self._edge_ns + settings.recovered_ns
        if self._active:
            return self._first_ns + settings.stuck_ns
        return min(self._edge_ns + settings.chatter_ns, self._first_ns + settings.stuck_ns)

    def feed(self, t_ns: int, active: bool) -> list[Outcome]:
        """Take an edge to closed or open; give what it decides, and what time had decided before it."""
        outcomes = self._run_to(t_ns, inclusive=False)
        t_ns = max(t_ns, self._edge_ns)
        if active == self._active:
            self._note_missed_release(t_ns)
            return outcomes
        if self._active:
            self._contact_ns += t_ns - self._edge_ns
        self._active = active
        self._edge_ns = t_ns
        if active and self._phase is _Phase.IDLE:
            self._close(t_ns)
        return outcomes

    def advance(self, t_ns: int) -> list[Outcome]:
        """Let time pass up to `t_ns` without an edge; give what that decides."""
        return self._run_to(t_ns, inclusive=True)

    def _close(self, t_ns: int) -> None:
        """Take the first contact after quiet: a new press, or chatter of the one before that was delivered too late."""
        if self._let_go_ns is not None and t_ns - self._let_go_ns <= self._settings.chatter_ns:
            self._phase = _Phase.HELD
        else:
            self._open(t_ns, self._settings.contact_ns)

    def _open(self, t_ns: int, needed_ns: int) -> None:
        self._phase = _Phase.OPEN
        self._first_ns = t_ns
        self._contact_ns = 0
        self._needed_ns = needed_ns

    def _note_missed_release(self, t_ns: int) -> None:
        """Take a second closing edge in a row: the opening one between them was lost on the way.

        It may be a new press, or the chatter of the lost release; only the former stays closed.
        """
        if not self._active:
            return
        if self._phase is _Phase.HELD and t_ns - self._edge_ns > self._settings.chatter_ns:
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
        """Do what is due at the deadline `t_ns`."""
        if self._phase is _Phase.OPEN:
            if self._active:
                return [self._press()]
            self._phase = _Phase.IDLE
        elif self._phase is _Phase.OUT:
            self._phase = _Phase.IDLE
            self._presses.clear()
            return [Recovered(t_ns)]
        elif not self._active and t_ns - self._edge_ns >= self._settings.chatter_ns:
            self._phase = _Phase.IDLE
            self._let_go_ns = self._edge_ns
        else:
            self._phase = _Phase.OUT
            return [Stuck(t_ns, Fault.HELD)]
        return []

    def _press(self) -> Outcome:
        presses = self._presses
        presses.append(self._first_ns)
        if len(presses) == presses.maxlen and self._first_ns - presses[0] <= self._settings.flutter_ns:
            self._phase = _Phase.OUT
            return Stuck(self._first_ns, Fault.FLUTTER)
        self._phase = _Phase.HELD
        return Press(self._first_ns)


def debounce(
    pairs: Iterable[tuple[int, bool]], settings: DebounceSettings | None = None, until_ns: int | None = None
) -> list[Outcome]:
    """Give what the (t_ns, active) pairs of one line, in time order, come to; the line starts open.

    until_ns: how long time goes on after the last edge, ns, monotonic clock; None: until its chatter would be over.
    """
    settings = settings or DebounceSettings()
    debouncer = Debouncer(settings)
    outcomes: list[Outcome] = []
    last_ns = 0
    for t_ns, active in pairs:
        outcomes += debouncer.feed(t_ns, active)
        last_ns = max(last_ns, t_ns)
    return outcomes + debouncer.advance(last_ns + settings.chatter_ns if until_ns is None else until_ns)
