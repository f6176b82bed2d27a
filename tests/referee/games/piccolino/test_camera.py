"""What a camera knows of the piles: cards read late or not at all, cards in mid-turn, piles that went away."""

from __future__ import annotations

from typing import Any

import pytest

from referee.announcer import Announcer
from referee.engine.events import Event, Header
from referee.errors import BadInputError
from referee.games.piccolino.one_bell import OneBell
from referee.games.piccolino.rules import from_header
from referee.language import LANGUAGES, Language

NAMES = ("Ann", "Ben", "Cem", "Dan")
MS = 1_000_000
Ruling = dict[str, Any]
Step = tuple[float, str, dict[str, object]]


def played(*steps: Step) -> list[Ruling]:
    return on(from_header(Header("piccolino", NAMES, {})), *steps)


def on(game: OneBell, *steps: Step) -> list[Ruling]:
    return [r.as_json() for t_ms, kind, data in steps for r in game.apply(Event(round(t_ms * MS), kind, data))]


def card(seat: int, colour: str | None = "red", mood: str | None = "happy") -> dict[str, object]:
    return {"seat": seat, "colour": colour, "mood": mood}


def test_a_card_that_is_read_later_makes_its_pair_and_is_counted_once() -> None:
    game = from_header(Header("piccolino", NAMES, {}))
    unclear = on(
        game,
        (0, "card_shown", card(0)),
        (100, "card_shown", card(1, None, None)),
        (200, "card_read", card(1)),
        (600, "bell", {"seat": 2}),
    )
    ring, won = unclear
    # It lay open since it was shown, for people could read it then.
    assert (ring["valid"], ring["seats"], ring["reaction_ms"]) == (True, [0, 1], 500.0)
    assert won["count"] == 2


def test_a_card_that_cannot_be_read_any_more_is_unclear_and_its_pair_is_not_covered_up() -> None:
    cards: tuple[Step, ...] = (
        (0, "card_shown", card(0)),
        (0, "card_shown", card(1)),
        (50, "card_read", card(1, None, None)),
    )
    (unclear,) = played(*cards, (100, "bell", {"seat": 2}))
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [1])
    ring = played(*cards, (90, "card_read", card(1, "red", "sad")), (100, "bell", {"seat": 2}))[0]
    assert (ring["valid"], ring["reason"]) == (False, "sad")


def test_a_misread_card_that_made_no_pair_is_no_missed_chance() -> None:
    game = from_header(Header("piccolino", NAMES, {"missed": "on"}))
    rulings = on(
        game,
        (0, "card_shown", card(0)),
        (0, "card_shown", card(1)),
        (900, "card_read", card(1, "blue")),
        (1000, "card_shown", card(2, "blue")),
        (1500, "bell", {"seat": 3}),
    )
    assert [ruling["ruling"] for ruling in rulings] == ["ring", "cards_move"]
    # The blue at seat 1 lay there before, but the pair is as old as its second card.
    assert rulings[0]["reaction_ms"] == 500.0


def test_what_lay_at_a_seat_that_nobody_saw_decides_only_where_it_matters() -> None:
    pair: tuple[Step, ...] = (0, "card_shown", card(0)), (0, "card_shown", card(1))
    assert played(*pair, (100, "bell", {"seat": 2, "unseen": [2, 3]}))[0]["valid"] is True
    (unclear,) = played(*pair, (100, "bell", {"seat": 2, "unseen": [1]}))
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [1])
    (unclear,) = played(pair[0], (100, "bell", {"seat": 2, "unseen": [3]}))
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [3])
    sad = (0, "card_shown", card(0, "red", "sad"))
    assert played(sad, (100, "bell", {"seat": 2, "unseen": [3]}))[0]["valid"] is False


def test_a_ring_for_a_first_card_that_nobody_saw_is_no_ring_on_a_cleared_table() -> None:
    won: tuple[Step, ...] = (0, "card_shown", card(0)), (0, "card_shown", card(1)), (100, "bell", {"seat": 2})
    *_, passed_over = played(*won, (4000, "bell", {"seat": 2}))
    assert passed_over["reason"] == "table_cleared"
    # A first card lies under the ringer's arm or not: he pays for the ring, or it counts for nothing.
    *_, unclear = played(*won, (4000, "bell", {"seat": 2, "unseen": [2]}))
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [2])
    hidden: tuple[Step, ...] = (4000, "bell", {"seat": 2, "unseen": [2]}), (5000, "decided", {"valid": False})
    *_, ruled, first, _, _ = played(*won, *hidden)
    assert (ruled["valid"], ruled["decided"], first["from"]) == (False, True, 2)
    *_, follows = played(*won, (300, "bell", {"seat": 2, "unseen": [2]}))
    assert follows["ruling"] == "also_rang"


DOUBTED: tuple[Step, ...] = (
    (0, "card_shown", card(0)),
    (0, "card_shown", card(1)),
    (100, "bell", {"seat": 2, "unseen": [1]}),
)


