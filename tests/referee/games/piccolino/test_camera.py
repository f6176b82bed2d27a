"""What a camera knows of the piles: cards read late or not at all, cards in mid-turn, piles that went away."""

from __future__ import annotations

import pytest

from referee.announcer import Announcer
from referee.engine.events import Event, Header
from referee.games.piccolino.rules import from_header
from referee.language import LANGUAGES, Language
from tests.referee.games.piccolino.test_rules import MS, Ruling, Table, kinds

PAIR = "0: 0 red, 1 red"
WON = f"{PAIR}, 100: bell 2"


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        # It was open since it was shown, for people could read it then.
        ("0: 0 red, 100: 1 ? ?, 200: read 1 red, 600: bell 2", {"valid": True, "seats": [0, 1], "reaction_ms": 500.0}),
        # A card that cannot be read any more covers no pair up.
        (f"{PAIR}, 50: read 1 ? ?, 100: bell 2", {"ruling": "unclear", "seats": [1]}),
        (f"{PAIR}, 50: read 1 ? ?, 90: read 1 red sad, 100: bell 2", {"valid": False, "reason": "sad"}),
        # What lay at a seat that nobody saw decides only where it matters.
        (f"{PAIR}, 100: bell 2 unseen 2 3", {"valid": True}),
        (f"{PAIR}, 100: bell 2 unseen 1", {"ruling": "unclear", "seats": [1]}),
        ("0: 0 red, 100: bell 2 unseen 3", {"ruling": "unclear", "seats": [3]}),
        ("0: 0 red sad, 100: bell 2 unseen 3", {"valid": False}),
        # A pile that went away makes no pair, until it is seen again.
        (f"{PAIR}, 300: gone 1, 400: bell 2", {"valid": False, "reason": "covered_up", "ago_ms": 100.0}),
        (f"{PAIR}, 300: gone 1, 1000: read 1 red, 1300: bell 2", {"seats": [0, 1]}),
    ],
)
def test_a_ring_is_ruled_by_what_is_known_of_the_piles(commands: str, expected: Ruling) -> None:
    ring, *others = Table(4)(commands)
    assert {key: ring.get(key) for key in expected} == expected
    assert [move["count"] for move in others if move.get("from") == "piles"] == ([2] if ring.get("valid") else [])


def test_a_misread_card_that_made_no_pair_is_no_missed_chance() -> None:
    rulings = Table(4, missed="on")(f"{PAIR}, 900: read 1 blue, 1000: 2 blue, 1500: bell 3")
    assert kinds(rulings) == ["ring", "cards_move"]
    # The blue at seat 1 lay there before, but the pair is as old as its second card.
    assert rulings[0]["reaction_ms"] == 500.0


def test_a_ring_for_a_first_card_that_nobody_saw_is_no_ring_on_a_cleared_table() -> None:
    assert Table(4)(f"{WON}, 4000: bell 2")[-1]["reason"] == "table_cleared"
    # A first card is under the ringer's arm or not: he pays for the ring, or it counts for nothing.
    hidden = Table(4)
    doubt = hidden(f"{WON}, 4000: bell 2 unseen 2")[-1]
    assert (doubt["ruling"], doubt["seats"]) == ("unclear", [2])
    ruled, first, *_ = hidden("5000: decided false")
    assert (ruled["valid"], ruled["decided"], first["from"]) == (False, True, 2)
    assert Table(4)(f"{WON}, 300: bell 2 unseen 2")[-1]["ruling"] == "also_rang"


@pytest.mark.parametrize(("colour", "moves"), [("red", [("piles", 2)]), ("blue", [(2, 3), (2, 0), (2, 1)])])
def test_an_unclear_ring_is_ruled_when_the_pile_in_doubt_comes_back_unchanged(colour: str, moves: list[object]) -> None:
    doubt, ring, *moved = Table(4)(f"0: 0 red, 1 {colour}, 100: bell 2 unseen 1, 900: back 1")
    assert (doubt["ruling"], doubt["seats"]) == ("unclear", [1])
    assert (ring["ruling"], ring["t_ns"], ring["seen_again"]) == ("ring", 100 * MS, True)
    assert ring["valid"] is (colour == "red")
    assert [(move["from"], move["to"]) for move in moved] == moves


