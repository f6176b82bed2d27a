"""The command as a shell runs it: where answers and complaints go, and how it ends."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from hardware.recording import RecordingWriter
from referee import start
from referee.cli import main

MAIN = f'{sys.executable} -c "import sys; from referee.cli import main; sys.exit(main())"'
HAND = """echo '{"cards": [["red","blue","green"]]}' | """
WRONG_HAND = HAND.replace("green", "grey")


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        line, shell=True, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("line", [HAND + MAIN + " score confetti --json", MAIN + " print markers -o m.pdf"])
def test_a_full_disk_is_named_and_not_called_a_fault_of_the_program(line: str, tmp_path: Path) -> None:
    done = shell(f"{line} > /dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [done.stderr.strip()]
    assert "No space left on device" in done.stderr
    assert "fault" not in done.stderr


def test_an_answer_for_a_closed_output_is_a_failure_that_is_said(tmp_path: Path) -> None:
    done = shell(f"{HAND}{MAIN} score confetti --json >&-", tmp_path)
    assert (done.returncode, done.stderr) == (1, "ringmaster score: there is no standard output to answer on\n")


def test_a_complaint_is_no_answer_even_where_there_is_no_place_for_it(tmp_path: Path) -> None:
    assert "line 1" in shell(f"{WRONG_HAND}{MAIN} score confetti --json", tmp_path).stderr
    done = shell(f"{WRONG_HAND}{MAIN} score confetti --json 2>&-", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def test_names_are_printed_whatever_the_terminal_is_said_to_bear(tmp_path: Path) -> None:
    done = shell(f"{MAIN} print markers -o Spaß.pdf", tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Spaß.pdf: ")


def test_a_complaint_is_one_line_whatever_a_file_is_called(tmp_path: Path) -> None:
    done = shell(f"{MAIN} print markers -o \"$(printf 'a\\nb\\033[31m')/m.pdf\"", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "ringmaster print: there is no folder a\\nb\\x1b[31m to write m.pdf into\n"


@pytest.mark.parametrize("words", ["--camera ''", "--camera usb:webcam", "--simulated --camera usb:0"])
def test_a_camera_that_cannot_be_played_with_is_said_before_the_referee_begins(words: str, tmp_path: Path) -> None:
    done = shell(f"timeout 60 {MAIN} run --state . --port 0 {words}", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "camera" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "meant"), [("--deck nobody's", "only confetti"), ("--table gone.json", "no table profile gone.json")]
)
def test_a_deck_or_a_table_that_is_not_there_is_said_before_the_referee_begins(
    words: str, meant: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--state", str(tmp_path), "--port", "0", *words.split()]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert meant in line


@pytest.mark.parametrize(
    "words",
    [
        ["demo", "--seed", "-5"],
        ["demo", "--port", "-1"],
        ["demo", "--port", "65536"],
        ["run", "--port", "9" * 30],
        ["demo", "--seed", "nan"],
    ],
)
def test_seeds_and_ports_that_there_are_none_of_are_bad_usage(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert f"argument {words[-2]}" in capsys.readouterr().err


def test_what_only_a_picture_needs_is_not_passed_over_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "confetti", "--players", "3"]) == 2
    assert "--image" in capsys.readouterr().err


def test_ctrl_c_while_the_command_is_still_being_loaded_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load = importlib.import_module

    def interrupted(name: str) -> ModuleType:
        signal.raise_signal(signal.SIGINT)
        return load(name)

    monkeypatch.setattr(importlib, "import_module", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["score", "confetti"]) == 130
    except KeyboardInterrupt:
        pytest.fail("the interruption got through")
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "ringmaster score: stopped\n"


def test_ctrl_c_before_the_command_line_is_there_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Pressed:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "referee.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "referee.cli")
    monkeypatch.setattr(sys, "meta_path", [Pressed, *sys.meta_path])
    assert start.main() == 130
    assert capfd.readouterr().err == "ringmaster: stopped\n"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["histroy"], "history"),
        (["history", "--jsn"], "--json"),
        (["bench", "sped"], "speed"),
        (["calibrate", "tabel"], "table"),
    ],
)
def test_a_misspelt_word_is_told_with_the_one_that_may_be_meant(
    arguments: list[str], meant: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    (line,) = capfd.readouterr().err.splitlines()
    assert ended.value.code == 2 and f"did you mean {meant}?" in line


def test_the_version_is_told_by_python_too() -> None:
    done = subprocess.run([sys.executable, "-m", "ringmaster", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"ringmaster {version('ringmaster')}\n")


@pytest.mark.parametrize("words", [[], ["help"], ["help", "run"]])
def test_help_is_no_mistake(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    out, err = capsys.readouterr()
    assert ("--simulated" if words[1:] else "referee the game on the table") in out and err == ""


def test_a_port_that_is_taken_is_said_before_any_game_or_device(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ["run", "--simulated", "--state", str(tmp_path / "state"), "--host", "127.0.0.1", "--port", port]
        assert main(words) == 1
    (line,) = (one for one in capfd.readouterr().err.splitlines() if one.startswith("ringmaster run"))
    assert f"port {port}" in line and "--port takes another" in line
    assert not (tmp_path / "state").exists()


def test_a_recording_without_events_is_no_game_to_judge(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log, film = tmp_path / "game.jsonl", tmp_path / "game.mcap"
    log.write_text('{"game": "piccolino", "players": ["Ann", "Ben"], "options": {}}\n')
    with RecordingWriter(film, {"game": "piccolino", "players": ["Ann", "Ben"], "options": {}}, 0):
        pass
    for path in (log, film):
        assert main(["replay", str(path)]) == 2
        (line,) = capfd.readouterr().err.splitlines()
        assert "nothing to judge" in line


def test_coloretto_is_scored_by_the_side_that_scoring_or_as_once_table_names(tmp_path: Path) -> None:
    hand = """'{"colours": {"green": 6}}'"""
    for words in ("--scoring grey", "--table grey"):
        done = shell(f"echo {hand} | {MAIN} score coloretto --json {words}", tmp_path)
        assert (done.returncode, json.loads(done.stdout)["points"]) == (0, 5)
    named = """'{"colours": {"green": 6}, "table": "brown"}'"""
    done = shell(f"echo {named} | {MAIN} score coloretto --json --scoring grey", tmp_path)
    assert json.loads(done.stdout)["points"] == 21
    done = shell(f"echo {hand} | {MAIN} score confetti --json --scoring grey", tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_a_printed_deck_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["print", "markers", "-o", str(tmp_path / "markers.pdf"), "--language", "en"]) == 0
    (line,) = capfd.readouterr().out.splitlines()
    assert "print at 100 %" in line
