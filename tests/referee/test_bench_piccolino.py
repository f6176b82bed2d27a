"""The benches of Piccolino count what was named and ruled against the truth."""

from __future__ import annotations

import json

import pytest

from referee.bench.ringers import ALONE, Named, name_ringers
from referee.cli import main


def test_whoever_rings_on_a_drawn_table_is_named_or_asked_for() -> None:
    (ring,) = name_ringers(1, seed=1)
    assert ring.players == 2
    assert ring.verdict == ("asked" if ring.named is None else "right")


@pytest.mark.parametrize(("named", "verdict", "status"), [(1, "right", 0), (None, "asked", 0), (0, "wrong", 1)])
def test_names_are_counted(
    named: int | None, verdict: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("referee.bench.ringers.name_ringers", lambda rings, seed: [Named(ALONE, 3, 1, named)] * rings)
    assert main(["bench", "ringers", "--rings", "2", "--json"]) == status
    *others, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert last["summary"][ALONE] == {"right": 0, "asked": 0, "wrong": 0, verdict: 2}
    assert len(others) == (0 if verdict == "right" else 2)


@pytest.mark.parametrize(
    "arguments", [["ringers", "--rings", "0"], ["replay", "--times", "0"], ["verdict", "--turns", "4"]]
)
def test_numbers_that_make_no_sense_are_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