@pytest.mark.parametrize(("colour", "moves"), [("red", [("piles", 2)]), ("blue", [(2, 3), (2, 0), (2, 1)])])
def test_an_unclear_ring_is_ruled_when_the_pile_in_doubt_comes_back_unchanged(colour: str, moves: list[object]) -> None:
    steps: tuple[Step, ...] = (DOUBTED[0], (0, "card_shown", card(1, colour)), DOUBTED[2])
    unclear, ring, *moved = played(*steps, (900, "pile_unchanged", {"seat": 1}))
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [1])
    assert (ring["ruling"], ring["t_ns"], ring["valid"], ring["seen_again"]) == (
        "ring",
        100 * MS,
        colour == "red",
        True,
    )
    assert [(move["from"], move["to"]) for move in moved] == moves


def test_all_piles_in_doubt_must_come_back_before_a_ring_is_ruled() -> None:
    pair = DOUBTED[:2]
    bell: Step = (100, "bell", {"seat": 2, "unseen": [0, 1]})
    assert [one["ruling"] for one in played(*pair, bell, (900, "pile_unchanged", {"seat": 1}))] == ["unclear"]
    both = played(*pair, bell, (900, "pile_unchanged", {"seat": 1}), (950, "pile_unchanged", {"seat": 0}))
    assert both[1]["seats"] == [0, 1]


def test_a_doubt_about_a_cleared_table_ends_as_a_ring_that_means_nothing() -> None:
    hidden: Step = (4000, "bell", {"seat": 3, "unseen": [2]})
    won: tuple[Step, ...] = (*DOUBTED[:2], (100, "bell", {"seat": 2}), hidden)
    *_, passed_over = played(*won, (4500, "pile_unchanged", {"seat": 2}))
    assert (passed_over["ruling"], passed_over["t_ns"], passed_over["reason"]) == (
        "ignored",
        4000 * MS,
        "table_cleared",
    )


@pytest.mark.parametrize(
    "between",
    [
        (500, "decided", {"valid": True}),
        (500, "card_shown", card(3, "blue")),
        (500, "pile_gone", {"seat": 0}),
        (500, "stop", {}),
    ],
)
def test_what_has_been_decided_or_has_changed_is_not_ruled_by_the_camera(between: Step) -> None:
    *_, late = played(*DOUBTED, between, (900, "pile_unchanged", {"seat": 1}))
    reason = "game_over" if between[1] == "stop" else "no_ring"
    assert (late["ruling"], late["event"], late["reason"]) == ("ignored", "look", reason)
    assert Announcer("piccolino", NAMES, Language("en")).say(late) == ""


def test_a_pile_that_comes_back_before_the_ringer_is_named_takes_the_doubt_away() -> None:
    game = from_header(Header("piccolino", NAMES, {}))
    nobody: Step = (100, "bell", {"seat": None, "unseen": [1]})
    assert on(game, *DOUBTED[:2], nobody, (300, "pile_unchanged", {"seat": 1})) == []
    ring, _ = on(game, (900, "ringer", {"seat": 3}))
    assert (ring["valid"], ring["seat"], ring["seen_again"]) == (True, 3, True)
    # What lies there now came after the ring.
    game = from_header(Header("piccolino", NAMES, {}))
    on(game, *DOUBTED[:2], nobody, (200, "card_shown", card(1)), (300, "pile_unchanged", {"seat": 1}))
    assert on(game, (900, "ringer", {"seat": 3}))[0]["ruling"] == "unclear"


def test_a_pile_that_went_away_makes_no_pair() -> None:
    pair: tuple[Step, ...] = (0, "card_shown", card(0)), (0, "card_shown", card(1)), (300, "pile_gone", {"seat": 1})
    ring = played(*pair, (400, "bell", {"seat": 2}))[0]
    assert (ring["valid"], ring["reason"], ring["ago_ms"]) == (False, "covered_up", 100.0)
    back = (1000, "card_read", card(1))
    assert played(*pair, back, (1300, "bell", {"seat": 2}))[0]["seats"] == [0, 1]


def test_nothing_can_be_seen_where_no_card_was_turned() -> None:
    (ignored,) = played((0, "card_read", card(1)))
    assert (ignored["ruling"], ignored["event"], ignored["reason"]) == ("ignored", "look", "no_pile")
    assert played((0, "pile_gone", {"seat": 1}), (1, "stop", {}), (2, "pile_gone", {"seat": 1}))[-1]["reason"] == (
        "game_over"
    )


@pytest.mark.parametrize(
    ("colour", "after_ms", "early"), [("red", 80, 80.0), ("red", 1001, None), ("blue", 80, None), (None, 80, None)]
)
def test_a_ring_while_the_pairs_second_card_turned_was_too_early(
    colour: str | None, after_ms: float, early: float | None
) -> None:
    rulings = played(
        (0, "card_shown", card(0)),
        (500, "bell", {"seat": 3, "turning": [1]}),
        (500 + after_ms, "card_shown", card(1, colour, "happy" if colour else None)),
    )
    assert (rulings[0]["reason"], rulings[0]["turning"]) == ("no_pair", [1])
    told = [ruling for ruling in rulings if ruling["ruling"] == "too_early"]
    assert [(ruling["seat"], ruling["seats"], ruling["early_ms"]) for ruling in told] == (
        [] if early is None else [(3, [0, 1], early)]
    )


