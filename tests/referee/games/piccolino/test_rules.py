"""A game of Piccolino, rule by rule."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.announcer import Announcer
from referee.engine.events import Event, Header
from referee.errors import BadInputError
from referee.games.piccolino.rules import Piccolino, from_header
from referee.games.piccolino.start_options import deal
from referee.language import Language

NAMES = ("Ann", "Ben", "Cem", "Dan", "Eva")
MS = 1_000_000
Ruling = dict[str, Any]


class Table:
    """Plays a game by commands, with their times in ms: "0: 0 red, 1 red sad, 900: bell 2, ringer 1, stop".

    "bell - unseen 0": nobody knows who rang, nor what lay at seat 0. "1 ? ?" is a card that cannot be read, "read" and
    "gone" are seen later.
    """

    def __init__(self, players: int = 3, **options: object) -> None:
        self.names = NAMES[:players]
        self.one_bell = from_header(Header("piccolino", self.names, options))
        assert isinstance(self.one_bell.game, Piccolino)
        self.game = self.one_bell.game
        self.announcer = Announcer("piccolino", self.names, Language("en"))
        self.sentences: list[str] = []
        self.now = 0

    def __call__(self, commands: str) -> list[Ruling]:
        """Apply the events and return all rulings."""
        return [ruling for command in commands.split(", ") for ruling in self.do(command)]

    def do(self, command: str) -> list[Ruling]:
        if at := re.match(r"([\d.]+): ", command):
            self.now, command = round(float(at[1]) * MS), command[at.end() :]
        rulings = [dict(one.as_json()) for one in self.one_bell.apply(Event(self.now, *event_of(command.split())))]
        self.sentences += [self.announcer.say(one) for one in rulings if one["ruling"] != "ignored"]
        return rulings

    def counts(self) -> list[int]:
        return list(self.game.cards.totals())


def event_of(words: list[str]) -> tuple[str, dict[str, object]]:
    match words:
        case ["read", seat, *face]:
            return "card_read", {"seat": int(seat), **dict(zip(("colour", "mood"), read(face), strict=True))}
        case [seat, *face] if seat.isdigit():
            return "card_shown", {"seat": int(seat), **dict(zip(("colour", "mood"), read(face), strict=True))}
        case ["bell", seat, what, *seats]:
            return "bell", {"seat": None if seat == "-" else int(seat), what: [int(one) for one in seats]}
        case ["bell", *seats]:
            return "bell", {"seat": int(seats[0]) if seats else None}
        case ["ringer", seat, at_ms]:
            return "ringer", {"seat": int(seat), "ring_t_ns": int(at_ms) * MS}
        case ["decided", how]:
            return "decided", {"valid": how == "valid"}
        case [kind, seat]:
            return {"gone": "pile_gone", "back": "pile_unchanged"}.get(kind, kind), {"seat": int(seat)}
    return words[0], {}


def read(face: list[str]) -> list[str | None]:
    return [None if word == "?" else word for word in [*face, "happy"]][:2]


def kinds(rulings: list[Ruling]) -> list[str]:
    return [ruling["ruling"] for ruling in rulings]


def moves(rulings: list[Ruling]) -> list[tuple[object, object, object]]:
    return [(one["from"], one["to"], one["count"]) for one in rulings if one["ruling"] == "cards_move"]


def dealt(players: int, **options: object) -> list[int]:
    return Table(players, **options).game.cards.draw


@pytest.mark.parametrize(
    ("players", "options", "cards"),
    [
        (2, {"dealer": 0}, [24, 25]),
        (2, {"dealer": 1}, [25, 24]),
        (3, {"dealer": 0}, [18, 19, 18]),
        (3, {"dealer": 2}, [19, 18, 18]),
        (4, {"dealer": 0}, [13, 14, 14, 14]),
        (4, {"dealer": 2}, [14, 14, 13, 14]),
        (5, {"dealer": 3}, [11, 11, 11, 11, 11]),
        (4, {"cards": 54}, [13, 14, 14, 13]),
        (2, {"cards": 50}, [25, 25]),
    ],
)
def test_cards_are_dealt_one_by_one_from_the_dealers_left(
    players: int, options: dict[str, object], cards: list[int]
) -> None:
    assert dealt(players, **options) == cards


@given(st.integers(2, 5), st.integers(0, 1000), st.data())
def test_every_card_is_dealt_and_nobody_gets_two_more(players: int, cards: int, data: st.DataObject) -> None:
    hands = deal(players, cards, data.draw(st.integers(0, players - 1)))
    assert sum(hands) == cards
    assert max(hands) - min(hands) <= 1


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


def test_the_first_valid_ring_wins_all_piles_and_later_ones_are_told_with_their_lag() -> None:
    table = Table()
    ring, won, also = table("0: 0 red, 900: 1 blue sad, 2000: 2 red, 2412: bell 1, 2450: bell 2")
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
    assert also == {"ruling": "also_rang", "t_ns": 2450 * MS, "seat": 2, "lag_ms": 38.0}
    assert table.counts() == [17, 21, 17]
    assert table.sentences == [
        "Valid ring, Ben: two happy reds.",
        "Ben wins the piles: three cards.",
        "Cem rang too, 38 milliseconds later.",
    ]


@pytest.mark.parametrize(
    ("cards", "seats"),
    [
        ("0 red, 1 red sad, 2 red, 3 red, 4 blue", [0, 2, 3]),
        ("0 red, 1 red, 2 red, 1 blue", [0, 2]),
        ("0 red, 1 ? ?, 2 red", [0, 2]),
    ],
)
def test_all_seats_that_show_the_colour_happily_are_named(cards: str, seats: list[int]) -> None:
    assert Table(5)(f"0: {cards}, 100: bell 4")[0]["seats"] == seats


def test_rings_are_ignored_between_a_valid_ring_and_the_next_card() -> None:
    table = Table()
    *_, also, ignored = table("0: 0 red, 1 red, 100: bell 0, 1600: bell 1, 1600.1: bell 1")
    assert also["ruling"] == "also_rang"
    assert (ignored["ruling"], ignored["seat"], ignored["reason"]) == ("ignored", 1, "table_cleared")
    # An ignored ring starts no lock-out.
    assert table("1700: 0 blue, bell 1")[0]["reason"] == "no_pair"


def test_a_lock_out_of_its_own_length() -> None:
    table = Table(lockout_ms=100)
    assert table("0: 0 red, bell 1")[0]["reason"] == "no_pair"
    assert kinds(table("100: bell 1")) == ["also_rang"]
    assert table("101: bell 1")[0]["reason"] == "no_pair"


@pytest.mark.parametrize(
    ("cards", "ring_ms", "reason"),
    [
        ("0 red, 1 red, 1 blue", 500, "covered_up"),
        ("0 red, 1 red, 1 blue", 500.001, "no_pair"),
        ("0 red, 1 red, 1 red sad", 500, "covered_up"),
        ("0 red, 1 red, 1 red sad", 501, "sad"),
        ("0 red sad, 1 red sad", 0, "sad"),
        ("0 red, 1 blue, 2 red sad", 0, "sad"),
        ("0 red, 1 blue, 2 green", 0, "no_pair"),
        ("0 red", 0, "no_pair"),
        ("", 0, "no_pair"),
    ],
)
def test_the_first_reason_that_fits_is_given(cards: str, ring_ms: float, reason: str) -> None:
    shown = f"1000: {cards}, " if cards else ""
    ruling = Table()(f"{shown}{1000 + ring_ms}: bell 0")[0]
    assert (ruling["valid"], ruling["seat"], ruling["reason"]) == (False, 0, reason)


def test_what_was_won_was_not_covered_up() -> None:
    table = Table(3, lockout_ms=0)
    table("0: 0 red, 1 red, 2 blue, 2 blue, 1: 1 green, 2: 1 red, 3: bell 0, 4: 0 red")
    assert table("5: bell 0")[0]["reason"] == "no_pair"


@pytest.mark.parametrize(
    ("players", "options", "commands", "moved", "out", "counts"),
    [
        # A wrong ring costs a card for each other player, clockwise from the left.
        (4, {}, "0: 0 red, 10: bell 2", [(2, 3, 1), (2, 0, 1), (2, 1, 1)], [], [14, 15, 11, 15]),
        # With two left the other player wins the piles.
        (2, {}, "0: 0 red, 1: 1 blue, 2: bell 0", [("piles", 1, 2)], [], [23, 26]),
        # Without draw pile a player rings on, and comes back with the piles.
        (3, {"cards": 3}, "0: 0 red, 1: 1 red, 2: bell 0", [("piles", 0, 2)], [1], [2, 0, 1]),
        # A wrong ring without draw pile costs nothing while a discard pile is there.
        (3, {"cards": 3}, "0: 0 red, 1: bell 0", [], [], [1, 1, 1]),
        # Penalty cards bring a player without draw pile back.
        (3, {"cards": 6}, "0: 0 red, 1: 0 blue, 2: bell 1", [(1, 2, 1), (1, 0, 1)], [1], [3, 0, 3]),
    ],
)
def test_a_ring_moves_cards(
    players: int, options: dict[str, object], commands: str, moved: list[object], out: list[int], counts: list[int]
) -> None:
    table = Table(players, **options)
    rulings = table(commands)
    assert moves(rulings) == moved
    assert [one["seat"] for one in rulings if one["ruling"] == "out"] == out
    assert [seat for seat, is_out in enumerate(table.game.cards.is_out) if is_out] == out
    assert table.counts() == counts


def test_penalty_cards_go_as_far_as_they_last_and_who_has_none_left_is_out() -> None:
    table = Table(4, cards=5)
    assert table.game.cards.draw == [1, 2, 1, 1]
    rulings = table("0: bell 1")
    assert moves(rulings) == [(1, 2, 1), (1, 3, 1)]
    assert rulings[-1] == {"ruling": "out", "t_ns": 0, "seat": 1}
    assert [(one["ruling"], one["reason"]) for one in table("10: bell 1")] == [("ignored", "out")]
    _, *moved, out = table("5000: bell 2")
    assert [move["to"] for move in moved] == [3, 0]
    assert (out["ruling"], out["seat"]) == ("out", 2)
    (ignored,) = table("9000: 1 red")
    assert (ignored["event"], ignored["reason"]) == ("card_shown", "out")


@pytest.mark.parametrize(("two_left", "move"), [("always", ("piles", 2, 3)), ("start", (0, 2, 1))])
def test_two_that_are_left_of_three_play_by_the_option(two_left: str, move: tuple[object, int, int]) -> None:
    table = Table(3, cards=7, two_left=two_left)
    assert table.game.cards.draw == [2, 3, 2]
    *_, out = table("0: 1 blue sad, 1: 1 blue sad, 2: 1 blue sad, 3: 0 red, 4: 2 red, 5: bell 0")
    assert out == {"ruling": "out", "t_ns": 5 * MS, "seat": 1}
    assert moves(table("5000: 0 red, 5001: 2 blue, 5002: 0 green, 5003: bell 0"))[0] == move


def test_the_last_one_left_has_all_cards_and_wins_at_once() -> None:
    table = Table(2, cards=4)
    rulings = table("0: 0 red, 1 blue, 0 red, 1 red, 300: bell 1")
    assert kinds(rulings) == ["ring", "cards_move", "out", "end"]
    assert rulings[-1] == {"ruling": "end", "t_ns": 300 * MS, "winners": [1], "cards": [0, 4]}
    assert table.sentences[-1] == "The end: Ben wins with four cards. Ann: no cards."
    assert kinds(table("340: bell 0, 350: bell 1, 9000: stop")) == ["ignored", "also_rang"]


def test_a_stopped_game_is_won_by_most_cards_and_equal_counts_share() -> None:
    assert Table(4, dealer=1)("7: stop") == [
        {"ruling": "end", "t_ns": 7 * MS, "winners": [0, 2, 3], "cards": [14, 13, 14, 14]}
    ]
    end, *later = Table(2, cards=4)("0: 0 red, 1: stop, 2: 1 red, 3: bell 1")
    assert end["winners"] == [0, 1]
    assert [(one["ruling"], one["reason"]) for one in later] == [("ignored", "game_over")] * 2


def test_a_ring_of_nobody_known_waits_for_its_name_and_is_judged_on_its_instant() -> None:
    table = Table()
    assert table("0: 0 red, 1: 1 red, 300: bell") == []
    question = table.one_bell.question()
    assert question is not None
    assert (question.kind, question.t_ns, question.seats) == ("who_rang", 300 * MS, (0, 1, 2))
    assert question.ruling["valid"] is True
    ring, won, also = table("350: 2 blue, 360: bell 0, 4000: ringer 2")
    assert (ring["t_ns"], ring["valid"], ring["seat"]) == (300 * MS, True, 2)
    assert (won["to"], won["count"]) == (2, 2)
    # The card turned after the ring is the first of the new round, so the later ring has its lag only.
    assert (also["seat"], also["lag_ms"]) == (0, 60.0)
    assert table.game.cards.discard == [0, 0, 1]
    assert table.one_bell.question() is None


def test_a_later_ring_of_nobody_known_needs_no_name() -> None:
    table = Table()
    also = {"ruling": "also_rang", "t_ns": 40 * MS, "seat": 1, "lag_ms": 40.0}
    assert table("0: bell 0, 40: bell, 50: ringer 1")[-1] == also
    assert table("60: bell") == []
    assert table("900: 0 red") == [{"ruling": "also_rang", "t_ns": 60 * MS, "seat": None, "lag_ms": 60.0}]
    assert table.sentences[-1] == "Somebody rang too, 60 milliseconds later."


def test_a_named_ringer_who_is_out_rang_for_nothing() -> None:
    table = Table(3, cards=4)
    table("0: bell 0")
    assert table.game.cards.is_out == [True, False, False]
    (ignored,) = table("5000: bell, 5001: ringer 0")
    assert (ignored["t_ns"], ignored["seat"], ignored["reason"]) == (5000 * MS, 0, "out")


def test_a_ring_that_nobody_owns_moves_no_card_when_the_game_is_stopped() -> None:
    ring, end = Table()("0: 0 red, 1: 1 red, 2000: bell, 9000: stop")
    assert (ring["valid"], ring["seat"], ring["colour"]) == (True, None, "red")
    assert end["cards"] == [18, 19, 18]


def test_a_name_for_one_of_two_rings_goes_to_that_one() -> None:
    table = Table(4)
    assert table("0: 0 red, 100: bell, 140: bell, 150: ringer 2 140") == []
    ring, *_, also = table("160: ringer 1 100")
    assert (ring["ruling"], ring["seat"], also["ruling"], also["seat"]) == ("ring", 1, "also_rang", 2)
    # It has been answered: a second voice says nothing new.
    assert table("170: ringer 3 100") == []


def test_whoever_rang_and_presses_again_did_not_ring_too() -> None:
    table = Table(4)
    again = table("0: 0 red, 500: bell 1, 700: bell 1")[-1]
    assert again == {"ruling": "also_rang", "t_ns": 700 * MS, "seat": 1, "lag_ms": 200.0, "again": True}
    assert table.sentences[-1] == "Ben pressed the bell once more."


def test_a_card_where_no_draw_pile_should_be_is_believed_but_not_counted() -> None:
    table = Table(3, cards=3)
    remark = {"ruling": "remark", "t_ns": MS, "seat": 0, "reason": "no_draw_pile"}
    assert table("0: 0 red, 1: 0 blue") == [remark]
    assert table("2: 1 blue, 3: bell 1")[0]["colour"] == "blue"
    assert table.counts() == [0, 2, 1]


@pytest.mark.parametrize("decision", ["valid", "false"])
@pytest.mark.parametrize(
    ("cards", "seats"), [("0 red, 1 ?", [1]), ("0 red ?, 1 red", [0]), ("0 ? ?, 1 ? ?, 2 blue sad", [0, 1])]
)
def test_a_ring_that_hangs_on_an_unread_card_is_for_the_players_to_decide(
    cards: str, seats: list[int], decision: str
) -> None:
    table = Table()
    doubt, also = table(f"0: {cards}, 10: bell 2, 20: bell 1")
    assert (doubt["ruling"], doubt["seat"], doubt["seats"]) == ("unclear", 2, seats)
    assert also["ruling"] == "also_rang"
    question = table.one_bell.question()
    assert question is not None and (question.kind, question.seats) == ("decide", tuple(seats))
    ring, move, *_ = table(f"8000: decided {decision}")
    assert (ring["t_ns"], ring["valid"], ring["seat"]) == (10 * MS, decision == "valid", 2)
    assert move["from"] == ("piles" if decision == "valid" else 2)
    assert table("9000: decided valid")[0]["reason"] == "no_ring"


def test_the_players_are_asked_how_an_unclear_ring_is_to_be_ruled_until_play_goes_on() -> None:
    table = Table()
    table("0: 0 red, 1 ?, 10: bell 2, 900: 2 blue")
    assert table.one_bell.question() is None


@pytest.mark.parametrize("cards", ["0 red, 1 blue ?", "0 red, 1 ? sad", "0 red sad, 1 red ?"])
def test_an_unread_card_that_can_make_no_pair_leaves_the_ring_wrong(cards: str) -> None:
    assert Table()(f"0: {cards}, 10: bell 2")[0]["valid"] is False


@pytest.mark.parametrize(("lucky_guess", "valid"), [("valid", True), ("false", False)])
def test_a_ring_faster_than_anybody_can_react_is_marked(lucky_guess: str, valid: bool) -> None:
    ring = Table(lucky_guess=lucky_guess)("0: 0 red, 1000: 1 red, 1099.9: bell 2")[0]
    assert ring["valid"] is valid
    assert ring.get("lucky") is (True if valid else None)
    assert ring.get("reason") == (None if valid else "lucky_guess")
    assert "lucky" not in Table(lucky_guess=lucky_guess)("0: 0 red, 1000: 1 red, 1100: bell 2")[0]


def test_turn_order_is_remarked_on_when_asked_for() -> None:
    table = Table(3, dealer=1, remarks="on")
    remarks = table("0: 1 red, 1000: 0 blue, 2000: 1 green, 2100: 2 green")
    assert [one["reason"] for one in remarks] == ["out_of_turn", "two_at_once"]
    assert kinds(table("3000: bell 2, 4000: 2 red")) == ["ring", "cards_move"]
    assert table("5000: 2 blue")[0]["reason"] == "out_of_turn"


def test_a_player_without_draw_pile_is_passed_over() -> None:
    table = Table(3, cards=4, remarks="on")
    assert table.game.cards.draw == [1, 2, 1]
    assert table("0: 0 red, 1000: 1 blue sad, 2000: 2 green, 3000: 1 pink") == []


def test_missed_chances_are_told_at_the_end_of_a_round_when_asked_for() -> None:
    table = Table(3, missed="on")
    shown = "0: 0 red, 100: 1 red, 2200: 1 blue, 3000: 2 blue, 3500: 1 green, 4000: 0 green"
    ring, won, missed = table(f"{shown}, 4300: bell 0")
    assert (ring["colour"], won["count"]) == ("green", 6)
    assert (missed["ruling"], missed["count"], missed["longest_ms"]) == ("missed", 2, 2100.0)
    assert "two pairs" in table.sentences[-1]
    assert kinds(table("6000: 0 red, 6100: 1 red, 6400: bell 0")) == ["ring", "cards_move"]


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("card_shown", {"seat": 3, "colour": "red", "mood": "sad"}, "nobody sits at seat 3"),
        ("card_shown", {"seat": 0, "colour": "red", "mood": "angry"}, '"mood" must be happy or sad'),
        ("card_shown", {"seat": 0, "colour": "red"}, '"mood" must be there'),
        ("card_shown", {"seat": 0, "colour": 7, "mood": "sad"}, "there is no colour 7"),
        ("card_read", {"seat": 0}, '"colour" must be there'),
        ("pile_gone", {}, '"seat" must be there'),
        ("bell", {}, '"seat" must be there'),
        ("bell", {"seat": True}, '"seat" must be a whole number'),
        ("bell", {"seat": 0, "unseen": 3}, '"unseen" must be a list'),
        ("bell", {"seat": 0, "turning": [7]}, "nobody sits at seat 7"),
        ("ringer", {"seat": None}, '"seat" must be a whole number'),
        ("ringer", {"seat": 0, "ring_t_ns": "now"}, "ring_t_ns"),
        ("decided", {"valid": "yes"}, '"valid" must be true or false'),
        ("ring", {"seat": 0}, "Piccolino knows no event"),
    ],
)
def test_an_event_that_cannot_be_is_refused_and_changes_nothing(kind: str, data: dict[str, object], words: str) -> None:
    table = Table()
    table("0: bell")
    with pytest.raises(BadInputError, match=words):
        table.one_bell.apply(Event(1, kind, data))
    assert kinds(table("2: ringer 0")) == ["ring", "cards_move", "cards_move"]


@pytest.mark.parametrize(
    ("commands", "event", "reason"),
    [
        ("0: ringer 1", "ringer", "no_ring"),
        ("0: read 1 red", "look", "no_pile"),
        ("0: gone 1", "look", "no_pile"),
        ("0: 0 red, stop, gone 1", "look", "game_over"),
    ],
)
def test_what_changes_nothing_is_ignored_with_its_reason(commands: str, event: str, reason: str) -> None:
    ignored = Table()(commands)[-1]
    assert (ignored["ruling"], ignored["event"], ignored["reason"]) == ("ignored", event, reason)


COMMANDS = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.integers(0, 3),
        st.sampled_from(["red", "blue", "?"]),
        st.sampled_from(["happy", "happy", "sad", "?"]),
    ),
    st.sampled_from(["bell 0", "bell 1", "bell 2", "bell 3", "bell", "ringer 1", "ringer 3", "decided valid"]),
    st.sampled_from(["decided false", "bell 3", "bell 2", "bell 1 unseen 0", "bell - unseen 0", "back 0"]),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from([1, 90, 400, 1600]), COMMANDS), max_size=50), st.sampled_from([4, 9, 55]))
def test_whatever_happens_no_card_is_lost_and_every_ruling_has_words(steps: list[tuple[int, str]], cards: int) -> None:
    table = Table(4, cards=cards, remarks="on", missed="on")
    now = ends = 0
    for step, command in [*steps, (1, "stop")]:
        now += step
        for ruling in table(f"{now}: {command}"):
            assert ruling["t_ns"] <= now * MS
            ends += ruling["ruling"] == "end"
        assert sum(table.counts()) == cards
        assert min(table.game.cards.draw) >= 0
        assert set(table.game.tops.by_seat) == {seat for seat, count in enumerate(table.game.cards.discard) if count}
    assert ends == 1
    assert all(table.sentences)
