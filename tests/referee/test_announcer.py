"""What the referee says about rulings, in three languages: numbers, plurals, colours and names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.events import SandFlipped, SandReason, SandResumed, SandTrouble, Witness
from referee.announcer import Announcement, Announcer
from referee.errors import BadInputError
from referee.games.registry import GAMES
from referee.language import LANGUAGES, Language, language_of

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
SAD = ring(valid=False, reason="sad", colour="red")


@pytest.mark.parametrize(
    ("game", "ruling", "english", "german", "french"),
    [
        ("confetti", {"ruling": "time"}, "Time! Hands off.", "Zeit! Hände weg.", "Temps écoulé ! On ne touche plus."),
        (
            "confetti",
            hand(),
            "Ann: five sets on six cards, one card unused, four points.",
            "Ann: fünf Sätze auf sechs Karten, eine Karte übrig, vier Punkte.",
            "Ann : cinq séries sur six cartes, une carte inutile, quatre points.",
        ),
        (
            "confetti",
            {**hand(1, 1, 1, 0, 1, -1), "kept": 13},
            "Ben: one set on one card, one card over the limit, minus one point, 13 points in all.",
            "Ben: ein Satz auf einer Karte, eine Karte zu viel, minus ein Punkt, insgesamt 13 Punkte.",
            "Ben : une série sur une carte, une carte de trop, moins un point, 13 points en tout.",
        ),
        (
            "confetti",
            hand(2, 0, 0, 0, 0, 0),
            "Cem: no sets, no points.",
            "Cem: kein Satz, keine Punkte.",
            "Cem : aucune série, aucun point.",
        ),
        (
            "confetti",
            {"ruling": "round", "number": 1, "limit": 6},
            "Round one: at most six cards.",
            "Runde eins: höchstens sechs Karten.",
            "Manche un : six cartes au plus.",
        ),
        (
            "confetti",
            {"ruling": "foul", "seat": 1, "reason": "after_time", "taken": [1, 2], "put_back": [3]},
            "Foul, Ben: two cards taken and one card put back after time.",
            "Foul, Ben: zwei Karten genommen und eine Karte zurückgelegt, obwohl die Zeit um war.",
            "Faute, Ben : deux cartes prises et une carte reposée après la fin du temps.",
        ),
        (
            "confetti",
            {"ruling": "end", "winners": [0, 2], "points": [5, 1, 5]},
            "The end: Ann and Cem share the win with five points each. Ben: one point.",
            "Ende: Ann und Cem gewinnen gemeinsam, je fünf Punkte. Ben: ein Punkt.",
            "Fin de la partie : Ann et Cem gagnent ensemble, cinq points chacun. Ben : un point.",
        ),
        (
            "piccolino",
            VALID,
            "Valid ring: two happy greens.",
            "Richtig geklingelt: zwei fröhliche grüne Clowns.",
            "Bien sonné : deux clowns verts joyeux.",
        ),
        (
            "piccolino",
            {**VALID, "seat": 1, "colour": "purple", "seats": [0, 1, 2]},
            "Valid ring, Ben: three happy purples.",
            "Richtig geklingelt, Ben: drei fröhliche lila Clowns.",
            "Bien sonné, Ben : trois clowns violets joyeux.",
        ),
        (
            "piccolino",
            SAD,
            "False ring: one of the reds is sad.",
            "Falsch geklingelt: einer der roten Clowns ist traurig.",
            "Mal sonné : l’un des clowns rouges est triste.",
        ),
        (
            "piccolino",
            {"ruling": "also_rang", "seat": 2, "lag_ms": 38.0},
            "Cem rang too, 38 milliseconds later.",
            "Cem hat auch geklingelt, 38 Millisekunden später.",
            "Cem a sonné aussi, 38 millisecondes plus tard.",
        ),
        (
            "piccolino",
            {"ruling": "also_rang", "seat": 2, "lag_ms": 0.4},
            "Cem rang too, 0.4 milliseconds later.",
            "Cem hat auch geklingelt, 0,4 Millisekunden später.",
            "Cem a sonné aussi, 0,4 milliseconde plus tard.",
        ),
        (
            "piccolino",
            {"ruling": "cards_move", "from": "piles", "to": 1, "count": 12},
            "Ben wins the piles: twelve cards.",
            "Ben gewinnt die Stapel: zwölf Karten.",
            "Ben gagne les piles : douze cartes.",
        ),
        (
            "coloretto",
            {"ruling": "foul", "seat": 0, "reason": "row_full"},
            "Foul, Ann: that row is full.",
            "Foul, Ann: diese Reihe ist voll.",
            "Faute, Ann : cette rangée est pleine.",
        ),
        (
            "coloretto",
            {"ruling": "round_end", "starts": 1},
            "The round is over. Ben starts the next one.",
            "Die Runde ist zu Ende. Ben beginnt die nächste.",
            "La manche est finie. Ben commence la suivante.",
        ),
    ],
)
def test_rulings_in_three_languages(game: str, ruling: Ruling, english: str, german: str, french: str) -> None:
    assert [say(game, ruling, code) for code in LANGUAGES] == [english, german, french]


def test_the_end_of_coloretto_tells_which_colours_counted() -> None:
    hands = [
        {"plus": ["green", "yellow", "red"], "joker_colours": ["yellow"]},
        {"plus": ["heart"], "joker_colours": ["star", "star"]},
        {"plus": [], "joker_colours": []},
    ]
    end = {"ruling": "end", "winners": [0], "points": [41, 1, 0], "hands": hands}
    assert say("coloretto", end) == (
        "The end: Ann wins with 41 points. Ben: one point. Cem: no points. "
        "Ann: green, yellow and red count plus, the joker is yellow. Ben: heart counts plus, the jokers are star."
    )


def test_a_challenged_hand_is_shown_set_by_set() -> None:
    cards = [["red", "green", "blue"], ["green", "blue", "red"], ["blue", "red", "green"]]
    arrangement = [{"colour": "red", "cards": [0, 2, 1]}]
    ruling = {**hand(0, 1, 3, 0), "ruling": "arrangement", "cards": cards, "arrangement": arrangement}
    assert say("confetti", ruling) == (
        "Ann: one set on three cards. Red: small on red-green-blue, medium on blue-red-green and big on green-blue-red."
    )


def test_a_colour_of_another_edition_is_said_as_its_deck_calls_it() -> None:
    mauve = [say("piccolino", {**one, "colour": "mauve"}, code) for code in LANGUAGES for one in (VALID, SAD)]
    assert mauve == [
        "Valid ring: two happy clowns of the colour mauve.",
        "False ring: one of the clowns of the colour mauve is sad.",
        "Richtig geklingelt: zwei fröhliche Clowns der Farbe mauve.",
        "Falsch geklingelt: einer der Clowns der Farbe mauve ist traurig.",
        "Bien sonné : deux clowns joyeux de couleur mauve.",
        "Mal sonné : l’un des clowns de couleur mauve est triste.",
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_reason_has_words_of_its_own(code: str) -> None:
    reasons = ("no_pair", "sad", "covered_up", "lucky_guess")
    rings = {say("piccolino", ring(valid=False, reason=reason), code) for reason in reasons}
    ignored = {
        say("piccolino", {"ruling": "ignored", "seat": 1, "reason": why}, code) for why in ("out", "table_cleared")
    }
    fouls = ("already_out", "not_your_turn", "row_gone", "row_full", "row_empty")
    broken = {say("coloretto", {"ruling": "foul", "seat": 0, "reason": reason}, code) for reason in fouls}
    assert (len(rings), len(ignored), len(broken)) == (4, 2, 5)


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


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_trouble_of_the_sandtimer_is_said(code: str) -> None:
    announcer = Announcer("confetti", PLAYERS, Language(code))
    said = {announcer.announce_event(SandTrouble(0, reason)) for reason in SandReason}
    said.add(announcer.announce_event(SandResumed(0)))
    assert len(said - {None}) == len(SandReason) + 1
    assert announcer.announce_event(SandFlipped(0, Witness.TILT)) is None


@given(st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=2), st.sampled_from(LANGUAGES))
def test_any_name_is_said_as_it_is(names: list[str], code: str) -> None:
    announcer = Announcer("piccolino", names, Language(code))
    move = announcer.say({"ruling": "cards_move", "from": 0, "to": 1, "count": 1})
    assert all(name in move for name in names)
    assert announcer.say({**VALID, "seat": 1}).count(names[1]) >= 1


@given(st.integers(-60, 60), st.sampled_from(LANGUAGES))
def test_no_sentence_has_a_place_left_open(points: int, code: str) -> None:
    assert not set(say("confetti", hand(points=points), code)) & set("{}")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("code", LANGUAGES)
def test_fixed_phrases_are_what_will_be_said(game: str, code: str) -> None:
    announcer = Announcer(game, PLAYERS, Language(code))
    phrases = announcer.fixed_phrases()
    expected = {
        "confetti": {"ruling": "time"},
        "piccolino": {**VALID, "seat": 2},
        "coloretto": {"ruling": "foul", "seat": 2, "reason": "row_full"},
    }
    assert announcer.say(expected[game]) in phrases
    assert len(set(phrases)) == len(phrases) < 200


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
    assert say("confetti", {"ruling": "ignored", "event": "count", "reason": "no_round"}, code)


@pytest.mark.parametrize(
    ("game", "event", "reason"),
    [
        ("confetti", "timer_flipped", "game_over"),
        ("confetti", "timer_ran_out", "no_timer"),
        ("confetti", "hand", "no_round"),
        ("piccolino", "look", "no_ring"),
        ("piccolino", "look", "game_over"),
        ("piccolino", "look", "no_pile"),
        ("piccolino", "card_shown", "game_over"),
        ("piccolino", "ringer", "no_ring"),
        ("piccolino", "decided", "no_ring"),
        ("coloretto", "card_placed", "game_over"),
    ],
)
def test_nothing_is_said_of_what_only_the_program_wants_to_know(game: str, event: str, reason: str) -> None:
    ruling = {"ruling": "ignored", "event": event, "reason": reason}
    assert say(game, ruling) == say(game, {**ruling, "seat": 1}) == ""


def test_what_the_players_decide_and_what_is_only_remarked_on() -> None:
    by_ben = {"ruling": "ring", "seat": 1}
    lucky = {**VALID, "lucky": True}
    rulings: list[Ruling] = [
        {**by_ben, "valid": True, "colour": None, "seats": [], "decided": True},
        {**by_ben, "valid": False, "decided": True},
        {**by_ben, "valid": False, "reason": "lucky_guess", "colour": "green", "seats": [0, 2]},
        {**lucky, "seat": 1},
        {"ruling": "unclear", "seat": 1, "seats": [0, 2]},
        {"ruling": "unclear", "seat": None, "seats": []},
        {"ruling": "also_rang", "seat": None, "lag_ms": 0.0},
        {"ruling": "remark", "seat": 2, "reason": "out_of_turn"},
        {"ruling": "missed", "count": 3, "longest_ms": 2100.0},
        {"ruling": "missed", "count": 1, "longest_ms": 800.0},
    ]
    assert [say("piccolino", ruling) for ruling in rulings] == [
        "Valid ring, Ben: so you decided.",
        "False ring, Ben: so you decided.",
        "False ring, Ben: too soon, a lucky guess.",
        "Valid ring, Ben: two happy greens, but a lucky guess.",
        "Unclear, the cards could not be told for certain: Ann and Cem. Please look at the picture and decide.",
        "Unclear: the cards could not be told for certain. Please look at the picture and decide.",
        "Somebody rang too, at the very same moment.",
        "Cem turned a card out of turn.",
        "Nobody rang for three pairs, the longest open for 2.1 s.",
        "Nobody rang for one pair, open for 0.8 s.",
    ]
