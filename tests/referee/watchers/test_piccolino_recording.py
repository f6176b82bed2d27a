"""A recorded game of Piccolino, frames and bell: judged again, it is ruled as it was, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from hardware.events import BellEdge
from hardware.recording_writer import RecordingWriter
from referee.bench.piles_table import PLAYERS, piles_table
from referee.recorded_game import RecordedGame
from referee.watchers.setup import WatchSetup
from simulation.live import Shots

MS = 1_000_000


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    laid = piles_table(2, 2, 4, Shots(size=(960, 540), frames_per_s=10))
    path = tmp_path_factory.mktemp("game") / "game.mcap"
    header = {"game": "piccolino", "players": list(PLAYERS[:2]), "options": {}}
    ring_ns = laid.landings_ns[1] + 310 * MS
    with RecordingWriter(path, header, 0) as writer:
        for frame in laid.frames(laid.landings_ns):
            writer.frame(frame)
        for edge_ns, pressed in ((ring_ns, True), (ring_ns + 60 * MS, False)):
            writer.bell(BellEdge(edge_ns, 1, pressed))
    return path


def rulings(path: Path) -> bytes:
    game = RecordedGame(path, lambda message: pytest.fail(message))
    lines = [json.dumps(dict(ruling)) for outcome in game.judge(WatchSetup()) for ruling in outcome.rulings]
    return "\n".join(lines).encode()


def test_it_is_ruled_the_same_each_time_on_one_thread_and_on_two(recording: Path) -> None:
    first = rulings(recording)
    ring = json.loads(first.splitlines()[0])
    assert (ring["ruling"], ring["seat"]) == ("ring", 1)
    assert ring["frame_t_ns"] < ring["t_ns"] <= ring["frame_t_ns"] + 110 * MS
    threads = cv2.getNumThreads()
    try:
        for number in (1, 2):
            cv2.setNumThreads(number)
            assert rulings(recording) == first
    finally:
        cv2.setNumThreads(threads)
