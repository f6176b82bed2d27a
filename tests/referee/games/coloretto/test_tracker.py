"""What is understood of whole random games of Coloretto, seen with hands in the way and with habits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.decks.finding import find_print_deck
from referee.engine.events import Event, Header
from referee.games.coloretto.demo import Plan
from referee.games.coloretto.watching.looks import Allowed, Look, Move, Spot
from referee.games.coloretto.watching.search import Hypothesis, after
from referee.games.coloretto.watching.tracker import AFTER_ASKING_NS, PATIENCE_NS, SECOND_NS, Tracker, asked_about
from simulation.live import Shots
from tests.support.coloretto_drawn import watch_game
from tests.support.drawn_lesson import taught
from tests.support.seen_coloretto import Noise, play, true_moves
from tests.support.seen_coloretto import tell as learn

HABITS = {
    "nothing in the way": (5, Noise()),
    "a tenth of all places covered": (4, Noise(hidden=0.1)),
    "taken cards held in the hand": (3, Noise(held=0.5)),
    "cards laid and taken back": (4, Noise(back=0.1)),
    "no row cards": (2, Noise(row_cards=False)),
    "hidden cards in the areas": (3, Noise(stacked=0.3)),
    "fouls of three": (3, Noise(fouls=0.08)),
    "fouls of five": (5, Noise(fouls=0.08)),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_whole_game_is_understood_to_the_last_point(habit: str) -> None:
    players, noise = HABITS[habit]
    played = play(players, seed=7, noise=noise)
    assert played.moves == true_moves(players, seed=7)
    assert played.fouls_told == played.fouls
    assert not played.notices
    end = [ruling for ruling in played.rulings if ruling["ruling"] == "end"]
    assert [(one["winners"], one["points"]) for one in end] == [
        (said["winners"], said["points"]) for said in played.paper.said if said["ruling"] == "end"
    ]


def three(**options: object) -> Tracker:
    return Tracker(Header("coloretto", ("Ann", "Ben", "Cem"), options))


def look(
    second: int,
    rows: tuple[Spot, ...],
    areas: tuple[Spot, ...] | None = None,
    *,
    arms: tuple[int, ...] | None = None,
) -> Look:
    return Look(
        second * SECOND_NS,
        rows,
        areas or (Spot(("red",)), Spot(("blue",)), Spot(("green",))),
        arms=None if arms is None else frozenset(arms),
    )


def rows(*cards: tuple[str, ...]) -> tuple[Spot, ...]:
    return tuple(Spot(tuple(sorted(row))) for row in cards)


def tell(tracker: Tracker, *looks: Look) -> list[Event]:
    told: list[Event] = []
    for one in looks:
        events, _ = tracker.see(one)
        learn(tracker, *events)
        told += events
    return told


def begun() -> Tracker:
    """A game in which Ann has put a pink card into row 0, and it is Ben's turn."""
    tracker = three()
    events = tell(tracker, look(1, rows((), (), ())), look(2, rows(("pink",), (), ())))
    assert [event.kind for event in events] == ["start_cards"] * 3 + ["card_placed"]
    return tracker


def test_the_cards_that_everybody_starts_with_are_counted() -> None:
    assert [dict(hand) for hand in begun().game.hands] == [{"red": 1}, {"blue": 1}, {"green": 1}]


def test_who_took_is_asked_once_where_the_areas_are_covered_and_play_goes_on() -> None:
    tracker = begun()
    hidden = (Spot((), 0, True),) * 3
    # Row 0 is gone, row 1 has a card: Ben took and Cem placed, or Ben placed and Cem took.
    seen = [look(10 + second, rows((), ("yellow",), ()), hidden) for second in range(13)]
    asked = [notice for one in seen for notice in tracker.see(one)[1]]
    assert [(notice.kind, notice.data) for notice in asked] == [("who_took", {"row": 0, "seats": [1, 2]})]
    assert asked[0].t_ns >= 10 * SECOND_NS + PATIENCE_NS
    # An area that can be seen again says it.
    areas = (Spot(("red",)), Spot(("blue",)), Spot(("green", "pink")))
    events = tell(tracker, look(23, rows((), ("yellow",), ()), areas))
    assert [(event.kind, event.data["seat"]) for event in events] == [("card_placed", 1), ("row_taken", 2)]


def test_what_nobody_answers_is_taken_as_it_is_likeliest_and_no_foul_is_built_on_it() -> None:
    tracker = begun()
    hidden = (Spot((), 0, True),) * 3
    last = 11 + AFTER_ASKING_NS // SECOND_NS
    events = tell(tracker, *(look(second, rows((), ("yellow",), ()), hidden) for second in range(10, last)))
    assert sorted(event.kind for event in events) == ["card_placed", "row_taken"]
    # Who took is a guess: whoever takes now may well be the one whose turn it is.
    areas = (Spot(("red",)), Spot(("blue",)), Spot(("green", "yellow")))
    assert tell(tracker, *(look(second, rows((), (), ()), areas) for second in range(last, last + 3))) == []


