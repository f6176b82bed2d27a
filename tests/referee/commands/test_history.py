"""`ringmaster history`, `export` and `import`: what was played, out of one journal and into another."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import shutil
import sqlite3
import warnings
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.commands import main
from referee.schemas import SCHEMAS
from referee.state_folder import JOURNAL, locked
from referee.store import import_zip as module
from referee.store.evidence import EvidenceFolder
from referee.store.games import games, sight_of
from referee.store.store import Store
from tests.support.table_fakes import Table

Capture = pytest.CaptureFixture[str]
Lines = list[dict[str, Any]]
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 4
CORNERS = [[1.0, 2.0], [30.0, 2.0], [30.0, 40.0]]
OUTLINE = {"corners": CORNERS, "seat": 1, "label": "red happy", "certain": True}
SIGHT: dict[str, Any] = {"t_ms": -7.0, "width": 640, "height": 480, "outlines": [OUTLINE]}


def a_table(folder: Path) -> Table:
    folder.mkdir()
    return Table(folder)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    table = a_table(tmp_path / "played")
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    table.referee.correct(2, {"mood": "sad"})
    table.hear("no_such_event")
    table.hear("stop")
    table.referee.begin("confetti", ["=1+1", "Ben"], {})
    table.referee.store.close()
    return tmp_path / "played"


def test_history_lists_games_newest_first(played: Path, capfd: Capture) -> None:
    assert main(["history", "--state", str(played)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert "confetti" in lines[0]
    assert lines[1].endswith("piccolino: Ann 19, Ben 20*, Cem 16")
    assert main(["history", "--json", "--state", str(played)]) == 0
    games = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [game["game"] for game in games] == ["confetti", "piccolino"]
    for game in games:
        SCHEMAS["history"].validate_python(game)


def test_a_game_is_deleted_and_a_player_forgotten_but_not_beside_a_referee(
    played: Path, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    with locked(played):
        assert main(["history", "--delete", "1", "--state", str(played)]) == 1
    assert main(["history", "--forget", "Nobody", "--state", str(played)]) == 2
    for number in ("7", "one", "1" * 30):
        assert main(["history", "--delete", number, "--state", str(played)]) == 2
    assert main(["history", "--delete", "1", "--state", str(tmp_path / "nowhere")]) == 1
    assert not (tmp_path / "nowhere").exists()
    answer = capfd.readouterr().err
    assert "Traceback" not in answer and "Nobody called Nobody has played here" in answer
    assert main(["history", "--forget", "Ben", "--state", str(played)]) == 0
    assert capfd.readouterr().out.splitlines() == ["Ben is forgotten in 2 games"]
    assert main(["history", "--delete", "2", "--state", str(played)]) == 0
    assert main(["history", "--state", str(played)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "game 2 is deleted with its pictures"
    assert [line.endswith("piccolino: Ann 19, Somebody 20*, Cem 16") for line in lines[1:]] == [True]
    assert not any(b"Ben" in path.read_bytes() for path in played.rglob("*") if path.is_file())


def test_an_export_goes_into_an_empty_journal_once_and_gives_the_same_export(
    played: Path, tmp_path: Path, capfd: Capture
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    other = tmp_path / "other"
    assert main(["export", "--state", str(played), "-o", str(first)]) == 0
    assert main(["import", str(first), "--state", str(other)]) == 0
    assert main(["import", str(first), "--state", str(other)]) == 0
    assert capfd.readouterr().out.splitlines()[1:] == ["2 taken, 0 there already", "0 taken, 2 there already"]
    assert main(["export", "--state", str(other), "-o", str(second)]) == 0
    assert entries(first) == entries(second)
    assert Table(other).referee.resume() is None


@pytest.mark.parametrize("out_of_the_zip", [False, True])
def test_an_event_log_out_of_the_journal_is_judged_as_the_game_was_after_corrections(
    out_of_the_zip: bool, played: Path, tmp_path: Path, capfd: Capture
) -> None:
    log, parcel = tmp_path / "game.jsonl", tmp_path / "games.zip"
    if out_of_the_zip:
        assert main(["export", "--state", str(played), "-o", str(parcel)]) == 0
        log.write_bytes(entries(parcel)["games/1.jsonl"])
    else:
        assert main(["export", "--state", str(played), "--game", "1", "--format", "jsonl", "-o", str(log)]) == 0
    capfd.readouterr()
    assert main(["replay", str(log), "--json"]) == 0
    ring = json.loads(capfd.readouterr().out.splitlines()[0])
    assert (ring["ruling"], ring["valid"], ring["reason"]) == ("ring", False, "sad")


def test_no_games_games_elsewhere_and_exports_that_cannot_be_are_said(
    played: Path, tmp_path: Path, capfd: Capture
) -> None:
    file, empty = tmp_path / "games.zip", tmp_path / "empty"
    main(["export", "--state", str(played), "-o", str(file)])
    with locked(played):
        assert main(["import", str(file), "--state", str(played)]) == 1
    assert "another Ringmaster" in capfd.readouterr().err
    assert main(["export", "--state", str(played), "--game", "77", "-o", str(file)]) == 2
    assert main(["export", "--state", str(played), "--format", "jsonl"]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 2
    for command in ("history", "export"):
        assert main([command, "--state", str(empty), *(["-o", str(file)] * (command == "export"))]) == 1
        assert "no games are kept" in capfd.readouterr().err
    table = a_table(played / "simulated")
    table.referee.begin("coloretto", ["Dora", "Emil", "Fritz"], {})
    table.referee.store.close()
    assert main(["history", "--state", str(played)]) == 0
    answer = capfd.readouterr().out
    assert "Ben 20" in answer and "Dora" not in answer and "--simulated" in answer
    assert main(["history", "--simulated", "--state", str(played)]) == 0
    (line,) = capfd.readouterr().out.splitlines()
    assert "Dora" in line
    empty.mkdir()
    (played / "simulated").rename(empty / "simulated")
    assert main(["history", "--state", str(empty)]) == 1
    assert f"--state {empty / 'simulated'}" in capfd.readouterr().err


RESULT = "piccolino: Ann 17, Ben 18, Cem 20*"


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three games of Piccolino, the second one with a correction, and their export."""
    folder = tmp_path_factory.mktemp("evening")
    table = a_table(folder / "played")
    for game in range(3):
        table.piccolino_with_a_pair()
        table.hear("bell", seat=2)
        if game == 1:
            table.referee.correct(2, {"mood": "sad"})
        table.hear("stop")
    table.referee.end_game()
    table.referee.store.close()
    assert main(["export", "--state", str(folder / "played"), "-o", str(folder / "evening.zip")]) == 0
    return folder


