"""A recorded game of Piccolino, frames and bell: judged again, it is ruled as it was, byte for byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cv2
import pytest

from referee.bench.replay import on_cores, record_short_game, replay_often, rulings_of
from referee.cli import main
from referee.engine.recorded_game import RecordedGame

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


def test_it_is_ruled_the_same_each_time_on_one_core_and_on_two(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "replay", str(recording), "--times", "1", "--json"]) == 0
    one, two = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (one["cores"], two["cores"]) == (1, 2)
    assert one["outcomes"] == two["outcomes"] == 1
    assert one["rulings"] >= 4


def test_outcomes_that_differ_are_told_apart(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = iter([b"a", b"a", b"a", b"b"])
    monkeypatch.setattr("referee.bench.replay.rulings_of", lambda path: next(outcomes))
    assert [dict(found) for _, found in replay_often(recording, 2)] == [{b"a": 2}, {b"a": 1, b"b": 1}]


def test_cores_and_threads_are_given_back() -> None:
    before = os.sched_getaffinity(0), cv2.getNumThreads()
    with pytest.raises(KeyError), on_cores(1):
        assert len(os.sched_getaffinity(0)) == cv2.getNumThreads() == 1
        raise KeyError
    assert (os.sched_getaffinity(0), cv2.getNumThreads()) == before
