"""Decks of pictures: what a description must say, and that the art can be told apart, by colour-blind players too."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.deck import Deck, load_deck
from vision.errors import BadDeckError
from vision.marked.colour import linear_rgb, oklab
from vision.pictured.picture_deck import PictureDeck, load_any_deck, load_picture_deck


@pytest.fixture(scope="module")
def deck() -> PictureDeck:
    return load_picture_deck("piccolino")


def described(deck: PictureDeck) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((deck.folder.parent / "piccolino.json").read_text(encoding="utf-8"))
    return data


def test_the_deck_has_the_cards_of_the_rules(deck: PictureDeck) -> None:
    assert len(deck.cards) == 55
    assert len(deck.faces) == 16
    assert deck.by_id["black-sad"].count == 1
    assert all(set(face.attributes) == {"colour", "mood"} for face in deck.faces)


def test_both_kinds_of_deck_load_by_name() -> None:
    assert isinstance(load_any_deck("piccolino"), PictureDeck)
    assert isinstance(load_any_deck("confetti"), Deck)


def test_pictures_fill_their_frame_and_leave_white_round_it(deck: PictureDeck) -> None:
    for name in [*deck.by_id, deck.back]:
        art = deck.picture(name)
        scale = art.shape[1] / deck.card_mm[0]
        x, y, width, height = (value * scale for value in deck.frame_mm)
        inside = np.zeros(art.shape[:2], bool)
        inside[int(y) - 1 : int(y + height) + 2, int(x) - 1 : int(x + width) + 2] = True
        assert art[~inside].min() > 245
        for across in (0.2, 0.5, 0.8):
            rim = [(x + across * width, y + 3), (x + across * width, y + height - 3), (x + 3, y + across * height)]
            assert all(art[round(v), round(u)].min() < 200 for u, v in rim)


def test_the_back_looks_the_same_either_way_up(deck: PictureDeck) -> None:
    back = deck.picture(deck.back).astype(int)
    assert np.abs(back - back[::-1, ::-1]).mean() < 3


def test_paints_lie_far_apart(deck: PictureDeck) -> None:
    colours = {name: oklab(linear_rgb(paint)) for name, paint in deck.palette.items()}
    for one, other in combinations(colours, 2):
        assert np.linalg.norm(colours[one] - colours[other]) > 0.11, (one, other)


@pytest.mark.parametrize("mood", ["happy", "sad"])
def test_colours_can_be_told_without_colour(deck: PictureDeck, mood: str) -> None:
    """Hair and pattern alone, in drawings of one colour and brightness, tell all clowns apart."""
    edges = {}
    for colour in deck.palette:
        grey = cv2.cvtColor(deck.picture(f"{colour}-{mood}"), cv2.COLOR_BGR2GRAY)
        edges[colour] = cv2.dilate(cv2.Canny(grey, 40, 120), np.ones((5, 5), np.uint8)) > 0
    same_on_all = np.logical_and.reduce(list(edges.values()))
    for one, other in combinations(edges, 2):
        a, b = edges[one] & ~same_on_all, edges[other] & ~same_on_all
        assert (a & b).sum() < 0.7 * (a | b).sum(), (one, other)


def test_an_edition_with_nine_colours_is_only_another_description(deck: PictureDeck, tmp_path: Path) -> None:
    data = described(deck)
    data["palette"]["white"] = "#dddddd"
    data["faces"].append({"face": "white-happy", "attributes": {"colour": "white", "mood": "happy"}, "count": 1})
    data["deck"] = "mine"
    (tmp_path / "mine.json").write_text(json.dumps(data), encoding="utf-8")
    mine = load_any_deck(str(tmp_path / "mine.json"))
    assert isinstance(mine, PictureDeck)
    assert len(mine.cards) == 56
    assert mine.cards[-1].attributes["colour"] == "white"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("card_mm", [63.0]),
        ("card_mm", "large"),
        ("frame_mm", [0, 0, 63, 88]),
        ("frame_mm", [5, 5, 70, 78]),
        ("faces", []),
        ("faces", [{"face": "red-happy"}]),
        ("faces", {"red": 1}),
        ("palette", ["red"]),
        ("back", None),
    ],
)
def test_broken_descriptions_are_one_clear_sentence(deck: PictureDeck, tmp_path: Path, key: str, value: object) -> None:
    data = described(deck)
    data[key] = value
    if value is None:
        del data[key]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(BadDeckError, match=r"mine\.json is broken"):
        load_picture_deck(str(path))


@pytest.mark.parametrize("text", ["", "[]", "{", '"piccolino"'])
def test_files_that_are_no_descriptions(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadDeckError, match="is broken"):
        load_any_deck(str(path))


def test_wrong_kinds_and_names(tmp_path: Path) -> None:
    with pytest.raises(BadDeckError, match="there is no deck called 'poker'"):
        load_any_deck("poker")
    with pytest.raises(BadDeckError, match="cannot be read"):
        load_any_deck(str(tmp_path / "none.json"))
    with pytest.raises(BadDeckError, match="no pictures"):
        load_picture_deck("confetti")
    with pytest.raises(BadDeckError, match="show pictures"):
        load_deck("piccolino")


def test_missing_and_broken_pictures(deck: PictureDeck, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(described(deck)), encoding="utf-8")
    mine = load_picture_deck(str(tmp_path / "mine.json"))
    with pytest.raises(BadDeckError, match=r"lacks its picture red-sad\.png"):
        mine.picture("red-sad")
    mine.folder.mkdir()
    (mine.folder / "red-sad.png").write_bytes(b"")
    with pytest.raises(BadDeckError, match=r"red-sad\.png of the deck piccolino is broken"):
        mine.picture("red-sad")
