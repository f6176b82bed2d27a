"""Games that come out of a file, or out of a damaged journal: checked, judged again, and none hides another."""

from __future__ import annotations

import csv
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.journal import stream
from referee.journal.folder import JOURNAL
from tests.support.table_fakes import Table

RESULT = "piccolino: Ann 17, Ben 18, Cem 20*"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """Three games of Piccolino, the second one with a correction."""
    folder = tmp_path / "played"
    folder.mkdir()
    table = Table(folder)
    for game in range(3):
        table.piccolino_with_a_pair()
        table.hear("bell", seat=2)
        if game == 1:
            table.controller.correct(2, {"mood": "sad"})
        table.hear("stop")
    table.controller.stop()
    table.journal.close()
    return folder


@pytest.fixture
def export(played: Path, tmp_path: Path, capfd: Capture) -> dict[str, Any]:
    assert main(["export", "--state", str(played)]) == 0
    data: dict[str, Any] = json.loads(capfd.readouterr().out)
    return data


def taken(data: object, folder: Path) -> int:
    """Import an export and give the exit status."""
    file = folder / "export.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    return main(["import", str(file), "--state", str(folder / "other")])


def history(folder: Path, capfd: Capture) -> tuple[list[str], list[str]]:
    capfd.readouterr()
    main(["history", "--state", str(folder)])
    told = capfd.readouterr()
    return told.out.splitlines(), told.err.splitlines()


def change(folder: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / JOURNAL)) as connection, connection:
        connection.execute(sql, values)


