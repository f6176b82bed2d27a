"""Damaged journals and kills: each start comes up, no game is lost that a copy or SQLite still has, and it is said."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from referee.engine.events import Event, Header
from referee.engine.log import Record, RulingRow
from referee.files import set_aside_files
from referee.state_folder import JOURNAL
from referee.store.database import copies
from referee.store.games import games, kept_game
from referee.store.recovery import opened_to_read
from referee.store.store import Store, Trouble
from tests.support.crash import crash_often

DATA = Path(__file__).parents[2] / "data" / "journals"
GAMES, EVENTS = 6, 25
Games = dict[str, int]
"""How many events can be read of each game, by its first player."""
ALL = {f"P{number}": EVENTS for number in range(GAMES)}


def play(folder: Path, names: range) -> None:
    with closing(Store(folder / JOURNAL)) as journal:
        for name in names:
            game = journal.begin_game(Header("piccolino", (f"P{name}", "Ben"), {}), "boot", 0).game
            for number in range(1, EVENTS + 1):
                data = {"seat": number % 2, "colour": "red", "mood": "sad"}
                ruled = RulingRow(number, 0, 0, None, {"ruling": "shown", "t_ns": number * 10**9})
                record = Record(number, Event(number * 10**9, "card_shown", data), ruled=(ruled,))
                journal.add_event(game, record)
                journal.add_rulings(game, record)
            journal.flush()


def held(journal: Store) -> Games:
    return {row.header.players[0]: len(kept_game(journal.read, row).records) for row in games(journal.read)}


def started(folder: Path) -> tuple[Games, Path | None]:
    with closing(Store(folder / JOURNAL)) as journal:
        assert journal.trouble is None
        return held(journal), journal.set_aside


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    play(folder, range(GAMES))
    return folder


@pytest.fixture(scope="module")
def copied(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copied") / "state"
    shutil.copytree(whole, folder)
    with closing(Store(folder / JOURNAL)) as journal:
        journal.copy()
    return folder


def laid(folder: Path, tmp_path: Path) -> Path:
    """Copy a state folder, and give the path of its journal."""
    return Path(shutil.copytree(folder, tmp_path / "state", dirs_exist_ok=True)) / JOURNAL


def harm(data: bytearray, how: str, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    match how:
        case "no page":
            data[at - at % 4096 : at - at % 4096 + 4096] = bytes(4096)
        case "torn":
            del data[at:]
        case "garbage":
            length = min(dice.choice((100, 50_000)), len(data) - at)
            data[at : at + length] = dice.randbytes(length)


@pytest.mark.parametrize("how", ["no page", "torn", "garbage"])
@pytest.mark.parametrize("with_copy", [False, True])
def test_no_game_is_lost_that_a_copy_has_and_what_is_lost_is_reported(
    how: str, with_copy: bool, whole: Path, copied: Path, tmp_path: Path
) -> None:
    dice = random.Random(how)
    for trial in range(7):
        path = laid(copied if with_copy else whole, tmp_path / str(trial))
        data = bytearray(path.read_bytes())
        harm(data, how, dice)
        path.write_bytes(data)
        found, aside = started(path.parent)
        if with_copy:
            assert set(found) == set(ALL), trial
            assert aside is None or found == ALL, trial
        if aside is not None:
            assert aside.read_bytes() == data
            assert set_aside_files(path.parent) == [aside]
        assert started(path.parent) == (found, None), trial


def content(journal: Store) -> dict[int, object]:
    return {row.game: (row.header, list(kept_game(journal.read, row).held())) for row in games(journal.read)}


@pytest.mark.parametrize("trials", [25, pytest.param(1000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("with_copy", [False, True])
def test_a_flipped_byte_costs_no_other_game_and_is_reported(
    trials: int, with_copy: bool, whole: Path, copied: Path, tmp_path: Path
) -> None:
    dice, source = random.Random(with_copy), copied if with_copy else whole
    with closing(Store(laid(source, tmp_path))) as journal:
        before = content(journal)
    data, several = (tmp_path / "state" / JOURNAL).read_bytes(), 0
    for trial in range(trials):
        path = laid(source, tmp_path / str(trial))
        at, mask = dice.randrange(len(data)), dice.randrange(1, 256)
        path.write_bytes(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :])
        with closing(Store(path)) as journal:
            found = content(journal)
            harmed = [game for game, one in before.items() if found.get(game) != one]
            assert not (harmed and with_copy), (at, mask)
            assert journal.set_aside is not None or not harmed, (at, mask)
            several += len(harmed) > 1
        shutil.rmtree(path.parent)
    # Without any copy, a byte of a page that leads to others can cost more: 4 in 1,000 here.
    assert several <= 1 + trials // 100


def test_bytes_that_make_sqlite_run_out_of_memory_cost_no_game(tmp_path: Path) -> None:
    data = gzip.decompress((DATA / "200-damaged-bytes.sqlite.gz").read_bytes())
    (tmp_path / JOURNAL).write_bytes(data)
    warned: list[str] = []
    with opened_to_read(tmp_path, warned.append) as query:
        assert warned and query("SELECT count(*) FROM games") == [(5,)]
    for _ in range(2):
        with closing(Store(tmp_path / JOURNAL)) as journal:
            assert len(games(journal.read)) == 5
        assert len(set_aside_files(tmp_path)) == 1


KILLED = """
import os, sys
from pathlib import Path
from referee.engine.events import Event, Header
from referee.engine.log import Record
from referee.store.store import Store
journal = Store(Path(sys.argv[1]))
game = journal.begin_game(Header("piccolino", ("Killed", "Ben"), {}), "boot", 0).game
for number in range(1, 26):
    event = Event(number * 10**9, "card_shown", {"seat": 0, "colour": "red", "mood": "sad"})
    journal.add_event(game, Record(number, event))
    journal.flush()
