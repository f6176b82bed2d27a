"""Damaged journals: each start comes up, no game is lost that a copy or SQLite itself still has, and it is reported."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from referee.engine.events import Event, Header
from referee.files import set_aside_files
from referee.journal.copies import copies
from referee.journal.database import readable
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal
from referee.journal.stored import games, kept_game
from referee.journal.tidying import delete_game
from referee.journal.trouble import Trouble

DATA = Path(__file__).parents[2] / "data" / "journals"
GAMES, EVENTS = 6, 25
Games = dict[str, int]
"""How many events can be read of each game, by its first player."""


def play(folder: Path, names: range) -> None:
    with closing(Journal(folder / JOURNAL)) as journal:
        for name in names:
            game = journal.begin_game(Header("piccolino", (f"P{name}", "Ben"), {}), "boot", 0).game
            for number in range(1, EVENTS + 1):
                data = {"seat": number % 2, "colour": "red", "mood": "sad"}
                journal.add_event(game, number, Event(number * 10**9, "card_shown", data))
                journal.add_rulings(game, number, [{"ruling": "shown", "t_ns": number * 10**9}])
            journal.flush()


def held(journal: Journal) -> Games:
    return {row.header.players[0]: len(kept_game(journal.read, row).events) for row in games(journal.read)}


def started(folder: Path) -> tuple[Games, Path | None]:
    with closing(Journal(folder / JOURNAL)) as journal:
        assert journal.trouble is None
        return held(journal), journal.set_aside


def by_sqlite_alone(path: Path) -> set[int]:
    """Numbers of the games that SQLite reads from one end or the other."""
    found: set[int] = set()
    for order in ("ASC", "DESC"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            try:
                for row in connection.execute(f"SELECT * FROM games ORDER BY game {order}"):
                    found.add(row[0])
            except (sqlite3.Error, MemoryError, OverflowError, ValueError):
                continue
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    play(folder, range(GAMES))
    return folder


@pytest.fixture(scope="module")
def copied(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copied") / "state"
    shutil.copytree(whole, folder)
    with closing(Journal(folder / JOURNAL)) as journal:
        journal.copy()
    return folder


def one_bit(data: bytearray, dice: random.Random) -> None:
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def many_bits(data: bytearray, dice: random.Random) -> None:
    for _ in range(dice.choice((5, 200))):
        one_bit(data, dice)


def no_page(data: bytearray, dice: random.Random) -> None:
    start = 4096 * dice.randrange(len(data) // 4096)
    data[start : start + 4096] = bytes(4096)


def torn(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(len(data)) :]


def garbage(data: bytearray, dice: random.Random) -> None:
    start = dice.randrange(len(data))
    length = min(dice.choice((100, 50_000)), len(data) - start)
    data[start : start + length] = dice.randbytes(length)


HOW: list[Callable[[bytearray, random.Random], None]] = [one_bit, many_bits, no_page, torn, garbage]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("with_copy", [False, True])
def test_no_game_is_lost_that_a_copy_or_sqlite_still_has_and_what_is_lost_is_reported(
    how: Callable[[bytearray, random.Random], None], with_copy: bool, whole: Path, copied: Path, tmp_path: Path
) -> None:
    dice = random.Random(how.__name__)
    for trial in range(6):
        folder = tmp_path / str(trial)
        shutil.copytree(copied if with_copy else whole, folder)
        data = bytearray((folder / JOURNAL).read_bytes())
        how(data, dice)
        (folder / JOURNAL).write_bytes(data)
        least = by_sqlite_alone(folder / JOURNAL)
        found, aside = started(folder)
        if with_copy:
            assert set(found) == {f"P{number}" for number in range(GAMES)}, trial
            assert aside is None or set(found.values()) == {EVENTS}, trial
        if aside is not None:
            assert aside.read_bytes() == data
            assert set_aside_files(folder) == [aside]
            assert len(found) >= len(least & set(range(1, GAMES + 1))) - 1
        else:
            # One flipped bit in a text harms no more than the row that it is in.
            assert len(found) >= GAMES - 1
        assert started(folder) == (found, None), trial


def test_bytes_that_make_sqlite_run_out_of_memory_cost_no_game(tmp_path: Path) -> None:
    data = gzip.decompress((DATA / "200-damaged-bytes.sqlite.gz").read_bytes())
    (tmp_path / JOURNAL).write_bytes(data)
    with readable(tmp_path / JOURNAL) as (connection, damaged):
        assert damaged
        assert list(connection.execute("SELECT count(*) FROM games")) == [(5,)]
    for _ in range(2):
        with closing(Journal(tmp_path / JOURNAL)) as journal:
            assert len(games(journal.read)) == 5
        assert len(set_aside_files(tmp_path)) == 1


KILLED = """
import os, sys
from pathlib import Path
from referee.engine.events import Event, Header
from referee.journal.journal import Journal
journal = Journal(Path(sys.argv[1]))
game = journal.begin_game(Header("piccolino", ("Killed", "Ben"), {}), "boot", 0).game
for number in range(1, 26):
    journal.add_event(game, number, Event(number * 10**9, "card_shown", {"seat": 0, "colour": "red", "mood": "sad"}))
    journal.flush()
