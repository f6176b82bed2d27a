"""The score of a Confetti hand against the sheets' examples, an independent brute force, and what must always hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import BadInputError
from referee.games.confetti.score import (
    COLOURS,
    MAX_CARDS,
    Card,
    Overlimit,
    Score,
    best_arrangement,
    parse_cards,
    score_hand,
)

Hand = tuple[Card, ...]
HandMaker = Callable[[str], Hand]

ANY_CARD = st.sampled_from(list(permutations(COLOURS, 3)))
# Cards of four colours make more sets, and more ways to make them, than cards of six.
RICH_CARD = st.sampled_from(list(permutations(COLOURS[:4], 3)))
HANDS = st.one_of(st.lists(ANY_CARD, max_size=MAX_CARDS), st.lists(RICH_CARD, max_size=MAX_CARDS)).map(tuple)
SMALL_HANDS = st.one_of(st.lists(ANY_CARD, max_size=7), st.lists(RICH_CARD, max_size=7)).map(tuple)


def sets_by_trying(cards: Sequence[Card]) -> int:
    """Most sets by trying every choice of three circles on three different cards (C5), colour by colour."""

    def most(circles: list[tuple[int, int]]) -> int:
        smalls = [(card, size) for card, size in circles if size == 0]
        if not smalls:
            return 0
        small = smalls[0]
        without = [circle for circle in circles if circle != small]
        best = most(without)
        for medium in (circle for circle in without if circle[1] == 1 and circle[0] != small[0]):
            for big in (circle for circle in without if circle[1] == 2 and circle[0] not in (small[0], medium[0])):
                best = max(best, 1 + most([circle for circle in without if circle not in (medium, big)]))
        return best

    return sum(
        most([(number, card.index(colour)) for number, card in enumerate(cards) if colour in card])
        for colour in COLOURS
    )


def fewest_by_trying(cards: Sequence[Card], sets: int) -> int:
    """Fewest cards that hold `sets` sets, by trying every choice of cards (C6)."""
    return next(
        size for size in range(len(cards) + 1) for choice in combinations(cards, size) if sets_by_trying(choice) == sets
    )


def check_arrangement(cards: Sequence[Card], score: Score) -> None:
    """The arrangement is one: right colours and sizes, three cards a set, no circle twice, on the cards it says."""
    used: Counter[tuple[int, int]] = Counter()
    for one in score.arrangement:
        assert len(set(one.cards)) == 3
        for size, number in enumerate(one.cards):
            assert cards[number][size] == one.colour
            used[number, size] += 1
    assert max(used.values(), default=1) == 1
    assert len(score.arrangement) == score.sets
    assert len({number for number, _ in used}) == score.cards_needed


@pytest.mark.parametrize(
    ("cards", "sets", "needed", "points"),
    [
        ("rgb gbr brg", 3, 3, 3),
        ("rby bro oyr gpb", 2, 4, 2),
        ("pyr yrb bpy oby rgp", 4, 5, 4),
        # One circle counts in one set only.
        ("roy gro ybr rog", 1, 3, 0),
        ("", 0, 0, 0),
    ],
)
def test_the_sheets_examples(hand: HandMaker, cards: str, sets: int, needed: int, points: int) -> None:
    score = score_hand(hand(cards), limit=6)
    assert (score.sets, score.cards_needed, score.points) == (sets, needed, points)


def test_a_card_too_many_costs_a_point_and_one_above_the_limit_another(hand: HandMaker) -> None:
    cards = hand("rgb gbr brg oyp ypo poy rgo")
    assert score_hand(cards, limit=7).points == 5
    assert score_hand(cards, limit=6).points == 4
    assert score_hand(cards, limit=6, overlimit=Overlimit.ONCE).points == 5
    assert score_hand(cards, limit=4, overlimit=Overlimit.ONCE).points == 3


def test_one_card_can_raise_the_points_by_more_than_three(hand: HandMaker) -> None:
    """It makes at most three sets, but by C6 it also gives up to six unused cards something to do."""
    waiting = hand("pro por gyp pyg bop pby")
    assert score_hand(waiting, limit=9).points == -6
    more = score_hand((*waiting, *hand("rgb")), limit=9)
    assert (more.sets, more.cards_needed, more.points) == (3, 7, 3)


@settings(max_examples=150)
@given(SMALL_HANDS)
def test_sets_and_cards_are_those_of_trying_everything(cards: Hand) -> None:
    score = score_hand(cards, limit=6)
    assert score.sets == sets_by_trying(cards)
    assert score.cards_needed == fewest_by_trying(cards, score.sets)


@given(HANDS)
def test_the_arrangement_shown_is_one_and_scores_what_is_said(cards: Hand) -> None:
    score = score_hand(cards, limit=9)
    check_arrangement(cards, score)
    assert score.points == score.sets - (len(cards) - score.cards_needed) - max(0, len(cards) - 9)


@given(HANDS.flatmap(lambda cards: st.tuples(st.just(cards), st.permutations(cards))))
def test_the_order_of_the_cards_never_matters(both: tuple[Hand, list[Card]]) -> None:
    one, other = (score_hand(cards, limit=6) for cards in both)
    assert (one.sets, one.cards_needed, one.points) == (other.sets, other.cards_needed, other.points)


@given(HANDS.filter(lambda cards: len(cards) < MAX_CARDS), ANY_CARD)
def test_another_card_never_lowers_the_sets_and_adds_three_at_most(cards: Hand, card: Card) -> None:
    before, after = score_hand(cards, limit=6), score_hand((*cards, card), limit=6)
    assert before.sets <= after.sets <= before.sets + 3
    put_to_use = max(0, after.cards_needed - before.cards_needed - 1)
    assert after.points - before.points <= 3 + put_to_use <= 9


@given(HANDS, st.integers(0, 12))
def test_charging_once_never_costs_more_than_charging_twice(cards: Hand, limit: int) -> None:
    twice, once = (score_hand(cards, limit, way) for way in (Overlimit.SEPARATE, Overlimit.ONCE))
    assert once.points == once.sets - max(once.unused, once.over_limit) >= twice.points


@pytest.mark.parametrize(
    "text",
    [
        "rog gyo yrg rgy gry yog gor",
        "gyr gor oyr yog yor rgy oyg",
        "oyr ogb pby gyr pgo roy ygr",
        "gpb gyr ypo pyg yrg bop ygp",
        "gyo yro gyr yrg yro gyo gro yor rgo",
        "pgo por rbp org ogb pry obp pbo",
    ],
)
def test_hands_that_taking_what_fits_does_not_settle_are_exact_too(hand: HandMaker, text: str) -> None:
    cards = hand(text)
    arrangement, needed = best_arrangement(cards)
    assert len(arrangement) == sets_by_trying(cards)
    assert needed == fewest_by_trying(cards, len(arrangement))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("rgb", "list of cards"),
        ([["red", "blue"]], "card 1 of 1 must be a list of three colours"),
        ([["red", "blue", "green"], {"red": 1, "blue": 2, "green": 3}], "card 2 of 2 must be"),
        ([["red", "blue", "mauve"]], 'has the colour "mauve"'),
        ([["red", "blue", ["green"]]], "has the colour a list"),
        ([["red", "blue", "red"]], "one colour twice"),
        ([["red", "blue", "green"]] * 21, "21 cards are too many"),
    ],
)
def test_what_is_no_hand_is_refused_in_words(value: object, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        parse_cards(value)
