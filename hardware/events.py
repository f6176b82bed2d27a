"""What the devices say, as frozen values; every one carries `t_ns` of the monotonic clock (CLOCK_MONOTONIC)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class Event(Protocol):
    """Anything that happened at a time."""

    @property
    def t_ns(self) -> int:
        """When it happened, ns, monotonic clock; not when it was noticed."""


class Sink(Protocol):
    """Where a device puts its events; `hardware.event_queue.Source` is one."""

    def put(self, event: Event) -> None:
        """Take an event; never blocks."""

    def hold(self, t_ns: int | None) -> None:
        """Note that something of this time is not decided yet, so that nothing later is given out; None: all is."""


@dataclass(frozen=True)
class BellEdge:
    """A raw edge of a bell's line, undebounced: what a recording keeps on `/bell`.

    found: no change, but how the line was found when the recording began.
    """

    t_ns: int
    seat: int | None
    pressed: bool
    found: bool = False


@dataclass(frozen=True)
class PhoneWay:
    """How far a phone's press is dated before it came: `back_ms`, at most `most_ms`, half of its round trip."""

    back_ms: float
    most_ms: float


@dataclass(frozen=True)
class BellPressed:
    """Somebody rang: `t_ns` is the first edge of the press. seat: None when the line does not tell who.

    way: of a press that came over the network; None: it did not.
    """

    t_ns: int
    seat: int | None
    way: PhoneWay | None = field(default=None, compare=False)


class SandLine(Enum):
    """The sandtimer's two sensors; the value is the name in a recording."""

    BARRIER = "barrier"
    TILT = "tilt"


@dataclass(frozen=True)
class SandEdge:
    """A raw edge of a sandtimer's sensor: what a recording keeps on `/sandtimer`.

    level: 1 is blocked (barrier) or tilted the one way (tilt), 0 the other. found: no change, but how the line was
    found when the recording began.
    """

    t_ns: int
    line: SandLine
    level: int
    found: bool = False


class Witness(Enum):
    """How a sandtimer's event is known."""

    BARRIER = "barrier"
    TILT = "tilt"
    DURATION = "duration"
    HAND = "hand"


class SandReason(Enum):
    """What can go wrong with a sandtimer; the announcer has the words.

    CLOGGED: the sand stopped though the timer stands as it stood. KNOCKED_OVER: it was moved and no sand runs since.
    FLIPPED_EARLY: it was turned while sand was left. STOPPED: it stopped early, and without a tilt switch nobody can
    tell whether it is clogged or lies. NO_SAND: it was turned but no sand runs. ENDLESS: the light barrier sees more
    than all the sand. BARRIER_SILENT: the light barrier has never seen anything; the learned duration is used instead.
    """

    CLOGGED = "clogged"
    KNOCKED_OVER = "knocked_over"
    FLIPPED_EARLY = "flipped_early"
    STOPPED = "stopped"
    NO_SAND = "no_sand"
    ENDLESS = "endless"
    BARRIER_SILENT = "barrier_silent"


@dataclass(frozen=True)
class SandFlipped:
    """A whole run of the sandtimer began."""

    t_ns: int
    witness: Witness


@dataclass(frozen=True)
class SandRanOut:
    """The last grain has fallen at `t_ns`; it is announced a pause later, when it is sure that none follows.

    flow_ns: how long sand ran in all, ns. disturbed: the run was stopped, knocked over or flipped in between.
    """

    t_ns: int
    flow_ns: int
    witness: Witness
    disturbed: bool


@dataclass(frozen=True)
class SandTrouble:
    """Something is wrong with the sandtimer since `t_ns`."""

    t_ns: int
    reason: SandReason


@dataclass(frozen=True)
class SandResumed:
    """The sand runs again, the same way round, after a trouble."""

    t_ns: int
