"""The score of a Coloretto hand against the sheet's example and an independent brute force."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import BadInputError
from referee.games.coloretto.score import HandCards, HandScore, SummarySide, parse_hand, score_coloretto

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
WORTH = {SummarySide.BROWN: [0, 1, 3, 6, 10, 15, 21, 21, 21, 21], SummarySide.GREY: [0, 1, 4, 8, 7, 6, 5, 5, 5, 5]}
COUNTS = st.dictionaries(st.sampled_from(COLOURS), st.integers(0, 6), max_size=7)


def best_by_trying(colours: dict[str, int], jokers: int, table: SummarySide) -> int:
    """Try every colour for every joker, and every three colours to count plus."""
    found = []
    for chosen in product(COLOURS, repeat=jokers):
        worth = [WORTH[table][colours.get(colour, 0) + chosen.count(colour)] for colour in COLOURS]
        found += [2 * sum(plus) - sum(worth) for plus in combinations(worth, 3)]
    return max(found)


def test_the_sheets_example() -> None:
    hand = HandCards({"green": 6, "yellow": 4, "red": 3, "blue": 2}, jokers=1, plus2=1)
    assert score_coloretto(hand, SummarySide.BROWN) == HandScore(
        41, jokers=("yellow",), plus=("green", "yellow", "red"), minus=("blue",)
    )


def test_grey_punishes_a_fourth_card() -> None:
    score = score_coloretto(HandCards({"green": 3, "red": 3}, jokers=1), SummarySide.GREY)
    assert (score.points, score.plus) == (17, ("green", "red", score.jokers[0]))
    assert score.jokers[0] not in ("green", "red")


def test_grey_hides_a_joker_where_it_takes_a_minus_point_away() -> None:
    hand = HandCards({"green": 3, "red": 3, "blue": 3, "pink": 3}, jokers=1)
    score = score_coloretto(hand, SummarySide.GREY)
    assert (score.points, len(score.minus)) == (24 - 7, 1)
    assert score.jokers == score.minus


def test_a_joker_becomes_a_colour_that_the_hand_names_as_in_the_game() -> None:
    assert score_coloretto(HandCards({"green": 6, "heart": 0}, jokers=1), SummarySide.BROWN).jokers == ("heart",)
    assert score_coloretto(HandCards({"moon": 6}, jokers=1), SummarySide.BROWN).jokers == ("spade",)


def test_nothing_is_worth_nothing() -> None:
    assert score_coloretto(HandCards({}), SummarySide.BROWN) == HandScore(0, (), (), ())
    assert score_coloretto(HandCards({}, plus2=3), SummarySide.GREY).points == 6


@settings(max_examples=80)
@given(COUNTS, st.integers(0, 3), st.sampled_from(SummarySide))
def test_it_is_the_best_of_all_choices(colours: dict[str, int], jokers: int, table: SummarySide) -> None:
    score = score_coloretto(HandCards(colours, jokers), table)
    assert score.points == best_by_trying(colours, jokers, table)


@given(COUNTS, st.integers(0, 3), st.integers(0, 10), st.sampled_from(SummarySide))
def test_the_choice_shown_scores_what_is_said(
    colours: dict[str, int], jokers: int, plus2: int, table: SummarySide
) -> None:
    score = score_coloretto(HandCards(colours, jokers, plus2), table)
    counts = {colour: cards + score.jokers.count(colour) for colour, cards in colours.items()}
    counts |= {colour: score.jokers.count(colour) for colour in score.jokers if colour not in colours}
    assert len(score.jokers) == jokers
    assert len(score.plus) <= 3
    assert set(score.plus) | set(score.minus) == {colour for colour, cards in counts.items() if cards}
    assert not set(score.plus) & set(score.minus)
    plus = sum(WORTH[table][counts[colour]] for colour in score.plus)
    assert score.points == plus - sum(WORTH[table][counts[colour]] for colour in score.minus) + 2 * plus2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, '"colours" must be an object'),
        ({"colours": {"red": -1}}, '"red" must be at least 0'),
        ({"colours": {"red": 10}}, "too many red cards, there are 9"),
        ({"colours": {"red": True}}, '"red" must be a whole number'),
        ({"colours": {"red": 1.0}}, '"red" must be a whole number'),
        ({"colours": {"+2": 1}}, "there is no colour"),
        ({"colours": {"": 1}}, "there is no colour"),
        ({"colours": dict.fromkeys("abcdefgh", 1)}, "too many colours"),
        ({"colours": {}, "jokers": 4}, "too many jokers"),
        ({"colours": {}, "plus2": 11}, "too many"),
        ({"colours": {}, "table": "gray"}, '"table" must be brown or grey'),
        ({"colours": {}, "table": None}, '"table" must be brown or grey, not null'),
    ],
)
def test_what_is_no_hand_is_refused_in_words(data: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        parse_hand(data)
