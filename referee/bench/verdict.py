"""How soon a ring is ruled, and what watching four piles costs, in yardsticks of this machine's processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from statistics import median
from time import process_time
from typing import ParamSpec

import numpy as np

from hardware.frames import Frame
from referee.announcer import Announcer
from referee.bench.piles_table import PLAYERS, PilesTable, piles_table
from referee.bench.speed import Measurement
from referee.bench.yardstick import one_thread, yardstick
from referee.language import Language
from simulation.live import Shots

STEADY_YARDSTICKS = 4.0
VERDICT_YARDSTICKS = 15.0
FULL_HD = (1920, 1080)
_SEATS = 4
_STEADY_FRAMES = 40
_RING_AFTER_NS = 250_000_000
_FRAME_NS = 33_333_333

Args = ParamSpec("Args")


@dataclass
class _Times:
    """Seconds of the processor, one for each time it was done."""

    yardsticks: list[float] = field(default_factory=list)
    steady: list[float] = field(default_factory=list)
    moving: list[float] = field(default_factory=list)
    verdicts: list[float] = field(default_factory=list)


def measure_verdict(turns: int, size: tuple[int, int] = FULL_HD, seed: int = 1) -> Iterator[Measurement]:
    """Measure on a drawn table: a ring after every card from the fifth on, then frames in which nothing happens.

    A ring waits for the first frame after it, at most one period, and for the work that is measured here: the deciding
    frame's reading, the ruling and its words.
    """
    times = _Times()
    with one_thread():
        laid = piles_table(_SEATS, turns, seed, Shots(size=size, frames_per_s=1e9 / _FRAME_NS))
        last = _ring_after_each(laid, times)
        _watch_still(laid, last, times)
    unit = median(times.yardsticks)
    yield Measurement(f"yardstick: the table, {size[0]} x {size[1]}", 1000 * unit, "ms")
    yield Measurement(
        "watching four still piles, a frame", median(times.steady) / unit, "yardsticks", STEADY_YARDSTICKS
    )
    yield Measurement("watching while a card is turned, a frame", median(times.moving) / unit, "yardsticks")
    late = float(np.percentile(times.verdicts, 99)) / unit
    note = f"{len(times.verdicts)} rings; at most one frame period passes besides"
    yield Measurement("ring to ruling, 99 of 100", late, "yardsticks", VERDICT_YARDSTICKS, note=note)
    yield Measurement("ring to ruling, median", median(times.verdicts) / unit, "yardsticks")


def _ring_after_each(laid: PilesTable, times: _Times) -> Frame:
    """Let somebody ring after each card, and give the last frame."""
    announcer = Announcer("piccolino", PLAYERS[:_SEATS], Language())
    # In the first round the places of the piles are still being found out.
    rings = [t_ns + _RING_AFTER_NS for t_ns in laid.landings_ns[_SEATS:]]
    frames = laid.frames(laid.landings_ns)
    last = next(frames)
    laid.session.look(last)
    for last in frames:
        read_s = _timed(laid.session.look, last)
        times.moving.append(read_s)
        if rings and last.exposure_end_ns + _FRAME_NS >= rings[0]:
            times.verdicts.append(read_s + _timed(_rule, laid, announcer, rings.pop(0)))
            times.yardsticks.append(_timed(yardstick, last.image))
    return last


def _watch_still(laid: PilesTable, last: Frame, times: _Times) -> None:
    """Look at one picture again and again, as frames to come."""
    for number in range(1, _STEADY_FRAMES + 1):
        later_ns = number * _FRAME_NS
        end_ns = last.exposure_end_ns + later_ns
        frame = replace(last, t_ns=last.t_ns + later_ns, exposure_end_ns=end_ns, sequence=last.sequence + number)
        times.steady.append(_timed(laid.session.look, frame))
        times.yardsticks.append(_timed(yardstick, frame.image))


def _rule(laid: PilesTable, announcer: Announcer, ring_ns: int) -> None:
    announcer.say(laid.ruling_at(ring_ns, 0))


def _timed(work: Callable[Args, object], *args: Args.args, **kwargs: Args.kwargs) -> float:
    start = process_time()
    work(*args, **kwargs)
    return process_time() - start
