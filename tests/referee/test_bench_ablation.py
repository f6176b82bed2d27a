"""What a rule of the readers earns is seen by leaving it out, and a threshold by giving it other values."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import pytest

from referee.bench import ablation
from referee.bench.rules import MARKED, NONE, PRINTS, RULES, left_out
from referee.cli import main
from simulation.still import table_picture
from tests.support.flat_piles import piccolino
from vision.deck import load_deck
from vision.image import load_image
from vision.marked import scoring


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn(tmp_path_factory.mktemp("heap"), 16, (960, 540))


def drawn(folder: Path, cards: int, size: tuple[int, int]) -> Path:
    """A folder with one drawn table of cards, some of them covered."""
    image, truth = table_picture(load_deck("confetti"), cards, seed=5, size=size, overlap=True)
    cv2.imwrite(str(folder / "table.png"), image)
    (folder / "table.json").write_text(json.dumps({**truth, "image": "table.png"}))
    return folder


@pytest.fixture
def lines(heap: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, Any]]]:
    def bench(*args: str) -> list[dict[str, Any]]:
        assert main(["bench", *args, str(heap), "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return bench


def test_what_a_rule_earns_is_told_beside_what_all_rules_do(lines: Callable[..., list[dict[str, Any]]]) -> None:
    whole, without_lone_marks, without_colour = lines("ablation", "--rule=judge colour", "--rule=lone marks")
    assert whole["plain"] == whole["plain_of"] > 0
    assert whole["wrong"] == whole["false"] == 0
    assert [one["rule"] for one in (without_lone_marks, without_colour)] == ["lone marks", "judge colour"]
    # Of one card a single mark shows.
    assert without_lone_marks["covered"] == whole["covered"] - 1
    assert without_colour["covered"] == whole["covered"]
    assert without_colour["lines"] < without_lone_marks["lines"]


def test_harder_pictures_are_read_besides_and_by_halves_of_the_deck(lines: Callable[..., list[dict[str, Any]]]) -> None:
    plain, _ = lines("ablation", "--rule=lamp of the markers")
    harder, without = lines("ablation", "--harder", "--rule=lamp of the markers")
    # Four alterations and two halves: each card of the table counts seven times, and a half knows about half of them.
    assert harder["plain_of"] == 7 * plain["plain_of"]
    assert 3 * plain["plain"] <= harder["plain"] < 7 * plain["plain_of"]
    assert harder["wrong"] == 0
    assert without["plain_of"] == harder["plain_of"]


def test_another_value_of_a_threshold_is_tried_wherever_it_is_used(lines: Callable[..., list[dict[str, Any]]]) -> None:
    whole, never, as_it_is = lines("tune", "vision.marked.scoring.SURE", "--to=1000", f"--to={scoring.SURE}")
    assert never["plain"] == never["covered"] == 0
    counts = ("plain", "covered", "wrong", "false")
    assert [as_it_is[name] for name in counts] == [whole[name] for name in counts]
    assert scoring.SURE < 1000


@pytest.mark.parametrize("reader", [NONE, MARKED, PRINTS])
def test_no_reader_fails_for_want_of_its_rules(tmp_path: Path, reader: str) -> None:
    deck = load_deck("confetti") if reader == MARKED else None
    (some,) = ablation.sets_in(drawn(tmp_path, 5, (640, 360)), deck)
    if reader == PRINTS:
        some = replace(some, judge=partial(ablation.judge_of, piccolino()))
    picture, judged = some.pictures[0], some.judge()
    with ExitStack() as stack:
        # Terms of a sum are all left out alike.
        for rule in RULES:
            if rule.reader == reader and not rule.name.startswith(("closer_", "corner_")):
                stack.enter_context(left_out(rule))
                assert rule.lines > 0
        outcomes, _ = judged(picture, load_image(picture.path))
    # None of them is a clown.
    assert len(outcomes) == (0 if reader == PRINTS else len(picture.cards))


@pytest.mark.parametrize(
    "args",
    [
        ("ablation", "--every", "0"),
        ("ablation", "--rule", "magic"),
        ("ablation", "--deck", "everdeck"),
        ("tune", "vision.marked.scoring.NOTHING"),
        ("tune", "SURE"),
        ("tune", "vision.marked.scoring.Verdicts"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_line(
    capfd: pytest.CaptureFixture[str], heap: Path, args: tuple[str, ...]
) -> None:
    assert main(["bench", *args, str(heap)]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1
