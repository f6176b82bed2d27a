"""The sandtimer: turns edges of its barrier and tilt switch into flips, runs and the last grain.

`Glass` models the sand: the upper part shrinks while sand runs, and turning the timer swaps both parts. Sand
that stops with an empty upper part has run out. Sand that stops earlier was stopped: the tilt switch shows why. A timer
that moved was knocked over, or was flipped early if the sand runs on in the other direction. A timer that did not move
is clogged. Without a tilt switch the length of the next flow shows whether it was flipped. The learned duration
replaces a missing light barrier.

The end is the last grain's fall. It is known one pause later; events in between are judged by their own times.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

from hardware.edges import Clock, Edge, EdgeDevice, EdgeLines, LineSpec
from hardware.events import (
    SandEdge,
    SandFlipped,
    SandLine,
    SandRanOut,
    SandReason,
    SandResumed,
    SandTrouble,
    Sink,
    TimedEvent,
)
from hardware.gpio import GpioLines
from hardware.problems import BadSettingError, TooLittleSandError
from hardware.settings import SECOND, SandProfile, SandSettings


class Grains:
    """The light barrier at the neck. Grains flicker: edges count, levels do not.

    Sand runs after `start_edges` edges over at least `start_span_ns` without a gap above `gap_ns`; a knock on the table
    makes fewer. It stops at the last edge before a longer gap.
    """

    def __init__(self, gap_ns: int, start_edges: int, start_span_ns: int) -> None:
        self._gap_ns = gap_ns
        self._start_edges = start_edges
        self._start_span_ns = start_span_ns
        self._edges = 0
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self.running = False
        self.ever_seen = False

    @property
    def stop_ns(self) -> int | None:
        """Time at which the sand will have stopped if no edge comes, ns; None: no sand runs."""
        return None if self.last_ns is None else self.last_ns + self._gap_ns

    def feed(self, t_ns: int) -> bool:
        """Take an edge of the barrier; return whether it shows that sand runs (since `first_ns`)."""
        self.ever_seen = True
        if self.first_ns is None or self.last_ns is None:
            self.first_ns = t_ns
        self.last_ns = t_ns if self.last_ns is None else max(t_ns, self.last_ns)
        self._edges += 1
        if self.running or self._edges < self._start_edges or self.last_ns - self.first_ns < self._start_span_ns:
            return False
        self.running = True
        return True

    def stop(self) -> int | None:
        """End the run (call at `stop_ns`); return when the sand stopped, or None if it never ran."""
        stopped_ns = self.last_ns if self.running else None
        self._edges = 0
        self.first_ns = self.last_ns = None
        self.running = False
        return stopped_ns


class Tilt:
    """The tilt switch. Its ball rolls while the timer is turned: only its level at rest counts."""

    def __init__(self, settle_ns: int) -> None:
        self._settle_ns = settle_ns
        self._now: bool | None = None
        self.level: bool | None = None
        self.since_ns: int | None = None
        self.last_ns: int | None = None
        self.moving = False

    @property
    def settles_ns(self) -> int | None:
        """Time at which the switch will be at rest if no edge comes, ns; None: it is at rest."""
        return self.last_ns + self._settle_ns if self.moving and self.last_ns is not None else None

    def begin(self, level: bool) -> None:
        """Take the level at the start."""
        self._now = self.level = level
        self.moving = False

    def feed(self, t_ns: int, level: bool) -> bool:
        """Take an edge; return whether it begins a movement (at `since_ns`): the timer was at rest before."""
        if self.level is None:
            self.level = not level
        self._now = level
        self.last_ns = t_ns if self.last_ns is None else max(t_ns, self.last_ns)
        if self.moving:
            return False
        self.moving = True
        self.since_ns = self.last_ns
        return True

    def settle(self) -> bool:
        """Come to rest (call at `settles_ns`); return whether the timer was turned over."""
        changed = self._now != self.level
        self.level = self._now
        self.moving = False
        return changed


EDGES_MIN = 20


class Glass:
    """A timer's sand. `left_ns`: running time of the sand above, ns; None: the timer was not learned."""

    def __init__(self, duration_ns: int | None) -> None:
        self._duration_ns = duration_ns
        self.left_ns: int | None = 0
        self.flow_ns = 0
        self.flows: list[int] = []

    def fill(self) -> None:
        """Start a whole run: all sand is above."""
        self.left_ns = self._duration_ns
        self.flow_ns = 0
        self.flows = []

    def run(self, flow_ns: int) -> None:
        """Let sand run for `flow_ns`."""
        self.flow_ns += max(flow_ns, 0)
        self.flows.append(max(flow_ns, 0))
        if self.left_ns is not None:
            self.left_ns = max(self.left_ns - max(flow_ns, 0), 0)

    def turn(self) -> None:
        """Swap the parts: the sand that has fallen is above again."""
        self.flows = []
        if self.left_ns is not None and self._duration_ns is not None:
            self.left_ns = max(self._duration_ns - self.left_ns, 0)

    def empty(self) -> None:
        """Note that no sand is above."""
        self.left_ns = 0


