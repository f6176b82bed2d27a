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


WRONG: list[tuple[tuple[str | int, ...], object]] = [
    (("card_mm",), 7),
    (("card_mm", 0), float("nan")),
    (("card_mm", 0), 10**400),
    (("card_mm", 1), True),
    (("corner_radius_mm",), -1),
    (("background",), {}),
    (("background", "white"), "white"),
    (("palette", "black"), None),
    (("palette", "white", "red"), []),
    (("shapes",), None),
    (("shapes", "heart"), [[0, 0], [1, 1]]),
    (("shapes", "heart", 0), [0, float("inf")]),
    (("cards",), []),
    (("cards", 0, "id"), []),
    (("cards", 0, "id"), "confetti-02"),
    (("cards", 0, "white"), []),
    (("cards", 0, "white", 0, "size"), "huge"),
    (("cards", 0, "white", 0, "colour"), "pink"),
    (("cards", 0, "black", 0, "shape"), "moon"),
    (("cards", 0, "white", 0, "x_mm"), "left"),
    (("cards", 0, "white", 0, "y_mm"), 1e308),
    (("cards", 0, "white", 0, "diameter_mm"), 0),
    (("cards", 0, "white", 0, "rotation_deg"), None),
]


@pytest.mark.parametrize(("place", "value"), WRONG)
def test_a_deck_with_one_wrong_field_is_told_broken_before_anything_is_read_by_it(
    place: tuple[str | int, ...], value: object, tmp_path: Path
) -> None:
    described = json.loads(resources.files("vision").joinpath("decks", "confetti.json").read_text(encoding="utf-8"))
    spoilt = described
    for key in place[:-1]:
        spoilt = spoilt[key]
    spoilt[place[-1]] = value
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(described), encoding="utf-8")
    with pytest.raises(BadDeckError, match="is broken: "):
        load_deck(str(file))
