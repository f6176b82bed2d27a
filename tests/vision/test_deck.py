"""Decks as data: what a description gives, and what is said of a broken one."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from vision.deck import load_deck
from vision.errors import BadDeckError


def test_every_card_has_two_sides_with_three_colours() -> None:
    deck = load_deck("confetti")
    assert len({face.id for face in deck.faces}) == 84
    assert len(deck.faces) == 168
    assert all(len({mark.colour for mark in face.marks}) == 3 for face in deck.faces)
    assert all([mark.size for mark in face.marks] == ["small", "medium", "big"] for face in deck.faces)


def test_an_evening_of_games_shares_one_deck() -> None:
    # What is worked out for a deck is kept with it: a deck of its own for every game would fill the memory.
    assert load_deck("confetti") is load_deck("confetti")


def test_a_description_that_was_changed_is_read_again(tmp_path: Path) -> None:
    data = json.loads(resources.files("vision").joinpath("decks", "confetti.json").read_text(encoding="utf-8"))
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert len(load_deck(str(file)).faces) == 168
    data["cards"] = data["cards"][:10]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert len(load_deck(str(file)).faces) == 20


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"deck": "x"}', '{"deck": "x", "background": {"white": 3}, "cards": [7]}']
)
def test_a_broken_description_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadDeckError) as told:
        load_deck(str(file))
    assert "mine.json" in str(told.value)
    assert "\n" not in str(told.value)


def test_an_unknown_deck_names_those_that_there_are() -> None:
    with pytest.raises(BadDeckError, match="confetti"):
        load_deck("tarot")
