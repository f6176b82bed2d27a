"""A short filmed game of Piccolino, as a recording."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2

from hardware.events import BellEdge
from hardware.recording import RecordingWriter
from referee.games.recorded_game import RecordedGame
from referee.watchers.table_finder import WatchSetup
from simulation.live import Shots
from tests.support.piles_table import PLAYERS, piles_table

_MS = 1_000_000
_SHOTS = Shots(size=(960, 540), frames_per_s=10)
_SEATS, _TURNS = 3, 3
_SEED = 4  # of a game whose third card makes a pair
_RING_AFTER_MS = 310


def record_short_game(path: Path) -> None:
    """Film a few cards of a drawn game: a false ring after the first, a valid one and a late one after the last."""
    laid = piles_table(_SEATS, _TURNS, _SEED, _SHOTS)
    header = {"game": "piccolino", "players": list(PLAYERS[:_SEATS]), "options": {}}
    first, *_, last = (landed_ns + _RING_AFTER_MS * _MS for landed_ns in laid.landings_ns)
    rings = ((first, 0), (last, 1), (last + 38 * _MS, 0))
    edges = [BellEdge(ring_ns, seat, True) for ring_ns, seat in rings]
    edges += [BellEdge(ring_ns + 60 * _MS, seat, False) for ring_ns, seat in rings]
    with RecordingWriter(path, header, 0) as writer:
        for frame in laid.frames(laid.landings_ns):
            writer.frame(frame)
        for edge in sorted(edges, key=lambda edge: edge.t_ns):
            writer.edge(edge)


def rulings_of(path: Path) -> bytes:
    """Judge a recording, and give its rulings as `ringmaster replay --json` prints them."""
    game = RecordedGame(path, lambda message: None)
    lines = [json.dumps(dict(ruling)) for outcome in game.judge(WatchSetup()) for ruling in outcome.rulings]
    return "\n".join(lines).encode()


@contextmanager
def on_cores(cores: int) -> Iterator[None]:
    """Keep this process, and OpenCV's threads, to so many of its processor's cores, if it has them."""
    before, threads = os.sched_getaffinity(0), cv2.getNumThreads()
    os.sched_setaffinity(0, sorted(before)[:cores])
    cv2.setNumThreads(cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        cv2.setNumThreads(threads)