def learn_sandtimer(runs: Sequence[Sequence[int]]) -> SandProfile:
    """Learn a timer from whole runs, each the times (ns) of the light barrier's edges.

    At least two runs, one in each direction, show their difference. Raises TooLittleSandError for fewer runs, for few
    edges in a run, and for runs of different lengths.
    """
    if len(runs) < 2:
        raise TooLittleSandError(
            "error.sandtimer.let_sandtimer_run_through_at",
            "let the sandtimer run through at least twice, once each way round",
        )
    durations: list[int] = []
    gaps: list[int] = []
    for number, run in enumerate(runs, 1):
        if len(run) < EDGES_MIN:
            raise TooLittleSandError(
                "error.sandtimer.light_barrier_saw_hardly_any",
                "the light barrier saw hardly any sand in run {number}: check how it is mounted",
                number=number,
            )
        times = sorted(run)
        durations.append(times[-1] - times[0])
        gaps.append(max(later - earlier for earlier, later in pairwise(times)))
    shortest, longest = min(durations), max(durations)
    if longest - shortest > shortest // 5:
        raise TooLittleSandError(
            "error.sandtimer.runs_took_between_and_seconds",
            "the runs took between {shortest} and {longest} seconds: was one cut short?",
            shortest=f"{shortest / SECOND:.0f}",
            longest=f"{longest / SECOND:.0f}",
        )
    return SandProfile(
        duration_ns=sum(durations) // len(durations), spread_ns=longest - shortest, longest_gap_ns=max(gaps)
    )


class Run:
    """The present or last run.

    on: it has begun and not ended. start_ns: start of the present flow. stop_ns: last stop of the sand. stopped_by: the
    announced reason why no sand runs. endless: sand ran until `endless_ns`, and that was reported.
    """

    def __init__(self, settings: SandSettings) -> None:
        self._settings = settings
        self._duration_ns = settings.profile.duration_ns if settings.profile else None
        self._glass = Glass(self._duration_ns)
        self.on = False
        self.start_ns = 0
        self.stop_ns = 0
        self.stopped_by: SandReason | None = None
        self.endless = False

    def remaining_ns(self, t_ns: int) -> int | None:
        """Return the remaining time of the run at `t_ns`; None: not learned, or without a run."""
        if self._glass.left_ns is None or not self.on:
            return None
        return max(self._glass.left_ns - max(t_ns - self.start_ns, 0), 0)

    @property
    def end_ns(self) -> int | None:
        """Time at which the sand will have run out by the learned duration, ns; None: not learned."""
        return None if self._glass.left_ns is None else self.start_ns + self._glass.left_ns

    @property
    def endless_ns(self) -> int | None:
        """Time at which more sand will have run than there is, ns; None: not learned, or already reported."""
        if self.end_ns is None or self._duration_ns is None or self.endless:
            return None
        return self.end_ns + round((self._settings.endless - 1) * self._duration_ns)

    def begin(self, t_ns: int) -> SandFlipped:
        """Start a whole run."""
        self.on = True
        self.endless = False
        self.stopped_by = None
        self._glass.fill()
        return SandFlipped(t_ns)

    def account(self, stopped_ns: int) -> None:
        """Subtract the sand that ran until `stopped_ns`."""
        self.stop_ns = stopped_ns
        self._glass.run(stopped_ns - self.start_ns)

    def flip_early(self, t_ns: int) -> SandTrouble:
        """Turn the timer in mid-run: the fallen sand runs back."""
        self._glass.turn()
        return SandTrouble(t_ns, SandReason.FLIPPED_EARLY)

    def trouble(self, t_ns: int, reason: SandReason) -> SandTrouble:
        """Note why no sand runs."""
        self.stopped_by = reason
        return SandTrouble(t_ns, reason)

    def see_too_much(self, t_ns: int) -> SandTrouble:
        """Note that the light barrier sees something other than sand."""
        self.endless = True
        return SandTrouble(t_ns, SandReason.ENDLESS)

    def stopped_early(self, moved_ns: int | None) -> bool:
        """Return whether sand is left. For an unlearned timer only its movement (at `moved_ns`) shows it."""
        if self._glass.left_ns is None or self._duration_ns is None:
            return moved_ns is not None and moved_ns <= self.stop_ns + self._settings.end_gap_ns
        return self._glass.left_ns > self._settings.tolerance_ns

    def judge_early_stop(self, stopped_ns: int) -> list[TimedEvent]:
        """Judge an early stop without a tilt switch: a second flow as long as the first means a flip."""
        flows = self._glass.flows
        if len(flows) == 2 and abs(flows[1] - flows[0]) <= self._settings.tolerance_ns:
            turned = SandTrouble(stopped_ns - flows[1], SandReason.FLIPPED_EARLY)
            return [turned, self.end(stopped_ns)]
        return [self.trouble(stopped_ns, SandReason.STOPPED)]

    def end(self, t_ns: int) -> SandRanOut:
        """End the run with the last grain."""
        self.on = False
        self._glass.empty()
        return SandRanOut(t_ns, self._glass.flow_ns)


