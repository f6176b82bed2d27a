"""The journal: what it keeps, what it does when the disk takes nothing or the file is damaged, and who may open it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.engine.events import Event, Header
from referee.errors import WorkFailedError
from referee.journal.database import Connection, connect, connect_to_read, open_journal
from referee.journal.folder import JOURNAL, locked
from referee.journal.journal import Journal
from referee.journal.stored import games, kept_game
from referee.journal.trouble import Trouble

HEADER = Header("piccolino", ("Ann", "Ben"), {"dealer": 1})


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / JOURNAL, wall_ms=lambda: 5)


def test_a_game_is_read_back_as_it_was_written(journal: Journal) -> None:
    row = journal.begin_game(HEADER, "boot", 7)
    journal.add_event(row.game, 1, Event(12, "bell", {"seat": 1, "frame_t_ns": 9}))
    journal.add_rulings(row.game, 1, [{"ruling": "ring", "t_ns": 12}])
    assert journal.flush()
    kept = kept_game(journal.read, games(journal.read)[0])
    assert kept.row.header == HEADER
    assert (kept.row.shift_ns, kept.row.judged, kept.row.started_ms) == (7, 1, 5)
    assert kept.events[0].event.data["frame_t_ns"] == 9
    assert [ruling.data for ruling in kept.in_force()] == [{"ruling": "ring", "t_ns": 12}]


def test_what_waits_for_a_full_disk_is_written_in_order_when_there_is_room(tmp_path: Path, journal: Journal) -> None:
    game = journal.begin_game(HEADER, "boot", 0).game
    journal.flush()
    ((pages,),) = journal.read("PRAGMA page_count")
    journal.read(f"PRAGMA max_page_count = {pages}")
    for number in range(1, 200):
        journal.add_event(game, number, Event(number, "bell", {"seat": 1, "why": "x" * 100}))
        journal.flush()
    assert journal.trouble is Trouble.FULL
    journal.read("PRAGMA max_page_count = 100000")
    assert journal.flush()
    kept = kept_game(journal.read, games(journal.read)[0])
    assert [event.number for event in kept.events] == list(range(1, 200))


def test_a_bad_byte_in_one_game_hides_no_other(tmp_path: Path, journal: Journal) -> None:
    path = tmp_path / JOURNAL
    for name in ("Ann", "Bea"):
        journal.begin_game(Header("piccolino", (name, "Cem"), {}), "boot", 0)
    journal.close()
    path.write_bytes(path.read_bytes().replace(b"Bea", b"B\xe5a"))
    with closing(Journal(path)) as again:
        assert again.set_aside is None
        assert {row.header.players[0] for row in games(again.read)} == {"Ann", "B\ufffda"}
    assert len(list(connect_to_read(path).execute("SELECT header FROM games"))) == 2


def test_a_game_played_at_no_time_that_there_is_hides_no_other(journal: Journal) -> None:
    journal.begin_game(HEADER, "boot", 0)
    second = journal.begin_game(HEADER, "boot", 0)
    journal.flush()
    journal.read("UPDATE games SET started_ms = ? WHERE game < ?", 1 << 60, second.game)
    assert [row.game for row in games(journal.read)] == [second.game]


def test_a_command_leaves_a_journal_of_a_newer_ringmaster_alone(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    Journal(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    newer = path.read_bytes()
    with pytest.raises(WorkFailedError, match="newer Ringmaster"):
        open_journal(path)
    assert path.read_bytes() == newer


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(WorkFailedError, match="cannot be used"), locked(tmp_path / "state"):
        raise AssertionError


def test_a_disk_that_does_not_let_the_file_be_opened_is_tried_again(tmp_path: Path) -> None:
    first = Journal(tmp_path / JOURNAL)
    first.begin_game(HEADER, "boot", 0)
    first.close()
    full = [True]

    def connector(path: Path) -> Connection:
        if full:
            raise sqlite3.OperationalError("disk I/O error")
        return connect(path)

    journal = Journal(tmp_path / JOURNAL, connector)
    game = journal.begin_game(HEADER, "boot", 0).game
    journal.add_event(game, 1, Event(1, "bell", {"seat": 1}))
    assert not journal.flush()
    assert games(journal.read) == ()
    full.clear()
    assert journal.flush()
    assert [row.game == game for row in games(journal.read)] == [True, False]
    assert journal.set_aside is None