def test_a_card_that_turned_elsewhere_was_not_what_the_ring_was_for() -> None:
    steps: tuple[Step, ...] = (
        (0, "card_shown", card(0)),
        (500, "bell", {"seat": 3, "turning": [2]}),
        (600, "card_shown", card(1)),
    )
    assert "too_early" not in [ruling["ruling"] for ruling in played(*steps)]


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_early_ring_has_words(code: str) -> None:
    announcer = Announcer("piccolino", NAMES, Language(code))
    ring, *_, early = played(
        (0, "card_shown", card(0)), (500, "bell", {"seat": 3, "turning": [1]}), (580, "card_shown", card(1))
    )
    words = {
        "en": ("a card was still turning", "Too early: two happy reds, but 80 milliseconds after the ring."),
        "de": ("eine Karte wurde noch umgedreht", "Zu früh: zwei fröhliche rote Clowns, aber 80 Millisekunden"),
        "fr": ("une carte tournait encore", "Trop tôt"),
    }[code]
    assert words[0] in announcer.say(ring)
    assert announcer.say(early).startswith(words[1])


def test_a_ring_keeps_what_was_seen_at_its_instant_until_it_is_named() -> None:
    game = from_header(Header("piccolino", NAMES, {}))
    steps: tuple[Step, ...] = (
        (0, "card_shown", card(0)),
        (100, "bell", {"seat": None, "unseen": [1]}),
        (120, "card_shown", card(1)),
    )
    assert on(game, *steps) == []
    question = game.question()
    assert question is not None
    assert (question.kind, question.ruling.as_json()["seats"]) == ("who_rang", [1])
    (unclear,) = on(game, (130, "ringer", {"seat": 2}))
    assert (unclear["ruling"], unclear["t_ns"], unclear["seat"]) == ("unclear", 100 * MS, 2)


def test_the_players_are_asked_how_an_unclear_ring_is_to_be_ruled_until_play_goes_on() -> None:
    game = from_header(Header("piccolino", NAMES, {}))
    on(game, (0, "card_shown", card(0)), (100, "bell", {"seat": 2, "unseen": [1]}))
    question = game.question()
    assert question is not None
    assert (question.kind, question.seats) == ("decide", (1,))
    on(game, (900, "card_shown", card(3, "blue")))
    assert game.question() is None


def test_a_name_for_one_of_two_rings_goes_to_that_one() -> None:
    game = from_header(Header("piccolino", NAMES, {}))
    on(game, (0, "card_shown", card(0)), (100, "bell", {"seat": None}), (140, "bell", {"seat": None}))
    assert on(game, (150, "ringer", {"seat": 2, "ring_t_ns": 140 * MS})) == []
    rulings = on(game, (160, "ringer", {"seat": 1, "ring_t_ns": 100 * MS}))
    assert [(ruling["ruling"], ruling.get("seat")) for ruling in rulings if "seat" in ruling] == [
        ("ring", 1),
        ("also_rang", 2),
    ]
    # It has been answered: a second voice says nothing new.
    assert on(game, (170, "ringer", {"seat": 3, "ring_t_ns": 100 * MS})) == []


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("bell", {"seat": 0, "unseen": 3}, '"unseen" must be a list of seats'),
        ("bell", {"seat": 0, "turning": [7]}, "nobody sits at seat 7"),
        ("ringer", {"seat": 0, "ring_t_ns": "now"}, "ring_t_ns"),
        ("card_read", {"seat": 0}, '"colour" must say'),
        ("pile_gone", {}, '"seat" must be a whole number'),
    ],
)
def test_what_cannot_be_is_refused(kind: str, data: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        played((0, kind, data))


def test_whoever_rang_and_presses_again_did_not_ring_too() -> None:
    twice = played((0, "card_shown", card(0)), (500, "bell", {"seat": 1}), (700, "bell", {"seat": 1}))
    assert twice[-1] == {"ruling": "also_rang", "t_ns": 700 * MS, "seat": 1, "lag_ms": 200.0, "again": True}
    assert Announcer("piccolino", NAMES, Language()).say(twice[-1]) == "Ben pressed the bell once more."


def test_a_ring_where_no_clown_of_the_deck_was_ever_seen_is_unclear_and_says_so() -> None:
    (unclear,) = played((0, "bell", {"seat": 1, "unseen": [0, 1, 2, 3], "no_clowns": True}))
    assert (unclear["ruling"], unclear["reason"]) == ("unclear", "no_clowns")
    said = Announcer("piccolino", NAMES, Language()).say(unclear)
    assert said.startswith("Unclear: I see no clowns of this deck here.")
