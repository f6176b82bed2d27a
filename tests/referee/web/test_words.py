"""The page's words, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import referee.web
from referee.engine.events import Header
from referee.games.kind import GameKind
from referee.games.registry import GAMES
from referee.language import LANGUAGES
from referee.match.settings import PageSettings
from referee.web.words import words_in
from tests.support.page_tools import Phone

PAGE = Path(referee.web.__file__).with_name("page")
ALIKE = {"Piccolino", "Confetti", "Coloretto", "Code", "Pause", "Joker", "Total", "Photo-finish"}
ALIKE |= {"Corrections", "Scores", "Table", "Photo", "System"}


def test_every_setting_that_the_page_shows_and_every_choice_of_it_has_words() -> None:
    words = words_in("en")
    for one in PageSettings.model_json_schema()["properties"].values():
        if "word" in one:
            assert {one["word"], *(f"{one['word']}_{choice}" for choice in one.get("enum", ()))} <= set(words)


def test_the_page_counts_exactly_those_texts_that_have_forms_for_numbers() -> None:
    words = words_in("en")
    page = "\n".join(path.read_text(encoding="utf-8") for path in PAGE.glob("*.js"))
    named = {use: set(re.findall(rf'\b{use}\("(\w+)"', page)) & set(words) for use in ("t", "count")}
    assert len(named["t"]) > 200 and len(named["count"]) > 20
    assert [key for key in named["t"] if not isinstance(words[key], str)] == []
    assert [key for key in named["count"] if isinstance(words[key], str)] == []


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_word_is_translated(language: str) -> None:
    words = words_in(language)
    for key, english in words_in("en").items():
        if (
            isinstance(english, str)
            and words[key] == english
            and english not in ALIKE
            and not key.startswith("colour_")
        ):
            assert not re.search(r"[a-z]{3}", re.sub(r"\{\w+\}", "", english)), key


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
