"""A game of Piccolino, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.announcer import Announcer
from referee.engine.events import Event, Header
from referee.errors import BadInputError
from referee.games.illegal_action import IllegalActionError
from referee.games.piccolino.events import Bell, Decided
from referee.games.piccolino.one_bell import OneBell
from referee.games.piccolino.rules import Piccolino, from_header
from referee.games.piccolino.tops import Reason
from referee.language import Language

NAMES = ("Ann", "Ben", "Cem", "Dan", "Eva")
MS = 1_000_000
Ruling = dict[str, Any]


class Table:
    """Plays a game by short commands at times in ms: "0 red", "1 red sad", "bell 2", "bell", "ringer 1", "stop".

    "bell 2 0": with nobody knowing what lay at seat 0.
    """

    def __init__(self, players: int = 3, **options: object) -> None:
        self.names = NAMES[:players]
        self.one_bell: OneBell = from_header(Header("piccolino", self.names, options))
        assert isinstance(self.one_bell.game, Piccolino)
        self.game = self.one_bell.game
        self.announcer = Announcer("piccolino", self.names, Language("en"))
        self.sentences: list[str] = []

    def __call__(self, t_ms: float, command: str) -> list[Ruling]:
        first, *others = command.split()
        kind = first
        event: dict[str, object] = {"seat": int(others[0]) if others and others[0].isdigit() else None}
        if first.isdigit():
            colour, mood = [None if word == "?" else word for word in [*others, "happy"]][:2]
            kind, event = "card_shown", {"seat": int(first), "colour": colour, "mood": mood}
        if first == "bell" and others[1:]:
            event["unseen"] = [int(seat) for seat in others[1:]]
        if first == "decided":
            event = {"valid": others[0] == "valid"}
        rulings = self.one_bell.apply(Event(round(t_ms * MS), kind, event))
        worded = [ruling.as_json() for ruling in rulings]
        self.sentences += [self.announcer.say(one) for one in worded if one["ruling"] != "ignored"]
        return [dict(ruling.as_json()) for ruling in rulings]

    def counts(self) -> list[int]:
        return list(self.game.cards.totals())


def kinds(rulings: list[Ruling]) -> list[str]:
    return [ruling["ruling"] for ruling in rulings]


def test_the_first_valid_ring_wins_all_piles_and_later_ones_are_told_with_their_lag() -> None:
    table = Table()
    for t_ms, command in ((0, "0 red"), (900, "1 blue sad"), (2000, "2 red")):
        assert table(t_ms, command) == []
    ring, won = table(2412, "bell 1")
    assert ring == {
        "ruling": "ring",
        "t_ns": 2412 * MS,
        "valid": True,
        "seat": 1,
        "colour": "red",
        "seats": [0, 2],
        "reaction_ms": 412.0,
    }
    assert won == {"ruling": "cards_move", "t_ns": 2412 * MS, "from": "piles", "to": 1, "count": 3}
    assert table(2450, "bell 2") == [{"ruling": "also_rang", "t_ns": 2450 * MS, "seat": 2, "lag_ms": 38.0}]
    assert table.counts() == [17, 21, 17]
    assert table.sentences == [
        "Valid ring, Ben: two happy reds.",
        "Ben wins the piles: three cards.",
        "Cem rang too, 38 milliseconds later.",
    ]


def test_all_seats_that_show_the_colour_happily_are_named() -> None:
    table = Table(5)
    for command in ("0 red", "1 red sad", "2 red", "3 red", "4 blue"):
        table(0, command)
    assert table(100, "bell 4")[0]["seats"] == [0, 2, 3]


def test_rings_are_ignored_between_a_valid_ring_and_the_next_card() -> None:
    table = Table()
    table(0, "0 red")
    table(0, "1 red")
    table(100, "bell 0")
    assert kinds(table(1600, "bell 1")) == ["also_rang"]
    (ignored,) = table(1600.1, "bell 1")
    assert (ignored["ruling"], ignored["seat"], ignored["reason"]) == ("ignored", 1, "table_cleared")
    table(1700, "0 blue")
    assert table(1700, "bell 1")[0]["reason"] == "no_pair"


def test_an_ignored_ring_starts_no_lock_out() -> None:
    table = Table()
    table(0, "0 red")
    table(0, "1 red")
    table(100, "bell 0")
    table(5000, "bell 1")
    table(5001, "0 red")
    assert table(5002, "bell 1")[0]["valid"] is False


def test_a_lock_out_of_its_own_length() -> None:
    table = Table(lockout_ms=100)
    table(0, "0 red")
    assert table(0, "bell 1")[0]["reason"] == "no_pair"
    assert kinds(table(100, "bell 1")) == ["also_rang"]
    assert table(101, "bell 1")[0]["reason"] == "no_pair"


@pytest.mark.parametrize(
    ("cards", "ring_ms", "reason"),
    [
        (["0 red", "1 red", "1 blue"], 500, "covered_up"),
        (["0 red", "1 red", "1 blue"], 500.001, "no_pair"),
        (["0 red", "1 red", "1 red sad"], 500, "covered_up"),
        (["0 red", "1 red", "1 red sad"], 501, "sad"),
        (["0 red sad", "1 red sad"], 0, "sad"),
        (["0 red", "1 blue", "2 red sad"], 0, "sad"),
        (["0 red", "1 blue", "2 green"], 0, "no_pair"),
        (["0 red"], 0, "no_pair"),
        ([], 0, "no_pair"),
    ],
)
def test_the_first_reason_that_fits_is_given(cards: list[str], ring_ms: float, reason: str) -> None:
    table = Table(3)
    for card in cards:
        table(1000, card)
    ruling = table(1000 + ring_ms, "bell 0")[0]
    assert (ruling["valid"], ruling["seat"], ruling["reason"]) == (False, 0, reason)


def test_a_pair_that_lost_one_of_three_is_a_pair_still() -> None:
    table = Table(4)
    for command in ("0 red", "1 red", "2 red", "1 blue"):
        table(0, command)
    assert table(700, "bell 3")[0]["seats"] == [0, 2]


def test_what_was_won_was_not_covered_up() -> None:
    table = Table(3, lockout_ms=0)
    for command in ("0 red", "1 red", "2 blue", "2 blue"):
        table(0, command)
    table(1, "1 green")
    table(2, "1 red")
    table(3, "bell 0")
    table(4, "0 red")
    assert table(5, "bell 0")[0]["reason"] == "no_pair"


def test_a_wrong_ring_costs_a_card_for_each_other_player_clockwise_from_the_left() -> None:
    table = Table(4)
    table(0, "0 red")
    _, *moves = table(10, "bell 2")
    assert [(move["from"], move["to"], move["count"]) for move in moves] == [(2, 3, 1), (2, 0, 1), (2, 1, 1)]
    assert table.counts() == [14, 15, 11, 15]


def test_penalty_cards_go_as_far_as_they_last_and_who_has_none_left_is_out() -> None:
    table = Table(4, cards=5)
    assert table.game.cards.draw == [1, 2, 1, 1]
    _, *rest = table(0, "bell 1")
    assert [(move["from"], move["to"]) for move in rest[:2]] == [(1, 2), (1, 3)]
    assert rest[2:] == [{"ruling": "out", "t_ns": 0, "seat": 1}]
    assert kinds(table(10, "bell 1")) == ["ignored"]
    assert table(10, "bell 1")[0]["reason"] == "out"
    _, *moves, out = table(5000, "bell 2")
    assert [move["to"] for move in moves] == [3, 0]
    assert (out["ruling"], out["seat"]) == ("out", 2)
    (ignored,) = table(9000, "1 red")
    assert (ignored["event"], ignored["reason"]) == ("card_shown", "out")


def test_without_draw_pile_a_player_rings_on_and_comes_back_with_the_piles() -> None:
    table = Table(3, cards=3)
    table(0, "0 red")
    table(1, "1 red")
    assert table.game.cards.draw == [0, 0, 1]
    ring, won = table(2, "bell 0")[:2]
    assert (ring["valid"], won["count"]) == (True, 2)
    assert table.game.cards.draw == [2, 0, 1]
    assert table.game.cards.is_out == [False, True, False]


def test_a_wrong_ring_without_draw_pile_costs_nothing_while_a_discard_pile_is_there() -> None:
    table = Table(3, cards=3)
    table(0, "0 red")
    assert kinds(table(1, "bell 0")) == ["ring"]
    assert table.counts() == [1, 1, 1]


def test_penalty_cards_bring_a_player_without_draw_pile_back() -> None:
    table = Table(3, cards=6)
    table(0, "0 red")
    table(1, "0 blue")
    assert table.game.cards.draw[0] == 0
    table(2, "bell 1")
    assert table.game.cards.draw == [1, 0, 3]
    assert table.game.cards.is_out == [False, True, False]


def test_with_two_left_the_other_player_wins_the_piles() -> None:
    table = Table(2)
    table(0, "0 red")
    table(1, "1 blue")
    ring, won = table(2, "bell 0")
    assert (ring["reason"], won["from"], won["to"], won["count"]) == ("no_pair", "piles", 1, 2)
    assert table.counts() == [23, 26]


@pytest.mark.parametrize(("two_left", "move"), [("always", ("piles", 2, 3)), ("start", (0, 2, 1))])
def test_two_that_are_left_of_three_play_by_the_option(two_left: str, move: tuple[object, int, int]) -> None:
    table = Table(3, cards=7, two_left=two_left)
    assert table.game.cards.draw == [2, 3, 2]
    for t_ms in (0, 1, 2):
        table(t_ms, "1 blue sad")
    table(3, "0 red")
    table(4, "2 red")
    assert table(5, "bell 0")[-1] == {"ruling": "out", "t_ns": 5 * MS, "seat": 1}
    for t_ms, command in ((5000, "0 red"), (5001, "2 blue"), (5002, "0 green")):
        table(t_ms, command)
    _, moved, *_ = table(5003, "bell 0")
    assert (moved["from"], moved["to"], moved["count"]) == move


def test_the_last_one_left_has_all_cards_and_wins_at_once() -> None:
    table = Table(2, cards=4)
    for command in ("0 red", "1 blue", "0 red", "1 red"):
        table(0, command)
    rulings = table(300, "bell 1")
    assert kinds(rulings) == ["ring", "cards_move", "out", "end"]
    assert rulings[-1] == {"ruling": "end", "t_ns": 300 * MS, "winners": [1], "cards": [0, 4]}
    assert table.sentences[-1] == "The end: Ben wins with four cards. Ann: no cards."
    assert kinds(table(340, "bell 0")) == ["ignored"]
    assert kinds(table(350, "bell 1")) == ["also_rang"]
    assert table(9000, "stop") == []


def test_a_stopped_game_is_won_by_most_cards_and_equal_counts_share() -> None:
    assert Table(4, dealer=1)(7, "stop") == [
        {"ruling": "end", "t_ns": 7 * MS, "winners": [0, 2, 3], "cards": [14, 13, 14, 14]}
    ]
    table = Table(2, cards=4)
    table(0, "0 red")
    assert table(1, "stop")[0]["winners"] == [0, 1]
    (ignored,) = table(2, "1 red")
    assert ignored["reason"] == "game_over"
    (ignored,) = table(3, "bell 1")
    assert ignored["reason"] == "game_over"


def test_a_ring_of_nobody_known_waits_for_its_name_and_is_judged_on_its_instant() -> None:
    table = Table()
    table(0, "0 red")
    table(1, "1 red")
    assert table(300, "bell") == []
    question = table.one_bell.question()
    assert question is not None
    assert (question.kind, question.t_ns, question.seats) == ("who_rang", 300 * MS, (0, 1, 2))
    assert question.ruling.as_json()["valid"] is True
    assert table(350, "2 blue") == []
    assert table(360, "bell 0") == []
    ring, won, also = table(4000, "ringer 2")
    assert (ring["t_ns"], ring["valid"], ring["seat"]) == (300 * MS, True, 2)
    assert (won["to"], won["count"]) == (2, 2)
    # The card turned after the ring is the first of the new round, so the later ring is told with its lag only.
    assert (also["seat"], also["lag_ms"]) == (0, 60.0)
    assert table.game.cards.discard == [0, 0, 1]
    assert table.one_bell.question() is None


def test_a_later_ring_of_nobody_known_needs_no_name() -> None:
    table = Table()
    table(0, "bell 0")
    assert table(40, "bell") == []
    assert table(50, "ringer 1") == [{"ruling": "also_rang", "t_ns": 40 * MS, "seat": 1, "lag_ms": 40.0}]
    assert table(60, "bell") == []
    assert table(900, "0 red") == [{"ruling": "also_rang", "t_ns": 60 * MS, "seat": None, "lag_ms": 60.0}]
    assert table.sentences[-1] == "Somebody rang too, 60 milliseconds later."


def test_a_named_ringer_who_is_out_rang_for_nothing() -> None:
    table = Table(3, cards=4)
    table(0, "bell 0")
    assert table.game.cards.is_out == [True, False, False]
    table(5000, "bell")
    (ignored,) = table(5001, "ringer 0")
    assert (ignored["t_ns"], ignored["seat"], ignored["reason"]) == (5000 * MS, 0, "out")


def test_a_ring_that_nobody_owns_moves_no_card_when_the_game_is_stopped() -> None:
    table = Table()
    table(0, "0 red")
    table(1, "1 red")
    table(2000, "bell")
    ring, end = table(9000, "stop")
    assert (ring["valid"], ring["seat"], ring["colour"]) == (True, None, "red")
    assert end["cards"] == [18, 19, 18]


def test_a_ringer_named_without_a_ring_changes_nothing() -> None:
    (ignored,) = Table()(0, "ringer 1")
    assert (ignored["event"], ignored["reason"]) == ("ringer", "no_ring")


def test_a_card_where_no_draw_pile_should_be_is_believed_but_not_counted() -> None:
    table = Table(3, cards=3)
    table(0, "0 red")
    assert table(1, "0 blue") == [{"ruling": "remark", "t_ns": MS, "seat": 0, "reason": "no_draw_pile"}]
    table(2, "1 blue")
    assert table(3, "bell 1")[0]["colour"] == "blue"
    assert table.counts() == [0, 2, 1]


@pytest.mark.parametrize(
    ("cards", "seats"),
    [
        (["0 red", "1 ?"], [1]),
        (["0 red ?", "1 red"], [0]),
        (["0 ? ?", "1 ? ?", "2 blue sad"], [0, 1]),
    ],
)
def test_a_ring_that_hangs_on_an_unread_card_is_for_the_players_to_decide(cards: list[str], seats: list[int]) -> None:
    for decision in ("valid", "false"):
        table = Table(3)
        for card in cards:
            table(0, card)
        (unclear,) = table(10, "bell 2")
        assert (unclear["ruling"], unclear["seat"], unclear["seats"]) == ("unclear", 2, seats)
        assert kinds(table(20, "bell 1")) == ["also_rang"]
        ring, move, *_ = table(8000, f"decided {decision}")
        assert (ring["t_ns"], ring["valid"], ring["seat"]) == (10 * MS, decision == "valid", 2)
        assert move["from"] == ("piles" if decision == "valid" else 2)
        assert table(9000, "decided valid")[0]["reason"] == "no_ring"


@pytest.mark.parametrize("cards", [["0 red", "1 blue ?"], ["0 red", "1 ? sad"], ["0 red sad", "1 red ?"]])
def test_an_unread_card_that_can_make_no_pair_leaves_the_ring_wrong(cards: list[str]) -> None:
    table = Table(3)
    for card in cards:
        table(0, card)
    assert table(10, "bell 2")[0]["valid"] is False


def test_a_pair_that_is_certain_is_valid_whatever_else_lies_there() -> None:
    table = Table(3)
    for card in ("0 red", "1 ? ?", "2 red"):
        table(0, card)
    assert table(10, "bell 1")[0]["seats"] == [0, 2]


@pytest.mark.parametrize(("lucky_guess", "valid"), [("valid", True), ("false", False)])
def test_a_ring_faster_than_anybody_can_react_is_marked(lucky_guess: str, valid: bool) -> None:
    table = Table(3, lucky_guess=lucky_guess)
    table(0, "0 red")
    table(1000, "1 red")
    ring = table(1099.9, "bell 2")[0]
    assert ring["valid"] is valid
    assert ring.get("lucky") is (True if valid else None)
    assert ring.get("reason") == (None if valid else "lucky_guess")
    slower = Table(3, lucky_guess=lucky_guess)
    slower(0, "0 red")
    slower(1000, "1 red")
    assert "lucky" not in slower(1100, "bell 2")[0]


def test_turn_order_is_remarked_on_when_asked_for() -> None:
    table = Table(3, dealer=1, remarks="on")
    assert table(0, "1 red") == []
    assert table(1000, "0 blue")[0]["reason"] == "out_of_turn"
    assert table(2000, "1 green") == []
    assert table(2100, "2 green")[0]["reason"] == "two_at_once"
    assert kinds(table(3000, "bell 2")) == ["ring", "cards_move"]
    assert table(4000, "2 red") == []
    assert table(5000, "2 blue")[0]["reason"] == "out_of_turn"


def test_a_player_without_draw_pile_is_passed_over() -> None:
    table = Table(3, cards=4, remarks="on")
    assert table.game.cards.draw == [1, 2, 1]
    for t_ms, command in ((0, "0 red"), (1000, "1 blue sad"), (2000, "2 green"), (3000, "1 pink")):
        assert table(t_ms, command) == []
    assert table.game.turn() is None


def test_missed_chances_are_told_at_the_end_of_a_round_when_asked_for() -> None:
    table = Table(3, missed="on")
    for t_ms, command in ((0, "0 red"), (100, "1 red"), (2200, "1 blue"), (3000, "2 blue"), (3500, "1 green")):
        table(t_ms, command)
    table(4000, "0 green")
    ring, won, missed = table(4300, "bell 0")
    assert (ring["colour"], won["count"]) == ("green", 6)
    assert (missed["ruling"], missed["count"], missed["longest_ms"]) == ("missed", 2, 2100.0)
    assert "two pairs" in table.sentences[-1]
    table(6000, "0 red")
    table(6100, "1 red")
    assert kinds(table(6400, "bell 0")) == ["ring", "cards_move"]


def test_doing_what_is_not_allowed_raises_the_reason() -> None:
    game = Piccolino(3)
    assert not game.can_decide()
    with pytest.raises(IllegalActionError) as raised:
        game.decide(Decided(0, valid=True))
    assert raised.value.reason is Reason.NO_RING
    assert game.can_stop()
    assert game.can_show(0)
    game.ring(Bell(0, 1))
    assert not game.can_ring(Bell(1, 0))
    game.stop(2)
    with pytest.raises(IllegalActionError):
        game.ring(Bell(1, 0))
    with pytest.raises(IllegalActionError):
        game.stop(3)


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("card_shown", {"seat": 3, "colour": "red", "mood": "sad"}, "nobody sits at seat 3"),
        ("card_shown", {"seat": 0, "colour": "red", "mood": "angry"}, '"mood" must be happy or sad'),
        ("card_shown", {"seat": 0, "colour": "red"}, '"mood" must say'),
        ("card_shown", {"seat": 0, "colour": 7, "mood": "sad"}, "there is no colour 7"),
        ("bell", {}, '"seat" must say who rang, or be null'),
        ("bell", {"seat": True}, '"seat" must be a whole number'),
        ("ringer", {"seat": None}, '"seat" must be a whole number'),
        ("decided", {"valid": "yes"}, '"valid" must be true or false'),
        ("ring", {"seat": 0}, "Piccolino knows no event"),
    ],
)
def test_an_event_that_cannot_be_is_refused_and_changes_nothing(kind: str, data: dict[str, object], words: str) -> None:
    table = Table(3)
    table(0, "bell")
    with pytest.raises(BadInputError, match=words):
        table.one_bell.apply(Event(1, kind, data))
    assert kinds(table(2, "ringer 0")) == ["ring", "cards_move", "cards_move"]


COMMANDS = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.integers(0, 3),
        st.sampled_from(["red", "blue", "?"]),
        st.sampled_from(["happy", "happy", "sad", "?"]),
    ),
    st.sampled_from(["bell 0", "bell 1", "bell 2", "bell 3", "bell", "ringer 1", "ringer 3", "decided valid"]),
    st.sampled_from(["decided false", "bell 3", "bell 2", "bell 1 0", "bell - 0", "pile_unchanged 0"]),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from([1, 90, 400, 1600]), COMMANDS), max_size=50), st.sampled_from([4, 9, 55]))
def test_whatever_happens_no_card_is_lost_and_every_ruling_has_words(steps: list[tuple[int, str]], cards: int) -> None:
    table = Table(4, cards=cards, remarks="on", missed="on")
    now = ends = 0
    for step, command in [*steps, (1, "stop")]:
        now += step
        for ruling in table(now, command):
            assert ruling["t_ns"] <= now * MS
            ends += ruling["ruling"] == "end"
        assert sum(table.counts()) == cards
        assert min(table.game.cards.draw) >= 0
        assert set(table.game.tops.by_seat) == {seat for seat, count in enumerate(table.game.cards.discard) if count}
    assert ends == 1
    assert all(table.sentences)
