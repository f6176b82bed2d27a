"""The sand itself, in time: how long what is above will run; and what calibration learns about a sandtimer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hardware.errors import TooLittleSandError
from hardware.settings import SECOND, SandProfile

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
        raise TooLittleSandError("let the sandtimer run through at least twice, once each way round")
    durations: list[int] = []
    gaps: list[int] = []
    for number, run in enumerate(runs, 1):
        if len(run) < EDGES_MIN:
            raise TooLittleSandError(f"the light barrier saw hardly any sand in run {number}: check how it is mounted")
        times = sorted(run)
        durations.append(times[-1] - times[0])
        gaps.append(max(later - earlier for earlier, later in pairwise(times)))
    shortest, longest = min(durations), max(durations)
    if longest - shortest > shortest // 5:
        raise TooLittleSandError(
            f"the runs took between {shortest / SECOND:.0f} and {longest / SECOND:.0f} seconds: was one cut short?"
        )
    return SandProfile(
        duration_ns=sum(durations) // len(durations), spread_ns=longest - shortest, longest_gap_ns=max(gaps)
    )
