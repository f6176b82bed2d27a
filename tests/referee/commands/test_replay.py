"""`ringmaster replay` as a person or another program runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.commands import main

MAIN = [sys.executable, "-m", "ringmaster"]
HEADER = '{"game": "confetti", "players": ["Ann", "Zoë"], "options": {}}'
Capture = pytest.CaptureFixture[str]
FOULS = Path(__file__).parents[2] / "games" / "coloretto-fouls.jsonl"
FULL = '"cards": [["red","green","blue"],["green","blue","red"],["blue","red","green"]]'


LINES = f"""{HEADER}
{{"t_ns": 1, "event": "timer_flipped"}}
{{"t_ns": 2, "event": "timer_ran_out"}}
{{"t_ns": 3, "event": "hand", "seat": 0, {FULL}}}
{{"t_ns": 4, "event": "hand", "seat": 1, "cards": [["red","green","blue"]]}}
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text(LINES, encoding="utf-8")
    return path


class Replay:
    """What a run of the command in this process left behind."""

    def __init__(self, capfd: pytest.CaptureFixture[str], *words: str | Path) -> None:
        self.status = main(["replay", *map(str, words)])
        self.out, self.err = capfd.readouterr()

    def rulings(self) -> list[tuple[str, int]]:
        found = [json.loads(line) for line in self.out.splitlines()]
        return [(ruling["ruling"], ruling["t_ns"]) for ruling in found]


ALL = [("round", 1), ("time", 2), ("hand", 4), ("hand", 4)]


def test_rulings_have_the_keys_of_the_contract(log: Path, capfd: Capture) -> None:
    done = Replay(capfd, log, "--json")
    assert (done.status, done.err, done.rulings()) == (0, "", ALL)
    started, time, hand, _ = (json.loads(line) for line in done.out.splitlines())
    assert (started["number"], started["limit"]) == (1, 6)
    assert time == {"ruling": "time", "t_ns": 2}
    expected = {"seat": 0, "sets": 3, "cards_needed": 3, "unused": 0, "over_limit": 0, "points": 3, "kept": 3}
    assert hand.items() >= expected.items()


