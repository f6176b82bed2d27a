"""The trial of the journal: a few kills here, hundreds in `ringmaster bench crash`; and it must be able to fail."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.bench import crash
from referee.bench.crash import crash_often
from referee.bench.forgetful import ForgetfulConnection
from referee.cli import main
from referee.journal.database import Connect, Connection, Value


@pytest.mark.parametrize("forgetful", [False, True])
def test_after_each_kill_all_that_was_announced_is_there_once(tmp_path: Path, forgetful: bool) -> None:
    verdict = crash_often(8, 3, forgetful=forgetful, folder=tmp_path)
    assert verdict.faults == []
    assert verdict.kills == 8
    assert verdict.announced > 0


def test_the_game_that_a_life_began_with_is_looked_at_however_many_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash, "RECENT", 0)
    verdict = crash_often(8, 3, forgetful=False, folder=tmp_path)
    assert verdict.faults == []
    assert verdict.resumed > 0


class Careless(ForgetfulConnection):
    """Never waits for the disk."""

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Iterable[tuple[Any, ...]]:
        return super().execute("PRAGMA synchronous=OFF" if "synchronous" in sql else sql, values)


def test_a_journal_that_does_not_wait_for_the_disk_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = crash._connector

    def careless(forgetful: bool, seed: int) -> Connect:
        real(forgetful, seed)

        def connect(path: Path) -> Connection:
            return Careless(path)

        return connect

    monkeypatch.setattr(crash, "_connector", careless)
    verdict = crash_often(8, 3, forgetful=True, folder=tmp_path)
    assert any("not kept" in fault or "damaged" in fault for fault in verdict.faults)


def test_the_command_gives_its_verdict(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "crash", "--kills", "2", "--json"]) == 0
    verdict = json.loads(capfd.readouterr().out)
    assert verdict["kills"] == 2
    assert verdict["faults"] == []
