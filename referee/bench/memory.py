"""Whether memory stays flat over a long evening: games on the simulated table, as fast as the machine can."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from referee.c_heap import give_back, share_one_heap
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Session
from referee.games.confetti.demo import Plan, write_confetti
from referee.games.registry import game_kind, watcher_for
from referee.watchers.watch_setup import WatchSetup
from simulation.live import LiveTable, Shots
from vision.deck import load_deck

_HEAP = 18
_SAND_S = 40.0
_FRAMES_PER_S = 3.0
_PAGE_BYTES = 4096
MOST_MB_IN_TEN_MINUTES = 1.0
# Libraries fill their pools in the first games; what matters is what comes after.
_WARM_UP = 1 / 3


@dataclass(frozen=True)
class Sample:
    """minutes: of the evening so far, as people at the table would count them; resident_mb: memory in use then."""

    minutes: float
    resident_mb: float


def evening(
    minutes: float, resident: Callable[[], float] | None = None, shots: Shots | None = None
) -> Iterator[Sample]:
    """Play games of Confetti, each watched and ruled as at a real table, and give the memory after every round.

    resident: measures the memory instead, MB. shots: how the table is filmed, if not as usual.
    """
    share_one_heap()
    measure = resident or resident_mb
    deck = load_deck("confetti")
    played_s, seed = 0.0, 1
    while played_s < 60 * minutes:
        game = write_confetti(deck, seed, Plan(rounds=3, heap=_HEAP, sand_s=_SAND_S))
        table = LiveTable(game.script, deck, seed, shots or Shots(frames_per_s=_FRAMES_PER_S))
        header = Header("confetti", ("Ann", "Ben", "Cem"), {})
        session = Session(game_kind("confetti").start(header), watcher_for(header, WatchSetup()))
        stepped = SteppedTable(table, seed, session, lambda event, outcome: None)
        for truth in (*game.rounds[1:], None):
            for _ in stepped.play(None if truth is None else truth.flipped_s - 2.0):
                pass
            gc.collect()
            here_s = table.script.length_s if truth is None else truth.flipped_s - 2.0
            yield Sample((played_s + here_s) / 60, measure())
        stepped.close()
        played_s += table.script.length_s
        seed += 1


def slope_mb_in_ten_minutes(samples: list[Sample]) -> float | None:
    """Give how fast memory grows after the first third, by least squares; None for too few samples."""
    later = [sample for sample in samples if sample.minutes >= samples[-1].minutes * _WARM_UP] if samples else []
    if len(later) < 3:
        return None
    minutes, used = (np.array([getattr(sample, name) for sample in later]) for name in ("minutes", "resident_mb"))
    return float(10 * np.polyfit(minutes, used, 1)[0])


def resident_mb() -> float:
    """Give this process's memory in use, MB; what is free but was not given back to the system is given back first."""
    # Without this, the largest reading so far is measured.
    give_back()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * _PAGE_BYTES / 1e6
