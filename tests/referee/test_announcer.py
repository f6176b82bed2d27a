"""What the referee says about rulings, in three languages: numbers, plurals, colours and names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.events import SandReason, SandResumed, SandTrouble
from referee.announcer import Announcement, Announcer
from referee.errors import BadInputError
from referee.language import LANGUAGES, Language, language_of
from referee.sayings import sandtimer

PLAYERS = ("Ann", "Ben", "Cem")
NBSP = "\u00a0"
Ruling = dict[str, Any]


def say(game: str, ruling: Ruling, code: str = "en") -> str:
    return Announcer(game, PLAYERS, Language(code)).say(ruling).replace(NBSP, " ")


def hand(seat: int = 0, sets: int = 5, cards: int = 6, unused: int = 1, over: int = 0, points: int = 4) -> Ruling:
    score = {"sets": sets, "cards_needed": cards, "unused": unused, "over_limit": over, "points": points}
    return {"ruling": "hand", "seat": seat, **score, "kept": max(points, 0)}


def ring(**more: object) -> Ruling:
    return {"ruling": "ring", "seat": None, **more}


VALID = ring(valid=True, colour="green", seats=[0, 2])
SAYINGS = Path(__file__).parents[1] / "data" / "sayings.json"


@pytest.mark.parametrize("case", json.loads(SAYINGS.read_text(encoding="utf-8")))
def test_a_ruling_is_said_as_the_file_of_sayings_has_it(case: dict[str, Any]) -> None:
    languages = case.keys() & set(LANGUAGES)
    assert {code: say(case["game"], case["ruling"], code) for code in languages} == {c: case[c] for c in languages}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_reason_and_every_trouble_of_the_sandtimer_has_words_of_its_own(code: str) -> None:
    rings = [ring(valid=False, reason=reason) for reason in ("no_pair", "sad", "covered_up", "lucky_guess")]
    ignored = [{"ruling": "ignored", "seat": 1, "reason": reason} for reason in ("out", "table_cleared")]
    reasons = ("already_out", "not_your_turn", "row_gone", "row_full", "row_empty")
    fouls = [{"ruling": "foul", "seat": 0, "reason": reason} for reason in reasons]
    assert len({say("piccolino", ruling, code) for ruling in [*rings, *ignored]}) == 6
    assert len({say("coloretto", ruling, code) for ruling in fouls}) == 5
    language = Language(code)
    said = {sandtimer.say(SandTrouble(0, reason), language) for reason in SandReason}
    assert len(said | {sandtimer.say(SandResumed(0), language)}) == len(SandReason) + 1


def test_penalty_cards_for_several_are_one_sentence() -> None:
    announcer = Announcer("piccolino", PLAYERS, Language())
    moves = [{"ruling": "cards_move", "from": 1, "to": seat, "count": 1} for seat in (0, 2)]
    false = ring(valid=False, reason="no_pair") | {"seat": 1}
    assert announcer.announce([false, *moves, {"ruling": "out", "seat": 1}]) == Announcement(
        (
            "False ring, Ben: no two happy clowns of one colour.",
            "Ben gives one card each to Ann and Cem.",
            "Ben is out.",
        ),
        urgent=True,
    )
    assert announcer.announce(moves[:1]) == Announcement(("Ben gives one card to Ann.",), urgent=False)


def test_scores_wait_their_turn_and_what_has_no_words_is_not_said() -> None:
    announcer = Announcer("confetti", PLAYERS, Language())
    scores = announcer.announce([hand(0), hand(1)])
    assert scores is not None
    assert (len(scores.sentences), scores.urgent) == (2, False)
    assert announcer.announce([{"ruling": "something new"}]) is None
    assert announcer.announce([]) is None
    assert Announcer("tarot", PLAYERS, Language()).say({"ruling": "time"}) == ""


def test_a_challenged_hand_is_shown_set_by_set() -> None:
    cards = [["red", "green", "blue"], ["green", "blue", "red"], ["blue", "red", "green"]]
    arrangement = [{"colour": "red", "cards": [0, 2, 1]}]
    ruling = {**hand(0, 1, 3, 0), "ruling": "arrangement", "cards": cards, "arrangement": arrangement}
    assert say("confetti", ruling) == (
        "Ann: one set on three cards. Red: small on red-green-blue, medium on blue-red-green and big on green-blue-red."
    )


@given(
    st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=2),
    st.integers(-60, 60),
    st.sampled_from(LANGUAGES),
)
def test_any_name_is_said_as_it_is_and_no_place_left_open(names: list[str], points: int, code: str) -> None:
    announcer = Announcer("piccolino", names, Language(code))
    move = announcer.say({"ruling": "cards_move", "from": 0, "to": 1, "count": 1})
    assert all(name in move for name in names)
    assert announcer.say({**VALID, "seat": 1}).count(names[1]) >= 1
    assert not set(say("confetti", hand(points=points), code)) & set("{}")


def test_the_language_is_the_systems_or_else_english() -> None:
    assert language_of({"LANG": "de_AT.UTF-8"}) == "de"
    assert language_of({"LANG": "de_DE.UTF-8", "LC_ALL": "fr_FR.UTF-8"}) == "fr"
    assert language_of({"LANGUAGE": "nl:fr", "LANG": "de_DE.UTF-8"}) == "fr"
    for system in ({}, {"LANG": "C.UTF-8"}, {"LANG": ""}, {"LANG": "ja_JP.UTF-8"}):
        assert language_of(system) == "en"
    with pytest.raises(BadInputError):
        Language("nl")


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_players_did_in_vain_is_said_with_its_reason(code: str) -> None:
    confetti_reasons = ("timer_running", "no_timer", "no_round", "not_counted", "nothing_counted")
    confetti_events = ("timer_flipped", "contested", "count", "challenge", "stop")
    cases = [("confetti", event, reason) for event in confetti_events for reason in confetti_reasons]
    cases += [("piccolino", "bell", "game_over"), ("piccolino", "card_shown", "out")]
    named = {say(g, {"ruling": "ignored", "event": event, "reason": why, "seat": 1}, code) for g, event, why in cases}
    assert len(named) == len(cases)
    assert all("Ben" in sentence for sentence in named)


SILENT = """confetti timer_flipped game_over, confetti timer_ran_out no_timer, confetti hand no_round,
    piccolino look no_ring, piccolino look game_over, piccolino look no_pile, piccolino card_shown game_over,
    piccolino ringer no_ring, piccolino decided no_ring, coloretto card_placed game_over"""


@pytest.mark.parametrize("case", SILENT.split(","))
def test_nothing_is_said_of_what_only_the_program_wants_to_know(case: str) -> None:
    game, event, reason = case.split()
    ruling = {"ruling": "ignored", "event": event, "reason": reason}
    assert say(game, ruling) == say(game, {**ruling, "seat": 1}) == ""