def test_all_piles_in_doubt_must_come_back_before_a_ring_is_ruled() -> None:
    table = Table(4)
    assert kinds(table(f"{PAIR}, 100: bell 2 unseen 0 1, 900: back 1")) == ["unclear"]
    assert table("950: back 0")[0]["seats"] == [0, 1]


def test_a_doubt_about_a_cleared_table_ends_as_a_ring_that_means_nothing() -> None:
    over = Table(4)(f"{WON}, 4000: bell 3 unseen 2, 4500: back 2")[-1]
    assert (over["ruling"], over["t_ns"], over["reason"]) == ("ignored", 4000 * MS, "table_cleared")


@pytest.mark.parametrize("between", ["decided valid", "3 blue", "gone 0", "stop"])
def test_what_has_been_decided_or_has_changed_is_not_ruled_by_the_camera(between: str) -> None:
    table = Table(4)
    late = table(f"{PAIR}, 100: bell 2 unseen 1, 500: {between}, 900: back 1")[-1]
    reason = "game_over" if between == "stop" else "no_ring"
    assert (late["ruling"], late["event"], late["reason"]) == ("ignored", "look", reason)
    assert table.announcer.say(late) == ""


def test_a_pile_that_comes_back_before_the_ringer_is_named_takes_the_doubt_away() -> None:
    table = Table(4)
    assert table(f"{PAIR}, 100: bell - unseen 1, 300: back 1") == []
    ring, _ = table("900: ringer 3")
    assert (ring["valid"], ring["seat"], ring["seen_again"]) == (True, 3, True)
    # What is there now came after the ring.
    later = Table(4)(f"{PAIR}, 100: bell - unseen 1, 200: 1 red, 300: back 1, 900: ringer 3")
    assert later[0]["ruling"] == "unclear"


@pytest.mark.parametrize(
    ("at_ms", "card", "early"),
    [
        (580, "1 red", [(3, [0, 1], 80.0)]),
        (1501, "1 red", []),
        (580, "1 blue", []),
        (580, "1 ? ?", []),
        # A card that turned elsewhere was not what the ring was for.
        (580, "2 red", []),
    ],
)
def test_a_ring_while_the_pairs_second_card_turned_was_too_early(
    at_ms: int, card: str, early: list[tuple[int, list[int], float]]
) -> None:
    ring, *others = Table(4)(f"0: 0 red, 500: bell 3 turning 1, {at_ms}: {card}")
    assert (ring["reason"], ring["turning"]) == ("no_pair", [1])
    told = [one for one in others if one["ruling"] == "too_early"]
    assert [(one["seat"], one["seats"], one["early_ms"]) for one in told] == early


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_early_ring_has_words(code: str) -> None:
    table = Table(4)
    announcer = Announcer("piccolino", table.names, Language(code))
    ring, *_, early = table("0: 0 red, 500: bell 3 turning 1, 580: 1 red")
    words = {
        "en": ("a card was still turning", "Too early: two happy reds, but 80 milliseconds after the ring."),
        "de": ("eine Karte wurde noch umgedreht", "Zu früh: zwei fröhliche rote Clowns, aber 80 Millisekunden"),
        "fr": ("une carte tournait encore", "Trop tôt"),
    }[code]
    assert words[0] in announcer.say(ring)
    assert announcer.say(early).startswith(words[1])


def test_a_ring_keeps_what_was_seen_at_its_instant_until_it_is_named() -> None:
    table = Table(4)
    assert table("0: 0 red, 100: bell - unseen 1, 120: 1 red") == []
    question = table.one_bell.question()
    assert question is not None
    assert (question.kind, question.ruling["seats"]) == ("who_rang", [1])
    (doubt,) = table("130: ringer 2")
    assert (doubt["ruling"], doubt["t_ns"], doubt["seat"]) == ("unclear", 100 * MS, 2)


def test_a_ring_where_no_clown_of_the_deck_was_ever_seen_is_unclear_and_says_so() -> None:
    players = ("Ann", "Ben", "Cem", "Dan")
    bell = Event(0, "bell", {"seat": 1, "unseen": [0, 1, 2, 3], "no_clowns": True})
    (doubt,) = (dict(one.as_json()) for one in from_header(Header("piccolino", players, {})).apply(bell))
    assert (doubt["ruling"], doubt["reason"]) == ("unclear", "no_clowns")
    said = Announcer("piccolino", players, Language()).say(doubt)
    assert said.startswith("Unclear: I see no clowns of this deck here.")
