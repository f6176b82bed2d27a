"""Every recorded game in tests/games is judged as it was before: NAME.jsonl gives NAME.expected.jsonl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.announcer import Announcer
from referee.engine.recorded_game import Fault, judge, open_log
from referee.games.registry import game_kind
from referee.jsonlines import to_line
from referee.language import LANGUAGES, Language

GAMES = sorted(
    path for path in (Path(__file__).parents[2] / "games").glob("*.jsonl") if ".expected" not in path.suffixes
)


def test_there_are_recorded_games() -> None:
    assert len(GAMES) >= 5


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_recorded_game_is_judged_as_expected(path: Path) -> None:
    with open_log(path) as (header, entries):
        kind = game_kind(header.game)
        results = list(judge(kind.start(header), entries))
    rulings = [result for result in results if not isinstance(result, Fault)]
    assert len(rulings) == len(results)
    expected = path.with_suffix(".expected.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(to_line(ruling.as_json())) for ruling in rulings] == [json.loads(line) for line in expected]
    for code in LANGUAGES:
        announcer = Announcer(header.game, header.players, Language(code))
        said = [(ruling.as_json()["ruling"], announcer.say(ruling.as_json())) for ruling in rulings]
        # What changes nothing may need no words.
        assert all(sentence or kind == "ignored" for kind, sentence in said)
        assert not any(set(sentence) & set("\n{}") for _, sentence in said)
