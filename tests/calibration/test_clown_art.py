"""Our clowns: the cards of the rules, and art that can be told apart, by colour-blind players too."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest

from referee.decks.finding import find_print_deck
from vision.prints.print_deck import PrintDeck


@pytest.fixture(scope="module")
def deck() -> PrintDeck:
    return find_print_deck("piccolino")


def test_the_deck_has_the_cards_of_the_rules(deck: PrintDeck) -> None:
    assert sum(face.count or 0 for face in deck.fronts) == 55
    assert len(deck.fronts) == 16
    assert deck.by_id["black-sad"].count == 1
    assert all(set(face.attributes) == {"colour", "mood"} for face in deck.fronts)


def test_pictures_fill_their_frame_and_leave_white_round_it(deck: PrintDeck) -> None:
    for art in (face.art for face in deck.faces):
        scale = art.shape[1] / deck.card_mm[0]
        x, y, width, height = (value * scale for value in deck.frame)
        inside = np.zeros(art.shape[:2], bool)
        inside[int(y) - 1 : int(y + height) + 2, int(x) - 1 : int(x + width) + 2] = True
        assert art[~inside].min() > 245
        for across in (0.2, 0.5, 0.8):
            rim = [(x + across * width, y + 3), (x + across * width, y + height - 3), (x + 3, y + across * height)]
            assert all(art[round(v), round(u)].min() < 200 for u, v in rim)


def test_the_back_looks_the_same_either_way_up(deck: PrintDeck) -> None:
    back = deck.by_id["back"].art.astype(int)
    assert np.abs(back - back[::-1, ::-1]).mean() < 3


@pytest.mark.parametrize("mood", ["happy", "sad"])
def test_colours_can_be_told_without_colour(deck: PrintDeck, mood: str) -> None:
    """Hair and pattern alone, in drawings of one colour and brightness, tell all clowns apart."""
    edges = {}
    for colour in sorted({face.attributes["colour"] for face in deck.fronts}):
        grey = cv2.cvtColor(deck.by_id[f"{colour}-{mood}"].art, cv2.COLOR_BGR2GRAY)
        edges[colour] = cv2.dilate(cv2.Canny(grey, 40, 120), np.ones((5, 5), np.uint8)) > 0
    same_on_all = np.logical_and.reduce(list(edges.values()))
    for one, other in combinations(edges, 2):
        a, b = edges[one] & ~same_on_all, edges[other] & ~same_on_all
        assert (a & b).sum() < 0.7 * (a | b).sum(), (one, other)