SPOILT: list[Callable[[dict[str, Any]], object]] = [
    lambda game: game.update(players=None),
    lambda game: game.update(players=[]),
    lambda game: game.update(game="a\n\x1b[2Jb"),
    lambda game: game.update(options={"dealer": 7}),
    lambda game: game.update(uid=None),
    lambda game: game.update(ended_ms="now"),
    lambda game: game.update(events=None),
    lambda game: game["events"].pop(0),
    lambda game: game["events"][0].update(refused="no"),
    lambda game: game["events"][0].update(data=[]),
    lambda game: game["events"][0]["data"].update(x=float("nan")),
    lambda game: game["events"][0]["data"].update(colour="\ud800"),
    lambda game: game["events"][0]["data"].update(x="long" * 40_000),
    lambda game: game["rulings"][0].update(data=None),
    lambda game: game["rulings"][0]["data"].update(x=float("nan")),
    lambda game: game["corrections"][0].update(event=99),
    lambda game: game["corrections"][0].update(data={"t_ns": -1, "event": 7}),
    lambda game: game["corrections"][0].update(undoes=1),
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_game_that_is_none_is_named_in_one_line_and_the_others_are_taken(
    spoil: Callable[[dict[str, Any]], object], export: dict[str, Any], tmp_path: Path, capfd: Capture
) -> None:
    spoil(export["games"][1])
    assert taken(export, tmp_path) == 2
    told = capfd.readouterr()
    assert told.out == "2 taken, 0 there already\n"
    assert len(told.err.splitlines()) == 1 and "game 2: " in told.err and "\x1b" not in told.err
    lines, faults = history(tmp_path / "other", capfd)
    assert len(lines) == 2 and not faults


@pytest.mark.parametrize(
    "end",
    [
        {"winners": [0], "cards": [55, 0, 0]},
        {"winners": [7], "cards": [1, 2, 3]},
        {"winners": [0], "points": ["=1+1", "=cmd|x", None]},
        {"winners": None},
    ],
)
def test_what_a_file_says_of_the_end_counts_for_nothing_against_what_happened(
    end: dict[str, Any], export: dict[str, Any], tmp_path: Path, capfd: Capture
) -> None:
    ruling = next(one for one in export["games"][0]["rulings"] if one["data"]["ruling"] == "end")
    ruling["data"] = {"ruling": "end", "t_ns": 5, **end}
    assert taken(export, tmp_path) == 0
    assert "judged again" in capfd.readouterr().out
    lines, _ = history(tmp_path / "other", capfd)
    assert lines[-1].endswith(RESULT)
    assert main(["export", "--state", str(tmp_path / "other"), "--format", "csv"]) == 0
    rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    assert [row["points"] for row in rows[:3]] == ["17", "18", "20"]


def test_a_file_that_unpacks_to_millions_of_values_is_refused_from_its_beginning(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST_GAME_CHARS", 1 << 18)
    start = b'{"format":"ringmaster-games-1","games":['
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("games.json", start + b"[]," * 100_000)
    assert main(["import", str(path), "--state", str(tmp_path / "other")]) == 2
    assert "none of the first 1000" in capfd.readouterr().err
    endless = chain([start + b"["], repeat(b"[]," * 10_000))
    with pytest.raises(ValueError, match="a game in it is larger than any of ours"):
        list(stream.games_in(lambda size: next(endless)))


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE rulings SET data = 'z' || substr(data, 2) WHERE game = 1", "they were judged again"),
        ("UPDATE rulings SET data = replace(data, '\"winners\": [2]', '\"winners\": [1]')", "it was judged again"),
        ("UPDATE events SET data = 'z' || substr(data, 2) WHERE game = 1 AND number = 2", "as far as it can be read"),
        ("UPDATE events SET data = x'ff' WHERE game = 1 AND number = 1", "as far as it can be read"),
        ("DELETE FROM events WHERE game = 1 AND number = 1", "as far as it can be read"),
        ("UPDATE games SET header = 'z' WHERE game = 1", "is left out"),
        ("UPDATE games SET started_ms = 'never' WHERE game = 1", "is left out"),
        ("UPDATE games SET header = replace(header, 'piccolino', 'bingo') WHERE game = 1", "cannot be judged"),
        ("UPDATE rulings SET until = 'x', event = 2.5 WHERE game = 1 AND place = 0 AND event = 3", "judged again"),
    ],
)
def test_a_damaged_row_is_named_and_hides_no_game(
    sql: str, sentence: str, played: Path, tmp_path: Path, capfd: Capture
) -> None:
    sound, _ = history(played, capfd)
    change(played, sql)
    lines, faults = history(played, capfd)
    assert lines[:2] == sound[:2]
    assert len(lines) == (2 if sentence == "is left out" else 3)
    assert "bingo" in sql or lines[2:] in ([], sound[2:])
    assert len(faults) in (1, 2) and all(sentence in fault for fault in faults)
    for kind in ("csv", "json"):
        assert main(["export", "--state", str(played), "--format", kind, "-o", str(tmp_path / kind)]) in (0, 1)
    assert taken((tmp_path / "json").read_text(), tmp_path) in (0, 2)
    assert len(history(tmp_path / "other", capfd)[0]) >= 2


def test_names_and_games_steer_no_terminal_and_run_in_no_spreadsheet(
    played: Path, tmp_path: Path, capfd: Capture
) -> None:
    header = {"game": "\x1b[2Jbingo\u202e", "players": ["\u202eneB", "\u200b", "\uff1d1+1"], "options": {}}
    change(played, "UPDATE games SET header = ? WHERE game = 1", json.dumps(header))
    lines, faults = history(played, capfd)
    assert "neB 17, ? 18, ＝1+1 20*" in lines[-1] and len(lines) == 3
    assert not {"\x1b", "\u202e"} & set("".join([*lines, *faults]))
    assert main(["history", "--json", "--state", str(played)]) == 1
    told = capfd.readouterr().out
    assert json.loads(told.splitlines()[-1])["game"] == header["game"] and "\u202e" not in told
    assert main(["export", "--state", str(played), "--format", "csv", "-o", str(tmp_path / "a.csv")]) == 0
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert rows[2]["player"] == "'＝1+1" and "\x1b" not in rows[0]["game"]
