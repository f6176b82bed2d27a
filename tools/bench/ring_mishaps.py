"""Rings between a mishap and its detection: `python -m tools.bench.ring_mishaps --games 4`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from hardware.camera.frames import SECOND_NS, Frame
from simulation.live import Shots
from tests.support.piles_table import piles_table
from tools.bench.common import Row, command, say
from tools.bench.guard import IN_TIME_S, KINDS, Alter
from tools.bench.rulings import MS, Judged, judge, rings_after

_SIZE = (1280, 720)
_EVERY = 3  # landings from one mishap to the next, with undisturbed ones between
_RINGS_MS = (20, 120, 350, 700)  # after a card's landing


class RingMishap(NamedTuple):
    """An alteration of the camera's picture, for two seconds."""

    begins_ns: int
    kind: str
    what: str
    alter: Alter

    def lasts(self, t_ns: int) -> bool:
        """Return whether it alters the picture of an instant."""
        return self.begins_ns <= t_ns < self.begins_ns + IN_TIME_S * SECOND_NS


def measure(games: int = 4, turns: int = 60, seed: int = 1) -> Row:
    """Play for two to five in turn; near every third landing a mishap begins, for two seconds."""
    counts: Counter[str] = Counter()
    for number in range(games):
        for mishap, ring in judge_amid_mishaps(2 + number % 4, turns, seed + number):
            counts[ring.verdict] += 1
            if ring.verdict != "right":
                about = {"verdict": ring.verdict, "kind": mishap.kind, "what": mishap.what, "seed": seed + number}
                say({**about, "after_ms": (ring.ring_ns - mishap.begins_ns) // MS, **ring.ruling})
    return Row(counts.total(), counts["right"], counts["unclear"], counts["wrong"])


def judge_amid_mishaps(players: int, turns: int, seed: int) -> Iterator[tuple[RingMishap, Judged]]:
    """Turn cards on a drawn table, and yield the rulings of rings, while the guard may still be detecting a mishap."""
    luck = random.Random(seed)
    laid = piles_table(players, turns, seed, Shots(size=_SIZE))
    kinds = list(KINDS)
    mishaps: list[RingMishap] = []
    rings: list[tuple[int, int]] = []
    for number, landed_ns in enumerate(laid.landings_ns[_EVERY - 1 :: _EVERY]):
        kind = kinds[(seed + number) % len(kinds)]
        begins_ns = landed_ns - round(luck.uniform(-0.1, 1.2) * SECOND_NS)
        mishaps.append(RingMishap(begins_ns, kind, *KINDS[kind](luck)))
        rings += rings_after([landed_ns], [ms for ms in _RINGS_MS if mishaps[-1].lasts(landed_ns + ms * MS)], luck)
    # From before each mishap to its end, and parts of the time between.
    instants = [*laid.landings_ns, *(each.begins_ns + step * SECOND_NS // 2 for each in mishaps for step in range(6))]

    def seen(frame: Frame) -> Frame:
        now = [each for each in mishaps if each.lasts(frame.exposure_end_ns)]
        return replace(frame, image=now[0].alter(frame.image)) if now else frame

    for ring in judge(laid, rings, instants, luck, seen):
        yield next(each for each in reversed(mishaps) if each.begins_ns <= ring.ring_ns), ring


if __name__ == "__main__":
    command(measure)
