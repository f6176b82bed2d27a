"""A game of Confetti, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.engine.events import Event, Header, Ignored
from referee.errors import BadInputError
from referee.games.confetti.events import Challenged, TimerFlipped
from referee.games.confetti.rules import Confetti, Phase, from_header
from referee.games.confetti.rulings import (
    ArrangementShown,
    ConfettiEnded,
    ConfettiFoul,
    ConfettiReason,
    HandCounted,
    RoundStarted,
    TimeUp,
)
from referee.games.confetti.score import Card, parse_cards
from referee.games.confetti.start_options import DECK_CARDS, ConfettiOptions, Edition, LateCards, Supply

HandMaker = Callable[[str], tuple[Card, ...]]
THREE = [["red", "blue", "green"], ["blue", "green", "red"], ["green", "red", "blue"]]
FULL, ONE, TWO, JUNK = "rgb gbr brg", "roy grp byr", "rby bro oyr gpb", "roy grp"


def begun(players: int, settings: ConfettiOptions | None = None) -> Confetti:
    """A game whose first round runs."""
    game = Confetti(players, settings or ConfettiOptions())
    game.flip(1)
    return game


def hands_of(rulings: Iterable[object]) -> list[HandCounted]:
    return [ruling for ruling in rulings if isinstance(ruling, HandCounted)]


def play_round(game: Confetti, hands: list[tuple[Card, ...]]) -> list[HandCounted]:
    game.flip(1)
    game.run_out(2)
    return hands_of(ruling for seat, cards in enumerate(hands) for ruling in game.see_hand(3, seat, cards))


def started(game: Confetti) -> list[RoundStarted]:
    """Play a game out without a hand, and give how its rounds began."""
    rounds: list[RoundStarted] = []
    while game.why_not(TimerFlipped(t_ns=0)) is None:
        (begins,) = game.flip(1)
        assert isinstance(begins, RoundStarted)
        rounds.append(begins)
        game.run_out(2)
        game.count(3)
    assert game.phase is Phase.OVER
    return rounds


@pytest.mark.parametrize(
    ("players", "limits"),
    [(1, (6, 6, 6, 6, 6)), (2, (6, 6, 9)), (3, (6, 6, 9)), (4, (6, 6, 9)), (5, (6, 9)), (6, (6, 9)), (7, (6, 9))],
)
def test_rounds_and_limits_follow_the_number_of_players(players: int, limits: tuple[int, ...]) -> None:
    assert [(one.number, one.limit) for one in started(Confetti(players))] == list(enumerate(limits, 1))


@pytest.mark.parametrize(
    ("edition", "players", "laid_out"),
    [
        (Edition.ENGLISH, 3, [42, 42, 0]),
        (Edition.GERMAN, 3, [42, 21, 21]),
        (Edition.ENGLISH, 6, [42, 42]),
        (Edition.GERMAN, 6, [42, 42]),
        (Edition.GERMAN, 1, [42, 42, 0, 0, 0]),
    ],
)
def test_the_supply_is_laid_out_as_the_edition_says(edition: Edition, players: int, laid_out: list[int]) -> None:
    game = Confetti(players, ConfettiOptions(edition=edition))
    assert [one.lay_out for one in started(game)] == laid_out
    assert game.supply == Supply(aside=0, table=DECK_CARDS)


def test_points_are_kept_and_lost_again_down_to_none(hand: HandMaker) -> None:
    game = Confetti(1)
    kept = [play_round(game, [hand(cards)])[0].kept for cards in (FULL, JUNK, JUNK, ONE)]
    assert kept == [3, 1, 0, 1]
    assert game.supply == Supply(aside=0, table=DECK_CARDS - 1)


def test_a_contested_card_is_out_for_the_game_or_for_the_round() -> None:
    for edition, table in ((Edition.ENGLISH, 40), (Edition.GERMAN, 42)):
        game = begun(2, ConfettiOptions(edition=edition))
        assert game.apply(Event(2, "contested", {})) == game.apply(Event(3, "contested", {})) == ()
        assert game.supply.table == 40
        game.run_out(4)
        game.count(5)
        assert game.supply.table == table
        assert game.supply.out_for_game == 42 - table


def test_hands_are_counted_when_every_seat_has_shown_one_after_time(hand: HandMaker) -> None:
    game = begun(2)
    assert game.see_hand(2, 0, hand(FULL)) == game.see_hand(3, 1, hand(ONE)) == ()
    assert game.run_out(4) == (TimeUp(4),)
    assert game.see_hand(5, 0, hand(FULL)) == ()
    counted = hands_of(game.see_hand(6, 1, hand(ONE)))
    assert [(one.seat, one.score.points, one.t_ns) for one in counted] == [(0, 3, 6), (1, 1, 6)]


def test_the_last_hand_shown_after_time_counts(hand: HandMaker) -> None:
    game = begun(2)
    game.run_out(2)
    game.see_hand(3, 0, hand(JUNK))
    game.see_hand(4, 0, hand(FULL))
    assert [ruling.score.points for ruling in hands_of(game.see_hand(5, 1, hand(TWO)))] == [3, 2]


def test_at_the_count_the_last_hand_seen_counts_and_a_seat_without_one_gets_nothing(hand: HandMaker) -> None:
    game = begun(2)
    game.see_hand(2, 0, hand(JUNK))
    game.see_hand(2, 0, hand(FULL))
    game.run_out(3)
    first, second = hands_of(game.count(4))
    assert (first.score.points, first.seen) == (3, True)
    assert (second.score.points, second.kept, second.seen) == (0, 0, False)


def test_a_flip_counts_the_round_before_if_every_hand_is_known(hand: HandMaker) -> None:
    game = begun(2)
    game.see_hand(2, 0, hand(FULL))
    game.run_out(3)
    assert game.why_not(TimerFlipped(t_ns=3)) is ConfettiReason.NOT_COUNTED
    game.see_hand(4, 1, hand(TWO))
    *hands, begins = game.flip(5)
    assert [ruling.score.points for ruling in hands_of(hands)] == [3, 2]
    assert isinstance(begins, RoundStarted) and begins.number == 2


def test_taking_or_putting_back_after_time_is_a_foul_called_once(hand: HandMaker) -> None:
    game = begun(2)
    game.see_hand(2, 0, hand(ONE))
    game.run_out(3)
    assert game.see_hand(4, 0, hand("byr roy grp")) == ()
    (foul,) = game.see_hand(5, 0, hand("roy grp rgb"))
    assert foul == ConfettiFoul(5, 0, ConfettiReason.AFTER_TIME, taken=hand("rgb"), put_back=hand("byr"))
    assert game.see_hand(6, 0, hand("rgb roy grp")) == ()
    assert game.see_hand(7, 0, hand(ONE)) == ()


def test_without_a_hand_seen_in_time_nobody_can_say_foul(hand: HandMaker) -> None:
    game = begun(2)
    game.run_out(2)
    assert game.see_hand(3, 0, hand(ONE)) == ()
    assert game.see_hand(4, 0, hand(FULL)) == ()


@pytest.mark.parametrize(("late_cards", "points"), [(LateCards.COUNT, 3), (LateCards.VOID, 1)])
def test_what_counts_after_a_foul_is_an_option(hand: HandMaker, late_cards: LateCards, points: int) -> None:
    game = begun(1, ConfettiOptions(late_cards=late_cards))
    game.see_hand(2, 0, hand(ONE))
    game.run_out(3)
    foul, counted = game.see_hand(4, 0, hand(FULL))
    assert isinstance(foul, ConfettiFoul)
    assert isinstance(counted, HandCounted)
    assert counted.score.points == points


def test_equal_points_share_the_win(hand: HandMaker) -> None:
    game = Confetti(5)
    play_round(game, [hand(cards) for cards in (FULL, ONE, FULL, TWO, "")])
    game.flip(4)
    game.run_out(5)
    *_, end = game.count(6)
    assert end == ConfettiEnded(6, winners=(0, 2), points=(3, 1, 3, 2, 0))


def test_a_challenge_shows_the_arrangement_that_was_counted(hand: HandMaker) -> None:
    game = Confetti(1)
    assert game.why_not(Challenged(t_ns=0, seat=0)) is ConfettiReason.NOTHING_COUNTED
    (counted,) = play_round(game, [hand(TWO)])
    (shown,) = game.apply(Event(9, "challenge", {"seat": 0}))
    assert shown == ArrangementShown(9, 0, hand(TWO), counted.score)
    assert len(counted.score.arrangement) == 2


def test_what_the_rules_do_not_allow_has_a_reason_and_changes_nothing() -> None:
    game = Confetti(2)
    told = [
        *game.apply(Event(1, "timer_ran_out", {})),
        *game.apply(Event(2, "contested", {})),
        *game.apply(Event(3, "hand", {"seat": 0, "cards": []})),
        *game.apply(Event(4, "count", {})),
        *game.apply(Event(5, "challenge", {"seat": 1})),
    ]
    game.flip(6)
    told += [*game.apply(Event(7, "timer_flipped", {})), *game.apply(Event(8, "count", {}))]
    game.run_out(9)
    told += game.apply(Event(10, "timer_flipped", {}))
    assert told == [
        Ignored(1, "timer_ran_out", ConfettiReason.NO_TIMER),
        Ignored(2, "contested", ConfettiReason.NO_ROUND),
        Ignored(3, "hand", ConfettiReason.NO_ROUND, seat=0),
        Ignored(4, "count", ConfettiReason.NO_ROUND),
        Ignored(5, "challenge", ConfettiReason.NOTHING_COUNTED, seat=1),
        Ignored(7, "timer_flipped", ConfettiReason.TIMER_RUNNING),
        Ignored(8, "count", ConfettiReason.TIMER_RUNNING),
        Ignored(10, "timer_flipped", ConfettiReason.NOT_COUNTED),
    ]
    assert (game.phase, game.number, game.kept) == (Phase.COUNTING, 1, [0, 0])


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (0, {}, "1 to 7 can play"),
        (8, {}, "1 to 7 can play"),
        (1, {"edition": "french"}, '"edition" must be english or german'),
        (1, {"overlimit": True}, '"overlimit" must be separate or once'),
        (1, {"side": "red"}, '"side" must be white or black'),
        (1, {"editon": "german"}, 'no option "editon"'),
    ],
)
def test_a_game_that_cannot_be_played_is_refused(players: int, options: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        from_header(Header("confetti", tuple("ABCDEFGH"[:players]), options))


EVENTS: st.SearchStrategy[tuple[str, dict[str, object]]] = st.one_of(
    st.sampled_from(["timer_flipped", "timer_ran_out", "contested", "count"]).map(lambda kind: (kind, {})),
    st.tuples(st.just("challenge"), st.fixed_dictionaries({"seat": st.integers(0, 2)})),
    st.tuples(
        st.just("hand"),
        st.fixed_dictionaries(
            {
                "seat": st.integers(0, 2),
                "cards": st.lists(st.permutations(["red", "green", "blue", "yellow"]).map(lambda c: c[:3]), max_size=9),
            }
        ),
    ),
)


@settings(max_examples=60)
@given(st.lists(EVENTS, max_size=60), st.sampled_from(Edition))
def test_whatever_happens_no_card_is_lost_and_nobody_falls_below_none(
    events: list[tuple[str, dict[str, object]]], edition: Edition
) -> None:
    game = Confetti(3, ConfettiOptions(edition=edition))
    ends = 0
    for t_ns, (kind, data) in enumerate(events):
        rulings = game.apply(Event(t_ns, kind, data))
        supply = game.supply
        held = supply.aside + supply.table + supply.out_for_round + supply.out_for_game + sum(game.kept)
        assert held == DECK_CARDS
        assert min(game.kept) >= 0
        assert all(ruling.t_ns == t_ns for ruling in rulings)
        ends += sum(isinstance(ruling, ConfettiEnded) for ruling in rulings)
    assert ends == (game.phase is Phase.OVER)


def gone(game: Confetti, seats: list[int], last_seen: list[object]) -> list[dict[str, Any]]:
    event = Event(9, "hands_gone", {"seats": seats, "last_seen": last_seen})
    return [ruling.as_json() for ruling in game.apply(event)]


def test_a_hand_that_went_before_the_count_waits_for_its_players_word_and_is_no_foul() -> None:
    game = begun(2)
    game.see_hand(2, 0, parse_cards(THREE))
    game.run_out(3)
    (asked,) = gone(game, [0], [None])
    assert (asked["ruling"], asked["reason"], asked["seats"]) == ("unclear", "hand_gone", [0])
    assert asked["last_seen"] == [THREE]
    question = game.question()
    assert question is not None and question.kind == "no_hand"
    assert game.why_not(TimerFlipped(t_ns=4))
    assert game.see_hand(5, 1, ()) == ()
    hands = [ruling.as_json() for ruling in game.see_hand(6, 0, parse_cards(THREE[:2]))]
    assert [(hand["ruling"], hand["seat"], hand["points"]) for hand in hands] == [("hand", 0, -2), ("hand", 1, 0)]
    assert game.question() is None


def test_what_went_is_asked_for_beside_what_was_never_seen() -> None:
    game = begun(3)
    game.run_out(3)
    gone(game, [2], [THREE])
    (asked,) = (ruling.as_json() for ruling in game.apply(Event(10, "count", {"ask": True})))
    assert (asked["seats"], asked["last_seen"]) == ([0, 1, 2], [None, None, THREE])


@pytest.mark.parametrize(
    "data", [{}, {"seats": [0]}, {"seats": [0], "last_seen": [[["red"]]]}, {"seats": [7], "last_seen": [None]}]
)
def test_hands_that_cannot_have_gone_are_refused_and_change_nothing(data: dict[str, object]) -> None:
    game = begun(2)
    game.run_out(3)
    with pytest.raises(BadInputError):
        game.apply(Event(9, "hands_gone", data))
    assert game.question() is None
