"""The command as a shell runs it: where answers and complaints go, and how it ends."""

from __future__ import annotations

import errno
import importlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from hardware.recording import RecordingWriter
from referee.commands import main

Capture = pytest.CaptureFixture[str]
TABLE = Path(__file__).parents[1] / "data" / "tables" / "confetti-three-seats.jpg"
MAIN = f"{sys.executable} -m ringmaster"
HAND = """echo '{"cards": [["red","blue","green"]]}' | """
WRONG_HAND = HAND.replace("green", "grey")


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        line, shell=True, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("line", [f"{MAIN} --help", f"{HAND}{MAIN} score confetti --json"])
def test_help_and_scoring_load_no_library_for_input_or_pictures(line: str, tmp_path: Path) -> None:
    done = shell(line.replace(" -m ", " -X importtime -m "), tmp_path)
    assert done.returncode == 0 and "referee.commands" in done.stderr
    assert not {"pydantic", "numpy", "cv2"} & set(re.findall(r"\w+", done.stderr))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("line", [HAND + MAIN + " score confetti --json", MAIN + " print markers -o m.pdf"])
def test_a_full_disk_is_named_and_not_called_a_fault_of_the_program(line: str, tmp_path: Path) -> None:
    done = shell(f"{line} > /dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [done.stderr.strip()]
    assert "No space left on device" in done.stderr
    assert "fault" not in done.stderr


@pytest.mark.parametrize(
    ("line", "status", "complaint"),
    [
        (f"{HAND}{MAIN} score confetti --json >&-", 1, "ringmaster score: there is no standard output to answer on\n"),
        (f"{WRONG_HAND}{MAIN} score confetti --json 2>&-", 2, ""),
        (
            f"{MAIN} print markers -o \"$(printf 'a\\nb\\033[31m')/m.pdf\"",
            2,
            "ringmaster print: there is no folder a\\nb\\x1b[31m to write m.pdf into\n",
        ),
    ],
)
def test_a_complaint_is_one_line_on_its_own_output(line: str, status: int, complaint: str, tmp_path: Path) -> None:
    done = shell(line, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", complaint)


def test_names_are_printed_whatever_the_terminal_is_said_to_bear(tmp_path: Path) -> None:
    done = shell(f"{MAIN} print markers -o Spaß.pdf --language en", tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert line.startswith("Spaß.pdf: ") and "print at 100 %" in line


WRONG = [
    ("print canasta -o out.pdf", 2, "only markers, coloretto"),
    ("teach Mine TABLE -o out.txt", 2, "call it out.deck"),
    ("record -o nowhere/out.mcap --camera TABLE", 2, "there is no folder nowhere"),
    ("mqtt --state TABLE", 1, "cannot be used"),
    ("run --port 0 --deck nobody's", 2, "only coloretto, confetti"),
    ("run --port 0 --table gone.json", 2, "no table profile gone.json"),
    ("run --port 0 --camera=", 2, "camera"),
    ("run --port 0 --camera usb:webcam", 2, "camera"),
    ("run --port 0 --simulated --camera usb:0", 2, "camera"),
    ("score confetti --players 3", 2, "--image"),
    ("score confetti --image TABLE --players 0", 2, "--players must be from 1 to 7, not 0"),
    ("score confetti --image TABLE --players 8", 2, "--players must be from 1 to 7, not 8"),
    ("score confetti --image TABLE", 2, "say how many players"),
    ("score confetti --image TABLE --players 3 --limit -1", 2, "--limit must be at least 0"),
    ("score confetti --image TABLE --players 3 --deck canasta", 2, "there is no deck called 'canasta'"),
    ("score confetti --image TABLE --players 3 --picture out.gif", 2, "must end in .jpg or .png"),
    ("score confetti --image TABLE --players 3 --picture .", 2, "must end in .jpg or .png"),
    ("score confetti --image TABLE --players 3 --table none.json", 2, "there is no table profile"),
    ("score piccolino --image TABLE --players 3", 2, "cannot be scored, only those of confetti, coloretto"),
    ("read TABLE --deck canasta", 2, "there is no deck called 'canasta'"),
    ("read TABLE --deck confetti --table none.json", 2, "there is no table profile none.json"),
    ("read TABLE --deck confetti --picture out.txt", 2, "must end in .jpg or .png"),
    ("read TABLE --deck confetti --picture nowhere/out.jpg", 2, "there is no folder nowhere"),
    ("read TABLE b.jpg --deck confetti --picture out.jpg", 2, "one picture at a time"),
    ("calibrate table TABLE -o table.json --reach nan", 2, "--reach"),
    ("calibrate table TABLE -o nowhere/table.json", 2, "folder"),
    ("record -o game.mcap --camera nikon", 2, "nikon"),
    ("record -o game.mcap --camera empty", 2, "no pictures"),
    ("record -o game.mcap --camera usb:front", 2, "usb:0"),
    ("record -o game.mcap --camera pictures --seconds -1", 2, "-1.0 seconds"),
    ("record -o game.mcap --camera pictures --seconds nan", 2, "nan seconds"),
    ("record -o game.mcap --camera pictures --fps 0", 2, "0.0 frames a second"),
    ("record -o game.mcap --camera pictures --players Ann,Ben", 2, "--game"),
    ("record -o game.mcap --camera pictures --game confetti --players Ann,,Ben", 2, "--players"),
    ("record -o game.mcap --camera pictures --game confetti", 2, "--players"),
    ("record -o game.mcap --camera pictures --game Piccolo --players Ann,Ben", 2, "there is no game 'Piccolo'"),
    ("record -o game.mcap --camera pictures --game piccolino --players Ann", 2, "2 to 5 can play"),
    ("bench accuracy nowhere", 2, "there is no folder nowhere"),
    ("bench accuracy empty", 2, "holds no pictures with truth files"),
    ("bench accuracy pictures", 2, "a.json is broken"),
    ("bench speed --runs 0", 2, "--runs must be at least 1"),
    ("demo canasta", 2, "there is no demonstration of 'canasta' yet"),
    ("demo --rounds 4", 2, "one to three rounds can be shown, not 4"),
    ("demo confetti --picture a.txt", 2, "must end in .jpg or .png"),
    ("demo --picture pictures/a.png/a.jpg", 1, "cannot be made"),
    ("doctor --camera nowhere", 2, "nowhere"),
    ("doctor --press nan", 2, "nan"),
    ("club out nobody", 2, "nobody"),
    ("club league --since yesterday", 2, "yesterday"),
    ("club export everything", 2, "everything"),
    ("club run", 2, ""),
]


@pytest.mark.parametrize(("words", "status", "complaint"), WRONG)
def test_what_cannot_be_is_said_in_one_line_before_anything_begins(
    words: str, status: int, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    for folder in ("empty", "pictures"):
        (tmp_path / folder).mkdir()
    cv2.imwrite("pictures/a.png", np.full((12, 16, 3), 20, np.uint8))
    (tmp_path / "pictures/a.json").write_text('{"cards": [{"id": "confetti-01"}]}')
    assert main(words.replace("TABLE", str(TABLE)).split()) == status
    out, err = capfd.readouterr()
    (line,) = err.splitlines()
    assert out == "" and complaint in line
    assert {path.name for path in tmp_path.iterdir()} <= {"empty", "pictures", "state", "out"}


@pytest.mark.parametrize(
    "words", ["demo --seed -5", "demo --port -1", "demo --port 65536", f"run --port {'9' * 30}", "demo --seed nan"]
)
def test_seeds_and_ports_that_there_are_none_of_are_bad_usage(words: str, capsys: Capture) -> None:
    assert main(words.split()) == 2
    assert words.split()[1] in capsys.readouterr().err


def test_ctrl_c_while_the_command_is_still_being_loaded_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
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


@pytest.mark.parametrize(
    ("words", "meant"),
    [("histroy", "history"), ("help histroy", "history"), ("history --jsn", "--json"), ("bench sped", "speed")],
)
def test_a_misspelt_word_is_answered_with_the_one_that_may_be_meant(words: str, meant: str, capfd: Capture) -> None:
    assert main(words.split()) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert f"Did you mean '{meant}'?" in line and "--help" in line


def test_the_version_is_printed_by_python_too() -> None:
    done = subprocess.run([sys.executable, "-m", "ringmaster", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"ringmaster {version('ringmaster')}\n")


@pytest.mark.parametrize("words", [[], ["help"], ["help", "run"]])
def test_help_is_no_mistake(words: list[str], capsys: Capture) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert ("--simulated" if words[1:] else "referee the game on the table") in out and err == ""


def test_a_port_that_is_taken_is_said_before_any_game_or_device(tmp_path: Path, capfd: Capture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ["run", "--simulated", "--state", str(tmp_path / "state"), "--host", "127.0.0.1", "--port", port]
        assert main(words) == 1
    (line,) = (one for one in capfd.readouterr().err.splitlines() if one.startswith("ringmaster run"))
    assert f"port {port}" in line and "--port takes another" in line
    assert not (tmp_path / "state").exists()


def test_a_recording_without_events_is_no_game_to_judge(tmp_path: Path, capfd: Capture) -> None:
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


def test_a_folder_that_this_user_may_not_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", refused)
    assert main(["print", "markers", "-o", str(tmp_path / "out.pdf")]) == 1
    assert capfd.readouterr().err == f"ringmaster print: {tmp_path}/out.pdf cannot be used: Permission denied\n"
