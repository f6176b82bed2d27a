"""The page's words: every key that a script uses is there, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.engine.events import Header
from referee.games.kind import GameKind
from referee.games.registry import GAMES
from referee.language import LANGUAGES
from referee.match.settings import PageSettings
from referee.web import app
from referee.web.guard import RefusedError
from referee.web.words import WORDS, words_in
from tests.support.page_tools import Phone

SCRIPTS = {path.name: path.read_text() for path in sorted(app.FILES.glob("*.js"))}
ALIKE = {"Piccolino", "Confetti", "Coloretto", "Code", "Pause", "Joker", "Total", "Photo-finish"}
ALIKE |= {"Corrections", "Scores", "Table", "Photo", "System"}


def keys_used() -> set[str]:
    used: set[str] = set()
    for text in SCRIPTS.values():
        used |= set(re.findall(r"""\bt\(\s*["'](\w+[a-z0-9])["']""", text))
        for name in re.findall(r"""\bcount\(\s*["'](\w+)["']""", text):
            used |= {f"{name}_one", f"{name}_many"}
        used |= set(re.findall(r"""\btap\(\s*["'](\w+)["']""", text))
        used |= {f"nav_{view}" for view in re.findall(r"""#(\w+)["`/]""", text)} & set(WORDS)
    return used


def test_every_word_that_a_script_uses_is_there() -> None:
    assert keys_used() - set(WORDS) == set()
    assert len(keys_used()) > 100


def test_every_setting_that_the_page_shows_and_every_choice_of_it_has_words() -> None:
    for one in PageSettings.model_json_schema()["properties"].values():
        if "word" in one:
            assert {one["word"], *(f"{one['word']}_{choice}" for choice in one.get("enum", ()))} <= set(WORDS)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_word_is_translated_and_keeps_its_places(language: str) -> None:
    words = words_in(language)
    for key, english in WORDS.items():
        places = set(re.findall(r"\{\w+\}", english))
        assert set(re.findall(r"\{\w+\}", words[key])) == places, key
        alike = words[key] == english
        assert not alike or english in ALIKE or not re.search(r"[a-z]{3}", re.sub(r"\{\w+\}", "", english)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_gets_words_and_games_in_each_language(phone: Phone, language: str) -> None:
    assert phone.get(f"/api/words/{language}").data["start_game"] == words_in(language)["start_game"]
    games = phone.get(f"/api/games/{language}").data["games"]
    assert {game["id"] for game in games} == set(GAMES)
    chosen = [choice["text"] for game in games for option in game["options"] for choice in option["choices"]]
    chosen += [text for key, text in words_in(language).items() if key.startswith(("bell_", "camera_"))]
    # On a phone, too.
    assert len(chosen) > 15 and all(0 < len(text) <= 35 for text in chosen)
    assert phone.get("/api/words/xx").status == 400


@pytest.mark.parametrize("kind", GAMES.values(), ids=lambda kind: kind.name)
def test_every_choice_that_is_offered_can_be_played(kind: GameKind) -> None:
    for players in (kind.page.least, kind.page.most):
        names = tuple(f"P{seat}" for seat in range(players))
        for option in kind.page.options:
            values: list[object] = [value for value, _ in option.choices] or [0, players - 1]
            for value in values:
                kind.start(Header(kind.name, names, {option.name: value}))


def test_every_fault_has_a_sentence_or_words_of_its_own() -> None:
    folder = Path(app.__file__).parent
    keys = {
        key for path in folder.glob("*.py") for key in re.findall(r'RefusedError\(\s*\d+,\s*"(\w+)"', path.read_text())
    }
    silent = {"no_picture", "too_many_pages"}
    assert keys - silent == {key for key in keys if f"fault_{key}" in WORDS}
    assert RefusedError(400, "bad_request", "No.").text == "No."
