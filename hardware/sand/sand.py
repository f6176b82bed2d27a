"""What a sandtimer does, from its sensors' edges: flipped, running, last grain fallen, and what went wrong.

The sand itself is the model (`sand_glass.Glass`): what is left above shrinks while sand runs, and turning the timer
makes it the whole less what was left. So sand that stops with none left has run out, and sand that stops before was
stopped by something: the tilt switch tells whether the timer was moved (knocked over, or flipped early when the sand
runs on the other way round) or not (clogged). Without a tilt switch a stop is only a stop, until the length of what
follows tells that the timer had been flipped. Without a light barrier the learned duration stands in for it.

The time of the end is the last grain's fall. It is known one pause later, and whatever happens between the two is
judged by its own time, so nobody is caught by the pause.
"""

from __future__ import annotations

from enum import Enum

from hardware.edges import Edge
from hardware.events import (
    Event,
    SandEdge,
    SandLine,
    SandReason,
    SandResumed,
    SandTrouble,
    Witness,
)
from hardware.sand.run import Run
from hardware.sand.sensors import Grains, Tilt
from hardware.settings import SECOND, SandSettings

BARRIER, TILT, FLIP = "barrier", "tilt", "flip"
# A second tap on "flipped" this soon is a slip of the finger.
DOUBLE_TAP_NS = 1 * SECOND


class _Mode(Enum):
    REST = "rest"
    FLOW = "flow"  # the barrier sees sand
    DURATION = "duration"  # no barrier: the learned duration runs