os._exit(0)
"""


def killed_in_play(whole: Path, folder: Path) -> Path:
    shutil.copytree(whole, folder)
    subprocess.run([sys.executable, "-c", KILLED, str(folder / JOURNAL)], check=True, timeout=60)
    return folder / f"{JOURNAL}-wal"


@pytest.mark.parametrize("where", [(0, 32), (40, 60), (0.2, 0.3), (0.5, 0.51), (0, 1.0)])
def test_garbage_in_the_log_is_reported_and_what_is_in_the_file_stays(
    where: tuple[float, float], whole: Path, tmp_path: Path
) -> None:
    log = killed_in_play(whole, tmp_path / "state")
    data = bytearray(log.read_bytes())
    start, end = (int(one if one > 1 or isinstance(one, int) else one * len(data)) for one in where)
    data[start:end] = random.Random(1).randbytes(end - start)
    log.write_bytes(data)
    found, aside = started(tmp_path / "state")
    assert aside is not None
    assert Path(f"{aside}-wal").read_bytes() == data
    assert {f"P{number}": EVENTS for number in range(GAMES)}.items() <= found.items()


def test_a_kill_in_play_damages_nothing(whole: Path, tmp_path: Path) -> None:
    log = killed_in_play(whole, tmp_path / "state")
    # The last frame was being written.
    log.write_bytes(log.read_bytes()[:-100])
    found, aside = started(tmp_path / "state")
    assert aside is None
    assert found["Killed"] >= EVENTS - 1


def test_an_empty_or_missing_journal_goes_on_from_its_copy_and_is_reported(copied: Path, tmp_path: Path) -> None:
    for number, missing in enumerate((False, True)):
        folder = tmp_path / str(number)
        shutil.copytree(copied, folder)
        (folder / JOURNAL).write_bytes(b"")
        if missing:
            (folder / JOURNAL).unlink()
        with readable(folder / JOURNAL) as (connection, damaged):
            assert damaged and list(connection.execute("SELECT count(*) FROM games")) == [(GAMES,)]
        found, _ = started(folder)
        assert found == {f"P{number}": EVENTS for number in range(GAMES)}
        assert len(set_aside_files(folder)) == 1


def test_an_empty_journal_beside_pictures_is_reported(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).touch()
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "1-1-0.jpg").write_bytes(b"x")
    assert started(tmp_path)[1] is not None


def test_games_after_the_copy_are_taken_from_the_damaged_file(copied: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    shutil.copytree(copied, folder)
    play(folder, range(GAMES, GAMES + 2))
    path = folder / JOURNAL
    path.write_bytes(path.read_bytes().replace(b"tablesightssights", b"tablesigh\xd5ssights"))
    found, aside = started(folder)
    assert aside is not None
    assert found == {f"P{number}": EVENTS for number in range(GAMES + 2)}


class KillError(BaseException):
    """The process is gone."""


def test_a_kill_at_any_moment_of_mending_costs_nothing_and_is_reported(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    for moment in range(60):
        folder = tmp_path / str(moment)
        shutil.copytree(copied, folder)
        path = folder / JOURNAL
        damaged = path.read_bytes()[:-9000]
        path.write_bytes(damaged)
        with monkeypatch.context() as patch:
            left = moment

            def dying(call: Callable[..., object]) -> Callable[..., object]:
                def wrapped(*args: object, **kwargs: object) -> object:
                    nonlocal left
                    left -= 1
                    if left < 0:
                        raise KillError
                    return call(*args, **kwargs)

                return wrapped

            patch.setattr(os, "fsync", dying(os.fsync))
            patch.setattr(Path, "rename", dying(Path.rename))
            patch.setattr(Path, "unlink", dying(Path.unlink))
            patch.setattr(shutil, "copyfile", dying(shutil.copyfile))
            try:
                Journal(path).close()
                steps = moment
            except KillError:
                pass
        found, _ = started(folder)
        assert found == {f"P{number}": EVENTS for number in range(GAMES)}
        (aside,) = set_aside_files(folder)
        assert aside.read_bytes() == damaged
        if steps:
            break
    assert steps > 5


def test_a_disk_without_room_leaves_the_damaged_file_and_says_so(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "state"
    shutil.copytree(whole, folder)
    path = folder / JOURNAL
    damaged = path.read_bytes()[:-9000]
    path.write_bytes(damaged)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        journal = Journal(path)
        assert journal.trouble is Trouble.DAMAGED
        game = journal.begin_game(Header("piccolino", ("Now", "Ben"), {}), "boot", 0).game
        journal.add_event(game, 1, Event(1, "bell", {"seat": 1}))
        assert not journal.flush()
        assert path.read_bytes() == damaged
    assert journal.flush()
    assert held(journal)["Now"] == 1
    assert len(set_aside_files(folder)) == 1
    journal.close()


def test_three_copies_are_kept_one_a_day(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    play(tmp_path, range(1))
    with closing(Journal(path)) as journal:
        journal.copy()
        journal.copy()
        assert len(copies(path)) == 1
        for day in range(5):
            for kept in copies(path):
                os.utime(kept, (86_400 * (day + 1), 86_400 * (day + 1)))
            newest = journal.copy()
        assert len(copies(path)) == 3
        assert copies(path)[0] == newest


def test_a_copy_that_is_not_sound_is_passed_over(copied: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    shutil.copytree(copied, folder)
    (good,) = copies(folder / JOURNAL)
    (good.parent / "journal-9.sqlite").write_bytes(good.read_bytes()[:-5000])
    (folder / JOURNAL).write_bytes(b"nonsense" * 900)
    assert started(folder)[0] == {f"P{number}": EVENTS for number in range(GAMES)}


def test_a_deleted_game_does_not_come_back_from_a_copy(copied: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    shutil.copytree(copied, folder)
    with closing(Journal(folder / JOURNAL)) as journal:
        delete_game(journal, 1)
        assert copies(folder / JOURNAL) == []
        journal.copy()
    (folder / JOURNAL).write_bytes(b"nonsense" * 900)
    assert "P0" not in started(folder)[0]


def test_a_journal_of_a_newer_ringmaster_is_set_aside_and_its_games_are_shown(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    shutil.copytree(whole, folder)
    with closing(sqlite3.connect(folder / JOURNAL)) as connection:
        connection.execute("PRAGMA user_version = 99")
    newer = (folder / JOURNAL).read_bytes()
    found, aside = started(folder)
    assert found == {f"P{number}": EVENTS for number in range(GAMES)}
    assert aside is not None and aside.read_bytes() == newer
