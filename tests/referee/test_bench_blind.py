"""`bench blind` counts what is said for certain though nobody could see it."""

from __future__ import annotations

import json
from pkgutil import resolve_name

import pytest

from referee.bench import blind
from referee.bench.blind import KINDS, BlindSetting, Outcome, Trial
from referee.cli import main


def test_the_function_of_every_kind_is_there() -> None:
    assert all(callable(resolve_name(name)) for names in KINDS.values() for name in names)


@pytest.mark.parametrize(("outcome", "status"), [("right", 0), ("unclear", 0), ("wrong", 1)])
def test_trials_are_counted_by_kind_and_a_wrong_one_is_named(
    outcome: Outcome, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def trials(kinds: tuple[str, ...], setting: BlindSetting) -> list[Trial]:
        return [Trial("no table", f"table {number}", outcome, "Ann 0") for number in range(setting.trials)]

    monkeypatch.setattr(blind, "blind_trials", trials)
    assert main(["bench", "blind", "--trials", "2", "--json"]) == status
    *lines, total = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert [line["what"] for line in lines] == ["table 0", "table 1"]
    counts = {"wrong": 0, "unclear": 0, "right": 0, outcome: 2}
    assert total["summary"] == {"no table": counts, "all": counts}
    assert main(["bench", "blind", "--trials", "2"]) == status
    assert ("no table, table 1: Ann 0" in capsys.readouterr().out) is (outcome == "wrong")


@pytest.mark.parametrize("arguments", [["--trials", "0"], ["--kind", "no such kind"]])
def test_what_cannot_be_asked_is_told_in_a_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "blind", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
