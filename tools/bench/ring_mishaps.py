"""Rings between a mishap and its detection: `python -m tools.bench.ring_mishaps --games 4`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from hardware.camera.frames import SECOND_NS, Frame
from simulation.live import Shots
from tests.support.piles_table import piles_table
from tools.bench.common import Row, command, say
from tools.bench.guard import IN_TIME_S, KINDS, Alter
from tools.bench.rulings import Judged, allowed_at

MS = 1_000_000
_SIZE = (1280, 720)
_EVERY = 3  # landings from one mishap to the next, with undisturbed ones between
_RINGS_MS = (20, 120, 350, 700)  # after a card's landing


@dataclass(frozen=True)
class AmidMishap:
    """A ring with the kind and age of a mishap, and its judgement."""

    kind: str
    what: str
    after_s: float
    judged: Judged


class _Mishap(NamedTuple):
    """An alteration of the camera's picture from one instant to another."""

    begins_ns: int
    ends_ns: int
    kind: str
    what: str
    alter: Alter


def measure(games: int = 4, turns: int = 60, seed: int = 1) -> Row:
    """Play for two to five in turn."""
    counts: Counter[str] = Counter()
    for number in range(games):
        for ring in judge_amid_mishaps(2 + number % 4, turns, seed + number):
            counts[ring.judged.verdict] += 1
            if ring.judged.verdict == "wrong":
                about = {"kind": ring.kind, "what": ring.what, "after_s": round(ring.after_s, 2)}
                say({**about, "offset_ms": ring.judged.offset_ms, **ring.judged.ruling})
    return Row(counts.total(), counts["right"], counts["unclear"], counts["wrong"])


def judge_amid_mishaps(players: int, turns: int, seed: int) -> Iterator[AmidMishap]:
    """Turn cards on a drawn table; near every third landing a mishap begins, for two seconds.

    Rings come at several instants after the landing, while the guard may still be detecting the mishap.
    """
    luck = random.Random(seed)
    laid = piles_table(players, turns, seed, Shots(size=_SIZE))
    kinds = list(KINDS)
    mishaps: list[_Mishap] = []
    rings: list[tuple[int, int, int]] = []
    for number, landed_ns in enumerate(laid.landings_ns[_EVERY - 1 :: _EVERY]):
        kind = kinds[(seed + number) % len(kinds)]
        begins_ns = landed_ns - round(luck.uniform(-0.1, 1.2) * SECOND_NS)
        mishaps.append(_Mishap(begins_ns, begins_ns + round(IN_TIME_S * SECOND_NS), kind, *KINDS[kind](luck)))
        rings += [
            (landed_ns + ms * MS + luck.randrange(MS), ms, len(mishaps) - 1)
            for ms in _RINGS_MS
            if begins_ns < landed_ns + ms * MS < mishaps[-1].ends_ns
        ]
    # From before each mishap to its end, and parts of the time between.
    instants = [*laid.landings_ns, *(each.begins_ns + step * SECOND_NS // 2 for each in mishaps for step in range(6))]
    last: Frame | None = None
    for frame in laid.frames(instants):
        while last is not None and rings and rings[0][0] <= frame.exposure_end_ns:
            ring_ns, offset_ms, number = rings.pop(0)
            ruling = laid.ruling_at(ring_ns, luck.randrange(players))
            judged = Judged(ring_ns, offset_ms, ruling, allowed_at(laid, last.exposure_end_ns))
            amid = mishaps[number]
            yield AmidMishap(amid.kind, amid.what, (ring_ns - amid.begins_ns) / SECOND_NS, judged)
        now = next((each for each in mishaps if each.begins_ns <= frame.exposure_end_ns < each.ends_ns), None)
        laid.session.look(frame if now is None else replace(frame, image=now.alter(frame.image)))
        last = frame


if __name__ == "__main__":
    command(measure)
