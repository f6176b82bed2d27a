"""`ringmaster bench time` and `memory`: every press and frame is counted, and a leak would be seen."""

from __future__ import annotations

import json

import pytest

from referee.bench.memory import Sample, evening, resident_mb, slope_mb_in_ten_minutes
from referee.bench.time import Delays, TimeSetup, measure_time, measurements, yardstick_ms
from referee.cli import main
from simulation.live import Shots
from simulation.view import Look


def test_every_press_and_frame_is_timed() -> None:
    delays = measure_time(TimeSetup(presses=4, size=(160, 90), frames_per_s=10))
    assert len(delays.pressed) == 4
    assert len(delays.given) <= 4
    # The contact has to last before it is a press, and nothing is known before it has happened.
    assert min(delays.pressed) > 0.4
    assert delays.frames and min(delays.frames) >= 0
    assert delays.troubles == ()


def test_delays_become_medians_and_percentiles() -> None:
    delays = Delays(tuple(float(i) for i in range(1, 102)), (5.0,), (), 3, ())
    told = {one.name: one for one in measurements(delays, (160, 120))}
    assert told["bell edge to queue: median"].value == 51
    assert told["bell edge to queue: 99 %"].value == 100
    assert told["bell edge to referee: 99 %"].value == 5
    assert told["exposure end to readable frame: median"].value is None
    assert told["frames that never came"].value == 3
    assert told["yardstick"].value is not None and yardstick_ms((160, 120), runs=1) > 0


def test_the_command_prints_json_and_refuses_nonsense(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "time", "--presses", "0"]) == 2
    assert main(["bench", "time", "--camera", "telescope"]) == 2
    assert main(["bench", "memory", "--minutes", "0"]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 3
    assert main(["bench", "time", "--presses", "1", "--json"]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert {line["name"] for line in lines} >= {"bell edge to queue: median", "yardstick"}


def test_a_leak_is_told_from_a_flat_evening() -> None:
    flat = [Sample(minute, 100 + 20 * (minute < 5) + 0.1 * (minute % 2)) for minute in range(30)]
    leaking = [Sample(minute, 100 + 0.2 * minute) for minute in range(30)]
    assert abs(slope_mb_in_ten_minutes(flat) or 1) < 0.1
    assert slope_mb_in_ten_minutes(leaking) == pytest.approx(2.0)
    assert slope_mb_in_ten_minutes(leaking[:2]) is None and slope_mb_in_ten_minutes([]) is None


def test_an_evening_is_measured_after_every_round() -> None:
    shots = Shots(size=(160, 90), frames_per_s=2, look=Look(noise=0))
    samples = list(evening(0.1, lambda: 7.0, shots))
    assert [sample.resident_mb for sample in samples] == [7.0] * 3
    assert [sample.minutes for sample in samples] == sorted(sample.minutes for sample in samples)
    assert samples[-1].minutes > 0.8
    assert resident_mb() > 10
