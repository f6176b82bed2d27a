"""`ringmaster replay` as a person or another program runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.cli import main
from referee.engine.recorded_game import Fault, judge, open_log
from referee.errors import BadInputError
from referee.games.registry import game_kind

MAIN = [sys.executable, "-c", "import sys; from referee.cli import main; sys.exit(main())"]
HEADER = '{"game": "confetti", "players": ["Ann", "Zoë"], "options": {}}'
FULL = '"cards": [["red","green","blue"],["green","blue","red"],["blue","red","green"]]'


@dataclass(frozen=True)
class Done:
    """What a run left behind."""

    returncode: int
    stdout: str
    stderr: str


Replay = Callable[..., Done]


@pytest.fixture
def replay(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Replay:
    """Run the command in this process, which is quicker."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(*args: str | Path) -> Done:
        status = main(["replay", *map(str, args)])
        printed = capfd.readouterr()
        return Done(status, printed.out, printed.err)

    return run


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text(
        "\n".join(
            [
                HEADER,
                '{"t_ns": 1, "event": "timer_flipped"}',
                '{"t_ns": 2, "event": "timer_ran_out"}',
                f'{{"t_ns": 3, "event": "hand", "seat": 0, {FULL}}}',
                '{"t_ns": 4, "event": "hand", "seat": 1, "cards": [["red","green","blue"]]}',
            ]
        )
        + "\n",
        encoding="utf-8",
    )
    return path


def edit(log: Path, line: int, text: str) -> None:
    lines = log.read_text(encoding="utf-8").splitlines()
    lines.insert(line - 1, text)
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")


def rulings(done: Done) -> list[tuple[str, int]]:
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [(ruling["ruling"], ruling["t_ns"]) for ruling in found]


ALL = [("round", 1), ("time", 2), ("hand", 4), ("hand", 4)]


def test_rulings_have_the_keys_of_the_contract(replay: Replay, log: Path) -> None:
    done = replay(log, "--json")
    assert (done.returncode, done.stderr, rulings(done)) == (0, "", ALL)
    started, time, hand, _ = (json.loads(line) for line in done.stdout.splitlines())
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


def test_sentences_come_in_the_language_asked_for(replay: Replay, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Ann: drei Sätze auf drei Karten, drei Punkte." in replay(log, "--language", "de").stdout.splitlines()
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert "Ann\u00a0: trois séries sur trois cartes, trois points." in replay(log).stdout.splitlines()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "broken JSON at character 2"),
        ('{"t_ns": 2}', '"event" must say what happened'),
        ('{"event": "count"}', '"t_ns" must be a whole number, not null'),
        ('{"t_ns": 2.5, "event": "count"}', '"t_ns" must be a whole number, not 2.5'),
        ('{"t_ns": true, "event": "count"}', '"t_ns" must be a whole number, not true'),
        ('{"t_ns": -1, "event": "count"}', '"t_ns" must be at least 0'),
        (f'{{"t_ns": {10**30}, "event": "count"}}', '"t_ns" is more than a clock can say'),
        ('{"t_ns": 1, "event": "count"}', '"t_ns" goes back, from 2 to 1'),
        ('{"t_ns": 2, "event": "bell"}', 'Confetti knows no event "bell"'),
        ('{"t_ns": 2, "event": "hand", "seat": 2, "cards": []}', "nobody sits at seat 2, the last seat is 1"),
        ('{"t_ns": 2, "event": "hand", "seat": -1, "cards": []}', '"seat" must be at least 0'),
        ('{"t_ns": 2, "event": "hand", "cards": []}', '"seat" must be a whole number, not null'),
        ('{"t_ns": 2, "event": "hand", "seat": 0}', '"cards" must be a list'),
        ('{"t_ns": 2, "event": "hand", "seat": 0, "cards": [["red","red","blue"]]}', "one colour twice"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_still_judged(replay: Replay, log: Path, text: str, complaint: str) -> None:
    edit(log, 4, text)
    done = replay(log, "--json")
    assert (done.returncode, rulings(done)) == (2, ALL)
    (line,) = done.stderr.splitlines()
    assert line.startswith("ringmaster replay: line 4: ")
    assert complaint in line


def test_a_log_torn_at_any_byte_is_judged_as_far_as_it_goes(log: Path) -> None:
    whole = log.read_bytes()
    judged = 0
    for length in range(len(whole)):
        log.write_bytes(whole[:length])
        try:
            with open_log(log) as (header, entries):
                results = list(judge(game_kind(header.game).start(header), entries))
        except BadInputError:
            assert length < len(HEADER.encode())
            continue
        faults = [result for result in results if isinstance(result, Fault)]
        assert [fault.why for fault in faults] in ([], ["torn off in the middle, the recording stopped there"])
        assert len(results) - len(faults) >= judged
        judged = len(results) - len(faults)
    assert judged == len(ALL)


def test_a_torn_last_line_is_said(replay: Replay, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-9])
    done = replay(log, "--json")
    assert (done.returncode, rulings(done)) == (2, ALL[:2])
    assert done.stderr == "ringmaster replay: line 5: torn off in the middle, the recording stopped there\n"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the event log is empty"),
        (b"\n\n", "the event log is empty"),
        (b"hello\n", "line 1: broken JSON"),
        (b"\xff\xd8\xff\xe0", "line 1: not UTF-8"),
        (b"{}\n", "the first line must say which game"),
        (b'{"game": "poker", "players": ["Ann"]}\n', "there is no game 'poker' to judge"),
        (b'{"game": ["confetti"], "players": ["Ann"]}\n', "the first line must say which game"),
        (b'{"game": "confetti", "players": 3}\n', '"players" must be a list of names'),
        (b'{"game": "confetti", "players": ["Ann\\n"]}\n', '"players" must be a list of names'),
        (b'{"game": "confetti", "players": ["\\ud800"]}\n', "line 1: there is half of a character in it"),
        (b'{"game": "confetti", "players": []}\n', "1 to 7 can play Confetti, not 0"),
        (b'{"game": "confetti", "players": ["Ann"], "options": []}\n', '"options" must be an object'),
        (b'{"game": "confetti", "players": ["Ann"], "options": {"side": 1}}\n', '"side" must be white or black'),
    ],
)
def test_without_a_good_header_nothing_can_be_judged(
    replay: Replay, tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    done = replay(path, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert complaint in line


def test_a_file_that_is_not_there_or_no_file_is_one_line(replay: Replay, tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path, tmp_path / "a\nb.jsonl"):
        done = replay(path)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_what_never_ends_is_refused_after_its_first_line_could_have_been_one() -> None:
    done = subprocess.run([*MAIN, "replay", "/dev/zero"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr == "ringmaster replay: line 1: longer than 1024 kB, which no hand or event is\n"
