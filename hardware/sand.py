"""The sandtimer: from the edges of its barrier and tilt switch to flips, runs and the last grain.

The sand itself is the model (`sand_glass.Glass`): what is left above shrinks while sand runs, and turning the timer
makes it the whole less what was left. So sand that stops with none left has run out, and sand that stops before was
stopped by an obstacle: the tilt switch shows whether the timer was moved (knocked over, or flipped early when the sand
runs on the other way round) or not (clogged). Without a tilt switch a stop is only a stop, until the length of what
follows shows that the timer had been flipped. Without a light barrier the learned duration stands in for it.

The time of the end is the last grain's fall. It is known one pause later, and whatever happens between the two is
judged by its own time, so nobody is caught by the pause.
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
    Witness,
)
from hardware.gpio import FactoryMaker, GpioLines, lgpio_factory
from hardware.problems import BadSettingError, TooLittleSandError
from hardware.settings import SECOND, SandProfile, SandSettings


class Grains:
    """The light barrier at the neck. Grains flicker: only edges count, not levels.

    Sand runs when there were `start_edges` edges over at least `start_span_ns` with no gap above `gap_ns` (a knock on
    the table is less); it has stopped after a gap longer than `gap_ns`, and then it stopped at the last edge.
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
        """Return when the sand will have stopped if no edge comes, ns; None: none runs."""
        return None if self.last_ns is None else self.last_ns + self._gap_ns

    def feed(self, t_ns: int) -> bool:
        """Take an edge of the barrier; True if with it sand is seen to run (since `first_ns`)."""
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
        """Forget the run (call at `stop_ns`); give when the sand stopped, or None if it never ran."""
        stopped_ns = self.last_ns if self.running else None
        self._edges = 0
        self.first_ns = self.last_ns = None
        self.running = False
        return stopped_ns


class Tilt:
    """The tilt switch. Its ball rolls while the timer is turned: only what it comes to rest at counts."""

    def __init__(self, settle_ns: int) -> None:
        self._settle_ns = settle_ns
        self._now: bool | None = None
        self.level: bool | None = None
        self.since_ns: int | None = None
        self.last_ns: int | None = None
        self.moving = False

    @property
    def settles_ns(self) -> int | None:
        """Return when it will have come to rest if no edge comes, ns; None: it is at rest."""
        return self.last_ns + self._settle_ns if self.moving and self.last_ns is not None else None

    def begin(self, level: bool) -> None:
        """Take the level as it is found at the start."""
        self._now = self.level = level
        self.moving = False

    def feed(self, t_ns: int, level: bool) -> bool:
        """Take an edge; True if the timer was at rest until now (since `since_ns` it moves)."""
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
        """Come to rest (call at `settles_ns`); True if the other way round than before."""
        changed = self._now != self.level
        self.level = self._now
        self.moving = False
        return changed


EDGES_MIN = 20


class Glass:
    """A timer's sand. `left_ns`: how long the sand above will run, ns; None: the timer was not learned."""

    def __init__(self, duration_ns: int | None) -> None:
        self._duration_ns = duration_ns
        self.left_ns: int | None = 0
        self.flow_ns = 0
        self.flows: list[int] = []

    def fill(self) -> None:
        """Begin a whole run: all sand is above."""
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
        """Turn it round: what has fallen is above again."""
        self.flows = []
        if self.left_ns is not None and self._duration_ns is not None:
            self.left_ns = max(self._duration_ns - self.left_ns, 0)

    def empty(self) -> None:
        """Take note that nothing is above."""
        self.left_ns = 0


