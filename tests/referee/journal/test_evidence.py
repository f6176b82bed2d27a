"""Evidence pictures: kept, found, thinned by the budget with the disputed ones last, and swept after a cut of power."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from referee.journal.evidence import MS_PER_DAY, Budget, EvidenceFolder
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal


def folder_with(tmp_path: Path, budget: Budget, events: int) -> tuple[Journal, EvidenceFolder]:
    day = iter(range(events))
    journal = Journal(tmp_path / JOURNAL, wall_ms=lambda: next(day) * MS_PER_DAY)
    folder = EvidenceFolder(tmp_path / "evidence", journal, budget)
    for event in range(events):
        assert folder.add(1, event, [(0.0, bytes([event]) * 1000)])
    return journal, folder


def names(folder: EvidenceFolder, events: int) -> list[int]:
    return [event for event in range(events) if folder.find(f"1-{event}-0") is not None]


def test_pictures_are_found_by_event_and_the_last_before_it_is_shown_first(tmp_path: Path) -> None:
    folder = EvidenceFolder(tmp_path / "evidence", Journal(tmp_path / JOURNAL))
    assert folder.add(3, 7, [(-120.0, b"before"), (-8.0, b"last before"), (25.0, b"after")])
    assert [picture.t_ms for picture in folder.of_event(3, 7)] == [-120.0, -8.0, 25.0]
    assert folder.find(folder.of_game(3)[7]) == b"last before"
    assert folder.find("3-7-9") is None
    assert folder.find("../journal") is None
    # A folder that takes nothing is no fault.
    (tmp_path / "file").touch()
    assert not EvidenceFolder(tmp_path / "file", Journal(tmp_path / JOURNAL)).add(1, 1, [(0.0, b"x")])


def test_over_the_budget_the_oldest_go_first_and_the_disputed_last(tmp_path: Path) -> None:
    journal, folder = folder_with(tmp_path, Budget(most_bytes=3000, least_free_bytes=0), 6)
    journal.dispute(1, 0)
    journal.flush()
    assert folder.thin() == 3
    assert names(folder, 6) == [0, 4, 5]
    assert len(list((tmp_path / "evidence").glob("*.jpg"))) == 3
    # A disk without room for others is made free.
    assert EvidenceFolder(tmp_path / "evidence", journal, Budget(least_free_bytes=1 << 62)).thin() == 3


def test_what_the_power_left_behind_is_swept_and_what_the_journal_does_not_know_is_set_aside(tmp_path: Path) -> None:
    journal, folder = folder_with(tmp_path, Budget(), 3)
    (tmp_path / "evidence" / "9-9-9.jpg").write_bytes(b"unknown")
    (tmp_path / "evidence" / "1-7-0.part").write_bytes(b"torn")
    folder.sweep()
    assert sorted(path.name for path in (tmp_path / "evidence").iterdir()) == [f"1-{event}-0.jpg" for event in range(3)]
    journal.forget_evidence("1-0-0")
    journal.flush()
    assert folder.set_aside("journal-damaged-x")
    assert [path.name for path in (tmp_path / "evidence-of-journal-damaged-x").iterdir()] == ["1-0-0.jpg"]
    assert names(folder, 3) == [1, 2]


def evenings(tmp_path: Path, days: Sequence[float], budget: Budget) -> tuple[EvidenceFolder, Callable[[], list[int]]]:
    """Give a folder with a picture of each game, kept on these days by the clock; and what lists the games left."""
    clock = iter(days)
    journal = Journal(tmp_path / JOURNAL, wall_ms=lambda: round(next(clock) * MS_PER_DAY))
    folder = EvidenceFolder(tmp_path / "evidence", journal, budget)
    for game in range(len(days)):
        assert folder.add(game, 1, [(0.0, bytes(1000))])
    return folder, lambda: [game for game in range(len(days)) if folder.find(f"{game}-1-0") is not None]


BUDGET = Budget(least_free_bytes=0, undisputed_days=30, disputed_days=365)


def test_what_is_older_than_its_time_goes_even_if_there_is_room(tmp_path: Path) -> None:
    folder, left = evenings(tmp_path, [*range(0, 7 * 40, 7)], BUDGET)
    assert folder.thin(now_ms=7 * 40 * MS_PER_DAY) == 20
    assert left() == list(range(20, 40))


@pytest.mark.parametrize(
    ("days", "now"),
    [
        ([*range(40), 20_000.0, 20_000.1], 20_000.2),
        ([20_000.0] * 40, 90_000.0),
        ([20_000.0 + day / 10 for day in range(40)] + [100.0], 100.1),
        ([20_000.0 + day / 10 for day in range(20)] + [100.0] * 10 + [20_003.0] * 20, 20_003.1),
    ],
)
def test_a_clock_that_jumps_deletes_nothing_of_the_last_games(tmp_path: Path, days: list[float], now: float) -> None:
    folder, left = evenings(tmp_path, days, BUDGET)
    folder.thin(now_ms=round(now * MS_PER_DAY))
    assert left()[-20:] == list(range(len(days) - 20, len(days)))
    assert max(days) - min(days[:20]) > 30 or len(left()) == len(days)


def test_over_the_budget_the_game_played_first_goes_first_whatever_the_clock_said(tmp_path: Path) -> None:
    folder, left = evenings(tmp_path, [9.0, 5.0, 7.0, 1.0], Budget(most_bytes=2000, least_free_bytes=0))
    assert folder.thin() == 2
    assert left() == [2, 3]