BARRIER, TILT, FLIP = "barrier", "tilt", "flip"
# A second tap on "flipped" within this time is a slip of the finger.
DOUBLE_TAP_NS = 1 * SECOND


class _Mode(Enum):
    REST = "rest"
    FLOW = "flow"  # the barrier sees sand
    DURATION = "duration"  # no barrier: the learned duration runs


class SandLogic:
    """One sandtimer (an `EdgeLogic`). Lines: "barrier", "tilt", and "flip" for a flip entered by hand.

    A flip by hand is ignored while the sensors see a run, and for an unlearned timer.
    """

    def __init__(self, settings: SandSettings) -> None:
        self._settings = settings
        self._run = Run(settings)
        self._grains = Grains(settings.end_gap_ns, settings.start_edges, settings.start_span_ns)
        self._tilt = Tilt(settings.tilt_settle_ns)
        self._mode = _Mode.REST
        self._flow_level: bool | None = None  # level of the tilt switch when sand ran last
        self._flow_waits = False  # sand runs while the timer is still being turned
        self._turn_ns: int | None = None  # time of a turn whose meaning is undecided
        self._grace_ns: int | None = None  # until then sand may begin to run
        self._turn_known_ns: int | None = None  # sand that runs at this time runs in the other direction
        self._tap_ns: int | None = None

    @property
    def running(self) -> bool:
        """Return whether a run has begun and not ended, as far as is known."""
        return self._run.on

    def remaining_ns(self, t_ns: int) -> int | None:
        """Return how long the sand will still run at `t_ns`, ns; None: not learned, or no sand runs."""
        return None if self._mode is _Mode.REST else self._run.remaining_ns(t_ns)

    @property
    def deadline_ns(self) -> int | None:
        """Return the next time at which time alone decides something, ns."""
        return min((t for t in self._deadlines().values() if t is not None), default=None)

    @property
    def undecided_ns(self) -> int | None:
        """Return the earliest possible stop or flip that is still undecided, ns."""
        times: list[int | None] = []
        if self._mode is _Mode.FLOW:
            times.append(self._grains.last_ns)
        elif not self._run.on:
            times += [self._turn_ns, self._grains.first_ns, self._tilt.since_ns if self._tilt.moving else None]
        return min((t for t in times if t is not None), default=None)

    def begin(self, edge: Edge) -> list[TimedEvent]:
        """Take a line's level at the start."""
        if edge.line == TILT:
            self._tilt.begin(edge.active)
        return []

    def feed(self, edge: Edge) -> list[TimedEvent]:
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

    def advance(self, t_ns: int) -> list[TimedEvent]:
        """Take the promise that all edges up to `t_ns` were fed; return the events."""
        return self._run_to(t_ns)

    def cancel(self) -> None:
        """Cancel the run: the players stopped, and the rest of the sand is ignored."""
        self._run.on = False
        self._mode = _Mode.REST
        self._grains.stop()
        self._turn_ns = self._grace_ns = self._turn_known_ns = None
        self._flow_waits = False

    def _deadlines(self) -> dict[str, int | None]:
        return {
            "settle": self._tilt.settles_ns,
            # "Longer than the gap": an edge at exactly that time still belongs to the sand.
            "stop": None if self._grains.stop_ns is None else self._grains.stop_ns + 1,
            "turn known": self._turn_known_ns,
            "grace": self._grace_ns,
            "end": self._run.end_ns if self._mode is _Mode.DURATION else None,
            "endless": self._run.endless_ns if self._mode is _Mode.FLOW else None,
        }

    def _run_to(self, t_ns: int) -> list[TimedEvent]:
        events: list[TimedEvent] = []
        while True:
            due = [(at, name) for name, at in self._deadlines().items() if at is not None and at <= t_ns]
            if not due:
                return events
            at, name = min(due)
            events += self._decide(name, at)

    def _decide(self, name: str, t_ns: int) -> list[TimedEvent]:
        if name == "settle":
            return self._settled(self._tilt.settle(), t_ns)
        if name == "stop":
            stopped_ns = self._grains.stop()
            self._flow_waits = False
            return [] if stopped_ns is None or self._mode is not _Mode.FLOW else self._stopped(stopped_ns, t_ns)
        if name == "turn known":
            return self._turned_while_running()
        if name == "grace":
            return self._no_sand_came()
        if name == "end":
            self._run.account(t_ns)
            return self._ran_out(t_ns)
        return [self._run.see_too_much(t_ns)]

    def _sand_runs(self) -> list[TimedEvent]:
        """Begin the flow; the direction is known only when the timer is at rest."""
        if self._mode is not _Mode.REST:
            return []
        if self._tilt.moving:
            self._flow_waits = True
            return []
        first_ns = self._grains.first_ns
        return [] if first_ns is None else self._begin_flow(first_ns)

    def _begin_flow(self, first_ns: int) -> list[TimedEvent]:
        level, turn_ns = self._tilt.level, self._turn_ns
        turned = level is not None and self._flow_level is not None and level != self._flow_level
        self._turn_ns = self._grace_ns = None
        self._mode = _Mode.FLOW
        self._flow_level = level
        self._run.start_ns = first_ns if turn_ns is None else max(first_ns, turn_ns)
        if not self._run.on:
            return [self._run.begin(first_ns if turn_ns is None else turn_ns)]
        events: list[TimedEvent] = []
        if turned:
            events.append(self._run.flip_early(first_ns if turn_ns is None else turn_ns))
        elif self._run.stopped_by is not None:
            events.append(SandResumed(first_ns))
        self._run.stopped_by = None
        return events

    def _settled(self, changed: bool, t_ns: int) -> list[TimedEvent]:
        """Judge a timer that has come to rest after a movement."""
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
                self._turn_ns, self._turn_known_ns = since_ns, t_ns + self._settings.end_gap_ns + 1
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
            return self._start_duration(since_ns)
        self._turn_ns, self._grace_ns = since_ns, t_ns + self._settings.grace_ns
        return []

    def _stopped(self, stopped_ns: int, t_ns: int) -> list[TimedEvent]:
        """Judge sand that stopped at `stopped_ns`, as known at `t_ns`."""
        self._run.account(stopped_ns)
        self._mode = _Mode.REST
        self._turn_known_ns = None
        tilt = self._tilt
        near = tilt.last_ns is not None and tilt.last_ns >= stopped_ns - self._settings.tilt_settle_ns
        moved = tilt.moving or self._turn_ns is not None or near
        if self._run.endless:
            self._run.on = False
            return []
        if not self._run.stopped_early(tilt.since_ns if moved else None):
            return self._ran_out(stopped_ns)
        if moved:
            self._turn_ns = tilt.since_ns if self._turn_ns is None else self._turn_ns
            self._grace_ns = None if tilt.moving else t_ns + self._settings.grace_ns
            return []
        if tilt.level is None:
            return self._run.judge_early_stop(stopped_ns)
        return [self._run.trouble(stopped_ns, SandReason.CLOGGED)]

    def _turned_while_running(self) -> list[TimedEvent]:
        """Judge a timer that moved while sand ran on: it was turned within an unseen pause."""
        self._turn_known_ns = None
        turn_ns, self._turn_ns = self._turn_ns, None
        if turn_ns is None or self._tilt.level == self._flow_level:
            return []
        self._run.account(turn_ns)
        self._run.start_ns, self._flow_level = turn_ns, self._tilt.level
        if not self._run.stopped_early(turn_ns):
            return [self._run.end(turn_ns), self._run.begin(turn_ns)]
        return [self._run.flip_early(turn_ns)]

    def _no_sand_came(self) -> list[TimedEvent]:
        """Judge a timer that was turned, but whose sand did not start in time."""
        turn_ns, self._turn_ns, self._grace_ns = self._turn_ns, None, None
        if turn_ns is None:
            return []
        if self._run.on:
            return [] if self._run.stopped_by is not None else [self._run.trouble(turn_ns, SandReason.KNOCKED_OVER)]
        if self._grains.ever_seen or self._settings.profile is None:
            return [SandTrouble(turn_ns, SandReason.NO_SAND)]
        return [*self._start_duration(turn_ns), SandTrouble(turn_ns, SandReason.BARRIER_SILENT)]

    def _start_duration(self, t_ns: int) -> list[TimedEvent]:
        self._mode = _Mode.DURATION
        self._run.start_ns = t_ns
        self._flow_level = self._tilt.level
        return [self._run.begin(t_ns)]

    def _turned_without_barrier(self, t_ns: int) -> list[TimedEvent]:
        self._run.account(t_ns)
        self._run.start_ns, self._flow_level = t_ns, self._tilt.level
        return [self._run.flip_early(t_ns)]

    def _flip_by_hand(self, t_ns: int) -> list[TimedEvent]:
        tapped_ns, self._tap_ns = self._tap_ns, t_ns
        if tapped_ns is not None and t_ns - tapped_ns < DOUBLE_TAP_NS:
            return []
        if self._mode is _Mode.DURATION:
            return self._turned_without_barrier(t_ns)
        if self._run.on or self._settings.profile is None:
            return []
        return self._start_duration(t_ns)

    def _ran_out(self, t_ns: int) -> list[TimedEvent]:
        self._mode = _Mode.REST
        self._turn_ns = self._grace_ns = None
        return [self._run.end(t_ns)]


