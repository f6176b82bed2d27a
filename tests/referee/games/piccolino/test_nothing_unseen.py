"""Piccolino on tables of which not all is to be seen: a ring that hangs on that is unclear, and people are told why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Session
from referee.games.piccolino.rules import from_header
from referee.games.piccolino.watching.watcher import PiccolinoWatcher
from referee.language import Language
from referee.sayings.service import notice as say
from tests.support.pile_play import MS, Seen, corners

NAMES = ("Ann", "Ben", "Cem")


class ScriptedEyes:
    notices: Sequence[Notice] = ()

    def __init__(self) -> None:
        self.sights = {seat: Seen(seat, "empty") for seat in range(3)}

    def look(self, frame: Frame) -> list[Seen]:
        return list(self.sights.values())

    def look_closely(self) -> list[Seen]:
        return []


class Table:
    def __init__(self) -> None:
        self.eyes = ScriptedEyes()
        header = Header("piccolino", NAMES, {})
        self.session = Session(from_header(header), PiccolinoWatcher(header, self.eyes))
        self.now, self.said = 0, list[str]()

    def show(self, seat: int, kind: str, card: tuple[str, str] | None = None, frames: int = 40) -> None:
        colour, mood = card or (None, None)
        self.eyes.sights[seat] = Seen(seat, kind, colour, mood, corners(3.0 * seat))
        for _ in range(frames):
            self.now += 33 * MS
            frame = Frame(self.now, self.now, np.zeros((1, 1, 3), np.uint8), self.now // (33 * MS))
            heard = self.session.look(frame)
            self.said += [say(one.kind, one.seat, one.data, NAMES, Language()) for one in heard.notices]

    def ring(self) -> dict[str, object]:
        return dict(self.session.hear(BellPressed(self.now + 10 * MS, 2)).rulings[0])


def test_with_cards_that_are_no_clowns_of_the_deck_people_are_told_before_the_first_ring() -> None:
    table = Table()
    for seat in range(3):
        table.show(seat, "strange")
    assert table.said == ["I see no clowns of this deck here: please play with its cards, or rings stay unclear."]
    assert (table.ring()["ruling"], table.ring()["ruling"]) == ("unclear", "also_rang")


def test_a_ring_is_unclear_where_one_seat_shows_a_strange_card_unless_the_others_make_a_pair() -> None:
    table = Table()
    table.show(0, "face", ("red", "happy"))
    table.show(1, "strange")
    assert table.said == ["Ben: what lies before you is no card of this deck, please take it away."]
    assert table.ring()["ruling"] == "unclear"
    table.now += 2_000 * MS
    table.show(2, "face", ("red", "happy"))
    ring = table.ring()
    assert (ring["valid"], ring["seats"]) == (True, [0, 2])


def test_who_was_passed_over_unseen_may_have_laid_a_card() -> None:
    table = Table()
    table.show(1, "covered")
    table.show(0, "face", ("red", "happy"))
    table.show(2, "face", ("blue", "happy"))
    table.show(1, "covered", frames=1)
    assert table.ring()["ruling"] == "unclear"


def test_a_table_that_was_never_seen_settles_no_ring_when_it_comes_into_sight() -> None:
    table = Table()
    for seat in range(3):
        table.show(seat, "covered", frames=3)
    assert table.ring()["ruling"] == "unclear"
    for seat in range(3):
        table.show(seat, "empty")
    assert table.session.question is not None


def test_where_nobody_can_turn_a_card_people_are_told_what_is_left() -> None:
    header = Header("piccolino", NAMES[:2], {"cards": 2})
    session = Session(from_header(header), PiccolinoWatcher(header, ScriptedEyes()))
    told = [
        notice.kind
        for seat in (0, 1)
        for notice in session.say(Event(seat, "card_shown", {"seat": seat, "colour": "red", "mood": "sad"})).notices
    ]
    assert told == ["no_card_to_turn"]
    again = session.hear(BellPressed(5, 0)).notices
    assert "no_card_to_turn" not in [notice.kind for notice in again]
