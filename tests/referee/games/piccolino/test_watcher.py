"""What the game is told of Piccolino's piles, from what their places show frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed, SandRanOut, Witness
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Session
from referee.games.piccolino.rules import from_header
from referee.games.piccolino.watching.watcher import PiccolinoWatcher
from tests.support.pile_play import MS, Seen, corners

PERIOD = 33 * MS
Ruling = dict[str, Any]


class ScriptedEyes:
    def __init__(self) -> None:
        self.sights: dict[int, Seen] = {seat: Seen(seat, "empty") for seat in range(3)}
        self.closely: list[Seen] = []
        self.notices: Sequence[Notice] = ()

    def look(self, frame: Frame) -> list[Seen]:
        return list(self.sights.values())

    def look_closely(self) -> list[Seen]:
        return self.closely


class OneArm:
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
    """A session; `show(2, "red", "happy")` sets what a place shows from the next frame on."""

    def __init__(self, ringers: OneArm | None = None, **options: object) -> None:
        self.eyes = ScriptedEyes()
        header = Header("piccolino", ("Ann", "Ben", "Cem"), options)
        self.watcher = PiccolinoWatcher(header, self.eyes, ringers)
        self.events: list[Event] = []
        self.session = Session(from_header(header), self.watcher, self.events.append)
        self.now, self.number = 1000 * MS, 0
        self.rulings: list[Ruling] = []
        self.notices: list[Notice] = []
        self.frames(3)

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            self.now += PERIOD
            self.number += 1
            frame = Frame(self.now, self.now, np.zeros((1, 1, 3), np.uint8), self.number)
            outcome = self.session.look(frame)
            self.rulings += [dict(ruling) for ruling in outcome.rulings]
            self.notices += outcome.notices

    def show(self, seat: int, *what: str, pose: float = 0.0, frames: int = 1) -> None:
        if len(what) == 2:
            self.eyes.sights[seat] = Seen(seat, "face", what[0], what[1], corners(pose))
        else:
            self.eyes.sights[seat] = Seen(seat, what[0])
        self.frames(frames)

    def ring(self, seat: int | None, after_ms: float = 10) -> list[Ruling]:
        outcome = self.session.hear(BellPressed(self.now + round(after_ms * MS), seat))
        given = [dict(ruling) for ruling in outcome.rulings]
        self.rulings += given
        self.notices += outcome.notices
        return given

    def told(self) -> list[str]:
        return [event.kind for event in self.events if event.kind != "bell"]


def pair() -> Table:
    table = Table()
    table.show(0, "red", "happy", pose=3)
    table.show(1, "red", "happy", pose=5)
    return table


def test_a_hand_over_a_pile_leaves_what_lay_there_but_not_for_ever() -> None:
    table = pair()
    table.show(1, "covered", frames=20)
    assert table.ring(2)[0]["seats"] == [0, 1]
    later = pair()
    later.show(1, "covered", frames=95)
    (unclear,) = later.ring(2)
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [1])


def test_a_ring_is_a_lucky_guess_only_if_the_card_came_just_before_it_for_certain() -> None:
    # A hand lay on it, and it was read at the ring only: nobody knows how long the players saw it.
    hidden = Table()
    hidden.show(0, "red", "happy")
    hidden.show(1, "covered", frames=10)
    hidden.eyes.closely = [Seen(1, "face", "red", "happy", corners(5))]
    ring = hidden.ring(2)[0]
    assert (ring["valid"], ring.get("lucky"), ring.get("reaction_ms")) == (True, None, None)
    turned = Table(lucky_guess="false")
    turned.show(0, "red", "happy")
    turned.show(1, "covered", frames=10)
    turned.show(1, "turning")
    turned.show(1, "red", "happy")
    assert turned.ring(2)[0]["reason"] == "lucky_guess"
    slow = Table()
    slow.show(0, "red", "happy")
    slow.show(1, "covered", frames=10)
    slow.show(1, "red", "happy", frames=10)
    assert slow.ring(2)[0]["reaction_ms"] == pytest.approx(9 * 33 + 10)


@pytest.mark.parametrize(("seat", "frames", "ruled"), [(2, 13, "unclear"), (2, 10, "ring"), (0, 20, "ring")])
def test_a_hand_that_stays_over_the_pile_may_hide_a_card_only_where_one_is_to_be_laid(
    seat: int, frames: int, ruled: str
) -> None:
    table = Table()
    table.show(0, "red", "happy")
    table.show(1, "blue", "happy")
    table.show(seat, "covered", frames=frames)
    (ruling,) = [one for one in table.ring(1) if one["ruling"] in ("ring", "unclear")]
    assert ruling["ruling"] == ruled
    if ruled == "unclear":
        assert ruling["seats"] == [2]


def hidden_at_a_ring(*, at: float = 4.0) -> Table:
    """The ringer's arm lies over his own pile, on his turn, for longer than it takes to lay a card."""
    table = Table()
    table.show(0, "red", "happy")
    table.show(1, "blue", "happy")
    table.show(2, "red", "happy", pose=at)
    table.show(0, "covered", frames=15)
    assert table.ring(0)[0]["ruling"] == "unclear"
    table.frames(3)
    return table


