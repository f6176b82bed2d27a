"""What bell and sandtimer of a script do to their lines: contacts that bounce, grains that flicker."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hardware.edges import Edge
from simulation.motion import TURN_S
from simulation.script import Flip, Ring, Script

SECOND_NS = 1_000_000_000
MS = 1_000_000
US = 1_000
BARRIER, TILT = "barrier", "tilt"

_GRAIN_S = 0.012  # usual time between two edges of the light barrier
_LONGEST_GAP_S = 0.11


def edges_of(script: Script, seed: int, start_ns: int, *, tilted: bool = False) -> tuple[Edge, ...]:
    """Give all edges in the order of time, on the lines that `hardware.bell` and `hardware.sand` name.

    start_ns: when the script begins, ns on the monotonic clock. tilted: how the sandtimer's tilt switch is then.
    """
    rng = random.Random(seed)
    edges: list[Edge] = []
    flips = sorted((action for action in script.actions if isinstance(action, Flip)), key=lambda flip: flip.at_s)
    for number, flip in enumerate(flips):
        edges += _tilt(rng, flip, start_ns, tilted=(number % 2 == 0) is not tilted)
        following = flips[number + 1].at_s - TURN_S if number + 1 < len(flips) else script.length_s
        edges += sand(rng, start_ns + _ns(flip.at_s), min(flip.runs_s, following - flip.at_s))
    for action in script.actions:
        if isinstance(action, Ring):
            edges += press(rng, action.line, start_ns + _ns(action.at_s), _ns(action.hold_s))
    return tuple(sorted(edges, key=lambda edge: edge.t_ns))


def press(rng: random.Random, line: str, t_ns: int, hold_ns: int) -> Iterator[Edge]:
    """Give the edges of a press that begins at `t_ns`: up to five bounces at either end."""
    for closed, begin_ns in ((True, t_ns), (False, t_ns + hold_ns)):
        yield Edge(begin_ns, line, closed)
        at_ns = begin_ns
        for _ in range(rng.randint(0, 5)):
            at_ns += rng.randint(20 * US, 900 * US)
            yield Edge(at_ns, line, not closed)
            at_ns += rng.randint(20 * US, 900 * US)
            yield Edge(at_ns, line, closed)


def sand(rng: random.Random, start_ns: int, runs_s: float) -> Iterator[Edge]:
    """Give the light barrier's edges while sand runs; the last one is that of the last grain, at the very end."""
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
    """Give the tilt switch's edges while the timer is turned: its ball rolls to and fro."""
    at_ns = start_ns + _ns(flip.at_s - 0.45 * TURN_S)
    for _ in range(rng.randint(1, 4)):
        yield Edge(at_ns, TILT, tilted)
        at_ns += rng.randint(200 * US, 12 * MS)
        yield Edge(at_ns, TILT, not tilted)
        at_ns += rng.randint(200 * US, 20 * MS)
    yield Edge(at_ns, TILT, tilted)


def _ns(seconds: float) -> int:
    return round(seconds * SECOND_NS)