def test_no_foul_is_told_where_a_covered_row_leaves_a_legal_way() -> None:
    tracker = begun()
    # Cem has the pink card while it is Ben's turn; Ben may have put a card where a hand lies.
    areas = (Spot(("red",)), Spot(("blue",)), Spot(("green", "pink")))
    seen = (Spot(), Spot((), 0, True), Spot())
    assert tell(tracker, *(look(second, seen, areas) for second in range(3, 7))) == []
    # Where no hand was in the way and no arm but Cem's over the rows, nobody but he can have done anything.
    lying = (Spot(marked=False), Spot(marked=True), Spot(marked=True))
    reached = [look(3, lying, areas, arms=(2,)), look(4, lying, areas, arms=()), look(5, lying, areas, arms=())]
    assert [(event.kind, event.data["seat"]) for event in tell(begun(), *reached)] == [("row_taken", 2)]


def test_a_card_lifted_and_laid_elsewhere_while_its_row_is_covered_is_no_new_one() -> None:
    tracker = begun()
    there = Spot(marked=True)
    # Ann's hand still lies over row 0 when the pink card is seen in row 1.
    assert tell(tracker, look(3, (Spot((), 0, True, True), Spot(("pink",), marked=True), there))) == []
    told = tell(tracker, *(look(second, (there, Spot(("pink",), marked=True), there)) for second in range(4, 9)))
    assert [event.kind for event in told] == ["card_taken_back", "card_placed"]
    assert (tracker.game.rows, tracker.game.turn) == ([[], ["pink"], []], 1)


def test_a_card_that_slips_is_nobodys_move_whether_it_is_put_back_or_stays() -> None:
    tracker = begun()
    here, there = rows(("pink",), ("blue",), ()), rows((), ("blue", "pink"), ())
    assert [event.kind for event in tell(tracker, look(3, here), look(4, here))] == ["card_placed"]
    assert tell(tracker, look(5, there), look(6, there), look(7, here), look(8, here)) == []
    assert not tracker.doubts
    told = tell(tracker, *(look(second, there) for second in range(9, 17)))
    assert [(event.kind, event.data["row"], event.data["to"]) for event in told] == [("card_moved", 0, 1)]
    assert (tracker.game.rows, tracker.game.turn) == ([[], ["blue", "pink"], []], 2)


def two_in_a_row() -> Tracker:
    """Ben has laid a yellow card beside Ann's, and it is Cem's turn."""
    tracker = begun()
    laid = (Spot(("pink", "yellow"), marked=True), Spot(marked=True), Spot(marked=True))
    assert [event.kind for event in tell(tracker, look(3, laid), look(4, laid))] == ["card_placed"]
    return tracker


GONE = (Spot(marked=False), Spot(marked=True), Spot(marked=True))


def test_whoever_was_seen_to_take_a_row_has_it_and_otherwise_it_is_asked_who() -> None:
    for arms, told, asked in (((2,), ["row_taken"], []), (None, [], ["not_understood"])):
        tracker = two_in_a_row()
        # Cem keeps the cards in his hand.
        looks = [look(5, GONE, arms=arms), *(look(second, GONE, arms=()) for second in range(6, 15))]
        assert [event.kind for event in tell(tracker, *looks)] == told
        assert [doubt.kind for doubt in tracker.doubts] == asked


def test_a_start_card_that_nobody_can_read_is_asked_for_and_its_area_says_nothing_before() -> None:
    tracker = three()
    lying = (Spot(("red",)), Spot((), 1), Spot(("green",)))
    told = tell(tracker, *(look(second, rows((), (), ()), lying) for second in range(1, 9)))
    assert [event.data["seat"] for event in told] == [0, 2]
    (doubt,) = tracker.doubts
    assert (doubt.kind, doubt.data) == ("start_card", {"seat": 1})
    # Ann lays a card, and the card can be read at last: Ben has not taken anything.
    laid = rows(("pink",), (), ())
    assert [event.kind for event in tell(tracker, look(9, laid, lying), look(10, laid, lying))] == ["card_placed"]
    assert [event.kind for event in tell(tracker, look(11, laid), look(12, laid))] == ["start_cards"]
    assert not tracker.doubts
    assert tracker.game.rows[0] == ["pink"]


def test_a_row_that_was_taken_is_no_start_card_where_nobody_has_laid_one() -> None:
    tracker, none = three(), (Spot(), Spot(), Spot())
    laid = (Spot(("pink",), marked=True), Spot(marked=True), Spot(marked=True))
    assert [event.kind for event in tell(tracker, look(1, laid, none), look(2, laid, none))] == ["card_placed"]
    # Ben takes it.
    areas = (Spot(), Spot(("pink",)), Spot())
    told = tell(tracker, look(4, GONE, areas, arms=(1,)), *(look(second, GONE, areas, arms=()) for second in (5, 6, 7)))
    assert [(event.kind, event.data["seat"]) for event in told] == [("row_taken", 1)]


