"""Blocks of rings at a table without devices, and what each ruling took: to compare the referee with this and that."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from referee.bench.quiet_table import QuietTable
from referee.bench.yardstick import yardstick
from simulation.still import table_picture
from vision.deck import load_deck

BLOCK = 20
_PLAYERS = ["Ann", "Ben", "Cem", "Dora"]
_PAUSE_S = 0.03


@dataclass(frozen=True)
class Rung:
    """What a block of rings took: s each from the ring to its ruling, and when each ruling was made, by its id."""

    took_s: list[float]
    made_ns: dict[str, int]
    yardsticks_s: list[float]


def ring_block(table: QuietTable, chance: random.Random, rings: int = BLOCK) -> Rung:
    """Have a new game's rings ruled, each just after cards that others are being told of."""
    table.desk.do({"do": "start", "game": "piccolino", "players": _PLAYERS, "options": {"lockout_ms": 0, "cards": 400}})
    image = _still()
    took_s: list[float] = []
    made_ns: dict[str, int] = {}
    yardsticks_s: list[float] = []
    for _ in range(rings):
        for seat in (0, 1):
            table.tell("card_shown", seat=seat, colour="red", mood="happy")
        time.sleep(chance.uniform(0, _PAUSE_S))
        start_s = time.perf_counter()
        table.tell("bell", seat=chance.randrange(len(_PLAYERS)))
        took_s.append(time.perf_counter() - start_s)
        latest = table.desk.state()["latest"]
        made_ns[latest["id"]] = time.monotonic_ns()
        start_s = time.perf_counter()
        yardstick(image)
        yardsticks_s.append(time.perf_counter() - start_s)
        time.sleep(_PAUSE_S)
    return Rung(took_s, made_ns, yardsticks_s)


def late(values: Sequence[float]) -> float:
    """Give the 99th percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


@cache
def _still() -> NDArray[np.uint8]:
    return table_picture(load_deck("confetti"), 12, seed=12)[0]
