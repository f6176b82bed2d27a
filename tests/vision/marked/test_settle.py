"""Hypotheses become cards only where nothing contradicts them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.flat_cards import confetti, flat_table, poses
from vision.deck import Deck
from vision.marked.layouts import Hypotheses
from vision.marked.scoring import SURE, Verdicts
from vision.marked.settle import also_unclear, settled
from vision.marked.side_model import side_models
from vision.reading import Reading

Card = tuple[int, tuple[int, int, int], float, tuple[float, float]]


def verdicts(deck: Deck, side: str, cards: list[Card]) -> Verdicts:
    """Hypotheses of (face, its marks by number, log-odds, top-left corner in mm), lying straight."""
    faces = [face for face, _, _, _ in cards]
    bare = poses(faces, [0.0] * len(cards), [place for _, _, _, place in cards])
    marks = np.array([marks for _, marks, _, _ in cards], np.intp).reshape(-1, 3)
    hypotheses = Hypotheses(bare.faces, marks, bare.turn, bare.shift_mm, bare.residual_mm)
    odds = np.array([odds for _, _, odds, _ in cards])
    terms = {"colour": np.full(len(cards), 5.0), "there": np.zeros(len(cards)), "edges": np.full(len(cards), -5.0)}
    return Verdicts(side_models(deck)[side].layouts, hypotheses, odds, terms)


def settle(deck: Deck, *sides: Verdicts, doubt: float = 0.0) -> Reading:
    return settled(list(sides), deck, flat_table((1000, 1000), 2.0), doubt)


def names(reading: Reading) -> list[str]:
    return [card.face.id for card in reading.cards]


FAR = (300.0, 300.0)


def test_sure_cards_are_read_with_their_place(deck: Deck) -> None:
    reading = settle(deck, verdicts(deck, "white", [(4, (0, 1, 2), 9.0, (10.0, 20.0)), (7, (3, 4, 5), 7.0, FAR)]))
    faces = deck.side("white")
    assert names(reading) == [faces[4].id, faces[7].id]
    assert reading.unclear == ()
    card = reading.cards[0]
    assert card.centre_mm == pytest.approx((10 + 31.5, 20 + 44))
    assert card.corners_px == pytest.approx(2 * np.array([[10, 20], [73, 20], [73, 108], [10, 108]]))
    assert 0.99 < reading.cards[1].confidence < card.confidence <= 1


def test_a_mark_belongs_to_one_card(deck: Deck) -> None:
    reading = settle(deck, verdicts(deck, "white", [(4, (0, 1, 2), 19.0, (10.0, 20.0)), (7, (2, 4, 5), 9.0, FAR)]))
    assert names(reading) == [deck.side("white")[4].id]
    assert reading.unclear == ()


def test_marks_of_the_same_number_on_the_other_ground_are_others(deck: Deck) -> None:
    white = verdicts(deck, "white", [(4, (0, 1, 2), 9.0, (10.0, 20.0))])
    black = verdicts(deck, "black", [(7, (0, 1, 2), 9.0, FAR)])
    assert len(settle(deck, white, black).cards) == 2


@pytest.mark.parametrize("shared", [True, False])
def test_a_close_rival_makes_a_card_unclear(deck: Deck, shared: bool) -> None:
    rival: Card = (7, (0, 1, 5) if shared else (3, 4, 5), 8.0, (15.0, 20.0))
    reading = settle(deck, verdicts(deck, "white", [(4, (0, 1, 2), 9.0, (10.0, 20.0)), rival]))
    assert reading.cards == ()
    (doubt,) = reading.unclear
    assert doubt.best is not None
    assert doubt.best[0] is deck.side("white")[4]
    assert 0.5 < doubt.best[1] < 0.9
    assert doubt.centre_px == pytest.approx((2 * 41.5, 2 * 64))


def test_a_rival_of_the_same_face_is_no_doubt(deck: Deck) -> None:
    """Three marks and two of them tell the same card twice over."""
    both: list[Card] = [(4, (0, 1, 2), 9.0, (10.0, 20.0)), (4, (0, 1, -1), 8.5, (10.5, 20.0))]
    assert names(settle(deck, verdicts(deck, "white", both))) == [deck.side("white")[4].id]


def test_a_card_lies_once(deck: Deck) -> None:
    twice: list[Card] = [(4, (0, 1, 2), 9.0, (10.0, 20.0)), (4, (3, 4, 5), 8.0, FAR)]
    reading = settle(deck, verdicts(deck, "white", twice))
    assert names(reading) == [deck.side("white")[4].id]
    assert [doubt.reason for doubt in reading.unclear] == ["same card twice"]


def test_a_card_shows_one_side_only(deck: Deck) -> None:
    face = deck.side("white")[4].id
    black = next(index for index, other in enumerate(deck.side("black")) if other.id == face)
    reading = settle(
        deck,
        verdicts(deck, "white", [(4, (0, 1, 2), 9.0, (10.0, 20.0))]),
        verdicts(deck, "black", [(black, (3, 4, 5), 8.0, FAR)]),
    )
    assert [(card.face.id, card.face.side) for card in reading.cards] == [(face, "white")]
    assert [doubt.reason for doubt in reading.unclear] == ["same card twice"]


def test_a_weak_hypothesis_is_a_doubt_and_a_hopeless_one_is_nothing(deck: Deck) -> None:
    weak: list[Card] = [(4, (0, 1, 2), SURE - 1, (10.0, 20.0)), (7, (3, 4, -1), -2.0, FAR)]
    reading = settle(deck, verdicts(deck, "white", weak))
    assert reading.cards == ()
    assert [(doubt.reason, doubt.best and doubt.best[0].id) for doubt in reading.unclear] == [
        ("covered", deck.side("white")[4].id)
    ]


def test_on_a_doubtful_table_only_three_marks_are_sure(deck: Deck) -> None:
    cards: list[Card] = [(4, (0, 1, 2), SURE + 1, (10.0, 20.0)), (7, (3, 4, -1), SURE + 1, FAR)]
    first, second = (deck.side("white")[face].id for face in (4, 7))
    assert names(settle(deck, verdicts(deck, "white", cards))) == [first, second]
    reading = settle(deck, verdicts(deck, "white", cards), doubt=1.5)
    assert names(reading) == [first]
    assert [doubt.best and doubt.best[0].id for doubt in reading.unclear] == [second]


def test_nothing_is_nothing(deck: Deck) -> None:
    assert settle(deck, verdicts(deck, "white", [])) == Reading((), ())


places = st.tuples(st.floats(0, 400), st.floats(0, 400))
some_cards = st.lists(
    st.tuples(
        st.integers(0, 11),
        st.tuples(st.integers(0, 9), st.integers(10, 19), st.integers(20, 29)),
        st.floats(-3, 15),
        places,
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(white=some_cards, black=some_cards)
def test_whatever_is_supposed_no_face_lies_twice_and_nobody_shares(white: list[Card], black: list[Card]) -> None:
    reading = settle(confetti(), verdicts(confetti(), "white", white), verdicts(confetti(), "black", black))
    assert len(set(names(reading))) == len(reading.cards)
    centres = np.array([card.centre_mm for card in reading.cards]).reshape(-1, 2)
    apart = np.abs(centres[:, None] - centres[None]).max(axis=2)
    assert (apart[~np.eye(len(centres), dtype=bool)] >= 12).all()
    assert all(card.confidence > 0.98 for card in reading.cards)
    for side, supposed in (("white", white), ("black", black)):
        faces = confetti().side(side)
        sure = {faces[face].id for face, _, odds, _ in supposed if odds > SURE}
        assert {card.face.id for card in reading.cards if card.face.side == side} <= sure


@settings(max_examples=30)
@given(cards=some_cards, order=st.randoms(use_true_random=False))
def test_the_order_of_hypotheses_does_not_matter(cards: list[Card], order: Random) -> None:
    unequal = [(face, marks, odds + k * 1e-3, place) for k, (face, marks, odds, place) in enumerate(cards)]
    shuffled = list(unequal)
    order.shuffle(shuffled)
    one, other = (settle(confetti(), verdicts(confetti(), "white", supposed)) for supposed in (unequal, shuffled))
    assert names(one) == names(other)


def test_doubts_are_added_where_nothing_is_known(deck: Deck) -> None:
    read = settle(deck, verdicts(deck, "white", [(4, (0, 1, 2), 9.0, (10.0, 20.0))]))
    doubtful = verdicts(deck, "white", [(5, (3, -1, -1), 9.0, (20.0, 25.0)), (6, (4, -1, -1), 9.0, FAR)]).lowered()
    both = also_unclear(read, settle(deck, doubtful))
    assert names(both) == [deck.side("white")[4].id]
    assert [card.best[0].id for card in both.unclear if card.best is not None] == [deck.side("white")[6].id]


def test_cards_that_lie_there_for_certain_are_told_or_called_unclear(deck: Deck) -> None:
    some = verdicts(deck, "black", [(4, (0, 1, 2), 9.0, (10.0, 20.0)), (7, (3, 4, 5), -3.0, FAR)])
    assert settle(deck, some).unclear == ()
    reading = settle(deck, some.lying(np.array([True, True])))
    faces = deck.side("black")
    assert names(reading) == [faces[4].id]
    assert [card.best[0].id for card in reading.unclear if card.best] == [faces[7].id]
    assert [card.reason for card in reading.unclear] == ["glare"]


@pytest.mark.parametrize(("marks", "all_there"), [(9, True), (12, True), (13, False)])
def test_three_cards_without_edges_prove_each_other_where_nearly_all_marks_are_theirs(
    deck: Deck, marks: int, *, all_there: bool
) -> None:
    """The fourth shares a mark with a better one, the fifth has a face that lies there already."""
    cards: list[Card] = [
        (1, (0, 1, 2), -1.0, (0.0, 0.0)),
        (2, (3, 4, 5), -2.0, (100.0, 0.0)),
        (3, (6, 7, 8), -3.0, (200.0, 0.0)),
        (4, (8, 9, 10), -3.0, (210.0, 10.0)),
        (1, (9, 10, 11), -3.0, (300.0, 0.0)),
    ]
    some = verdicts(deck, "black", cards)
    some = replace(some, hypotheses=replace(some.hypotheses, residual_mm=np.linspace(0.0, 0.4, 5)))
    assert some.explaining(marks).tolist() == [all_there] * 3 + [False] * 2
    assert not replace(some, log_odds=some.log_odds - 5).explaining(marks).any()
    assert not some.take(np.arange(2)).explaining(6).any()
