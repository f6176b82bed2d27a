"""Damaged files of any kind, as disks and cables leave them: each ends in a sentence, and never in a fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from referee.cli import main
from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games import GAME_NAMES
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal
from referee.service.live_game import LiveGame
from referee.watchers.by_hand import ByHandWatcher
from tests.support.crash_table import PLAYERS, likely_moves
from tests.support.mutations import mutated

TESTS = Path(__file__).parents[1]
TIMES = 12
GAMES = 3


def played(folder: Path) -> Path:
    """Play a game of each kind into a journal."""
    folder.mkdir()
    dice = Random(5)
    journal = Journal(folder / JOURNAL)
    for number, name in enumerate(GAME_NAMES[:GAMES]):
        row = journal.begin_game(Header(name, PLAYERS, {}), "boot", 0)
        play = LiveGame(row, ByHandWatcher(), journal, number)
        for step in range(20):
            try:
                play.say(*next(likely_moves(play.game, dice)), (step + 1) * 1_000_000)
            except BadInputError:
                continue
    journal.close_all()
    journal.close()
    return folder / JOURNAL


def a_picture(folder: Path) -> tuple[Path, Callable[[Path], list[str]]]:
    return TESTS / "data/scenes/black-window-edge.jpg", lambda path: ["read", str(path), "--deck", "confetti", "--json"]


def an_event_log(folder: Path) -> tuple[Path, Callable[[Path], list[str]]]:
    return TESTS / "games/piccolino-two-players.jsonl", lambda path: ["replay", str(path), "--json"]


def an_export(folder: Path) -> tuple[Path, Callable[[Path], list[str]]]:
    journal, export = played(folder / "played"), folder / "games.json"
    assert main(["export", "-o", str(export), "--state", str(journal.parent)]) == 0
    return export, lambda path: ["import", str(path), "--state", str(folder / "taken")]


def a_journal(folder: Path) -> tuple[Path, Callable[[Path], list[str]]]:
    return played(folder / "played"), lambda path: ["history", "--json", "--state", str(path.parent)]


@pytest.mark.parametrize("kind", [a_picture, an_event_log, an_export, a_journal])
def test_a_damaged_file_ends_in_a_sentence(
    kind: Callable[[Path], tuple[Path, Callable[[Path], list[str]]]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole, command = kind(tmp_path)
    data, dice = whole.read_bytes(), Random(8)
    damaged = tmp_path / "damaged" / whole.name
    damaged.parent.mkdir()
    capfd.readouterr()
    for _ in range(TIMES):
        spoiled, how = mutated(data, dice)
        damaged.write_bytes(spoiled)
        status = main(command(damaged))
        out, err = capfd.readouterr()
        assert status in (0, 1, 2), how
        assert status == 0 or err, how
        assert "fault of its own" not in err and "Traceback" not in err, how
        assert all(line.startswith("ringmaster") for line in err.splitlines()), how
        if kind is not an_export:
            assert all(json.loads(line) for line in out.splitlines()), how


def test_a_damaged_journal_keeps_the_games_that_can_be_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    journal = played(tmp_path / "played")
    data = bytearray(journal.read_bytes())
    at = data.rindex(b'"card_shown"')
    data[at] ^= 1
    journal.write_bytes(bytes(data))
    assert main(["history", "--json", "--state", str(journal.parent)]) in (0, 1)
    assert len(capfd.readouterr().out.splitlines()) >= GAMES - 1
