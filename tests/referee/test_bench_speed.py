"""What the speed bench says follows from what it measured; no clock is trusted here."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.bench import speed
from referee.bench.children import Spent, peak_bytes, run_seconds
from referee.bench.measurement import Measurement, report_line
from referee.bench.photographed import measure_photographed, photographed
from referee.bench.speed import hands, measure_read
from referee.bench.yardstick import in_yardsticks, one_thread, yardstick
from referee.cli import main
from referee.errors import WorkFailedError
from vision.deck import load_deck
from vision.errors import BadImageError
from vision.reading import Reading

PICTURE = np.full((60, 80, 3), 200, dtype=np.uint8)


def test_work_and_yardstick_take_turns() -> None:
    ticks = iter([0, 2, 10, 40, 50, 52, 60, 100, 100, 103, 200, 290, 300, 302])
    work_s, yardstick_s = in_yardsticks(lambda: None, PICTURE, runs=3, clock=lambda: float(next(ticks)))
    assert (work_s, yardstick_s) == (40.0, 2.0)


def test_yardstick_traces_what_lies_on_the_picture() -> None:
    image = PICTURE.copy()
    image[10:20, 10:20] = 20
    image[30:50, 30:70] = 20
    assert yardstick(image) == 3


def test_one_thread_gives_the_threads_back() -> None:
    before = cv2.getNumThreads()
    with pytest.raises(KeyError), one_thread():
        assert cv2.getNumThreads() == 1
        raise KeyError
    assert cv2.getNumThreads() == before


def test_the_first_reading_is_told_apart() -> None:
    calls = []

    def reader(image: object, deck: object) -> Reading:
        calls.append(image)
        return Reading((), ())

    deck = load_deck("confetti")
    names = [one.name for one in measure_read("a table", PICTURE, deck, 4, 15.0, reader)]
    assert names == ["read: a table", "yardstick: a table", "read for the first time: a table"]
    assert len(calls) == 5


@pytest.mark.parametrize(
    ("measurement", "met", "shown"),
    [
        (Measurement("a", 14.0, "yardsticks", 15.0), True, "<= 15  met"),
        (Measurement("a", 16.0, "yardsticks", 15.0), False, "<= 15  NOT met"),
        (Measurement("a", 6000.0, "hands/s", 5000.0, more_is_better=True), True, ">= 5,000  met"),
        (Measurement("a", 4000.0, "hands/s", 5000.0, more_is_better=True), False, ">= 5,000  NOT met"),
        (Measurement("a", None, "MB", 250.0, note="it failed"), False, "NOT met it failed"),
        (Measurement("a", 3.0, "ms"), None, "3 ms"),
    ],
)
def test_target_and_measured_stand_side_by_side(measurement: Measurement, met: bool | None, shown: str) -> None:
    assert measurement.met is met
    assert measurement.as_json()["met"] is met
    assert shown in report_line(measurement)


def test_what_people_photograph_is_timed_and_the_slowest_picture_is_named() -> None:
    paths = photographed()
    assert len(paths) >= 12
    two = [path for path in paths if path.stem in ("black-easy", "white-easy")]
    measured = list(measure_photographed(load_deck("confetti"), two, runs=1))
    assert len(measured) == 6 and all(one.value is not None and one.value > 1 for one in measured)
    worst = [one for one in measured if one.is_bound]
    assert len(worst) == 2 and all(one.note in ("black-easy", "white-easy") and one.met is not None for one in worst)


def test_where_the_pictures_are_not_at_hand_none_are_timed(tmp_path: Path) -> None:
    assert list(measure_photographed(load_deck("confetti"), photographed(tmp_path), runs=1)) == []


def test_hands_have_nine_cards_of_three_colours_each() -> None:
    lines = [json.loads(line) for line in hands(20).splitlines()]
    assert len(lines) == 20
    assert all(len(line["cards"]) == 9 and all(len(set(card)) == 3 for card in line["cards"]) for line in lines)
    assert hands(20) == hands(20)


def test_a_failing_child_is_a_clear_sentence(tmp_path: Path) -> None:
    arguments = ["print", "nonsense", "-o", str(tmp_path / "a.pdf")]
    with pytest.raises(WorkFailedError, match=r"^ringmaster print failed: .*'nonsense'"):
        run_seconds(arguments, "")
    with pytest.raises(WorkFailedError, match=r"^ringmaster print failed: .*'nonsense'"):
        peak_bytes(arguments)


def test_peak_is_the_childs_own() -> None:
    ballast = np.ones(60_000_000, dtype=np.uint8)
    peak = peak_bytes(["print", "--help"])
    assert 5_000_000 < peak < ballast.nbytes


def test_one_failed_command_stops_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(arguments: list[str], stdin: str) -> Spent:
        if stdin.count("\n") == 1:
            raise WorkFailedError("ringmaster score failed: no reason given")
        return Spent(wall_s=2.0, processor_s=1.0)

    monkeypatch.setattr(speed, "run_seconds", broken)
    start, rate = speed.measure_score(runs=2)
    assert (start.value, start.met, start.note) == (None, False, "ringmaster score failed: no reason given")
    assert (rate.value, rate.met, rate.note) == (10_000.0, True, "20,000 a second of processor")


def test_bad_input_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("no picture")
    missing = tmp_path / "missing.jpg"
    wrong = (["speed", str(text)], ["speed", str(missing)], ["speed", "--runs", "0"], ["accuracy", str(tmp_path)])
    for arguments in wrong:
        assert main(["bench", *arguments]) == 2
        # OpenCV's own complaints go past Python's streams.
        assert capfd.readouterr().err.count("\n") == 1
    with pytest.raises(BadImageError, match=r"text\.jpg is not a"):
        list(speed.measure_all([text], 1))