def learn_sandtimer(runs: Sequence[Sequence[int]]) -> SandProfile:
    """Learn a timer from whole runs, each the times (ns) of the light barrier's edges from first to last grain.

    Two runs, one each way round, are the least that shows how much they differ; more are better.
    Raises TooLittleSandError for fewer, for a run with hardly any edges, and for runs too unlike to be whole ones.
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
    """The run that is on, or was.

    on: it has begun and not ended. start_ns: since when the sand that runs now has been running. stop_ns: when sand
    stopped last. stopped_by: the announced reason why none runs. endless: more was seen than there is sand.
    """

    def __init__(self, settings: SandSettings) -> None:
        self._settings = settings
        self._duration_ns = settings.profile.duration_ns if settings.profile else None
        self._glass = Glass(self._duration_ns)
        self._disturbed = False
        self.on = False
        self.start_ns = 0
        self.stop_ns = 0
        self.stopped_by: SandReason | None = None
        self.endless = False

    def remaining_ns(self, t_ns: int) -> int | None:
        """Return how long the sand will run on at `t_ns`, if it runs; None: not learned, or no run is on."""
        if self._glass.left_ns is None or not self.on:
            return None
        return max(self._glass.left_ns - max(t_ns - self.start_ns, 0), 0)

    @property
    def end_ns(self) -> int | None:
        """Return when the sand will have run out by the learned duration, ns; None: not learned."""
        return None if self._glass.left_ns is None else self.start_ns + self._glass.left_ns

    @property
    def endless_ns(self) -> int | None:
        """Return when more will have been seen than there is sand, ns; None: not learned, or said already."""
        if self.end_ns is None or self._duration_ns is None or self.endless:
            return None
        return self.end_ns + round((self._settings.endless - 1) * self._duration_ns)

    def begin(self, t_ns: int, witness: Witness) -> SandFlipped:
        """Begin a whole run."""
        self.on = True
        self._disturbed = self.endless = False
        self.stopped_by = None
        self._glass.fill()
        return SandFlipped(t_ns, witness)

    def account(self, stopped_ns: int) -> None:
        """Take the sand off that ran until `stopped_ns`."""
        self.stop_ns = stopped_ns
        self._glass.run(stopped_ns - self.start_ns)

    def flip_early(self, t_ns: int) -> SandTrouble:
        """Turn the timer in mid-run: what had fallen runs back."""
        self._disturbed = True
        self._glass.turn()
        return SandTrouble(t_ns, SandReason.FLIPPED_EARLY)

    def trouble(self, t_ns: int, reason: SandReason) -> SandTrouble:
        """Note why no sand runs."""
        self._disturbed = True
        self.stopped_by = reason
        return SandTrouble(t_ns, reason)

    def see_too_much(self, t_ns: int) -> SandTrouble:
        """Note that the light barrier sees something else than sand."""
        self._disturbed = self.endless = True
        return SandTrouble(t_ns, SandReason.ENDLESS)

    def stopped_early(self, moved_ns: int | None) -> bool:
        """Return whether sand is left; for a timer that was not learned only its movement (at `moved_ns`) shows it."""
        if self._glass.left_ns is None or self._duration_ns is None:
            return moved_ns is not None and moved_ns <= self.stop_ns + self._settings.end_gap_ns
        return self._glass.left_ns > self._settings.tolerance_ns

    def stop_untold(self, stopped_ns: int) -> list[TimedEvent]:
        """Judge an early stop without a tilt switch: a second flow as long as the first is the sand running back."""
        flows = self._glass.flows
        if len(flows) == 2 and abs(flows[1] - flows[0]) <= self._settings.tolerance_ns:
            self._disturbed = True
            turned = SandTrouble(stopped_ns - flows[1], SandReason.FLIPPED_EARLY)
            return [turned, self.end(stopped_ns, Witness.BARRIER)]
        return [self.trouble(stopped_ns, SandReason.STOPPED)]

    def end(self, t_ns: int, witness: Witness) -> SandRanOut:
        """End the run with the last grain."""
        self.on = False
        self._glass.empty()
        return SandRanOut(t_ns, self._glass.flow_ns, witness, self._disturbed)


BARRIER, TILT, FLIP = "barrier", "tilt", "flip"
# A second tap on "flipped" this soon is a slip of the finger.
DOUBLE_TAP_NS = 1 * SECOND


class _Mode(Enum):
    REST = "rest"
    FLOW = "flow"  # the barrier sees sand
    DURATION = "duration"  # no barrier: the learned duration runs


class SandLogic:
    """One sandtimer (an `EdgeLogic`). Lines: "barrier", "tilt", and "flip" for a flip entered by hand.

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
        """Return whether a run has begun and the last grain has not fallen, as far as is known."""
        return self._run.on

    def remaining_ns(self, t_ns: int) -> int | None:
        """Return how long the sand will run on at `t_ns`, ns; None: not learned, or none runs."""
        return None if self._mode is _Mode.REST else self._run.remaining_ns(t_ns)

    @property
    def deadline_ns(self) -> int | None:
        """Return when time alone will decide something, ns."""
        return min((t for t in self._deadlines().values() if t is not None), default=None)

    @property
    def undecided_ns(self) -> int | None:
        """Return when the sand stopped or the timer was flipped for all we know: an event of that time may follow."""
        times: list[int | None] = []
        if self._mode is _Mode.FLOW:
            times.append(self._grains.last_ns)
        elif not self._run.on:
            times += [self._turn_ns, self._grains.first_ns, self._tilt.since_ns if self._tilt.moving else None]
        return min((t for t in times if t is not None), default=None)

    def begin(self, edge: Edge) -> list[TimedEvent]:
        """Take a line as it is found."""
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
        if name == "turn_sure":
            return self._turned_while_running()
        if name == "grace":
            return self._no_sand_came()
        if name == "end":
            self._run.account(t_ns)
            return self._ran_out(t_ns, Witness.DURATION)
        return [self._run.see_too_much(t_ns)]

    def _sand_runs(self) -> list[TimedEvent]:
        """Sand is seen to run; which way up is known only when the timer has come to rest."""
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
            return [
                self._run.begin(first_ns if turn_ns is None else turn_ns, Witness.TILT if turn_ns else Witness.BARRIER)
            ]
        events: list[TimedEvent] = []
        if turned:
            events.append(self._run.flip_early(first_ns if turn_ns is None else turn_ns))
        elif self._run.stopped_by is not None:
            events.append(SandResumed(first_ns))
        self._run.stopped_by = None
        return events

    def _settled(self, changed: bool, t_ns: int) -> list[TimedEvent]:
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

    def _stopped(self, stopped_ns: int, t_ns: int) -> list[TimedEvent]:
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

    def _turned_while_running(self) -> list[TimedEvent]:
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

    def _no_sand_came(self) -> list[TimedEvent]:
        """Judge a timer that was turned without sand beginning to run in time."""
        turn_ns, self._turn_ns, self._grace_ns = self._turn_ns, None, None
        if turn_ns is None:
            return []
        if self._run.on:
            return [] if self._run.stopped_by is not None else [self._run.trouble(turn_ns, SandReason.KNOCKED_OVER)]
        if self._grains.ever_seen or self._settings.profile is None:
            return [SandTrouble(turn_ns, SandReason.NO_SAND)]
        return [*self._start_duration(turn_ns, Witness.TILT), SandTrouble(turn_ns, SandReason.BARRIER_SILENT)]

    def _start_duration(self, t_ns: int, witness: Witness) -> list[TimedEvent]:
        self._mode = _Mode.DURATION
        self._run.start_ns = t_ns
        self._flow_level = self._tilt.level
        return [self._run.begin(t_ns, witness)]

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
        return self._start_duration(t_ns, Witness.HAND)

    def _ran_out(self, t_ns: int, witness: Witness) -> list[TimedEvent]:
        self._mode = _Mode.REST
        self._turn_ns = self._grace_ns = None
        return [self._run.end(t_ns, witness)]


