"""`ringmaster history`, `export` and `import`: what was played, out of one journal and into another."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from referee.cli import main
from referee.journal.folder import locked
from referee.schemas import SCHEMAS
from tests.support.table_fakes import Table


@pytest.fixture
def played(tmp_path: Path) -> Path:
    folder = tmp_path / "played"
    folder.mkdir()
    table = Table(folder)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    table.controller.correct(2, {"mood": "sad"})
    table.hear("no_such_event")
    table.hear("stop")
    table.controller.start("confetti", ["=1+1", "Ben"], {})
    table.journal.close()
    return folder


def test_history_lists_games_newest_first(played: Path, capfd: pytest.CaptureFixture[str]) -> None:
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
    played: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    with locked(played):
        assert main(["history", "--delete", "1", "--state", str(played)]) == 1
    assert main(["history", "--forget", "Nobody", "--state", str(played)]) == 2
    for number in ("7", "one", "1" * 30):
        assert main(["history", "--delete", number, "--state", str(played)]) == 2
    assert main(["history", "--delete", "1", "--state", str(tmp_path / "nowhere")]) == 1
    assert not (tmp_path / "nowhere").exists()
    told = capfd.readouterr().err
    assert "Traceback" not in told and "Nobody called Nobody has played here" in told
    assert main(["history", "--forget", "Ben", "--state", str(played)]) == 0
    assert capfd.readouterr().out.splitlines() == ["Ben is forgotten in 2 games"]
    assert main(["history", "--delete", "2", "--state", str(played)]) == 0
    assert main(["history", "--state", str(played)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "game 2 is deleted with its pictures"
    assert [line.endswith("piccolino: Ann 19, Somebody 20*, Cem 16") for line in lines[1:]] == [True]
    file = tmp_path / "games.json"
    assert main(["export", "--state", str(played), "-o", str(file)]) == 0
    assert "Ben" not in file.read_text()
    assert not any(b"Ben" in path.read_bytes() for path in played.rglob("*") if path.is_file())


def test_an_export_goes_into_an_empty_journal_once_and_gives_the_same_export(
    played: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    other = tmp_path / "other"
    assert main(["export", "--state", str(played), "-o", str(first)]) == 0
    assert main(["import", str(first), "--state", str(other)]) == 0
    assert main(["import", str(first), "--state", str(other)]) == 0
    assert capfd.readouterr().out.splitlines() == ["2 taken, 0 there already", "0 taken, 2 there already"]
    assert main(["export", "--state", str(other), "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()


def test_an_imported_game_is_not_resumed(played: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "games.json", tmp_path / "other"
    main(["export", "--state", str(played), "-o", str(file)])
    main(["import", str(file), "--state", str(other)])
    assert Table(other).controller.resume() is None


def test_an_event_log_out_of_the_journal_is_judged_as_the_game_was_after_corrections(
    played: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "game.jsonl"
    assert main(["export", "--state", str(played), "--game", "1", "--format", "jsonl", "-o", str(log)]) == 0
    assert main(["replay", str(log), "--json"]) == 0
    ring = json.loads(capfd.readouterr().out.splitlines()[0])
    assert (ring["ruling"], ring["valid"], ring["reason"]) == ("ring", False, "sad")


def test_results_for_a_spreadsheet_hold_no_formulas(played: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--state", str(played), "--format", "csv"]) == 0
    rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    assert [row["player"] for row in rows] == ["Ann", "Ben", "Cem", "'=1+1", "Ben"]
    assert sum(int(row["points"]) for row in rows[:3]) == 55
    assert rows[3]["points"] == ""


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"format": "another"}',
        '{"format": "ringmaster-games-1", "games": [{}]}',
        '{"format": "ringmaster-games-1", "games": [3]}',
        '{"format": "ringmaster-games-1", "games": [{"uid": "a", "game": "piccolino", "players": ["A"], "options": {}, '
        '"started_ms": "x", "ended_ms": null, "judged": 0, "events": [], "rulings": [], "corrections": []}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_export_is_refused_in_one_line(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(text, encoding="utf-8")
    assert main(["import", str(file), "--state", str(tmp_path / "state")]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_commands_without_a_journal_say_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in (["history"], ["export"]):
        assert main([*command, "--state", str(tmp_path)]) == 1
        assert "no games are kept" in capfd.readouterr().err


def test_games_of_the_simulated_table_are_pointed_at(
    played: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    played.rename(tmp_path / "simulated")
    assert main(["history", "--state", str(tmp_path)]) == 1
    assert f"--state {tmp_path / 'simulated'}" in capfd.readouterr().err
    assert main(["history", "--state", str(tmp_path / "simulated")]) == 0


def test_nothing_is_imported_while_a_referee_is_at_work(
    played: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.json"
    main(["export", "--state", str(played), "-o", str(file)])
    with locked(played):
        assert main(["import", str(file), "--state", str(played)]) == 1
    assert "another Ringmaster" in capfd.readouterr().err


def test_exports_that_cannot_be_are_refused(played: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--state", str(played), "--game", "77"]) == 2
    assert main(["export", "--state", str(played), "--format", "jsonl"]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("started_ms",), 10**30),
        (("started_ms",), 1 << 62),
        (("ended_ms",), 1 << 62),
        (("judged",), 1 << 63),
        (("events", 0, "number"), 1 << 63),
        (("events", 0, "wall_ms"), 1 << 62),
        (("rulings", 0, "place"), 1 << 63),
    ],
)
def test_numbers_that_no_journal_can_hold_are_refused(
    place: tuple[str | int, ...], value: int, played: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.json"
    main(["export", "--state", str(played), "-o", str(file)])
    data = json.loads(file.read_text())
    spoilt = next(game for game in data["games"] if game["rulings"])
    for key in place[:-1]:
        spoilt = spoilt[key]
    spoilt[place[-1]] = value
    file.write_text(json.dumps(data))
    assert main(["import", str(file), "--state", str(tmp_path / "other")]) == 2
    assert f'"{place[-1]}" is ' in capfd.readouterr().err


def test_history_finds_the_simulated_tables_games_and_says_beside_the_familys_that_there_are_some(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (played / "simulated").mkdir()
    table = Table(played / "simulated")
    table.controller.start("coloretto", ["Dora", "Emil", "Fritz"], {})
    table.journal.close()
    assert main(["history", "--state", str(played)]) == 0
    told = capfd.readouterr().out
    assert "Ben 20" in told and "Dora" not in told and "--simulated" in told
    assert main(["history", "--simulated", "--state", str(played)]) == 0
    (line,) = capfd.readouterr().out.splitlines()
    assert "Dora" in line
