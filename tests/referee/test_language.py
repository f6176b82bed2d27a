"""The catalogues: whole, matching the code, and compiled from what is written in them."""

from __future__ import annotations

import functools
import io
import json
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

import referee.language
from hardware.voice import ESPEAK_VOICES
from referee.language import CATALOGUES, DOMAIN, LANGUAGES, Language

CODE = Path(referee.language.__file__).parent
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
    files = [
        CODE / "language.py",
        CODE / "announcer.py",
        *(CODE / "sayings").glob("*.py"),
        *(CODE / "setup").glob("*.py"),
        *sorted((CODE / "games").rglob("*.py")),
        *(CODE / "web").glob("*.py"),
    ]
    found = (item for file in files for item in extract_from_file("python", file, keywords=KEYWORDS))
    return {(context, message) for _, message, _, context in found}


@functools.cache
def catalogue(code: str) -> Catalog:
    with (CATALOGUES / code / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=code)


def messages(code: str) -> list[Message]:
    return [message for message in catalogue(code) if message.id]


def forms(text: object) -> list[str]:
    return [str(form) for form in text] if isinstance(text, tuple | list) else [str(text)]


def places(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w*\}", text))


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_translated_and_none_is_left_over(code: str) -> None:
    found = messages(code)
    written = {(message.context, message.id) for message in found}
    assert written == in_code(), "make words takes the code's sentences into the catalogues"
    for message in found:
        assert all(forms(message.string)), message.id
        assert not message.fuzzy


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_have_the_places_of_the_original(code: str) -> None:
    for message in messages(code):
        assert [*map(places, forms(message.string))] == [*map(places, forms(message.id))]


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


def test_numbers_are_words_up_to_twelve() -> None:
    assert [Language("en").number(n) for n in (-2, 0, 1, 12, 13)] == ["minus two", "zero", "one", "twelve", "13"]
    assert [Language("de").number(n) for n in (-2, 0, 1, 12, 13)] == ["minus zwei", "null", "eins", "zwölf", "13"]
    assert [Language("fr").number(n) for n in (-2, 0, 1, 12, 13)] == ["moins deux", "zéro", "un", "douze", "13"]


def test_one_and_many_in_each_language() -> None:
    assert [[Language(code).cards(n) for n in (0, 1, 2, 55)] for code in LANGUAGES] == [
        ["no cards", "one card", "two cards", "55 cards"],
        ["keine Karten", "eine Karte", "zwei Karten", "55 Karten"],
        ["aucune carte", "une carte", "deux cartes", "55 cartes"],
    ]
    assert [[Language(code).points(n) for n in (-2, -1, 0, 1, 2)] for code in LANGUAGES] == [
        ["minus two points", "minus one point", "no points", "one point", "two points"],
        ["minus zwei Punkte", "minus ein Punkt", "keine Punkte", "ein Punkt", "zwei Punkte"],
        ["moins deux points", "moins un point", "aucun point", "un point", "deux points"],
    ]


def test_lists_have_an_and_before_the_last() -> None:
    names = ("Ann", "Ben", "Cem")
    assert [Language("en").list_of(names[:n]) for n in range(4)] == ["", "Ann", "Ann and Ben", "Ann, Ben and Cem"]
    assert [Language(code).list_of(names) for code in TRANSLATED] == ["Ann, Ben und Cem", "Ann, Ben et Cem"]


def test_voices_and_pages_know_every_language() -> None:
    page, club = (CODE / where for where in ("web/page/view_settings.js", "club/page/club.js"))
    offered = re.search(r"const LANGUAGES = \{(.*)\}", page.read_text(encoding="utf-8"))
    chosen = re.search(r"const language = (\[.*?\])", club.read_text(encoding="utf-8"))
    assert offered is not None and chosen is not None
    assert set(re.findall(r"(\w+):", offered[1])) == set(json.loads(chosen[1])) == set(ESPEAK_VOICES) == set(LANGUAGES)