def sand_lines(settings: SandSettings) -> tuple[LineSpec, ...]:
    """Name the lines of the sensors that are fitted."""
    fitted = ((BARRIER, settings.barrier), (TILT, settings.tilt))
    return tuple(LineSpec(name, pin) for name, pin in fitted if pin is not None)


class NoLines:
    """No sensor at all (an `EdgeLines`): for a timer that is only watched."""

    def open(self, on_edge: object, on_health: object) -> tuple[Edge, ...]:
        """Open nothing."""
        return ()

    def close(self) -> None:
        """Close nothing."""


class Sandtimer:
    """A sandtimer on the clock: sensors' edges in, flipped and run out on the sink."""

    def __init__(
        self,
        settings: SandSettings,
        sink: Sink,
        clock: Clock = time.monotonic_ns,
        lines: EdgeLines | None = None,
        make_factory: FactoryMaker = lgpio_factory,
    ) -> None:
        """lines: where the edges come from, if not from the back-end that the settings name.

        Raises BadSettingError for settings that give no sandtimer.
        """
        self._clock = clock
        self.logic = SandLogic(settings)
        self.device = EdgeDevice(
            "sandtimer", lines or self._make_lines(settings, make_factory), self.logic, sink, clock
        )

    def _make_lines(self, settings: SandSettings, make_factory: FactoryMaker) -> EdgeLines:
        if settings.backend == "gpio":
            return GpioLines(sand_lines(settings), make_factory, self._clock)
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
        """Begin to watch; returns at once."""
        self.device.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self.device.stop()

    def flip(self, t_ns: int | None = None) -> None:
        """Take it that the timer was flipped at `t_ns` (None: now): from a button or the web page; any thread."""
        self.device.command(Edge(self._clock() if t_ns is None else t_ns, FLIP, True))