def sand_lines(settings: SandSettings) -> tuple[LineSpec, ...]:
    """Return the lines of the fitted sensors."""
    fitted = ((BARRIER, settings.barrier), (TILT, settings.tilt))
    return tuple(LineSpec(name, pin) for name, pin in fitted if pin is not None)


class NoLines:
    """The lines of a timer without sensors (an `EdgeLines`)."""

    def open(self, on_edge: object, on_health: object) -> tuple[Edge, ...]:
        """Do nothing."""
        return ()

    def close(self) -> None:
        """Do nothing."""


class Sandtimer:
    """A sandtimer: sensors' edges in, flips and the end of the sand on the sink."""

    def __init__(
        self,
        settings: SandSettings,
        sink: Sink,
        clock: Clock = time.monotonic_ns,
        lines: EdgeLines | None = None,
    ) -> None:
        """lines: source of the edges, if not the back-end of the settings.

        Raises BadSettingError for settings that give no sandtimer.
        """
        self._clock = clock
        self.logic = SandLogic(settings)
        self.device = EdgeDevice("sandtimer", lines or self._make_lines(settings), self.logic, sink, clock)

    def _make_lines(self, settings: SandSettings) -> EdgeLines:
        if settings.backend == "gpio":
            return GpioLines(sand_lines(settings), clock=self._clock)
        if settings.backend != "watched":
            raise BadSettingError(
                "error.setting.there_is_no_sandtimer_of",
                'there is no sandtimer of the kind "{kind}"',
                kind=settings.backend,
            )
        if settings.profile is None:
            raise BadSettingError(
                "error.setting.sandtimer_without_sensors_needs_its",
                "a sandtimer without sensors needs its duration: learn it with ringmaster calibrate",
            )
        return NoLines()

    def start(self) -> None:
        """Start and return at once."""
        self.device.start()

    def stop(self) -> None:
        """Stop, and wait for it."""
        self.device.stop()

    def flip(self, t_ns: int | None = None) -> None:
        """Note a flip at `t_ns` (None: now), from a button or the page; any thread."""
        self.device.command(Edge(self._clock() if t_ns is None else t_ns, FLIP, True))
