"""The journal: what it and its evidence pictures keep, also when the disk takes nothing or the file is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from referee.engine.events import Event, Header
from referee.engine.log import Record
from referee.errors import WorkFailedError
from referee.state_folder import JOURNAL, locked
from referee.store.database import Connection, connect
from referee.store.evidence import MS_PER_DAY, Budget, EvidenceFolder
from referee.store.games import games, kept_game
from referee.store.recovery import open_store
from referee.store.store import Store, Trouble

HEADER = Header("piccolino", ("Ann", "Ben"), {"dealer": 1})


@pytest.fixture
def journal(tmp_path: Path) -> Store:
    return Store(tmp_path / JOURNAL, wall_ms=lambda: 5)


def test_what_waits_for_a_full_disk_is_written_in_order_when_there_is_room(tmp_path: Path, journal: Store) -> None:
    game = journal.begin_game(HEADER, "boot", 0).game
    journal.flush()
    ((pages,),) = journal.read("PRAGMA page_count")
    journal.read(f"PRAGMA max_page_count = {pages}")
    for number in range(1, 200):
        journal.add_event(game, Record(number, Event(number, "bell", {"seat": 1, "why": "x" * 100})))
        journal.flush()
    assert journal.trouble is Trouble.FULL
    journal.read("PRAGMA max_page_count = 100000")
    assert journal.flush()
    kept = kept_game(journal.read, games(journal.read)[0])
    assert list(kept.records) == list(range(1, 200))


def test_a_command_leaves_a_journal_of_a_newer_ringmaster_alone(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    newer = path.read_bytes()
    with pytest.raises(WorkFailedError, match="newer Ringmaster"):
        open_store(path)
    assert path.read_bytes() == newer


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(WorkFailedError, match="cannot be used"), locked(tmp_path / "state"):
        raise AssertionError


def test_a_disk_that_does_not_let_the_file_be_opened_is_tried_again(tmp_path: Path) -> None:
    first = Store(tmp_path / JOURNAL)
    first.begin_game(HEADER, "boot", 0)
    first.close()
    full = [True]

    def connector(path: Path) -> Connection:
        if full:
            raise sqlite3.OperationalError("disk I/O error")
        return connect(path)

    journal = Store(tmp_path / JOURNAL, connector)
    game = journal.begin_game(HEADER, "boot", 0).game
    journal.add_event(game, Record(1, Event(1, "bell", {"seat": 1})))
    assert not journal.flush()
    assert games(journal.read) == ()
    full.clear()
    assert journal.flush()
    assert [row.game == game for row in games(journal.read)] == [True, False]
    assert journal.set_aside is None


Kept = tuple[Store, EvidenceFolder, Callable[[], list[int]]]


def evenings(tmp_path: Path, days: Sequence[float], budget: Budget) -> Kept:
    """Return a journal, a folder with a picture of each game, kept on these days, and a list of the games with one."""
    clock = iter([*[0.0] * len(days), *days])
    journal = Store(tmp_path / JOURNAL, wall_ms=lambda: round(next(clock) * MS_PER_DAY))
    folder = EvidenceFolder(tmp_path / "evidence", journal, budget)
    for _ in days:
        journal.begin_game(HEADER, "boot", 0)
    for game in range(len(days)):
        assert folder.add(game + 1, 1, [(0.0, bytes(1000))])
    return journal, folder, lambda: [one for one in range(len(days)) if folder.find(f"{one + 1}-1-0") is not None]


def test_pictures_are_found_by_event_and_the_last_before_it_is_shown_first(tmp_path: Path) -> None:
    journal = Store(tmp_path / JOURNAL)
    for _ in range(3):
        journal.begin_game(HEADER, "boot", 0)
    folder = EvidenceFolder(tmp_path / "evidence", journal)
    assert folder.add(3, 7, [(-120.0, b"before"), (-8.0, b"last before"), (25.0, b"after")])
    assert [picture.t_ms for picture in folder.of_event(3, 7)] == [-120.0, -8.0, 25.0]
    assert folder.find(folder.of_game(3)[7]) == b"last before"
    assert folder.find("3-7-9") is None
    assert folder.find("../journal") is None
    # A folder that takes nothing is no fault.
    (tmp_path / "file").touch()
    assert not EvidenceFolder(tmp_path / "file", Store(tmp_path / JOURNAL)).add(1, 1, [(0.0, b"x")])


def test_over_the_budget_the_game_played_first_goes_first_and_disputed_ones_last(tmp_path: Path) -> None:
    journal, folder, left = evenings(tmp_path, [9.0, 5.0, 7.0, 1.0, 0.0, 0.0], Budget(3000, least_free_bytes=0))
    journal.dispute(1, 1)
    journal.flush()
    assert folder.thin() == 3
    assert left() == [0, 4, 5]
    assert len(list((tmp_path / "evidence").glob("*.jpg"))) == 3
    # A disk without room for others is made free.
    assert EvidenceFolder(tmp_path / "evidence", journal, Budget(least_free_bytes=1 << 62)).thin() == 3


def test_what_the_power_left_behind_is_swept_and_what_the_journal_does_not_know_is_set_aside(tmp_path: Path) -> None:
    journal, folder, left = evenings(tmp_path, [0.0, 1.0, 2.0], Budget())
    (tmp_path / "evidence" / "9-9-9.jpg").write_bytes(b"unknown")
    (tmp_path / "evidence" / "1-7-0.part").write_bytes(b"torn")
    folder.sweep()
    assert sorted(path.name for path in (tmp_path / "evidence").iterdir()) == [f"{one}-1-0.jpg" for one in (1, 2, 3)]
    journal.forget_evidence("1-1-0")
    journal.flush()
    assert folder.set_aside("journal-damaged-x")
    assert [path.name for path in (tmp_path / "evidence-of-journal-damaged-x").iterdir()] == ["1-1-0.jpg"]
    assert left() == [1, 2]


BUDGET = Budget(least_free_bytes=0, undisputed_days=30, disputed_days=365)


def test_what_is_older_than_its_time_goes_even_if_there_is_room(tmp_path: Path) -> None:
    _, folder, left = evenings(tmp_path, [*range(0, 7 * 40, 7)], BUDGET)
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
    _, folder, left = evenings(tmp_path, days, BUDGET)
    folder.thin(now_ms=round(now * MS_PER_DAY))
    assert left()[-20:] == list(range(len(days) - 20, len(days)))
    assert max(days) - min(days[:20]) > 30 or len(left()) == len(days)