class SandLogic:
    """One sandtimer (an `EdgeLogic`). Lines: "barrier", "tilt", and "flip" for a flip told by hand.

    A flip by hand means nothing while the sensors see a run, nor for a timer that was not learned.
    """

    def __init__(self, settings: SandSettings) -> None:
        self._settings = settings
        self._run = Run(settings)
        self._grains = Grains(settings.end_gap_ns, settings.start_edges, settings.start_span_ns)
        self._tilt = Tilt(settings.tilt_settle_ns)
        self._mode = _Mode.REST
        self._flow_level: bool | None = None  # which way up the sand ran last
        self._flow_waits = False  # sand runs, but the timer is still being turned
        self._turn_ns: int | None = None  # the timer was turned then, and what it means is open
        self._grace_ns: int | None = None  # until then sand may begin to run
        self._turn_sure_ns: int | None = None  # sand that runs on until then runs the other way round
        self._tap_ns: int | None = None

    @property
    def running(self) -> bool:
        """Whether a run has begun and the last grain has not fallen, as far as is known."""
        return self._run.on

    def remaining_ns(self, t_ns: int) -> int | None:
        """How long the sand will run on at `t_ns`, ns; None: not learned, or none runs."""
        return None if self._mode is _Mode.REST else self._run.remaining_ns(t_ns)

    @property
    def deadline_ns(self) -> int | None:
        """When time alone will decide something, ns."""
        return min((t for t in self._deadlines().values() if t is not None), default=None)

    @property
    def undecided_ns(self) -> int | None:
        """Give when the sand stopped or the timer was flipped for all we know: an event of that time may follow."""
        times: list[int | None] = []
        if self._mode is _Mode.FLOW:
            times.append(self._grains.last_ns)
        elif not self._run.on:
            times += [self._turn_ns, self._grains.first_ns, self._tilt.since_ns if self._tilt.moving else None]
        return min((t for t in times if t is not None), default=None)

    def begin(self, edge: Edge) -> list[Event]:
        """Take a line as it is found."""
        if edge.line == TILT:
            self._tilt.begin(edge.active)
        return []

    def feed(self, edge: Edge) -> list[Event]:
        """Take an edge; lines of other devices are ignored."""
        events = self._run_to(edge.t_ns - 1)
        if edge.line == FLIP:
            return events + (self._flip_by_hand(edge.t_ns) if edge.active else [])
        if edge.line == BARRIER:
            events.append(SandEdge(edge.t_ns, SandLine.BARRIER, int(edge.active)))
            if self._grains.feed(edge.t_ns):
                events += self._sand_runs()
        elif edge.line == TILT:
            events.append(SandEdge(edge.t_ns, SandLine.TILT, int(edge.active)))
            self._tilt.feed(edge.t_ns, edge.active)
        return events

    def advance(self, t_ns: int) -> list[Event]:
        """Take the promise that all edges up to `t_ns` have been fed."""
        return self._run_to(t_ns)

    def cancel(self) -> None:
        """Give up the run, because the players did; the sand in the timer is let run out unnoticed."""
        self._run.on = False
        self._mode = _Mode.REST
        self._grains.stop()
        self._turn_ns = self._grace_ns = self._turn_sure_ns = None
        self._flow_waits = False

    def _deadlines(self) -> dict[str, int | None]:
        return {
            "settle": self._tilt.settles_ns,
            # "Longer than the gap": the edge that comes just then still belongs to the sand.
            "stop": None if self._grains.stop_ns is None else self._grains.stop_ns + 1,
            "turn_sure": self._turn_sure_ns,
            "grace": self._grace_ns,
            "end": self._run.end_ns if self._mode is _Mode.DURATION else None,
            "endless": self._run.endless_ns if self._mode is _Mode.FLOW else None,
        }

    def _run_to(self, t_ns: int) -> list[Event]:
        events: list[Event] = []
        while True:
            due = [(at, name) for name, at in self._deadlines().items() if at is not None and at <= t_ns]
            if not due:
                return events
            at, name = min(due)
            events += self._decide(name, at)

    def _decide(self, name: str, t_ns: int) -> list[Event]:
        if name == "settle":
            return self._settled(self._tilt.settle(), t_ns)
        if name == "stop":
            stopped_ns = self._grains.stop()
            self._flow_waits = False
            return [] if stopped_ns is None or self._mode is not _Mode.FLOW else self._stopped(stopped_ns, t_ns)
        if name == "turn_sure":
            return self._turned_while_running()
        if name == "grace":
            return self._no_sand_came()
        if name == "end":
            self._run.account(t_ns)
            return self._ran_out(t_ns, Witness.DURATION)
        return [self._run.see_too_much(t_ns)]

    def _sand_runs(self) -> list[Event]:
        """Sand is seen to run; which way up is known only when the timer has come to rest."""
        if self._mode is not _Mode.REST:
            return []
        if self._tilt.moving:
            self._flow_waits = True
            return []
        first_ns = self._grains.first_ns
        return [] if first_ns is None else self._begin_flow(first_ns)

    def _begin_flow(self, first_ns: int) -> list[Event]:
        level, turn_ns = self._tilt.level, self._turn_ns
        turned = level is not None and self._flow_level is not None and level != self._flow_level
        self._turn_ns = self._grace_ns = None
        self._mode = _Mode.FLOW
        self._flow_level = level
        self._run.start_ns = first_ns if turn_ns is None else max(first_ns, turn_ns)
        if not self._run.on:
            return [
                self._run.begin(first_ns if turn_ns is None else turn_ns, Witness.TILT if turn_ns else Witness.BARRIER)
            ]
        events: list[Event] = []
        if turned:
            events.append(self._run.flip_early(first_ns if turn_ns is None else turn_ns))
        elif self._run.stopped_by is not None:
            events.append(SandResumed(first_ns))
        self._run.stopped_by = None
        return events

    def _settled(self, changed: bool, t_ns: int) -> list[Event]:
        """Judge a timer that has come to rest after it moved."""
        since_ns = self._tilt.since_ns
        if since_ns is None:
            return []
        if self._mode is _Mode.DURATION:
            return self._turned_without_barrier(since_ns) if changed else []
        if self._flow_waits:
            self._flow_waits = False
            self._turn_ns = since_ns if changed else None
            return [] if self._grains.first_ns is None else self._begin_flow(self._grains.first_ns)
        if self._mode is _Mode.FLOW:
            if changed:
                self._turn_ns, self._turn_sure_ns = since_ns, t_ns + self._settings.end_gap_ns + 1
            return []
        if self._run.on:
            if self._run.stopped_by is None or changed:
                self._turn_ns = since_ns
                self._grace_ns = t_ns + self._settings.grace_ns
            return []
        self._turn_ns = self._grace_ns = None
        if not changed or self._tilt.level == self._flow_level:
            return []
        if self._settings.barrier is None:
            return self._start_duration(since_ns, Witness.TILT)
        self._turn_ns, self._grace_ns = since_ns, t_ns + self._settings.grace_ns
        return []

    def _stopped(self, stopped_ns: int, t_ns: int) -> list[Event]:
        """Judge sand that has stopped at `stopped_ns`, which is known at `t_ns`."""
        self._run.account(stopped_ns)
        self._mode = _Mode.REST
        self._turn_sure_ns = None
        tilt = self._tilt
        near = tilt.last_ns is not None and tilt.last_ns >= stopped_ns - self._settings.tilt_settle_ns
        moved = tilt.moving or self._turn_ns is not None or near
        if self._run.endless:
            self._run.on = False
            return []
        if not self._run.stopped_early(tilt.since_ns if moved else None):
            return self._ran_out(stopped_ns, Witness.BARRIER)
        if moved:
            self._turn_ns = tilt.since_ns if self._turn_ns is None else self._turn_ns
            self._grace_ns = None if tilt.moving else t_ns + self._settings.grace_ns
            return []
        if tilt.level is None:
            return self._run.stop_untold(stopped_ns)
        return [self._run.trouble(stopped_ns, SandReason.CLOGGED)]

    def _turned_while_running(self) -> list[Event]:
        """Take the timer as turned: it has been moved and sand runs on, so quickly that no pause was seen."""
        self._turn_sure_ns = None
        turn_ns, self._turn_ns = self._turn_ns, None
        if turn_ns is None or self._tilt.level == self._flow_level:
            return []
        self._run.account(turn_ns)
        self._run.start_ns, self._flow_level = turn_ns, self._tilt.level
        if not self._run.stopped_early(turn_ns):
            return [self._run.end(turn_ns, Witness.TILT), self._run.begin(turn_ns, Witness.TILT)]
        return [self._run.flip_early(turn_ns)]

    def _no_sand_came(self) -> list[Event]:
        """Judge a timer that was turned without sand beginning to run in time."""
        turn_ns, self._turn_ns, self._grace_ns = self._turn_ns, None, None
        if turn_ns is None:
            return []
        if self._run.on:
            return [] if self._run.stopped_by is not None else [self._run.trouble(turn_ns, SandReason.KNOCKED_OVER)]
        if self._grains.ever_seen or self._settings.profile is None:
            return [SandTrouble(turn_ns, SandReason.NO_SAND)]
        return [*self._start_duration(turn_ns, Witness.TILT), SandTrouble(turn_ns, SandReason.BARRIER_SILENT)]

    def _start_duration(self, t_ns: int, witness: Witness) -> list[Event]:
        self._mode = _Mode.DURATION
        self._run.start_ns = t_ns
        self._flow_level = self._tilt.level
        return [self._run.begin(t_ns, witness)]

    def _turned_without_barrier(self, t_ns: int) -> list[Event]:
        self._run.account(t_ns)
        self._run.start_ns, self._flow_level = t_ns, self._tilt.level
        return [self._run.flip_early(t_ns)]

    def _flip_by_hand(self, t_ns: int) -> list[Event]:
        tapped_ns, self._tap_ns = self._tap_ns, t_ns
        if tapped_ns is not None and t_ns - tapped_ns < DOUBLE_TAP_NS:
            return []
        if self._mode is _Mode.DURATION:
            return self._turned_without_barrier(t_ns)
        if self._run.on or self._settings.profile is None:
            return []
        return self._start_duration(t_ns, Witness.HAND)

    def _ran_out(self, t_ns: int, witness: Witness) -> list[Event]:
        self._mode = _Mode.REST
        self._turn_ns = self._grace_ns = None
        return [self._run.end(t_ns, witness)]