def test_an_unclear_ring_is_ruled_as_soon_as_the_hidden_pile_lies_there_as_it_lay() -> None:
    table = hidden_at_a_ring()
    table.show(0, "red", "happy", pose=0.5, frames=5)
    unclear, ring, won = table.rulings
    assert (ring["t_ns"], ring["valid"], ring["seats"], ring["seen_again"]) == (unclear["t_ns"], True, [0, 2], True)
    assert ring["frame_t_ns"] < ring["t_ns"]
    assert won["to"] == 0
    # The piles are won, and what lies there is not told once more.
    assert table.told() == ["card_shown"] * 3 + ["pile_unchanged"]


@pytest.mark.parametrize(("colour", "pose"), [("red", 6.0), ("green", 0.0)])
def test_another_card_or_one_that_lies_otherwise_leaves_the_ring_to_the_players(colour: str, pose: float) -> None:
    table = hidden_at_a_ring()
    table.show(0, colour, "happy", pose=pose, frames=5)
    assert [ruling["ruling"] for ruling in table.rulings] == ["unclear"]
    assert "pile_unchanged" not in table.told()


def test_a_place_that_was_bare_before_and_after_an_arm_lay_over_it_hid_no_card() -> None:
    table = Table()
    table.show(0, "red", "happy")
    table.show(1, "covered", frames=15)
    assert table.ring(1)[0]["ruling"] == "unclear"
    table.show(1, "empty", frames=3)
    assert len(table.rulings) == 1  # a sleeve may look like bare table for a moment
    table.frames(5)
    assert (table.rulings[1]["valid"], table.rulings[1]["reason"]) == (False, "no_pair")


def test_a_ringer_who_is_named_after_the_pile_came_back_gets_the_ruling_without_a_doubt() -> None:
    table = Table(OneArm(None, at_once=False))
    table.show(0, "red", "happy")
    table.show(1, "red", "happy")
    table.show(2, "covered", frames=15)
    table.show(0, "covered", frames=100)
    assert table.ring(None) == []
    table.show(0, "red", "happy", frames=3)
    (ring, _) = table.session.say(Event(table.now, "ringer", {"seat": 2})).rulings
    assert (ring["valid"], ring["seat"], ring["seen_again"]) == (True, 2, True)


def test_frames_that_were_lost_while_a_pile_was_out_of_sight_leave_it_in_doubt() -> None:
    for lost_ms, ruled in ((0, "ring"), (40, "unclear")):
        table = pair()
        table.frames(5)
        table.show(1, "covered")
        table.now += lost_ms * MS
        table.frames(2)
        assert table.ring(2)[0]["ruling"] == ruled


def test_a_card_in_mid_turn_does_not_count_until_it_can_be_read_and_that_is_said() -> None:
    table = Table()
    table.show(0, "red", "happy")
    table.show(1, "turning", frames=3)
    ring = table.ring(2)[0]
    assert (ring["valid"], ring["reason"], ring["turning"]) == (False, "no_pair", [1])
    table.show(1, "red", "happy")
    (early,) = [ruling for ruling in table.rulings if ruling["ruling"] == "too_early"]
    assert (early["seat"], early["colour"]) == (2, "red")
    assert early["early_ms"] == pytest.approx(23)


def test_a_card_that_cannot_be_told_is_unclear_then_asked_for_then_read_without_counting_twice() -> None:
    table = Table()
    table.show(0, "red", "happy")
    table.show(1, "unclear", frames=2)
    assert table.ring(2)[0]["ruling"] == "unclear"
    table.frames(35)
    assert [(notice.kind, notice.seat) for notice in table.notices] == [("decide", None), ("unread_card", 1)]
    table.show(1, "red", "happy")
    assert table.told() == ["card_shown", "card_shown", "card_read"]
    table.now += 1600 * MS
    table.frames()
    assert table.ring(0)[1]["count"] == 2


def test_a_known_card_in_glare_is_read_again_as_the_same_or_as_a_new_one() -> None:
    for colour, kinds in (("red", ["card_read", "card_read"]), ("blue", ["card_read", "card_shown"])):
        table = Table()
        table.show(0, "red", "happy")
        table.show(0, "unclear", frames=35)
        table.show(0, colour, "happy")
        assert table.told() == ["card_shown", *kinds]