def test_people_get_sentences_with_names_whatever_the_locale(log: Path) -> None:
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*MAIN, "replay", str(log)], capture_output=True, check=True, encoding="utf-8", env=env)
    assert done.stdout.splitlines() == [
        "Round one: at most six cards, about 42 cards on the table.",
        "Time! Hands off.",
        "Ann: three sets on three cards, three points.",
        "Zoë: no sets, one card unused, minus one point, no points in all.",
    ]
    words = [*MAIN, "replay", str(log)]
    french = subprocess.run(words, capture_output=True, check=True, encoding="utf-8", env={"LANG": "fr_FR.UTF-8"})
    assert "Ann\u00a0: trois séries sur trois cartes, trois points." in french.stdout.splitlines()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "broken JSON at character 2"),
        ('{"t_ns": 2}', '"event" must say what happened'),
        ('{"event": "count"}', '"t_ns" must be a whole number, not null'),
        ('{"t_ns": 2.5, "event": "count"}', '"t_ns" must be a whole number, not 2.5'),
        ('{"t_ns": -1, "event": "count"}', '"t_ns" must be at least 0'),
        (f'{{"t_ns": {10**30}, "event": "count"}}', '"t_ns" is more than a clock can say'),
        ('{"t_ns": 1, "event": "count"}', '"t_ns" goes back, from 2 to 1'),
        ('{"t_ns": 2, "event": "bell"}', 'Confetti knows no event "bell"'),
        ('{"t_ns": 2, "event": "hand", "seat": 2, "cards": []}', "nobody sits at seat 2, the last seat is 1"),
        ('{"t_ns": 2, "event": "hand", "cards": []}', '"seat" must be there'),
        ('{"t_ns": 2, "event": "hand", "seat": 0}', '"cards" must be there'),
        ('{"t_ns": 2, "event": "hand", "seat": 0, "cards": [["red","red","blue"]]}', "one colour twice"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_still_judged(log: Path, capfd: Capture, text: str, complaint: str) -> None:
    log.write_text(LINES.replace('{"t_ns": 3', f'{text}\n{{"t_ns": 3'), encoding="utf-8")
    done = Replay(capfd, log, "--json")
    assert (done.status, done.rulings()) == (2, ALL)
    (line,) = done.err.splitlines()
    assert line.startswith("ringmaster replay: line 4: ")
    assert complaint in line


def test_a_log_torn_at_any_byte_is_judged_as_far_as_it_goes_and_says_so(log: Path, capfd: Capture) -> None:
    whole = log.read_bytes()
    for length in range(len(HEADER.encode()) + 1, len(whole), 5):
        log.write_bytes(whole[:length])
        torn = Replay(capfd, log, "--json")
        assert torn.rulings() == ALL[: len(torn.rulings())] and len(torn.err.splitlines()) <= 1
    log.write_bytes(whole[:-9])
    done = Replay(capfd, log, "--json")
    assert (done.status, done.rulings()) == (2, ALL[:2])
    assert done.err == "ringmaster replay: line 5: torn off in the middle, the recording stopped there\n"


def test_a_file_that_is_not_there_or_no_file_is_one_line(tmp_path: Path, capfd: Capture) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path, tmp_path / "a\nb.jsonl"):
        done = Replay(capfd, path)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the event log is empty"),
        (b"hello\n", "line 1: broken JSON"),
        (b"\xff\xd8\xff\xe0", "line 1: not UTF-8"),
        (b"{}\n", "the first line must say which game"),
        (b'{"game": "poker", "players": ["Ann"]}\n', "there is no game 'poker' to judge"),
        (b'{"game": "confetti", "players": 3}\n', '"players" must be a list of names'),
        (b'{"game": "confetti", "players": ["\\ud800"]}\n', "line 1: there is half of a character in it"),
        (b'{"game": "confetti", "players": []}\n', "1 to 7 can play Confetti, not 0"),
        (b'{"game": "confetti", "players": ["Ann"], "options": []}\n', '"options" must be an object'),
        (b'{"game": "confetti", "players": ["Ann"], "options": {"side": 1}}\n', '"side" must be white or black'),
    ],
)
def test_without_a_good_header_nothing_can_be_judged(
    tmp_path: Path, capfd: Capture, content: bytes, complaint: str
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    done = Replay(capfd, path, "--json")
    assert (done.status, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert complaint in line


def test_what_never_ends_is_refused_after_its_first_line_could_have_been_one() -> None:
    done = subprocess.run([*MAIN, "replay", "/dev/zero"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr == "ringmaster replay: line 1: longer than 1024 kB, which no hand or event is\n"


def test_a_log_is_held_against_what_was_printed_before(tmp_path: Path, capfd: Capture) -> None:
    assert main(["replay", str(FOULS), "--json"]) == 0
    lines = capfd.readouterr().out.splitlines()
    before = tmp_path / "before.jsonl"
    before.write_text("\n".join(lines))
    assert main(["replay", str(FOULS), "--before", str(before)]) == 0
    assert capfd.readouterr().out == ""
    first = next(number for number, line in enumerate(lines) if json.loads(line)["ruling"] == "foul")
    lines[first] = json.dumps({**json.loads(lines[first]), "reason": "row_full"})
    before.write_text("\n".join(lines))
    assert main(["replay", str(FOULS), "--before", str(before), "--json"]) == 0
    (line,) = capfd.readouterr().out.splitlines()
    answer = json.loads(line)
    assert (answer["was"]["reason"], answer["now"]["ruling"]) == ("row_full", "foul")
    assert answer["now"]["reason"] != "row_full"


def test_what_cannot_be_held_against_is_said_in_one_line(tmp_path: Path, capfd: Capture) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"event": "bell"}\n')
    for more in (["--changed"], ["--before", str(odd)], ["--before", str(tmp_path / "none.jsonl")]):
        assert main(["replay", str(FOULS), *more]) == 2
        out, err = capfd.readouterr()
        assert (out, len(err.splitlines())) == ("", 1)


def test_rulings_of_another_game_are_shown_though_nobody_here_has_their_seats(capfd: Capture) -> None:
    other = FOULS.with_name("coloretto-the-sheets-example.expected.jsonl")
    for more in ([], ["--json"]):
        assert main(["replay", str(FOULS), "--before", str(other), *more]) == 0
        out, err = capfd.readouterr()
        assert out and err == ""
