"""What is understood of whole random games of Coloretto, seen with hands in the way and with habits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from referee.engine.events import Event, Header
from referee.engine.session import Notice
from referee.games.coloretto.demo import ColorettoPlan
from referee.games.coloretto.watching.looks import Allowed, Spot, TableLook
from referee.games.coloretto.watching.search import put_right
from referee.games.coloretto.watching.tracker import AFTER_ASKING_NS, PATIENCE_NS, SECOND_NS, Tracker
from simulation.live import Shots
from tests.support.coloretto_drawn import watch_game
from tests.support.drawn_lesson import taught
from tools.bench.coloretto import Trial
from tools.bench.coloretto_sampler import Sight
from tools.bench.coloretto_table import Habits
from vision.deck import load_deck

CLEAR = Sight(
    arms_unseen=0.0, arms_lost=0.0, arms_wrong=0.0, covered=0.0, overlooked=0.0, unread=0.0, wrong=0.0,
    strips_unread=0.0, strips_hidden=0.0, strips_wrong=0.0,
)  # fmt: skip
ORDERLY = Habits(rests=0.0, back=0.0, holds=0.0, forgets=0.0, pushes=0.0, fouls=0.0)
EVENINGS = {
    "nothing in the way": (5, ORDERLY, CLEAR),
    "a tenth of all places covered": (4, ORDERLY, replace(CLEAR, covered=0.1)),
    "taken cards held in the hand": (3, replace(ORDERLY, holds=0.5), CLEAR),
    "cards laid and taken back": (4, replace(ORDERLY, back=0.1), CLEAR),
    "no row cards": (3, ORDERLY, replace(CLEAR, row_cards=False)),
    "hidden cards in the areas": (3, ORDERLY, replace(CLEAR, strips_hidden=0.1)),
    "fouls of three": (3, replace(ORDERLY, fouls=0.08), CLEAR),
    "fouls of five": (5, replace(ORDERLY, fouls=0.08), CLEAR),
}


@pytest.mark.parametrize("evening", EVENINGS)
def test_a_whole_game_is_understood_to_the_last_point(evening: str) -> None:
    players, habits, sight = EVENINGS[evening]
    counted = Trial(players, 7, habits, sight).run()
    assert (counted.understood, counted.wrong, dict(counted.asked)) == (counted.moves, [], {})
    assert (counted.fouls_found, counted.fouls_false) == (counted.fouls, [])
    assert counted.points_right


def report(tracker: Tracker, *events: Event) -> None:
    """Let the game that a tracker knows of judge events, and the tracker learn of it."""
    for event in events:
        game = tracker.game.copy()
        game.apply(event)
        tracker.judged(event, game)


def spots(text: str) -> tuple[Spot, ...]:
    """Return what "pink yellow on | off | * ?" shows: cards, "*" unread, "?" a hand, its row card on or off."""
    return tuple(spot(part.split()) for part in text.split("|"))


def spot(words: list[str]) -> Spot:
    cards = sorted(word for word in words if word not in ("on", "off", "*", "?"))
    marked = {"on": True, "off": False}.get(words[-1]) if words else None
    return Spot(tuple(cards), words.count("*"), "?" in words, marked)


AREAS = "red | blue | green"
HIDDEN = "? | ? | ?"


class Watched:
    """A game with a look each second, whose tracker learns its own events."""

    def __init__(self) -> None:
        self.tracker = Tracker(Header("coloretto", ("Ann", "Ben", "Cem"), {}))
        self.second = 0
        self.notices: list[Notice] = []

    def __call__(self, rows: str, areas: str = AREAS, times: int = 1, *, arm: int | None = None) -> list[Event]:
        """Return the events of some looks; arm: seat of an arm over the rows before the first look, -1: none."""
        told: list[Event] = []
        for number in range(times):
            self.second += 1
            reached = None if arm is None else frozenset({arm} if number == 0 and arm >= 0 else ())
            look = TableLook(self.second * SECOND_NS, spots(rows), spots(areas), arms=reached)
            events, notices = self.tracker.see(look)
            self.notices += notices
            report(self.tracker, *events)
            told += events
        return told

    @property
    def doubts(self) -> list[str]:
        return [doubt.kind for doubt in self.tracker.doubts]


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def moves(events: list[Event]) -> list[tuple[str, object]]:
    return [(event.kind, event.data["seat"]) for event in events]


def begun() -> Watched:
    """A game in which Ann has put a pink card into row 0, and it is Ben's turn."""
    seen = Watched()
    assert kinds(seen(" | | ") + seen("pink | | ")) == ["start_cards"] * 3 + ["card_placed"]
    assert [dict(hand) for hand in seen.tracker.game.hands] == [{"red": 1}, {"blue": 1}, {"green": 1}]
    return seen


