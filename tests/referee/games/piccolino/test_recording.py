"""A recorded game of Piccolino, frames and bell: judged again, it is ruled as it was, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.engine.recorded_game import RecordedGame
from tests.support.short_game import on_cores, record_short_game, rulings_of

MS = 1_000_000


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.mcap"
    record_short_game(path)
    return path


def test_it_is_ruled_by_the_frames_before_each_ring(recording: Path) -> None:
    told: list[str] = []
    RecordedGame(recording, told.append)
    assert told == []
    rulings = [json.loads(line) for line in rulings_of(recording).splitlines()]
    false, valid = (ruling for ruling in rulings if ruling["ruling"] == "ring")
    assert (false["valid"], false["seat"], false["reason"]) == (False, 0, "no_pair")
    assert (valid["valid"], valid["seat"], valid["colour"], valid["seats"]) == (True, 1, "yellow", [1, 2])
    for ring in (false, valid):
        assert ring["frame_t_ns"] < ring["t_ns"] <= ring["frame_t_ns"] + 110 * MS
    (late,) = (ruling for ruling in rulings if ruling["ruling"] == "also_rang")
    assert (late["seat"], late["lag_ms"]) == (0, 38.0)


def test_it_is_ruled_the_same_each_time_on_one_core_and_on_two(recording: Path) -> None:
    outcomes = []
    for cores in (1, 2):
        with on_cores(cores):
            outcomes.append(rulings_of(recording))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].count(b"\n") >= 3
