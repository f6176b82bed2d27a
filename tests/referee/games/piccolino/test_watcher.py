"""Events of Piccolino's piles, from the sights of their places frame by frame."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Session
from referee.games.piccolino.rules import from_header
from referee.games.piccolino.watching.ringer import RingerDetector
from referee.games.piccolino.watching.tracker import PileTracker
from referee.games.piccolino.watching.watcher import PiccolinoWatcher
from referee.language import Language
from referee.sayings.service import notice as say
from tests.support.pile_play import MS, corners
from vision.piles.observations import Kind, PileSight

NAMES = ("Ann", "Ben", "Cem")
PERIOD = 33 * MS
Ruling = dict[str, Any]


class ScriptedPiles(PileTracker):
    def __init__(self) -> None:
        self.sights: dict[int, PileSight] = {seat: PileSight(seat, "empty") for seat in range(3)}
        self.closely: list[PileSight] = []
        self.notices: tuple[Notice, ...] = ()

    def look(self, frame: Frame) -> list[PileSight]:
        return list(self.sights.values())

    def look_closely(self) -> list[PileSight]:
        return self.closely


class OneArm(RingerDetector):
    """Knows who rang when the next frame has come, or at once."""

    def __init__(self, seat: int | None, at_once: bool) -> None:
        self.seat, self.at_once = seat, at_once
        self.rings: list[int] = []

    def look(self, frame: Frame) -> list[tuple[int, int]]:
        rings, self.rings = self.rings, []
        return [] if self.seat is None else [(t_ns, self.seat) for t_ns in rings]

    def rang(self, t_ns: int) -> int | None:
        if self.at_once:
            return self.seat
        self.rings.append(t_ns)
        return None


class Table:
    """A session, played by commands.

    "2 red happy @3 x9": seat 2 shows that card, lying so, for nine frames. "2 covered", "frames x9", "lost 40" (ms),
    "ring 2 +40": 40 ms after the last frame; "ring": nobody knows who.
    """

    def __init__(self, ringers: OneArm | None = None, *, seen: int = 3, **options: object) -> None:
        self.eyes = ScriptedPiles()
        header = Header("piccolino", NAMES, options)
        self.events: list[Event] = []
        watcher = PiccolinoWatcher(header, self.eyes, ringers)
        self.session = Session(header, from_header, watcher, lambda record: self.events.append(record.event))
        self.now, self.number = 1000 * MS, 0
        self.rulings: list[Ruling] = []
        self.notices: list[Notice] = []
        self.frames(seen)

    def frames(self, count: int) -> None:
        for _ in range(count):
            self.now += PERIOD
            self.number += 1
            outcome = self.session.look(Frame(self.now, self.now, np.zeros((1, 1, 3), np.uint8), self.number))
            self.rulings += [dict(ruling) for ruling in outcome.rulings]
            self.notices += outcome.notices

    def __call__(self, commands: str) -> list[Ruling]:
        """Act the commands out, and give the rulings of the last ring."""
        ruled: list[Ruling] = []
        for command in commands.split(", "):
            marked = {word[0]: float(word[1:]) for word in command.split() if word[0] in "@x+"}
            first, *what = [word for word in command.split() if word[0] not in "@x+"]
            if first == "ring":
                ruled = self.ring(int(what[0]) if what else None, marked.get("+", 10))
                continue
            if first == "lost":
                self.now += int(what[0]) * MS
                continue
            if first.isdigit():
                sight = PileSight(int(first), cast(Kind, what[0]))
                if len(what) == 2:
                    colour, mood = what
                    sight = PileSight(int(first), "face", colour, mood, corners(marked.get("@", 0.0)))
                self.eyes.sights[int(first)] = sight
            self.frames(int(marked.get("x", 1)))
        return ruled

    def ring(self, seat: int | None, after_ms: float) -> list[Ruling]:
        outcome = self.session.hear(BellPressed(self.now + round(after_ms * MS), seat))
        given = [dict(ruling) for ruling in outcome.rulings]
        self.rulings += given
        self.notices += outcome.notices
        return given

    @property
    def told(self) -> list[str]:
        return [event.kind for event in self.events if event.kind != "bell"]

    @property
    def said(self) -> list[str]:
        return [say(one.kind, one.seat, one.data, NAMES, Language()) for one in self.notices]


SHOWN, READ, GONE = "card_shown", "card_read", "pile_gone"
PAIR = "0 red happy @3, 1 red happy @5"
NO_PAIR = "0 red happy, 1 blue happy"
STILL = f"{PAIR}, frames x5"
AWAY = {seat: f", {seat} empty x8" for seat in range(3)}


def swept(*away: int) -> str:
    """The winner has his arm over his own place while he takes piles away, and over it still."""
    return f"{PAIR}, 2 blue sad @7, ring 2, 2 covered x3{''.join(AWAY[seat] for seat in away)}, 2 covered x50"


def unclear(*seats: int) -> Ruling:
    return {"ruling": "unclear", "seats": list(seats)}


RINGS: dict[str, tuple[str, Ruling]] = {
    "a hand over a pile leaves what lay there": (f"{PAIR}, 1 covered x20, ring 2", {"seats": [0, 1], "valid": True}),
    "but not for ever": (f"{PAIR}, 1 covered x95, ring 2", unclear(1)),
    "a card that a hand had covered was seen for as long as it was read": (
        "0 red happy, 1 covered x10, 1 red happy x10, ring 2",
        {"valid": True, "reaction_ms": pytest.approx(9 * 33 + 10)},
    ),
    "a hand that stays where a card is to be laid may hide one": (f"{NO_PAIR}, 2 covered x13, ring 1", unclear(2)),
    "a hand that does not stay hides none": (f"{NO_PAIR}, 2 covered x10, ring 1", {"ruling": "ring"}),
    "a hand where no card is to be laid hides none": (f"{NO_PAIR}, 0 covered x20, ring 1", {"ruling": "ring"}),
    "a pile out of sight with every frame": (f"{STILL}, 1 covered, frames x2, ring 2", {"valid": True}),
    "a pile out of sight with frames lost": (f"{STILL}, 1 covered, lost 40, frames x2, ring 2", unclear(1)),
    "a fresh frame": (f"{PAIR}, ring 2 +149", {"valid": True}),
    "no fresh frame": (f"{PAIR}, ring 2 +151", {"ruling": "unclear"}),
    "a touched pile and a frame that is due": (f"{STILL}, 1 covered x2, ring 2 +33", {"valid": True}),
    "a touched pile and a frame that is missing": (f"{STILL}, 1 covered x2, ring 2 +40", unclear(1)),
    "a first card may lie under the winner's arm": (f"{swept(0, 1, 2)}, ring 2", unclear(2)),
    "so it may where his own pile lies still": (f"{swept(0, 1)}, ring 2", unclear(2)),
    "piles that are being taken away": (f"{swept(0)}, ring 2", {"ruling": "ignored", "reason": "table_cleared"}),
    "a card that passes by over a won pile": (
        f"{swept()}, 0 covered x9, 0 blue happy @6 x2, ring 1",
        {"ruling": "ignored"},
    ),
    "a card that came to lie on a won pile": (
        f"{swept()}, 0 covered x9, 0 blue happy @6 x8, ring 1",
        {"ruling": "unclear"},
    ),
    "the card that was won": (
        f"{swept()}, 1 covered x9, 1 red happy @5.1 x20, 1 covered, ring 1",
        {"ruling": "ignored"},
    ),
    "an equal card that lies otherwise than the one that was won": (
        f"{swept()}, 1 covered x9, 1 red happy @9 x20, 1 covered, ring 1",
        {"ruling": "unclear"},
    ),
    # It is there in full view, but piles may have been put down so on their way.
    "an arm over a first card on a place that was not seen bare": (
        f"{swept(0, 1)}, 2 green happy @9 x40, 2 covered x0, 0 green happy @3 x6, ring 2",
        unclear(2),
    ),
    "who was passed over unseen may have laid a card": (
        "1 covered x40, 0 red happy x40, 2 blue happy x40, 1 covered, ring 2",
        {"ruling": "unclear"},
    ),
}


@pytest.mark.parametrize("case", RINGS)
def test_a_ring_is_ruled_by_what_may_lie_there(case: str) -> None:
    commands, expected = RINGS[case]
    ruling = Table()(commands)[0]
    assert {key: ruling.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        ("0 red happy, 0 unclear x35, 0 red happy", [SHOWN, READ, READ]),
        ("0 red happy, 0 unclear x35, 0 blue happy", [SHOWN, READ, SHOWN]),
        ("0 red happy x12, 0 turning x4, 0 red happy @6 x3", [SHOWN] * 2),
        ("0 red happy x12, 0 covered x4, 0 red happy @9 x3", [SHOWN] * 2),
        ("0 red happy x12, 0 covered x4, 0 red happy @0.5 x3", [SHOWN]),
        ("0 red happy x12, 0 turning x4, 0 red happy @0.2 x3", [SHOWN]),
        ("0 red happy x12, 0 red happy @30", [SHOWN]),
        (f"{PAIR}, 1 empty x3", [SHOWN] * 2),
        (f"{PAIR}, 1 empty x15", [SHOWN] * 2 + [GONE]),
        (f"{PAIR}, 1 empty x15, 1 red happy @12", [SHOWN] * 2 + [GONE, READ]),
        # A lower card shows while the won pile is pushed away.
        (f"{PAIR}, ring 2, frames x3, 0 covered x5, 0 blue sad @80, 0 covered x3{AWAY[0]}{AWAY[1]}", [SHOWN] * 2),
        (f"{PAIR}, ring 2, 0 covered x5{AWAY[0]}{AWAY[1]}, 2 green happy, 0 red happy @4", [SHOWN] * 4),
    ],
)
def test_each_card_is_told_once(commands: str, told: list[str]) -> None:
    table = Table()
    table(commands)
    assert table.told == told


def test_a_ring_is_a_lucky_guess_only_if_the_card_came_just_before_it_for_certain() -> None:
    # A hand lay on it, and it was read at the ring only: nobody knows how long the players saw it.
    hidden = Table()
    hidden("0 red happy, 1 covered x10")
    hidden.eyes.closely = [PileSight(1, "face", "red", "happy", corners(5))]
    ring = hidden("ring 2")[0]
    assert (ring["valid"], ring.get("lucky"), ring.get("reaction_ms")) == (True, None, None)
    turned = Table(lucky_guess="false")("0 red happy, 1 covered x10, 1 turning, 1 red happy, ring 2")
    assert turned[0]["reason"] == "lucky_guess"


HIDDEN = "0 red happy, 1 blue happy, 2 red happy @4, 0 covered x15, ring 0, frames x3"


def test_an_unclear_ring_is_ruled_as_soon_as_the_hidden_pile_lies_there_as_it_lay() -> None:
    table = Table()
    table(f"{HIDDEN}, 0 red happy @0.5 x5")
    doubt, ring, won = table.rulings
    assert doubt["ruling"] == "unclear"
    assert (ring["t_ns"], ring["valid"], ring["seats"], ring["seen_again"]) == (doubt["t_ns"], True, [0, 2], True)
    assert ring["frame_t_ns"] < ring["t_ns"]
    assert won["to"] == 0
    # The piles are won, and their cards are not reported again.
    assert table.told == [SHOWN] * 3 + ["pile_unchanged"]


@pytest.mark.parametrize("card", ["red happy @6", "green happy"])
def test_another_card_or_one_that_lies_otherwise_leaves_the_ring_to_the_players(card: str) -> None:
    table = Table()
    table(f"{HIDDEN}, 0 {card} x5")
    assert [ruling["ruling"] for ruling in table.rulings] == ["unclear"]
    assert "pile_unchanged" not in table.told


def test_a_place_that_was_bare_before_and_after_an_arm_lay_over_it_hid_no_card() -> None:
    table = Table()
    # A sleeve may look like bare table for a moment.
    table("0 red happy, 1 covered x15, ring 1, 1 empty x3")
    assert [ruling["ruling"] for ruling in table.rulings] == ["unclear"]
    table("frames x5")
    assert (table.rulings[1]["valid"], table.rulings[1]["reason"]) == (False, "no_pair")


def test_a_ringer_who_is_named_after_the_pile_came_back_gets_the_ruling_without_a_doubt() -> None:
    table = Table(OneArm(None, at_once=False))
    assert table("0 red happy, 1 red happy, 2 covered x15, 0 covered x100, ring") == []
    table("0 red happy x3")
    (ring, _) = table.session.report(Event(table.now, "ringer", {"seat": 2})).rulings
    assert (ring["valid"], ring["seat"], ring["seen_again"]) == (True, 2, True)


def test_a_card_in_mid_turn_does_not_count_until_it_can_be_read_and_that_is_said() -> None:
    table = Table()
    ring = table("0 red happy, 1 turning x3, ring 2")[0]
    assert (ring["valid"], ring["reason"], ring["turning"]) == (False, "no_pair", [1])
    table("1 red happy")
    (early,) = [ruling for ruling in table.rulings if ruling["ruling"] == "too_early"]
    assert (early["seat"], early["colour"], early["early_ms"]) == (2, "red", pytest.approx(23))


def test_a_card_that_cannot_be_told_is_unclear_then_asked_for_then_read_without_counting_twice() -> None:
    table = Table()
    assert table("0 red happy, 1 unclear x2, ring 2")[0]["ruling"] == "unclear"
    table("frames x35")
    assert [(notice.kind, notice.seat) for notice in table.notices] == [("decide", None), ("unread_card", 1)]
    table("1 red happy")
    assert table.told == [SHOWN, SHOWN, READ]
    assert table("lost 1600, frames, ring 0")[1]["count"] == 2


def test_before_the_first_frame_nothing_is_certain() -> None:
    (ruling,) = Table(seen=0)("ring 0")
    assert (ruling["ruling"], ruling["seats"]) == ("unclear", [0, 1, 2])


@pytest.mark.parametrize("at_once", [True, False])
def test_the_ringer_is_named_from_the_picture_as_soon_as_that_is_certain(at_once: bool) -> None:
    table = Table(OneArm(1, at_once))
    assert bool(table("ring")) is at_once
    assert [notice.kind == "who_rang" for notice in table.notices[:1]] == ([True] if not at_once else [False])
    table("frames")
    assert table.rulings[0]["seat"] == 1


def test_an_unsure_ringer_is_asked_for_and_won_piles_are_won_meanwhile() -> None:
    table = Table(OneArm(None, at_once=False))
    table("0 red happy, 1 red happy, ring")
    (question,) = table.notices
    assert (question.kind, question.data["ruling"]["valid"]) == ("who_rang", True)
    table(f"0 covered x3, 0 blue sad x6{AWAY[0]}{AWAY[1]}")
    assert table.told == [SHOWN, SHOWN]
    ring, won = table.session.report(Event(table.now, "ringer", {"seat": 2})).rulings
    assert (ring["ruling"], ring["seat"], won["ruling"], won["to"]) == ("ring", 2, "cards_move", 2)
    table("2 green happy")
    assert table.told[-1] == SHOWN


def test_what_people_say_of_a_card_is_not_taken_back_by_the_camera() -> None:
    table = Table()
    table("0 red happy x3")
    table.session.report(Event(table.now, "card_read", {"seat": 0, "colour": "pink", "mood": "happy"}))
    table("frames x5")
    assert table.told == [SHOWN, READ]
    table("0 turning x3, 0 blue sad @4")
    assert table.events[-1].data["colour"] == "blue"
    assert table("1 pink happy, ring 2")[0]["reason"] == "no_pair"


def test_a_game_that_goes_on_knows_its_cards_again() -> None:
    table = Table()
    cards = (("red", "happy"), ("red", "sad"))
    for seat, (colour, mood) in enumerate(cards):
        table.session.report(Event(5, SHOWN, {"seat": seat, "colour": colour, "mood": mood}))
    table.events.clear()
    table("0 red happy @7, 1 blue sad")
    assert [event.data["seat"] for event in table.events] == [1]


def test_new_cards_that_lie_where_none_lay_are_looked_for_when_somebody_rings() -> None:
    table = Table()
    table(PAIR)
    table.eyes.closely = [PileSight(2, "face", "red", "happy", corners(0))]
    assert table("ring 0")[0]["seats"] == [0, 1, 2]
    first = Table()
    first.eyes.closely = [PileSight(0, "face", "red", "happy", corners(3))]
    assert first("ring 2")[0]["valid"] is False
    (ruling,) = Table()("ring 2")
    assert (ruling["ruling"], ruling["reason"]) == ("unclear", "no_clowns")


def test_with_cards_that_are_no_clowns_of_the_deck_people_are_told_before_the_first_ring() -> None:
    table = Table(seen=0)
    table("0 strange x40, 1 strange x40, 2 strange x40")
    assert table.said == ["I see no clowns of this deck. Please play with its cards."]
    assert (table("ring 2")[0]["ruling"], table("ring 2")[0]["ruling"]) == ("unclear", "also_rang")


def test_a_ring_is_unclear_where_one_seat_shows_a_strange_card_unless_the_others_make_a_pair() -> None:
    table = Table()
    table("0 red happy x40, 1 strange x40")
    assert table.said == ["Ben: there is something else in front of you. Please take it away."]
    assert table("ring 2")[0]["ruling"] == "unclear"
    ring = table("lost 2000, 2 red happy x40, ring 2")[0]
    assert (ring["valid"], ring["seats"]) == (True, [0, 2])


def test_a_table_that_was_never_seen_settles_no_ring_when_it_comes_into_sight() -> None:
    table = Table(seen=0)
    assert table("0 covered x3, 1 covered x3, 2 covered x3, ring 2")[0]["ruling"] == "unclear"
    table("0 empty x40, 1 empty x40, 2 empty x40")
    assert table.session.question is not None


def test_where_nobody_can_turn_a_card_people_are_told_what_is_left() -> None:
    table = Table(cards=3)
    cards = [Event(seat, SHOWN, {"seat": seat, "colour": "red", "mood": "sad"}) for seat in range(3)]
    assert [notice.kind for card in cards for notice in table.session.report(card).notices] == ["no_card_to_turn"]
    table("ring 0")
    assert "no_card_to_turn" not in [notice.kind for notice in table.notices]