def test_an_equal_card_is_counted_if_it_lies_otherwise_after_something_was_in_the_way() -> None:
    for between, pose, cards in (("turning", 6.0, 2), ("covered", 9.0, 2), ("covered", 0.5, 1), ("turning", 0.2, 1)):
        table = Table()
        table.show(0, "red", "happy", frames=12)
        table.show(0, between, frames=4)
        table.show(0, "red", "happy", pose=pose, frames=3)
        assert table.told() == ["card_shown"] * cards
    nudged = Table()
    nudged.show(0, "red", "happy", frames=12)
    nudged.show(0, "red", "happy", pose=30)
    assert nudged.told() == ["card_shown"]


def test_a_ring_without_a_fresh_frame_is_unclear() -> None:
    assert pair().ring(2, after_ms=149)[0]["valid"] is True
    assert pair().ring(2, after_ms=151)[0]["ruling"] == "unclear"


def test_where_frames_are_missing_only_a_pile_that_nobody_touched_is_sure() -> None:
    table = pair()
    table.frames(5)
    table.show(1, "covered", frames=2)
    assert table.ring(2, after_ms=33)[0]["valid"] is True
    (unclear,) = pair_touched().ring(2, after_ms=40)
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [1])


def pair_touched() -> Table:
    table = pair()
    table.frames(5)
    table.show(1, "covered", frames=2)
    return table


def test_before_the_first_frame_nothing_is_sure() -> None:
    header = Header("piccolino", ("Ann", "Ben"), {})
    session = Session(from_header(header), PiccolinoWatcher(header, ScriptedEyes()))
    (ruling,) = session.hear(BellPressed(5, 0)).rulings
    assert (ruling["ruling"], ruling["seats"]) == ("unclear", [0, 1])


def test_won_piles_mean_nothing_until_they_have_been_taken_away() -> None:
    table = pair()
    assert table.ring(2)[0]["valid"] is True
    table.frames(3)
    table.show(0, "covered", frames=5)
    # A lower card shows while the pile is pushed away.
    table.show(0, "blue", "sad", pose=80)
    table.show(0, "covered", frames=3)
    table.show(0, "empty", frames=8)
    table.show(1, "empty", frames=8)
    assert table.told() == ["card_shown", "card_shown"]
    table.show(2, "green", "happy")
    table.show(0, "red", "happy", pose=4)
    assert table.told() == ["card_shown"] * 4


def swept(*, away: tuple[int, ...]) -> Table:
    """The winner has his arm over his own place while he takes piles away, and over it still."""
    table = pair()
    table.show(2, "blue", "sad", pose=7)
    assert table.ring(2)[0]["valid"] is True
    table.show(2, "covered", frames=3)
    for seat in away:
        table.show(seat, "empty", frames=8)
    table.show(2, "covered", frames=50)
    return table


@pytest.mark.parametrize("away", [(0, 1, 2), (0, 1)])
def test_a_first_card_that_may_lie_under_the_winners_arm_makes_his_ring_unclear(away: tuple[int, ...]) -> None:
    (unclear,) = swept(away=away).ring(2)
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [2])


def test_a_ring_while_piles_are_being_taken_away_means_nothing() -> None:
    (passed_over,) = swept(away=(0,)).ring(2)
    assert (passed_over["ruling"], passed_over["reason"]) == ("ignored", "table_cleared")


@pytest.mark.parametrize(("frames", "ruled"), [(2, "ignored"), (8, "unclear")])
def test_another_card_that_came_to_lie_on_a_won_pile_is_a_doubt_but_one_that_passes_by_is_none(
    frames: int, ruled: str
) -> None:
    table = swept(away=())
    table.show(0, "covered", frames=9)
    table.show(0, "blue", "happy", pose=6, frames=frames)
    assert table.ring(1)[0]["ruling"] == ruled


def test_a_first_card_on_a_place_that_was_not_known_again_as_bare_is_a_doubt_when_an_arm_hides_it() -> None:
    table = swept(away=(0, 1))
    # It lies there plainly, but piles may have been put down so on their way.
    table.show(2, "green", "happy", pose=9, frames=40)
    table.eyes.sights[2] = Seen(2, "covered")
    table.show(0, "green", "happy", pose=3, frames=6)
    assert table.told() == ["card_shown"] * 4
    (unclear,) = table.ring(2)
    assert (unclear["ruling"], unclear["seats"]) == ("unclear", [2])


