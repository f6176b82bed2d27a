"""Numbers, lists and Confetti's rulings as a referee says them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.games.confetti_hand import Card, score_hand
from referee.games.confetti_rulings import Foul, GameEnded, HandCounted, Ignored, Reason, RoundStarted
from referee.games.confetti_words import say
from referee.words import count_of, list_of, number_word

PLAYERS = ("Ann", "Ben", "Cem")
HandMaker = Callable[[str], tuple[Card, ...]]


def test_numbers_and_lists() -> None:
    assert [number_word(n) for n in (-2, 0, 12, 13)] == ["minus two", "no", "twelve", "13"]
    assert [count_of(n, "card") for n in (-1, 0, 1, 2)] == ["minus one card", "no cards", "one card", "two cards"]
    assert [list_of(PLAYERS[:n]) for n in range(4)] == ["", "Ann", "Ann and Ben", "Ann, Ben and Cem"]


def test_a_hand_is_said_by_name_with_sets_cards_and_points(hand: HandMaker) -> None:
    cards = hand("pyr yrb bpy oby rgp orp")
    ruling = HandCounted(1, 0, cards, score_hand(cards, limit=5), kept=7)
    assert say(ruling, PLAYERS) == (
        "Ann: four sets on five cards, one card unused, one card over the limit, two points (7 kept in all)"
    )


def test_a_foul_says_what_was_moved(hand: HandMaker) -> None:
    foul = Foul(1, 1, Reason.AFTER_TIME, taken=hand("rgb gbr"), put_back=hand("oyp"))
    assert say(foul, PLAYERS) == "Ben: foul, took two cards and put back one card after time"


def test_rounds_ends_and_what_is_ignored() -> None:
    assert say(RoundStarted(1, 2, 6, 21), PLAYERS) == "Round two: at most six cards, about 21 more on the table"
    assert (
        say(GameEnded(1, (0, 2), (5, 3, 5)), PLAYERS)
        == "The end: Ann and Cem share the win with five points each (Ben 3)"
    )
    assert say(GameEnded(1, (1,), (0, 1, 0)), PLAYERS) == "The end: Ben wins with one point (Ann 0, Cem 0)"
    assert say(GameEnded(1, (0,), (4,)), ("Ann",)) == "The end: Ann has four points"
    assert say(Ignored(1, "timer_flipped", Reason.TIMER_RUNNING), PLAYERS) == (
        "The sandtimer was flipped, but the sand is still running: it changes nothing"
    )


def test_there_are_words_for_every_event_and_reason_that_can_be_ignored() -> None:
    for event in ("timer_flipped", "timer_ran_out", "contested", "count", "hand", "challenge"):
        for reason in Reason:
            assert say(Ignored(1, event, reason, 0), PLAYERS).endswith(": it changes nothing")


def test_what_is_no_ruling_is_not_said() -> None:
    with pytest.raises(TypeError):
        say("hello", PLAYERS)
