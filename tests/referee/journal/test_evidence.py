"""Evidence pictures: kept, found, thinned by the budget with the disputed ones last, and swept after a cut of power."""

from __future__ import annotations

from pathlib import Path

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
    journal = Journal(tmp_path / JOURNAL)
    folder = EvidenceFolder(tmp_path / "evidence", journal)
    assert folder.add(3, 7, [(-120.0, b"before"), (-8.0, b"last before"), (25.0, b"after")])
    assert [picture.t_ms for picture in folder.of_event(3, 7)] == [-120.0, -8.0, 25.0]
    assert folder.find(folder.of_game(3)[7]) == b"last before"
    assert folder.find("3-7-9") is None
    assert folder.find("../journal") is None


def test_over_the_budget_the_oldest_go_first_and_the_disputed_last(tmp_path: Path) -> None:
    journal, folder = folder_with(tmp_path, Budget(most_bytes=3000, least_free_bytes=0), 6)
    journal.dispute(1, 0)
    journal.flush()
    assert folder.thin() == 3
    assert names(folder, 6) == [0, 4, 5]
    assert len(list((tmp_path / "evidence").glob("*.jpg"))) == 3


def test_what_is_older_than_its_time_goes_even_if_there_is_room(tmp_path: Path) -> None:
    budget = Budget(least_free_bytes=0, undisputed_days=3, disputed_days=100)
    journal, folder = folder_with(tmp_path, budget, 6)
    journal.dispute(1, 1)
    journal.flush()
    folder.thin(now_ms=6 * MS_PER_DAY)
    assert names(folder, 6) == [1, 3, 4, 5]


def test_a_disk_without_room_for_others_is_made_free(tmp_path: Path) -> None:
    _, folder = folder_with(tmp_path, Budget(least_free_bytes=1 << 62), 3)
    assert folder.thin() == 3


def test_what_the_power_left_behind_is_swept(tmp_path: Path) -> None:
    _, folder = folder_with(tmp_path, Budget(), 2)
    (tmp_path / "evidence" / "9-9-9.jpg").write_bytes(b"unknown")
    (tmp_path / "evidence" / "1-7-0.part").write_bytes(b"torn")
    folder.sweep()
    assert sorted(path.name for path in (tmp_path / "evidence").iterdir()) == ["1-0-0.jpg", "1-1-0.jpg"]


def test_pictures_of_a_damaged_journal_are_set_aside_with_it(tmp_path: Path) -> None:
    _, folder = folder_with(tmp_path, Budget(), 2)
    folder.set_aside("journal-damaged-x")
    assert len(list((tmp_path / "evidence-of-journal-damaged-x").iterdir())) == 2
    assert not (tmp_path / "evidence").exists()


def test_a_folder_that_takes_nothing_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "evidence").touch()
    folder = EvidenceFolder(tmp_path / "evidence", Journal(tmp_path / JOURNAL))
    assert not folder.add(1, 1, [(0.0, b"x")])
