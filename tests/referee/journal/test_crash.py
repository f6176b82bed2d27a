"""The trial of the journal: a few kills here, hundreds in the release gate; and it must be able to fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.journal.database import Value
from tests.support.crash import crash_often
from tests.support.forgetful import ForgetfulConnection


@pytest.mark.parametrize("forgetful", [False, True])
def test_after_each_kill_all_that_was_announced_is_there_once(tmp_path: Path, forgetful: bool) -> None:
    verdict = crash_often(8, 3, forgetful=forgetful, folder=tmp_path)
    assert verdict.faults == []
    assert verdict.kills == 8
    assert verdict.announced > 0


class Careless(ForgetfulConnection):
    """Never waits for the disk."""

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Iterable[tuple[Any, ...]]:
        return super().execute("PRAGMA synchronous=OFF" if "synchronous" in sql else sql, values)


def test_a_journal_that_does_not_wait_for_the_disk_is_found_out(tmp_path: Path) -> None:
    verdict = crash_often(8, 3, forgetful=True, folder=tmp_path, connector=Careless)
    assert any("not kept" in fault or "damaged" in fault for fault in verdict.faults)
