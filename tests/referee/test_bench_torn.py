"""The bench of damaged files: it damages alike each time, and finds what is no sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from referee.bench import torn, torn_games, torn_logs, torn_pictures
from referee.bench.children import Ended, end_of
from referee.bench.mutations import mutated
from referee.bench.torn_trial import Trial
from referee.cli import main


def test_the_same_numbers_damage_alike_and_others_do_not() -> None:
    data = bytes(range(256)) * 40
    many = [mutated(data, Random(seed)) for seed in range(60)]
    assert many == [mutated(data, Random(seed)) for seed in range(60)]
    assert len({damaged for damaged, _ in many}) > 55
    assert all(mutated(b"", Random(seed))[1] for seed in range(60))


@pytest.mark.parametrize(
    ("end", "fault"),
    [
        (Ended(0, "{}\n", "", 1, 0.1), None),
        (Ended(2, "", "ringmaster read: the file a.jpg is damaged\n", 1, 0.1), None),
        (Ended(2, "{}\n", "ringmaster replay: one\nringmaster replay: two\n", 1, 0.1), None),
        (Ended(-9, "", "", 1, 0.1), "ended with -9"),
        (Ended(1, "", "ringmaster: a fault of its own (KeyError: 3)\n", 1, 0.1), "a fault of its own"),
        (Ended(2, "", "Corrupt JPEG data\nringmaster read: no\n", 1, 0.1), "no complaint"),
        (Ended(2, "", "", 1, 0.1), "without a word"),
        (Ended(0, "{}\n", "ringmaster read: hm\n", 1, 0.1), "called it done"),
        (Ended(2, "", "ringmaster read: one\nringmaster read: two\n", 1, 0.1), "2 lines"),
        (Ended(0, "", "", 500_000_000, 0.1), "500 MB"),
    ],
)
def test_whatever_is_no_sentence_is_a_fault(end: Ended, fault: str | None) -> None:
    faults = torn.faults_of(end)
    assert (fault is None) == (faults == [])
    assert fault is None or fault in faults[0]


def test_a_child_that_hangs_is_ended_and_one_that_works_is_measured() -> None:
    ended = end_of(["--help"], 60.0)
    assert (ended.status, ended.stderr) == (0, "")
    assert "referee" in ended.stdout
    assert 5e6 < ended.peak_bytes < 4e8
    assert end_of(["--help"], 0.0).status == -9


def test_faults_and_answers_that_are_made_up_are_told_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def trials(folder: Path, seed: int, count: int) -> Iterator[Trial]:
        none = folder / "none.jpg"
        yield Trial("whole", (("--help",),))
        yield Trial("whole", (("--help",),), lambda answers: "made up" if "referee" in answers[0] else None)
        yield Trial("gone", (("read", str(none), "--deck", "confetti"),))

    monkeypatch.setattr(torn, "KINDS", {"papers": trials})
    assert main(["bench", "torn", "papers", "--json"]) == 1
    fault, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert fault == {"kind": "papers", "trial": 1, "what": "whole", "fault": "made up"}
    sums = last["summary"]["papers"]
    assert {key: sums[key] for key in ("trials", "answered", "partly", "refused", "faults")} == {
        "trials": 3,
        "answered": 2,
        "partly": 0,
        "refused": 1,
        "faults": 1,
    }
    assert main(["bench", "torn", "stones"]) == 2


def test_a_damaged_picture_ends_without_a_fault() -> None:
    (judged,) = torn.try_torn("pictures", 1, seed=8)
    assert judged.faults == ()


def test_a_card_that_does_not_lie_there_is_seen(tmp_path: Path) -> None:
    trial = next(torn_pictures.trials(tmp_path, 1, 1))
    assert trial.check(['{"cards": [{"face": "confetti-999"}]}'])
    assert trial.check(['{"seat": 0, "faces": ["confetti-999"]}'])
    assert trial.check(["\n".join('{"cards": [{"face": null}, {"marks": []}]}' for _ in range(2))]) is None


def test_a_damaged_journal_is_read_and_what_is_told_otherwise_is_seen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    trial = [*torn_games.journals(tmp_path, 1, 2)][1]
    assert "bit" in trial.what
    assert main(trial.commands[0]) in (0, 1)
    told = capfd.readouterr()
    assert len(told.err.splitlines()) <= 1 and trial.check([told.out]) is None
    games = [json.loads(line) for line in told.out.splitlines()]
    others = [{**game, "points": [99], "fault": ""} for game in games]
    assert "another result" in str(trial.check(["\n".join(map(json.dumps, others))]))
    assert "one bit cost" in str(trial.check([json.dumps(games[0])]))


def test_a_damaged_event_log_is_judged_up_to_its_damage_and_in_few_lines(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for trial in torn_logs.trials(tmp_path, 2, 6):
        assert main(trial.commands[0]) in (0, 2)
        told = capfd.readouterr()
        assert trial.check([told.out]) is None and len(told.err.splitlines()) <= 4
        assert trial.check([""]) is None or told.out
