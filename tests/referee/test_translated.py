"""Sentences that are made in English: known again by their templates, which are all made somewhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import referee.language
from referee.cli import main
from referee.commands.doctor import WITHOUT_PINS
from referee.language import LANGUAGES, Language
from referee.scoring.seats import what_is_missing
from referee.translated import templates, translated
from vision.errors import DoubledMarkerError

ROOT = Path(referee.language.__file__).parents[1]
FOLDERS = ("vision", "hardware", "calibration", "referee")
DATA = ROOT / "tests" / "data"
Capture = pytest.CaptureFixture[str]


def texts_of_the_code() -> str:
    """All texts that stand in the code, f-strings in the pieces between what fills them."""
    found = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if path.parent.name != "sayings":
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        found.add(node.value)
    return "\0".join(found)


def test_every_template_is_made_somewhere_from_texts_of_the_code() -> None:
    """A sentence that the code words anew would be English again without anybody noticing."""
    whole = texts_of_the_code()
    for template in templates():
        longest = max(re.split(r"\{\w+\}", template), key=len)
        words = longest.strip(" .:;,()").split()
        # Long ones may be put together from some texts: a few words stand beside words of another one then.
        runs = [" ".join(words[at : at + 3]) for at in range(len(words) - 2)]
        there = sum(run in whole for run in runs)
        short = len(words) <= 6 and all(word in whole for word in words)
        assert longest in whole or short or (there and there >= len(runs) - 4), template


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("the file a b.jpg is damaged", "die Datei a b.jpg ist beschädigt"),
        (str(DoubledMarkerError((3,))), "Markerkarte 3 ist zweimal zu sehen (das Bild): nehmt die weg, die nicht"),
        (what_is_missing([0, 1]), "nur die Markerkarten 0 und 1 sind zu sehen, 2 und 3 fehlen, darum weiß niemand"),
        (what_is_missing([0, 1, 3]), "nur die Markerkarten 0, 1 und 3 sind zu sehen, 2 fehlt"),
        (what_is_missing([]), "keine Markerkarte ist zu sehen, darum weiß niemand"),
        (WITHOUT_PINS["bell"], "Eine Tischklingel lässt sich auch mit einem Mikrofon hören: --bell microphone."),
        ("nobody has ever said this", "nobody has ever said this"),
    ],
)
def test_a_sentence_is_known_again_with_what_fills_it(text: str, german: str) -> None:
    assert translated(text, Language("de")).startswith(german)
    assert translated(text, Language("en")) == text


@pytest.mark.parametrize("code", LANGUAGES)
def test_commands_speak_the_language_that_they_are_told_and_no_other_afterwards(code: str, capfd: Capture) -> None:
    language = Language(code)
    missing = str(ROOT / "no-such-picture.jpg")
    table = str(DATA / "tables" / "confetti-three-seats.jpg")
    assert main(["score", "confetti", "--image", missing, "--players", "3", "--language", code]) == 2
    assert main(["score", "confetti", "--image", table, "--players", "3", "--limit", "4", "--language", code]) == 0
    out, err = capfd.readouterr()
    assert err == f"ringmaster score: {language.text('there is no picture {path}', path=missing)}\n"
    assert (
        out.splitlines()[0]
        == {
            "en": "Seat 1: five sets on six cards, two cards over the limit: three points",
            "de": "Platz 1: fünf Sätze auf sechs Karten, zwei Karten zu viel: drei Punkte",
            "fr": "Place 1 : cinq séries sur six cartes, deux cartes de trop : trois points",
        }[code]
    )
    assert main(["score", "confetti", "--image", missing, "--players", "3"]) == 2
    assert "there is no picture" in capfd.readouterr().err