@pytest.mark.parametrize(("pose", "ruled"), [(5.1, "ignored"), (9.0, "unclear")])
def test_an_equal_card_that_lies_otherwise_than_the_one_that_was_won_is_a_doubt_too(pose: float, ruled: str) -> None:
    table = swept(away=())
    table.show(1, "covered", frames=9)
    table.show(1, "red", "happy", pose=pose, frames=20)
    table.show(1, "covered")
    assert table.ring(1)[0]["ruling"] == ruled


def test_a_pile_that_is_taken_without_a_ring_is_gone_and_may_come_back() -> None:
    table = pair()
    table.show(1, "empty", frames=3)
    assert table.told() == ["card_shown", "card_shown"]
    table.frames(12)
    assert table.told()[2:] == ["pile_gone"]
    table.show(1, "red", "happy", pose=12)
    assert table.told()[2:] == ["pile_gone", "card_read"]


def test_the_ringer_is_named_from_the_picture_as_soon_as_that_is_certain() -> None:
    at_once = Table(OneArm(1, at_once=True))
    assert at_once.ring(None)[0]["seat"] == 1
    later = Table(OneArm(1, at_once=False))
    assert later.ring(None) == []
    assert [notice.kind for notice in later.notices] == ["who_rang"]
    later.frames()
    assert later.rulings[0]["seat"] == 1
    assert later.events[-1].kind == "ringer"


def test_an_unsure_ringer_is_asked_for_and_won_piles_are_won_meanwhile() -> None:
    table = Table(OneArm(None, at_once=False))
    table.show(0, "red", "happy")
    table.show(1, "red", "happy")
    table.ring(None)
    (question,) = table.notices
    assert (question.kind, question.data["ruling"]["valid"]) == ("who_rang", True)
    table.show(0, "covered", frames=3)
    table.show(0, "blue", "sad", frames=6)
    table.show(0, "empty", frames=8)
    table.show(1, "empty", frames=8)
    assert table.told() == ["card_shown", "card_shown"]
    outcome = table.session.say(Event(table.now, "ringer", {"seat": 2}))
    assert [(ruling["ruling"], ruling.get("seat", ruling.get("to"))) for ruling in outcome.rulings] == [
        ("ring", 2),
        ("cards_move", 2),
    ]
    table.show(2, "green", "happy")
    assert table.told()[-1] == "card_shown"


def test_what_people_say_of_a_card_is_not_taken_back_by_the_camera() -> None:
    table = Table()
    table.show(0, "red", "happy", frames=3)
    table.session.say(Event(table.now, "card_read", {"seat": 0, "colour": "pink", "mood": "happy"}))
    table.frames(5)
    assert table.told() == ["card_shown", "card_read"]
    table.show(0, "turning", frames=3)
    table.show(0, "blue", "sad", pose=4)
    assert table.events[-1].data["colour"] == "blue"
    table.show(1, "pink", "happy")
    assert table.ring(2)[0]["reason"] == "no_pair"


def test_a_game_that_goes_on_knows_its_cards_again() -> None:
    table = Table()
    shown = {"colour": "red", "mood": "happy"}
    events = [
        Event(5, "card_shown", {"seat": 0, **shown}),
        Event(6, "card_shown", {"seat": 1, "colour": "red", "mood": "sad"}),
    ]
    table.session.restore(events)
    table.show(0, "red", "happy", pose=7)
    table.show(1, "blue", "sad")
    assert [event.data["seat"] for event in table.events] == [1]


def test_turn_order_is_remarked_on_in_a_session() -> None:
    table = Table(remarks="on")
    table.show(0, "red", "sad", frames=10)
    table.show(2, "blue", "sad", frames=10)
    (remark,) = table.rulings
    assert (remark["ruling"], remark["seat"], remark["reason"]) == ("remark", 2, "out_of_turn")


def test_new_cards_that_lie_where_none_lay_are_looked_for_when_somebody_rings() -> None:
    table = pair()
    table.eyes.closely = [Seen(2, "face", "red", "happy", corners(0))]
    assert table.ring(0)[0]["seats"] == [0, 1, 2]


def test_outlines_and_other_devices() -> None:
    table = pair()
    table.show(2, "covered")
    assert [(outline.seat, outline.label, outline.certain) for outline in table.watcher.outlines] == [
        (0, "red happy", True),
        (1, "red happy", True),
    ]
    assert table.session.hear(SandRanOut(table.now, 1, Witness.HAND, False)).rulings == ()
    assert table.session.finish(table.now).rulings == ()


def test_a_ring_that_shows_the_first_card_of_a_game_is_ruled_by_it() -> None:
    table = Table()
    table.eyes.closely = [Seen(0, "face", "red", "happy", corners(3))]
    assert table.ring(2)[0]["valid"] is False
    unknown = Table()
    (ruling,) = unknown.ring(2)
    assert (ruling["ruling"], ruling["reason"]) == ("unclear", "no_clowns")