os._exit(0)
"""


@pytest.fixture
def log(whole: Path, tmp_path: Path) -> Path:
    """The write-ahead log of a process that was killed in play."""
    path = laid(whole, tmp_path)
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=True, timeout=60)
    return Path(f"{path}-wal")


FRAME = 24 + 4096


def test_a_flipped_byte_in_the_log_costs_no_other_game_and_is_reported(log: Path) -> None:
    data, dice = log.read_bytes(), random.Random(1)
    # Behind the last commit, of two frames, nothing shows that it was once whole.
    for at in (*(dice.randrange(len(data) // 4, len(data) * 3 // 4) for _ in range(4)), len(data) - 2 * FRAME - 99):
        log.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        warned: list[str] = []
        with opened_to_read(log.parent, warned.append) as query:
            found = {row.header.players[0]: len(kept_game(query, row).records) for row in games(query)}
        assert found.items() >= ALL.items() and found["Killed"] >= 4 and warned


def test_what_a_power_cut_leaves_in_the_log_is_no_damage(log: Path) -> None:
    data, dice = log.read_bytes(), random.Random(2)
    for _ in range(5):
        at = dice.randrange(len(data) // 2, len(data))
        log.write_bytes(data[:at] + bytes(len(data) - at) * dice.randrange(2))
        warned: list[str] = []
        with opened_to_read(log.parent, warned.append) as query:
            assert len(games(query)) == GAMES + 1 and not warned


@pytest.mark.parametrize("where", [(0, 32), (40, 60), (0.2, 0.3), (0.5, 0.51), (0, 1.0)])
def test_garbage_in_the_log_is_reported_and_what_is_in_the_file_stays(where: tuple[float, float], log: Path) -> None:
    data = bytearray(log.read_bytes())
    start, end = (int(one if one > 1 or isinstance(one, int) else one * len(data)) for one in where)
    data[start:end] = random.Random(1).randbytes(end - start)
    log.write_bytes(data)
    found, aside = started(log.parent)
    assert aside is not None
    assert Path(f"{aside}-wal").read_bytes() == data
    assert ALL.items() <= found.items()


def test_an_empty_or_missing_journal_goes_on_from_its_copy_and_is_reported(copied: Path, tmp_path: Path) -> None:
    for missing in (False, True):
        path = laid(copied, tmp_path / str(missing))
        path.write_bytes(b"")
        if missing:
            path.unlink()
        warned: list[str] = []
        with opened_to_read(path.parent, warned.append) as query:
            assert warned and query("SELECT count(*) FROM games") == [(GAMES,)]
        assert started(path.parent)[0] == ALL
        assert len(set_aside_files(path.parent)) == 1
    (tmp_path / JOURNAL).touch()
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "1-1-0.jpg").write_bytes(b"x")
    assert started(tmp_path)[1] is not None


@pytest.mark.parametrize("written_again", [False, True])
def test_games_after_the_copy_are_taken_from_the_damaged_file(
    written_again: bool, copied: Path, tmp_path: Path
) -> None:
    path = laid(copied, tmp_path)
    if written_again:
        with closing(Store(path)) as journal:
            journal.delete_game(games(journal.read)[-1].game)
    play(path.parent, range(GAMES, GAMES + 2))
    path.write_bytes(path.read_bytes().replace(b"tablesightssights", b"tablesigh\xd5ssights"))
    found, aside = started(path.parent)
    assert aside is not None
    assert found == {f"P{number}": EVENTS for number in range(int(written_again), GAMES + 2)}


class KillError(BaseException):
    """The process is gone."""


def test_a_kill_at_any_moment_of_mending_costs_nothing_and_is_reported(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 0

    def dying(call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **kwargs: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise KillError
            return call(*args, **kwargs)

        return wrapped

    for moment in range(60):
        path = laid(copied, tmp_path / str(moment))
        damaged = path.read_bytes()[:-9000]
        path.write_bytes(damaged)
        left, survived = moment, False
        with monkeypatch.context() as patch:
            for owner, name in ((os, "fsync"), (Path, "rename"), (Path, "unlink"), (shutil, "copyfile")):
                patch.setattr(owner, name, dying(getattr(owner, name)))
            with suppress(KillError):
                Store(path).close()
                survived = True
        assert started(path.parent)[0] == ALL
        (aside,) = set_aside_files(path.parent)
        assert aside.read_bytes() == damaged
        if survived:
            break
    assert survived and moment > 5


def test_a_disk_without_room_leaves_the_damaged_file_and_says_so(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = laid(whole, tmp_path)
    damaged = path.read_bytes()[:-9000]
    path.write_bytes(damaged)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        journal = Store(path)
        assert journal.trouble is Trouble.DAMAGED
        game = journal.begin_game(Header("piccolino", ("Now", "Ben"), {}), "boot", 0).game
        journal.add_event(game, Record(1, Event(1, "bell", {"seat": 1})))
        assert not journal.flush()
        assert path.read_bytes() == damaged
    assert journal.flush()
    assert held(journal)["Now"] == 1
    assert len(set_aside_files(path.parent)) == 1
    journal.close()


def test_three_copies_are_kept_one_a_day(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    play(tmp_path, range(1))
    with closing(Store(path)) as journal:
        journal.copy()
        journal.copy()
        assert len(copies(path)) == 1
        for day in range(5):
            for kept in copies(path):
                os.utime(kept, (86_400 * (day + 1), 86_400 * (day + 1)))
            newest = journal.copy()
        assert len(copies(path)) == 3
        assert copies(path)[0] == newest


def test_a_copy_that_is_not_sound_is_passed_over_and_a_deleted_game_does_not_come_back(
    copied: Path, tmp_path: Path
) -> None:
    path = laid(copied, tmp_path)
    (good,) = copies(path)
    (good.parent / "journal-9.sqlite").write_bytes(good.read_bytes()[:-5000])
    path.write_bytes(b"nonsense" * 900)
    assert started(path.parent)[0] == ALL
    with closing(Store(path)) as journal:
        journal.delete_game(games(journal.read)[0].game)
        gone = ALL.keys() - held(journal).keys()
        assert len(gone) == 1 and copies(path) == []
        journal.copy()
    path.write_bytes(b"nonsense" * 900)
    assert started(path.parent)[0].keys() == ALL.keys() - gone


def test_a_journal_of_a_newer_ringmaster_is_set_aside_and_its_games_are_shown(whole: Path, tmp_path: Path) -> None:
    path = laid(whole, tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    newer = path.read_bytes()
    found, aside = started(path.parent)
    assert found == ALL
    assert aside is not None and aside.read_bytes() == newer


@pytest.mark.parametrize("forgetful", [False, True])
def test_after_each_kill_all_that_was_announced_is_there_once(tmp_path: Path, forgetful: bool) -> None:
    verdict = crash_often(8, 3, forgetful=forgetful, folder=tmp_path)
    assert verdict.faults == []
    assert verdict.kills == 8
    assert verdict.announced > 0
