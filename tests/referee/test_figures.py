"""The page on accuracy: what benches keep as JSON, and nothing else, in a hundred lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.bench.figures import MOST_LINES, Figure, Figures, in_words, keep_figure, load_figures
from referee.cli import main
from referee.command_page import commands_page

DOCS = Path(__file__).parents[2] / "docs"
Capture = pytest.CaptureFixture[str]


def test_the_page_is_what_the_figures_give_and_short_enough_to_be_read() -> None:
    figures = load_figures(DOCS / "accuracy.json")
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    assert page == figures.page()
    assert page.count("\n") <= MOST_LINES
    assert (DOCS / "accuracy.json").read_text(encoding="utf-8") == figures.as_text()


def test_every_figure_says_how_it_is_repeated_by_what_there_is() -> None:
    commands = commands_page()
    for one in load_figures(DOCS / "accuracy.json").figures:
        told = re.match(r"`(ringmaster(?: [a-z]+)+)|`make ([a-z]+)`|`pytest ([^`]+)`|the same$", one.repeat)
        assert told, one
        command, target, tests = told.groups()
        words = (command or "ringmaster bench").split()
        assert f"`{' '.join(words[: 3 if words[1] == 'bench' else 2])}`" in commands
        assert not target or f"\n{target}:" in (DOCS.parent / "Makefile").read_text(encoding="utf-8")
        assert not tests or (DOCS.parent / tests).exists()


def test_a_bench_keeps_its_figure_in_the_place_of_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "accuracy.json"
    old = Figure("Confetti", "a lot", "1 of 2", "99 %", False, "2026-01-01", "`ringmaster bench accuracy DIR`")
    other = Figure("Speed", "12 cards", "11", None, None, "2026-01-01", "`ringmaster bench speed`")
    path.write_text(Figures((old, other), ("Glare.",)).as_text(), encoding="utf-8")
    total = {"total": [{"group": ">=0.90", "cards": 2, "exact": 2, "wrong": 0}], "false": 0}
    keep_figure("Confetti", "a lot", in_words(total), "ringmaster bench accuracy DIR", met=True, path=path)
    keep_figure("Confetti", "another", "3 of 3", "ringmaster bench accuracy DIR", path=path)
    kept = load_figures(path)
    assert [(one.about, one.set) for one in kept.figures] == [
        ("Confetti", "a lot"),
        ("Confetti", "another"),
        ("Speed", "12 cards"),
    ]
    new = kept.figures[0]
    assert (new.figure, new.target, new.met) == (">=0.90: 2 cards, 2 exact, 0 wrong; false: 0", "99 %", True)
    assert new.measured > old.measured
    assert kept.fails == ("Glare.",)


def test_the_command_writes_the_page_and_refuses_what_holds_no_figures(tmp_path: Path, capfd: Capture) -> None:
    made, broken = tmp_path / "page.md", tmp_path / "broken.json"
    assert main(["bench", "report", "--figures", str(DOCS / "accuracy.json"), "-o", str(made)]) == 0
    assert made.read_text(encoding="utf-8") == (DOCS / "accuracy.md").read_text(encoding="utf-8")
    broken.write_text('{"figures": [{"set": 1}]}', encoding="utf-8")
    for path, complaint in ((broken, "does not hold figures"), (tmp_path / "none.json", "there is no")):
        capfd.readouterr()
        assert main(["bench", "report", "--figures", str(path), "-o", str(made)]) == 2
        out, err = capfd.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert complaint in err
