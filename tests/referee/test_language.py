"""The catalogues: whole, matching the code, and compiled from what is written in them."""

from __future__ import annotations

import ast
import functools
import io
import json
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

import referee.language
from hardware.voice import ESPEAK_VOICES
from referee.commands import main
from referee.commands.doctor import WITHOUT_PINS
from referee.language import CATALOGUES, DOMAIN, LANGUAGES, Language
from referee.scoring.seats import what_is_missing
from referee.translated import templates, translated
from referee.words import list_of, number_word
from vision.errors import DoubledMarkerError

CODE = Path(referee.language.__file__).parent
ROOT = CODE.parent
TRANSLATED = [code for code in LANGUAGES if code != "en"]
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "text": None,
    "mark": None,
    "count": (1, 2),
    "text_in": ((1, "c"), 2),
    "mark_in": ((1, "c"), 2),
    "count_in": ((1, "c"), 2, 3),
}
Key = tuple[str | None, object]


@functools.cache
def in_code() -> set[Key]:
    folders = (CODE / "sayings", CODE / "setup", CODE / "games", CODE / "web")
    files = [CODE / "language.py", CODE / "announcer.py", *(file for one in folders for file in one.rglob("*.py"))]
    found = (item for file in files for item in extract_from_file("python", file, keywords=KEYWORDS))
    return {(context, message) for _, message, _, context in found}


@functools.cache
def catalogue(code: str) -> Catalog:
    with (CATALOGUES / code / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=code)


def forms(text: object) -> list[str]:
    return [str(form) for form in text] if isinstance(text, tuple | list) else [str(text)]


def places(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w*\}", text))


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_translated_with_its_places_and_none_is_left_over(code: str) -> None:
    found = [message for message in catalogue(code) if message.id]
    written = {(message.context, message.id) for message in found}
    assert written == in_code(), "make words takes the code's sentences into the catalogues"
    for message in found:
        assert all(forms(message.string)), message.id
        assert [*map(places, forms(message.string))] == [*map(places, forms(message.id))]
        assert not message.fuzzy


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_is_compiled_is_what_is_written(code: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(code))
    compiled.seek(0)
    with (CATALOGUES / code / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as file:
        shipped = read_mo(file)

    def words(whole: Catalog) -> set[str]:  # without the header, which names the compiler's version
        return {repr((one.context, one.id, one.string)) for one in whole if one.id}

    assert words(shipped) == words(read_mo(compiled)), "make words compiles the catalogues"


def test_numbers_are_words_up_to_twelve_and_lists_have_an_and() -> None:
    assert [[Language(code).number(n) for n in (-2, 0, 1, 12, 13)] for code in LANGUAGES] == [
        ["minus two", "zero", "one", "twelve", "13"],
        ["minus zwei", "null", "eins", "zwölf", "13"],
        ["moins deux", "zéro", "un", "douze", "13"],
    ]
    assert [number_word(n) for n in (-2, 0, 12, 13)] == ["minus two", "no", "twelve", "13"]
    names = ("Ann", "Ben", "Cem")
    for listed in (list_of, Language("en").list_of):
        assert [listed(names[:n]) for n in range(4)] == ["", "Ann", "Ann and Ben", "Ann, Ben and Cem"]
    assert [Language(code).list_of(names) for code in TRANSLATED] == ["Ann, Ben und Cem", "Ann, Ben et Cem"]


def test_one_and_many_in_each_language() -> None:
    assert [[Language(code).cards(n) for n in (0, 1, 2, 55)] for code in LANGUAGES] == [
        ["no cards", "one card", "two cards", "55 cards"],
        ["keine Karten", "eine Karte", "zwei Karten", "55 Karten"],
        ["aucune carte", "une carte", "deux cartes", "55 cartes"],
    ]
    assert [[Language(code).points(n) for n in (-2, -1, 0, 1)] for code in LANGUAGES] == [
        ["minus two points", "minus one point", "no points", "one point"],
        ["minus zwei Punkte", "minus ein Punkt", "keine Punkte", "ein Punkt"],
        ["moins deux points", "moins un point", "aucun point", "un point"],
    ]


def test_voices_and_pages_know_every_language() -> None:
    page, club = (CODE / where for where in ("web/page/parts.js", "club/page/club.js"))
    offered = re.search(r"const LANGUAGES = \{(.*)\}", page.read_text(encoding="utf-8"))
    chosen = re.search(r"const language = (\[.*?\])", club.read_text(encoding="utf-8"))
    assert offered is not None and chosen is not None
    assert set(re.findall(r"(\w+):", offered[1])) == set(json.loads(chosen[1])) == set(ESPEAK_VOICES) == set(LANGUAGES)


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
        ("the file a b.jpg is torn or damaged", "die Datei a b.jpg ist unvollständig oder beschädigt"),
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


SEAT_ONE = {
    "en": "Seat 1: five sets on six cards, two cards over the limit: three points",
    "de": "Platz 1: fünf Sätze auf sechs Karten, zwei Karten zu viel: drei Punkte",
    "fr": "Place 1 : cinq séries sur six cartes, deux cartes de trop : trois points",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_commands_speak_the_language_that_they_are_told_and_no_other_afterwards(code: str, capfd: Capture) -> None:
    language = Language(code)
    missing = str(ROOT / "no-such-picture.jpg")
    table = str(DATA / "tables" / "confetti-three-seats.jpg")
    assert main(["score", "confetti", "--image", missing, "--players", "3", "--language", code]) == 2
    assert main(["score", "confetti", "--image", table, "--players", "3", "--limit", "4", "--language", code]) == 0
    out, err = capfd.readouterr()
    assert err == f"ringmaster score: {language.text('there is no picture {path}', path=missing)}\n"
    assert out.splitlines()[0] == SEAT_ONE[code]
    assert main(["score", "confetti", "--image", missing, "--players", "3"]) == 2
    assert "there is no picture" in capfd.readouterr().err
