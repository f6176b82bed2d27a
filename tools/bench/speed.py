"""Measures the delay of rulings, in yardsticks of this machine's processor: `python -m tools.bench.speed`.

It times the referee's work. It also times the end of each frame's work, if frames come in real time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from time import perf_counter, process_time

import numpy as np

from hardware.camera.frames import Frame, FrameExposed
from hardware.events import BellPressed
from referee.announcer import Announcer
from referee.engine.clockwork import in_order, without_overtaken
from referee.language import Language
from referee.speed import yardstick
from simulation.live import Shots
from tests.support.piles_table import PLAYERS, PilesTable, piles_table
from tools.bench.common import Row, command, say, timed

STEADY_YARDSTICKS = 4.0
VERDICT_YARDSTICKS = 15.0
_SEATS = 4
_STEADY_FRAMES = 40
_RINGS_A_CARD = 2
_RING_AFTER_MS = (20, 700)
_FRAME_NS = 33_333_333
_MS = 1_000_000


@dataclass
class _Times:
    """Seconds of processor time, one for each measurement.

    work: of the deciding frame and the ruling. waited: from the deciding frame to the ruling, less one frame period.
    """

    yardsticks: list[float] = field(default_factory=list)
    steady: list[float] = field(default_factory=list)
    moving: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    by_the_clock: list[float] = field(default_factory=list)


def measure(turns: int = 30, size: str = "1920x1080", seed: int = 1) -> Row:
    """Play a drawn game for four: its own rings, with the arms that ring, and two more around each card.

    A ring waits for the next frame, at most one period, and for frames in the queue. Then the deciding frame is read,
    and the ruling and its words are made. A ring that is ruled late is unclear.
    """
    times = _Times()
    width, height = map(int, size.split("x"))
    laid = piles_table(_SEATS, turns, seed, Shots(size=(width, height), frames_per_s=1e9 / _FRAME_NS), rung=True)
    last = _Referee(laid, times, random.Random(seed)).play()
    _watch_still(laid, last, times)
    unit = median(times.yardsticks)
    waited = [one / unit for one in times.waited]
    say(
        {
            "yardstick_ms": round(1000 * unit, 2),
            "watching_four_still_piles": round(median(times.steady) / unit, 2),
            "at_most": STEADY_YARDSTICKS,
            "watching_the_game_mean": round(float(np.mean(times.moving)) / unit, 2),
            "watching_the_game_p99": round(_late(times.moving) / unit, 2),
            "deciding_frame_and_ruling_p99": round(_late(times.work) / unit, 2),
            "by_the_clock_p99_ms": round(1000 * _late(times.by_the_clock), 1),
        }
    )
    late = sum(one > VERDICT_YARDSTICKS for one in waited)
    return Row(len(waited), len(waited) - late, late, 0, **timed(waited, "yardsticks"))


def _late(times: list[float]) -> float:
    return float(np.percentile(times, 99))


class _Referee:
    """Plays a table through a session; its clock runs only while the referee works or waits for a frame."""

    def __init__(self, laid: PilesTable, times: _Times, luck: random.Random) -> None:
        self._laid, self._times = laid, times
        self._announcer = Announcer("piccolino", PLAYERS[:_SEATS], Language())
        self._now_ns = 0.0
        self._waiting: dict[int, Frame] = {}
        self._read = (0, 0.0, 0.0)  # time of the last frame, and duration of its reading
        extra = [
            BellPressed(landed_ns + luck.randrange(*_RING_AFTER_MS) * _MS, None)
            for landed_ns in laid.landings_ns
            for _ in range(_RINGS_A_CARD)
        ]
        self._rings = in_order([*laid.rings, *extra])

    def play(self) -> Frame:
        """Play to the end; return the last frame."""
        last = None
        for frame in self._laid.frames([*self._laid.landings_ns, *(ring.t_ns for ring in self._laid.rings)]):
            # Frames that came while the referee was busy are queued.
            if self._waiting and frame.exposure_end_ns > self._now_ns:
                self._step()
            self._waiting[frame.exposure_end_ns + 1] = last = frame
        self._step()
        if last is None:
            raise ValueError("a table without frames")
        return last

    def _step(self) -> None:
        """Take all queued frames and rings, as the clockwork does."""
        self._now_ns = max(self._now_ns, min(self._waiting))
        newest_ns = max(self._waiting)
        ready = [ring for ring in self._rings if ring.t_ns < newest_ns]
        self._rings = self._rings[len(ready) :]
        for event in list(without_overtaken(in_order([*ready, *map(FrameExposed, self._waiting)]))):
            if isinstance(event, FrameExposed):
                self._look(self._waiting[event.t_ns])
            elif isinstance(event, BellPressed):
                self._ring(event)
        self._waiting.clear()

    def _look(self, frame: Frame) -> None:
        cpu_s, wall_s = self._timed(lambda: self._laid.session.look(frame))
        self._read = frame.exposure_end_ns, cpu_s, wall_s
        self._times.moving.append(cpu_s)
        self._times.yardsticks.append(_timed(lambda: yardstick(frame.image))[0])

    def _ring(self, ring: BellPressed) -> None:
        there_ns, read_s, read_wall_s = self._read
        cpu_s, wall_s = self._timed(lambda: self._rule(ring))
        self._times.work.append(read_s + cpu_s)
        self._times.by_the_clock.append(read_wall_s + wall_s)
        self._times.waited.append((self._now_ns - there_ns - _FRAME_NS) / 1e9)

    def _rule(self, ring: BellPressed) -> None:
        if ring.seat is None:
            self._announcer.say(self._laid.ruling_at(ring.t_ns, 0))
        else:
            self._announcer.announce(self._laid.session.hear(ring).rulings)

    def _timed(self, work: Callable[[], object]) -> tuple[float, float]:
        cpu_s, wall_s = _timed(work)
        self._now_ns += cpu_s * 1e9
        return cpu_s, wall_s


def _watch_still(laid: PilesTable, last: Frame, times: _Times) -> None:
    """Look at one picture repeatedly, as later frames."""
    for number in range(1, _STEADY_FRAMES + 1):
        later_ns = number * _FRAME_NS
        end_ns = last.exposure_end_ns + later_ns
        frame = replace(last, t_ns=last.t_ns + later_ns, exposure_end_ns=end_ns, sequence=last.sequence + number)
        times.steady.append(_timed(partial(laid.session.look, frame))[0])
        times.yardsticks.append(_timed(partial(yardstick, frame.image))[0])


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds of this process, and by the wall clock."""
    start, wall = process_time(), perf_counter()
    work()
    return process_time() - start, perf_counter() - wall


if __name__ == "__main__":
    command(measure)
