"""The journal: what it keeps, what it does when the disk takes nothing or the file is damaged, and who may open it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.engine.events import Event, Header
from referee.errors import WorkFailedError
from referee.journal.database import Connection, connect, connect_to_read, open_journal
from referee.journal.folder import JOURNAL, locked, state_folder
from referee.journal.journal import Journal
from referee.journal.stored import games, kept_game, open_game
from referee.journal.trouble import Trouble

HEADER = Header("piccolino", ("Ann", "Ben"), {"dealer": 1})


def test_a_game_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, wall_ms=lambda: 5)
    row = journal.begin_game(HEADER, "boot", 7)
    journal.add_event(row.game, 1, Event(12, "bell", {"seat": 1, "frame_t_ns": 9}))
    journal.add_rulings(row.game, 1, [{"ruling": "ring", "t_ns": 12}])
    assert journal.flush()
    kept = kept_game(journal.read, games(journal.read)[0])
    assert kept.row.header == HEADER
    assert (kept.row.shift_ns, kept.row.judged, kept.row.started_ms) == (7, 1, 5)
    assert kept.events[0].event.data["frame_t_ns"] == 9
    assert [ruling.data for ruling in kept.in_force()] == [{"ruling": "ring", "t_ns": 12}]


def test_a_new_game_closes_the_one_before(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    journal.begin_game(HEADER, "boot", 0)
    second = journal.begin_game(HEADER, "boot", 0)
    journal.flush()
    found = open_game(journal.read)
    assert found is not None and found.game == second.game


def test_corrections_keep_the_rulings_that_they_end(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    game = journal.begin_game(HEADER, "boot", 0).game
    journal.add_event(game, 1, Event(1, "bell", {"seat": 1}))
    journal.add_rulings(game, 1, [{"ruling": "ring", "t_ns": 1, "valid": True}])
    journal.add_correction(game, 1, 1, {"seat": 0})
    journal.change_ruling(game, 1, 0, 1, {"ruling": "ring", "t_ns": 1, "valid": False})
    journal.flush()
    kept = kept_game(journal.read, games(journal.read)[0])
    assert [(one.since, one.until, one.data["valid"]) for one in kept.rulings] == [(0, 1, True), (1, None, False)]


def test_what_waits_for_a_full_disk_is_written_in_order_when_there_is_room(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
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


def test_a_read_only_disk_is_told_and_nothing_breaks(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    journal.read("PRAGMA query_only = ON")
    game = journal.begin_game(HEADER, "boot", 0).game
    assert not journal.flush()
    assert journal.trouble is Trouble.READ_ONLY
    journal.read("PRAGMA query_only = OFF")
    assert journal.flush()
    assert games(journal.read)[0].game == game


def test_a_bad_byte_in_one_game_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    journal = Journal(path)
    for name in ("Ann", "Bea"):
        journal.begin_game(Header("piccolino", (name, "Cem"), {}), "boot", 0)
    journal.close()
    path.write_bytes(path.read_bytes().replace(b"Bea", b"B\xe5a"))
    with closing(Journal(path)) as again:
        assert again.set_aside is None
        assert {row.header.players[0] for row in games(again.read)} == {"Ann", "B\ufffda"}
    assert len(list(connect_to_read(path).execute("SELECT header FROM games"))) == 2


def test_a_game_played_at_no_time_that_there_is_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    journal = Journal(path)
    journal.begin_game(HEADER, "boot", 0)
    second = journal.begin_game(HEADER, "boot", 0)
    journal.flush()
    journal.read("UPDATE games SET started_ms = ? WHERE game < ?", 1 << 60, second.game)
    assert [row.game for row in games(journal.read)] == [second.game]


def test_an_empty_file_is_a_new_journal(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).touch()
    assert Journal(tmp_path / JOURNAL).set_aside is None


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


def test_only_one_referee_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(WorkFailedError, match="another Ringmaster"), locked(tmp_path):
        raise AssertionError
    with locked(tmp_path):
        pass


def test_others_may_look_while_a_referee_writes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    journal.begin_game(HEADER, "boot", 0)
    journal.flush()
    reader = connect_to_read(tmp_path / JOURNAL)
    assert list(reader.execute("SELECT count(*) FROM games")) == [(1,)]
    journal.begin_game(HEADER, "boot", 0)
    assert journal.flush()
    assert list(reader.execute("SELECT count(*) FROM games")) == [(2,)]
    reader.close()


def test_the_state_folder_is_what_systemd_gives_else_the_users_own() -> None:
    assert state_folder(None, {"STATE_DIRECTORY": "/var/lib/ringmaster"}) == Path("/var/lib/ringmaster")
    assert state_folder(None, {"XDG_STATE_HOME": "/home/ann/state"}) == Path("/home/ann/state/ringmaster")
    assert state_folder(Path("here"), {"STATE_DIRECTORY": "/var/lib/ringmaster"}) == Path("here")


def test_what_is_written_is_moved_to_its_place_beside_the_writing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    journal.begin_game(HEADER, "boot", 0)
    journal.flush()
    before = (tmp_path / JOURNAL).read_bytes()
    journal.checkpoint()
    assert (tmp_path / JOURNAL).read_bytes() != before
    journal.begin_game(HEADER, "boot", 0)
    assert journal.flush()
    journal.close()


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