def two_in_a_row() -> Watched:
    """Ben has laid a yellow card beside Ann's, and it is Cem's turn."""
    seen = begun()
    assert kinds(seen("pink yellow on | on | on", times=2)) == ["card_placed"]
    return seen


def test_who_took_is_asked_once_where_the_areas_are_covered_and_play_goes_on() -> None:
    seen = begun()
    # Row 0 is gone, row 1 has a card: Ben took and Cem placed, or Ben placed and Cem took.
    assert seen(" | yellow | ", HIDDEN, times=13) == []
    assert [(notice.kind, notice.data) for notice in seen.notices] == [("who_took", {"row": 0, "seats": [1, 2]})]
    assert seen.notices[0].t_ns >= 3 * SECOND_NS + PATIENCE_NS
    # An area that can be seen again says it.
    told = seen(" | yellow | ", "red | blue | green pink")
    assert moves(told) == [("card_placed", 1), ("row_taken", 2)]


def test_what_nobody_answers_is_taken_as_it_is_likeliest_and_no_foul_is_built_on_it() -> None:
    seen = begun()
    assert sorted(kinds(seen(" | yellow | ", HIDDEN, 1 + AFTER_ASKING_NS // SECOND_NS))) == ["card_placed", "row_taken"]
    # Who took is a guess: whoever takes now may well be the one whose turn it is.
    assert seen(" | | ", "red | blue | green yellow", 3) == []


def test_no_foul_is_told_where_a_covered_row_leaves_a_legal_way() -> None:
    # Cem has the pink card while it is Ben's turn; Ben may have put a card where a hand is.
    areas = "red | blue | green pink"
    assert begun()(" | ? | ", areas, 4) == []
    # Where no hand was in the way and no arm but Cem's over the rows, nobody but he can have done anything.
    assert moves(begun()("off | on | on", areas, 3, arm=2)) == [("row_taken", 2)]


def test_a_card_lifted_and_laid_elsewhere_while_its_row_is_covered_is_no_new_one() -> None:
    seen = begun()
    # Ann's hand still is over row 0 when the pink card is seen in row 1.
    assert seen("? on | pink on | on") == []
    assert kinds(seen("on | pink on | on", times=5)) == ["card_taken_back", "card_placed"]
    assert (seen.tracker.game.rows, seen.tracker.game.turn) == ([[], ["pink"], []], 1)


def test_a_card_that_slips_is_nobodys_move_whether_it_is_put_back_or_stays() -> None:
    seen = begun()
    here, there = "pink | blue | ", " | blue pink | "
    assert kinds(seen(here, times=2)) == ["card_placed"]
    assert seen(there, times=2) + seen(here, times=2) == []
    assert seen.doubts == []
    told = seen(there, times=8)
    assert [(event.kind, event.data["row"], event.data["to"]) for event in told] == [("card_moved", 0, 1)]
    assert (seen.tracker.game.rows, seen.tracker.game.turn) == ([[], ["blue", "pink"], []], 2)


def test_a_card_that_slips_to_the_place_of_a_taken_row_is_nobodys_move_and_not_asked_about() -> None:
    seen = two_in_a_row()
    areas = "red pink yellow | blue | green"
    assert kinds(seen("pink yellow on | purple on | on", times=2)) == ["card_placed"]
    assert kinds(seen("off | purple on | on", areas, 2)) == ["row_taken"]
    assert seen("purple off | on | on", areas, 9) + seen("off | purple on | on", areas, 3) == []
    assert seen.notices == []


def test_a_card_that_slips_to_a_full_row_is_nobodys_foul() -> None:
    seen = two_in_a_row()
    assert kinds(seen("pink yellow | blue | ", times=2)) == ["card_placed"]
    assert kinds(seen("blue pink yellow red | | ", times=8)) == ["card_placed"]
    assert kinds(seen("pink yellow red | blue | ", times=3)) == []
    assert seen.tracker.game.rows == [["pink", "yellow", "red"], ["blue"], []]


def test_differences_are_put_right_in_one_hypothesis_alone() -> None:
    # Two hypotheses share the counter of absent cards; a foul was dropped when the other one cleared it.
    game, looks = begun().tracker.game, ("pink on | on | on", "on | on | on")
    absent = (Counter(["pink"]), Counter[str](), Counter[str]())
    allowed = replace(Allowed.nothing(3, 3), absent=absent)
    for look in looks:
        put_right(game, allowed, TableLook(SECOND_NS, spots(look), spots(AREAS)))
    assert allowed.absent == (Counter(["pink"]), Counter(), Counter())


@pytest.mark.parametrize(("arm", "told", "asked"), [(2, ["row_taken"], []), (None, [], ["not_understood"])])
def test_whoever_was_seen_to_take_a_row_has_it_and_otherwise_it_is_asked_who(
    arm: int | None, told: list[str], asked: list[str]
) -> None:
    seen = two_in_a_row()
    # Cem keeps the cards in his hand.
    events = seen("off | on | on", arm=arm) + seen("off | on | on", times=9, arm=-1)
    assert (kinds(events), seen.doubts) == (told, asked)


def test_a_start_card_that_nobody_can_read_is_asked_for_and_its_area_says_nothing_before() -> None:
    seen = Watched()
    unread = "red | * | green"
    assert moves(seen(" | | ", unread, 8)) == [("start_cards", 0), ("start_cards", 2)]
    (doubt,) = seen.tracker.doubts
    assert (doubt.kind, doubt.data) == ("start_card", {"seat": 1})
    # Ann lays a card, and the card can be read at last: Ben has not taken anything.
    assert kinds(seen("pink | | ", unread, 2)) == ["card_placed"]
    assert kinds(seen("pink | | ", times=2)) == ["start_cards"]
    assert seen.doubts == []
    assert seen.tracker.game.rows[0] == ["pink"]


def test_a_row_that_was_taken_is_no_start_card_where_nobody_has_laid_one() -> None:
    seen = Watched()
    assert kinds(seen("pink on | on | on", " | | ", 2)) == ["card_placed"]
    seen.second += 1
    assert moves(seen("off | on | on", " | pink | ", 4, arm=1)) == [("row_taken", 1)]


def test_which_card_it_was_is_asked_until_it_is_answered() -> None:
    seen = two_in_a_row()
    # What was read as pink in the row is orange before Cem.
    areas = "red | blue | green orange yellow"
    seen("off | on | on", areas, 7, arm=2)
    assert seen.doubts == ["misread"]
    seen("off | on | on", areas)
    seen("off | purple on | on", areas, 2)
    assert seen.tracker.game.rows[1] == ["purple"]
    (doubt,) = seen.tracker.doubts
    (event,) = doubt.answers[1].events
    seen.tracker.answered(doubt)
    report(seen.tracker, event)
    assert dict(+seen.tracker.game.hands[2]) == {"green": 1, "orange": 1, "yellow": 1}
    assert seen.doubts == []


def test_a_card_that_somebody_holds_before_him_while_he_thinks_keeps_nobody_from_going_on() -> None:
    seen = begun()
    assert seen("pink on | on | on", "red | blue yellow | green", 5) == []
    told = seen("pink on | yellow on | on", times=3)
    assert [(event.kind, event.data["seat"], event.data["card"]) for event in told] == [("card_placed", 1, "yellow")]
    assert seen.doubts == []


def test_a_guess_tells_the_moves_and_no_foul() -> None:
    seen = begun()
    seen.second = 9
    # A card is where nobody saw it laid, and Cem has a row: by whom, and before or after, nobody can say.
    told = seen("off | yellow on | orange on", "red | blue | green pink", 30)
    assert set(kinds(told)) <= {"card_placed", "row_taken"}
    assert seen.tracker.game.rows[1:] == [["yellow"], ["orange"]]


def test_a_card_taken_against_the_rules_lies_there_still_though_one_look_overlooks_it() -> None:
    seen = begun()
    areas, gone = "red | blue | green pink", "off | on | on"
    told = seen(gone, areas, 3) + seen(gone) + seen(gone, areas, 2) + seen("off | yellow on | on", areas)
    assert moves(told) == [("row_taken", 2), ("card_placed", 1)]


def test_a_card_that_nobody_can_read_is_asked_for() -> None:
    seen = begun()
    seen("pink | * | ", times=9)
    assert [(notice.kind, notice.data) for notice in seen.notices] == [("row_card_unread", {"row": 1})]
    assert kinds(seen("pink | blue | ")) == ["card_placed"]


@pytest.mark.nightly
def test_a_drawn_round_for_two_is_understood_with_a_deck_that_was_taught() -> None:
    # Two play with green rows, and take the third row's cards out of the game (K5).
    deck = load_deck("coloretto")
    counted = watch_game(5, 2.0, ColorettoPlan(rounds=1, players=2), deck, taught(deck, 7, Shots(size=(1280, 720))))
    assert (counted.moves, counted.understood, counted.wrong) == (8, 8, [])
    assert counted.points_right