def test_which_card_it_was_is_asked_until_it_is_answered() -> None:
    tracker = two_in_a_row()
    # What was read as pink in the row is orange before Cem.
    areas = (Spot(("red",)), Spot(("blue",)), Spot(("green", "orange", "yellow")))
    tell(tracker, look(5, GONE, areas, arms=(2,)), *(look(second, GONE, areas, arms=()) for second in range(6, 12)))
    assert [doubt.kind for doubt in tracker.doubts] == ["misread"]
    tell(tracker, replace(look(12, GONE, areas), last_round=True))
    placed = (Spot(marked=False), Spot(("purple",), marked=True), Spot(marked=True))
    tell(tracker, *(look(second, placed, areas) for second in (13, 14)))
    assert tracker.game.rows[1] == ["purple"]
    (doubt,) = tracker.doubts
    (event,) = doubt.answers[1].events
    tracker.answered(doubt)
    learn(tracker, event)
    assert dict(+tracker.game.hands[2]) == {"green": 1, "orange": 1, "yellow": 1}
    assert not tracker.doubts


def test_a_card_that_somebody_holds_before_him_while_he_thinks_keeps_nobody_from_going_on() -> None:
    tracker = begun()
    areas = (Spot(("red",)), Spot(("blue", "yellow")), Spot(("green",)))
    here = (Spot(("pink",), marked=True), Spot(marked=True), Spot(marked=True))
    assert tell(tracker, *(look(second, here, areas) for second in range(3, 8))) == []
    laid = (Spot(("pink",), marked=True), Spot(("yellow",), marked=True), Spot(marked=True))
    told = tell(tracker, *(look(second, laid) for second in (9, 10)))
    assert [(event.kind, event.data["seat"], event.data["card"]) for event in told] == [("card_placed", 1, "yellow")]
    assert not tracker.doubts


def test_an_answer_tells_what_was_done_and_not_what_only_lies_there() -> None:
    tracker = begun()
    seen = look(3, rows(("pink",), ("yellow",), ()))
    hypothesis = Hypothesis(tracker.game, Allowed.nothing(3, 3))
    for move in (
        Move("aside", 2, 0, "orange"),
        Move("misread", 0, 0, "blue", was=("red",)),
        Move("place", 1, 1, "yellow"),
    ):
        hypothesis = after(hypothesis, move, seen.t_ns)
    (answer,) = asked_about([hypothesis], seen, 3.0).answers
    assert [(event.kind, event.data["card"]) for event in answer.events] == [("card_placed", "yellow")]
    assert answer.data["moves"] == [event.data for event in answer.events]


def test_a_guess_tells_the_moves_and_no_foul() -> None:
    tracker = begun()
    areas = (Spot(("red",)), Spot(("blue",)), Spot(("green", "pink")))
    # A card lies where nobody saw it laid, and Cem has a row: by whom, and before or after, nobody can say.
    seen = (Spot(marked=False), Spot(("yellow",), marked=True), Spot(("orange",), marked=True))
    told = tell(tracker, *(look(second, seen, areas) for second in range(10, 40)))
    assert {event.kind for event in told} <= {"card_placed", "row_taken"}
    assert tracker.game.rows[1:] == [["yellow"], ["orange"]]


def test_a_card_taken_against_the_rules_lies_there_still_though_one_look_overlooks_it() -> None:
    tracker = begun()
    areas, without = (Spot(("red",)), Spot(("blue",)), Spot(("green", "pink"))), None
    lying = (Spot(marked=False), Spot(marked=True), Spot(marked=True))
    told = tell(tracker, *(look(second, lying, areas) for second in (3, 4, 5)))
    told += tell(tracker, look(6, lying, without), look(7, lying, areas), look(8, lying, areas))
    then = (Spot(marked=False), Spot(("yellow",), marked=True), Spot(marked=True))
    told += tell(tracker, look(9, then, areas))
    assert [(event.kind, event.data["seat"]) for event in told] == [("row_taken", 2), ("card_placed", 1)]


def test_a_card_that_nobody_can_read_is_asked_for() -> None:
    tracker = begun()
    unread = (Spot(("pink",)), Spot((), 1), Spot())
    asked = [notice for second in range(3, 12) for notice in tracker.see(look(second, unread))[1]]
    assert [(notice.kind, notice.data) for notice in asked] == [("row_card_unread", {"row": 1})]
    assert [event.kind for event in tell(tracker, look(13, rows(("pink",), ("blue",), ())))] == ["card_placed"]


@pytest.mark.nightly
def test_a_drawn_round_for_two_is_understood_with_a_deck_that_was_taught() -> None:
    # Two play with green rows, and take the third row's cards out of the game (K5).
    deck = find_print_deck("coloretto")
    counted = watch_game(5, 2.0, Plan(rounds=1, players=2), deck, taught(deck, 7, Shots(size=(1280, 720))))
    assert (counted.moves, counted.understood, counted.wrong) == (8, 8, [])
    assert counted.points_right