@pytest.fixture
def three_games(evening: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(evening / "played", tmp_path / "played"))


@pytest.fixture
def export(evening: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(evening / "evening.zip", tmp_path))


def entries(parcel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(parcel) as file:
        return {name: file.read(name) for name in file.namelist()}


def changed(parcel: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    """Write a parcel again with other entries."""
    data = entries(parcel)
    change(data)
    with zipfile.ZipFile(parcel, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in data.items():
            file.writestr(name, content)


def of_game(number: int, spoil: Callable[[Lines], object]) -> Callable[[dict[str, bytes]], object]:
    """Return a change of the lines of one game."""

    def change(entries: dict[str, bytes]) -> None:
        lines = [json.loads(line) for line in entries[f"games/{number}.jsonl"].splitlines()]
        spoil(lines)
        entries[f"games/{number}.jsonl"] = "\n".join(map(json.dumps, lines)).encode()

    return change


@pytest.mark.parametrize("data", [b"no JSON", b"[]", b'{"format": "another"}', b"[" * 100_000, b"PK\x03\x04 torn"])
def test_what_is_no_export_is_refused_in_one_line(data: bytes, tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "export").write_bytes(data)
    assert main(["import", str(tmp_path / "export"), "--state", str(tmp_path / "other")]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def taken(parcel: Path, folder: Path) -> int:
    """Import an export into another folder and give the exit status."""
    return main(["import", str(parcel), "--state", str(folder / "other")])


def history(folder: Path, capfd: Capture) -> tuple[list[str], list[str]]:
    capfd.readouterr()
    main(["history", "--state", str(folder)])
    answer = capfd.readouterr()
    return answer.out.splitlines(), answer.err.splitlines()


def change(folder: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / JOURNAL)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        # A damaged row has another check sum.
        connection.create_function("check_sum", -1, lambda *_: 0, deterministic=True)
        connection.execute(sql, values)


SPOILT: list[Callable[[Lines], object]] = [
    lambda lines: lines.clear(),
    lambda lines: lines[0].update(players=None),
    lambda lines: lines[0].update(game="a\n\x1b[2Jb"),
    lambda lines: lines[0].update(options={"dealer": 7}),
    lambda lines: lines[0].pop("kept"),
    lambda lines: lines[0]["kept"].update(uid=None),
    lambda lines: lines[0]["kept"].update(started_ms=10**30),
    lambda lines: lines[0]["kept"].update(ended_ms=1 << 62),
    lambda lines: lines[0]["kept"]["corrections"][0].update(event=99),
    lambda lines: lines[0]["kept"]["corrections"][0].update(data={"t_ns": -1, "event": 7}),
    lambda lines: lines[0]["kept"]["corrections"][0].update(undoes=1),
    lambda lines: lines.pop(1),
    lambda lines: lines.append(lines[1]),
    lambda lines: lines[1].update(event=[]),
    lambda lines: lines[1].update(x=float("nan")),
    lambda lines: lines[1].update(colour="\ud800"),
    lambda lines: lines[1].update(x="long" * 400_000),
    lambda lines: lines[1]["kept"].update(number=1 << 63),
    lambda lines: lines[1]["kept"].update(wall_ms=1 << 62),
    lambda lines: lines[1]["kept"].update(pictures=[{"place": "../../../../etc/passwd", "t_ms": 0.0, "kept_ms": 1}]),
    lambda lines: lines[1]["kept"].update(sight={**SIGHT, "width": 10**9}),
    lambda lines: lines[1]["kept"].update(sight={**SIGHT, "outlines": [{"seat": "x"}]}),
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_game_that_is_none_is_named_in_one_line_and_the_others_are_taken(
    spoil: Callable[[Lines], object], export: Path, tmp_path: Path, capfd: Capture
) -> None:
    changed(export, of_game(2, spoil))
    capfd.readouterr()
    assert taken(export, tmp_path) == 2
    answer = capfd.readouterr()
    assert answer.out == "2 taken, 0 there already\n"
    assert len(answer.err.splitlines()) == 1 and "game 2: " in answer.err and "\x1b" not in answer.err
    lines, faults = history(tmp_path / "other", capfd)
    assert len(lines) == 2 and not faults


@pytest.mark.parametrize("result", [{"winners": [0], "cards": [55, 0, 0]}, {"points": ["=1+1", None]}, {}])
def test_what_a_file_says_of_the_end_counts_for_nothing_against_what_happened(
    result: dict[str, Any], export: Path, tmp_path: Path, capfd: Capture
) -> None:
    changed(export, of_game(1, lambda lines: lines[0]["kept"].update(result=result)))
    assert taken(export, tmp_path) == 0
    assert "judged again" in capfd.readouterr().out
    lines, _ = history(tmp_path / "other", capfd)
    assert lines[-1].endswith(RESULT)
    assert main(["export", "--state", str(tmp_path / "other"), "--format", "csv"]) == 0
    rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    assert [row["points"] for row in rows[:3]] == ["17", "18", "20"]


def test_files_that_unpack_to_more_than_any_journal_are_refused_before_they_are_read(
    export: Path, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = export.read_bytes()
    changed(export, lambda entries: entries.update({"games/2.jsonl": b"[]," * 10_000_000}))
    assert export.stat().st_size < 1 << 17
    assert "unpacks to more" in refused(export, tmp_path, capfd, 2)
    export.write_bytes(small)
    changed(export, of_game(2, lambda lines: lines.extend([lines[1]] * 3000)))
    monkeypatch.setattr(module, "MOST_GAME_BYTES", 1 << 17)
    assert taken(export, tmp_path) == 2
    assert "game 2: games/2.jsonl in it is larger than any of ours" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE rulings SET data = '{}' WHERE game = 1", ""),
        ("UPDATE rulings SET data = replace(data, '\"winners\": [2]', '\"winners\": [1]')", ""),
        ("UPDATE rulings SET until = 7 WHERE game = 1 AND place = 0 AND event = 3", ""),
        ("UPDATE events SET data = 'z' || substr(data, 2) WHERE game = 1 AND number = 2", "as far as it can be read"),
        ("UPDATE events SET data = x'ff' WHERE game = 1 AND number = 1", "as far as it can be read"),
        ("DELETE FROM events WHERE game = 1 AND number = 1", "as far as it can be read"),
        ("UPDATE games SET header = 'z' WHERE game = 1", "is left out"),
        ("UPDATE games SET header = replace(header, 'piccolino', 'bingo') WHERE game = 1", ""),
    ],
)
def test_a_damaged_row_is_reported_and_hides_no_game(
    sql: str, sentence: str, three_games: Path, tmp_path: Path, capfd: Capture
) -> None:
    sound, _ = history(three_games, capfd)
    change(three_games, sql.replace("x'ff'", "'\xff'"))
    lines, (fault,) = history(three_games, capfd)
    assert lines[:2] == sound[:2]
    assert len(lines) == (2 if sentence == "is left out" else 3)
    assert "bingo" in sql or lines[2:] in ([], sound[2:])
    assert "is damaged" in fault and sentence in fault
    for kind in ("csv", "zip"):
        assert main(["export", "--state", str(three_games), "--format", kind, "-o", str(tmp_path / kind)]) == 1
    assert taken(tmp_path / "zip", tmp_path) in (0, 2)
    assert len(history(tmp_path / "other", capfd)[0]) >= 2


def test_names_and_games_steer_no_terminal_and_run_in_no_spreadsheet(
    three_games: Path, tmp_path: Path, capfd: Capture
) -> None:
    header = {"game": "\x1b[2Jbingo\u202e", "players": ["\u202eneB", "\u200b", "\uff1d1+1"], "options": {}}
    change(three_games, "UPDATE games SET header = ? WHERE game = 1", json.dumps(header))
    lines, faults = history(three_games, capfd)
    assert "neB 17, ? 18, ＝1+1 20*" in lines[-1] and len(lines) == 3
    assert not {"\x1b", "\u202e"} & set("".join([*lines, *faults]))
    assert main(["history", "--json", "--state", str(three_games)]) == 1
    answer = capfd.readouterr().out
    assert json.loads(answer.splitlines()[-1])["game"] == header["game"] and "\u202e" not in answer
    assert main(["export", "--state", str(three_games), "--format", "csv", "-o", str(tmp_path / "a.csv")]) == 1
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert rows[2]["player"] == "'＝1+1" and "\x1b" not in rows[0]["game"]


DATA = Path(__file__).parents[2] / "data" / "journals"


@pytest.mark.parametrize("as_json", [False, True])
def test_an_export_of_the_ringmaster_before_is_taken(as_json: bool, tmp_path: Path, capfd: Capture) -> None:
    file = DATA / "export-2026-11.zip"
    if as_json:
        file = tmp_path / "export.json"
        file.write_bytes(entries(DATA / "export-2026-11.zip")["games.json"])
    assert taken(file, tmp_path) == (2 if as_json else 0)
    answer = capfd.readouterr()
    assert answer.out == "2 taken, 0 there already\n"
    assert ("pictures in it that cannot be read: 2" in answer.err) is as_json
    lines, _ = history(tmp_path / "other", capfd)
    assert lines[1].endswith("piccolino: Ann 19, Ben 20*, Cem 16") and "not played to its end" in lines[0]
    table = Table(tmp_path / "other")
    evidence = table.referee.evidence
    assert [picture.t_ms for picture in evidence.of_event(1, 3)] == ([] if as_json else [-40.0, -7.0])
    assert sight_of(table.referee.store.read, 1, 3) == SIGHT
    # Behind a tear nothing can be taken, and it is reported.
    file = tmp_path / "torn.json"
    file.write_bytes(entries(DATA / "export-2026-11.zip")["games.json"][:-900])
    assert main(["import", str(file), "--state", str(tmp_path / "third")]) == 2
    answer = capfd.readouterr()
    assert answer.out == "1 taken, 0 there already\n" and "game 2: " in answer.err


@pytest.mark.parametrize("version", [1, 2])
def test_the_journal_of_the_ringmaster_before_is_gone_on_with_in_mid_game_and_stays_as_a_copy(
    version: int, tmp_path: Path, capfd: Capture
) -> None:
    old = gzip.decompress((DATA / f"version-{version}.sqlite.gz").read_bytes())
    (tmp_path / JOURNAL).write_bytes(old)
    lines, faults = history(tmp_path, capfd)
    assert lines[1].endswith("piccolino: Ann 19, Ben 20*, Cem 16") and not faults
    assert (tmp_path / JOURNAL).read_bytes() == old
    table = Table(tmp_path)
    play = table.referee.resume()
    assert play is not None and len(play.log.records) == 6 and table.referee.store.set_aside is None
    assert next(one["ruling"] for record in play.log.records.values() for one in record.rulings) == "ring"
    table.hear("stop")
    assert play.over
    table.referee.store.close()
    with closing(sqlite3.connect(tmp_path / "journal-copies" / "journal-1.sqlite")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (version,)
        assert copy.execute("SELECT count(*) FROM games").fetchone() == (2,)
    assert history(tmp_path, capfd)[0][1:] == lines[1:]


@pytest.mark.parametrize("why", ["full", "read"])
def test_the_journal_of_the_ringmaster_before_waits_for_room_and_for_who_reads_it(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / JOURNAL).write_bytes(gzip.decompress((DATA / "version-1.sqlite.gz").read_bytes()))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with closing(sqlite3.connect(tmp_path / JOURNAL)) as reader, monkeypatch.context() as patch:
        if why == "full":
            patch.setattr(os, "fsync", full)
        else:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM games").fetchone()
        store = Store(tmp_path / JOURNAL)
        assert store.trouble is not None and games(store.read) == ()
    assert store.flush()
    assert len(games(store.read)) == 2
    store.close()


@pytest.fixture(scope="module")
def with_pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    table = a_table(folder / "played")
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    evidence = EvidenceFolder(folder / "played" / "evidence", table.referee.store)
    assert evidence.add(1, 3, [(-40.0, JPEG + b"before"), (-7.0, JPEG + b"deciding")], SIGHT)
    table.referee.store.dispute(1, 3)
    table.hear("stop")
    table.referee.store.close()
    assert main(["export", "--state", str(folder / "played"), "-o", str(folder / "evening.zip")]) == 0
    return folder


@pytest.fixture
def parcel(with_pictures: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(with_pictures / "evening.zip", tmp_path))


def test_pictures_and_what_was_outlined_come_along_under_the_games_new_number(parcel: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    table = a_table(other)
    table.referee.begin("confetti", ["Dora"], {})
    table.referee.store.close()
    for _ in range(2):
        assert main(["import", str(parcel), "--state", str(other)]) == 0
    again = Table(other)
    evidence = EvidenceFolder(other / "evidence", again.referee.store)
    assert [picture.t_ms for picture in evidence.of_event(2, 3)] == [-40.0, -7.0]
    assert evidence.find("2-3-1") == JPEG + b"deciding"
    evidence.sweep()
    assert evidence.find("2-3-0") is not None
    ((sight, disputed),) = again.referee.store.read(
        "SELECT s.data, e.disputed FROM sights s JOIN evidence e ON e.game = s.game AND e.file = '2-3-1'"
    )
    assert (json.loads(sight), disputed) == (SIGHT, 1)
    again.referee.store.close()
    second = tmp_path / "second.zip"
    assert main(["export", "--state", str(other), "--game", "2", "-o", str(second)]) == 0
    with zipfile.ZipFile(parcel) as one, zipfile.ZipFile(second) as two:
        assert one.read("results.csv").decode().splitlines()[3].endswith("Cem,20,1")
        assert one.namelist() == two.namelist()
        assert [one.read(name) for name in one.namelist()] == [two.read(name) for name in two.namelist()]


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: entries.pop("pictures/1/3-0.jpg"),
        lambda entries: entries.update({"pictures/1/3-0.jpg": b"<script>"}),
        lambda entries: entries.update({"pictures/1/3-0.jpg": JPEG + bytes(9 << 20)}),
    ],
)
def test_a_picture_that_is_none_is_left_out_and_reported(
    parcel: Path, tmp_path: Path, capfd: Capture, change: Callable[[dict[str, bytes]], object]
) -> None:
    changed(parcel, change)
    capfd.readouterr()
    assert taken(parcel, tmp_path) == 2
    answer = capfd.readouterr()
    assert answer.out == "1 taken, 0 there already\n" and "pictures in it that cannot be read: 1" in answer.err
    assert [path.name for path in (tmp_path / "other" / "evidence").iterdir()] == ["1-3-1.jpg"]


def refused(parcel: Path, tmp_path: Path, capfd: Capture, status: int) -> str:
    """Return the one line of an import that takes nothing."""
    capfd.readouterr()
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == status
    (line,) = capfd.readouterr().err.splitlines()
    table = Table(tmp_path / "other")
    ((games,),) = table.referee.store.read("SELECT count(*) FROM games")
    table.referee.store.close()
    assert games == 0 and not list(tmp_path.glob("other/evidence/*"))
    return line


@pytest.mark.parametrize("seed", range(6))
def test_a_torn_file_is_reported_wherever_it_is_torn(parcel: Path, tmp_path: Path, capfd: Capture, seed: int) -> None:
    data, dice = bytearray(parcel.read_bytes()), random.Random(seed)
    if seed % 2:
        del data[dice.randrange(10, len(data) - 5) :]
        parcel.write_bytes(data)
        refused(parcel, tmp_path, capfd, 2)
        return
    at = data.index(JPEG) + dice.randrange(20, 500)
    data[at] ^= 0x55
    parcel.write_bytes(data)
    assert taken(parcel, tmp_path) == 2
    assert "pictures in it that cannot be read: 1" in capfd.readouterr().err


def test_without_room_for_the_pictures_nothing_is_begun(
    parcel: Path, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEAST_FREE_BYTES", 1 << 60)
    assert "no room" in refused(parcel, tmp_path, capfd, 1)


def test_names_in_the_file_never_say_where_anything_goes_and_one_that_stands_twice_is_taken_once(
    parcel: Path, with_pictures: Path, tmp_path: Path
) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(parcel, "a") as file:
        warnings.simplefilter("ignore", UserWarning)
        for name in ("../../outside.jpg", "/etc/outside.jpg", "pictures/1/3-0.jpg"):
            file.writestr(name, JPEG)
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 0
    assert sorted(path.name for path in (tmp_path / "other" / "evidence").iterdir()) == ["1-3-0.jpg", "1-3-1.jpg"]
    assert not list(tmp_path.glob("**/outside.jpg"))
    assert main(["export", "--state", str(with_pictures / "played"), "--format", "zip"]) == 2
    assert main(["export", "--state", str(with_pictures / "played"), "-o", str(tmp_path / "nowhere" / "a.zip")]) == 2
