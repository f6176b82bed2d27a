"""How a game of Piccolino is set up: the deal, and the options."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.piccolino.rules import Piccolino, from_header
from referee.games.piccolino.setup import deal


def dealt(players: int, **options: object) -> list[int]:
    game = from_header(Header("piccolino", tuple("ABCDE"[:players]), options)).game
    assert isinstance(game, Piccolino)
    return game.cards.draw


@pytest.mark.parametrize(
    ("players", "dealer", "cards"),
    [
        (2, 0, [24, 25]),
        (2, 1, [25, 24]),
        (3, 0, [18, 19, 18]),
        (3, 2, [19, 18, 18]),
        (4, 0, [13, 14, 14, 14]),
        (4, 2, [14, 14, 13, 14]),
        (5, 3, [11, 11, 11, 11, 11]),
    ],
)
def test_cards_are_dealt_one_by_one_from_the_dealers_left(players: int, dealer: int, cards: list[int]) -> None:
    assert dealt(players, dealer=dealer) == cards


@given(st.integers(2, 5), st.integers(0, 1000), st.data())
def test_every_card_is_dealt_and_nobody_gets_two_more(players: int, cards: int, data: st.DataObject) -> None:
    hands = deal(players, cards, data.draw(st.integers(0, players - 1)))
    assert sum(hands) == cards
    assert max(hands) - min(hands) <= 1


def test_another_editions_deck_is_an_option() -> None:
    assert dealt(4, cards=54) == [13, 14, 14, 13]
    assert dealt(2, cards=50) == [25, 25]


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (1, {}, "2 to 5 can play"),
        (6, {}, "2 to 5 can play"),
        (3, {"dealer": 3}, "nobody sits at seat 3"),
        (3, {"dealer": None}, '"dealer" must be a whole number'),
        (3, {"cards": 0}, '"cards" must be at least 1'),
        (3, {"cards": 10**9}, '"cards" must be at most'),
        (3, {"two_left": "never"}, '"two_left" must be always or start'),
        (3, {"lockout_ms": -1}, '"lockout_ms" must be at least 0'),
        (3, {"lucky_guess": True}, '"lucky_guess" must be'),
        (3, {"edition": "german"}, 'no option "edition"'),
    ],
)
def test_a_game_that_cannot_be_played_is_refused(players: int, options: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        from_header(Header("piccolino", tuple("ABCDEF"[:players]), options))
