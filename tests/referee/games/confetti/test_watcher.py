"""Confetti watched: sand and pictures in, hands counted; a busy or unclear table is waited for, never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from hardware.events import SandFlipped, SandRanOut, Witness
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Outcome, Session
from referee.games.registry import game_kind, watcher_for
from referee.watchers.watch_setup import WatchSetup
from tests.support.pasted_hand import with_hand
from vision.image import load_picture

Image = NDArray[np.uint8]

DATA = Path(__file__).parents[3] / "data"
TABLE = DATA / "tables" / "confetti-three-seats.jpg"
HANDS = json.loads((DATA / "scenes" / "white-seats-mug.json").read_text(encoding="utf-8"))["seats"]
SECOND = 1_000_000_000
STEP = SECOND // 5
PLAYERS = ("Ann", "Ben", "Cem")


@pytest.fixture(scope="module")
def table() -> Image:
    picture = load_picture(TABLE).image
    return np.asarray(cv2.resize(picture, (1120, 630), interpolation=cv2.INTER_AREA), np.uint8)


class Play:
    """A round, played frame by frame; five frames a second, each with the camera's own noise."""

    def __init__(self) -> None:
        header = Header("confetti", PLAYERS, {})
        self.session = Session(game_kind("confetti").start(header), watcher_for(header, WatchSetup()))
        self.t_ns = SECOND
        self.rulings: list[dict[str, Any]] = []
        self.notices: list[Notice] = []
        self._random = np.random.default_rng(1)

    def show(self, pictures: Iterable[Image]) -> None:
        for number, picture in enumerate(pictures):
            noisy = picture.astype(np.int16) + self._random.integers(-3, 4, picture.shape, np.int16)
            self.t_ns += STEP
            frame = Frame(self.t_ns, self.t_ns, np.clip(noisy, 0, 255).astype(np.uint8), number)
            self._note(self.session.look(frame))

    def sand(self, event: type[SandFlipped] | None) -> None:
        if event is SandFlipped:
            self._note(self.session.hear(SandFlipped(self.t_ns + 1, Witness.BARRIER)))
        else:
            self._note(self.session.hear(SandRanOut(self.t_ns + 1, SECOND, Witness.BARRIER, False)))

    def say(self, kind: str, **data: object) -> None:
        self._note(self.session.say(Event(self.t_ns, kind, data)))

    def finish(self) -> None:
        self._note(self.session.finish(self.t_ns))

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [ruling for ruling in self.rulings if ruling["ruling"] == kind]

    def _note(self, outcome: Outcome) -> None:
        self.rulings += [dict(ruling) for ruling in outcome.rulings]
        self.notices += outcome.notices


def with_arm(picture: Image, number: int) -> Image:
    """A sleeve with a hand that sweeps over the table's lower part."""
    image = picture.copy()
    x = 210 + 63 * (number % 8)
    cv2.line(image, (x, image.shape[0]), (x + 42, 336), (120, 60, 40), 63, cv2.LINE_AA)
    cv2.circle(image, (x + 42, 330), 38, (140, 170, 220), -1, cv2.LINE_AA)
    return image


def painted_over(picture: Image, corner: tuple[int, int], size: tuple[int, int]) -> Image:
    image = picture.copy()
    (x, y), (width, height) = corner, size
    image[y : y + height, x : x + width] = picture[14:28, 490:504].mean((0, 1))
    return image


def test_a_round_is_timed_and_the_still_table_afterwards_is_counted(table: Image) -> None:
    play = Play()
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.show(with_arm(table, number) for number in range(10))
    play.sand(None)
    assert [ruling["ruling"] for ruling in play.rulings] == ["round", "time"]
    play.show(with_arm(table, number) for number in range(10))
    assert not play.told("hand")  # nobody is counted while an arm is over the table
    play.show([table] * 16)
    assert [(hand["seat"], hand["points"]) for hand in play.told("hand")] == [(0, 5), (1, 2), (2, 3)]
    assert not play.told("foul")
    assert not play.notices


@pytest.mark.usefixtures("no_hands_sought")
def test_a_table_nobody_can_read_is_waited_for_and_people_are_told_once(table: Image) -> None:
    play = Play()
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.show([with_arm(table, 3)])
    play.sand(None)
    blank = np.full_like(table, 90)
    play.show([blank] * 12)
    assert not play.told("hand")
    assert [notice.kind for notice in play.notices] == ["no_table"]
    play.show([table] * 16)
    assert [hand["points"] for hand in play.told("hand")] == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_camera_that_swaps_left_and_right_is_told_from_covered_markers(table: Image) -> None:
    play = Play()
    play.show([np.fliplr(table).copy()] * 6)
    assert [notice.kind for notice in play.notices] == ["mirrored"]


def test_cards_under_a_hand_that_rests_there_are_not_counted_without_them(table: Image) -> None:
    # The hand lies as still as the table, and nothing of a card of seat 1 shows beside it.
    play = Play()
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.show([with_arm(table, 3)])
    play.sand(None)
    play.show([with_hand(table, (455, 91), 0.63)] * 20)
    assert not play.told("hand")
    assert [(notice.kind, notice.seat, notice.data["reasons"]) for notice in play.notices] == [
        ("unclear_cards", 1, ["thing"])
    ]
    play.show([table] * 16)
    assert [hand["points"] for hand in play.told("hand")] == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_telephone_beside_a_hand_holds_nobody_up_if_it_lay_there_before_the_round(table: Image) -> None:
    with_phone = table.copy()
    with_phone[470:613, 790:862] = (24, 20, 20)
    for before, counted in ((table, False), (with_phone, True)):
        play = Play()
        play.show([before] * 6)
        play.sand(SandFlipped)
        play.show([with_arm(with_phone, 3)])
        play.sand(None)
        play.show([with_phone] * 12)
        assert bool(play.told("hand")) is counted


@pytest.mark.usefixtures("no_hands_sought")
def test_a_recording_that_ends_early_is_counted_from_its_last_frame(table: Image) -> None:
    play = Play()
    play.show([table])
    play.sand(SandFlipped)
    play.sand(None)
    play.show([table])
    assert not play.told("hand")
    play.finish()
    assert [hand["points"] for hand in play.told("hand")] == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_card_taken_after_time_is_a_foul_if_it_plainly_was_not_there(table: Image) -> None:
    # A card of seat 0 that lies free: where it will lie, the bare table is to be seen until time is over.
    header = Header("confetti", PLAYERS, {})
    watcher = watcher_for(header, WatchSetup())
    for step in range(6):
        watcher.look(Frame(step * SECOND, step * SECOND, table, step))
    mine = [outline for outline in watcher.outlines if outline.seat == 0 and outline.certain]
    assert len(mine) == len(HANDS[0])
    low, high = np.min(mine[0].corners_px, 0).astype(int) - 8, np.max(mine[0].corners_px, 0).astype(int) + 8
    before = painted_over(table, (low[0], low[1]), (high[0] - low[0], high[1] - low[1]))
    for covered, fouls in ((before, 1), (with_arm(before, 0), 0)):
        play = Play()
        play.show([before] * 8)
        play.sand(SandFlipped)
        play.show([covered] * 10)
        play.sand(None)
        play.show([with_arm(table, number) for number in range(4)])
        play.show([table] * 16)
        assert [hand["points"] for hand in play.told("hand")] == [5, 2, 3]
        assert len(play.told("foul")) == fouls


@pytest.mark.usefixtures("no_hands_sought")
def test_nothing_seen_is_no_empty_hand_and_players_say_what_they_hold(table: Image) -> None:
    play = Play()
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.sand(None)
    play.show([np.full_like(table, 90)] * 6)
    play.say("count", ask=True)
    assert not play.told("hand")
    assert [(one["seats"], one["reason"]) for one in play.told("unclear")] == [([0, 1, 2], "no_hand")]
    play.say("hand", seat=0, cards=[])
    play.say("hand", seat=1, cards=[["red", "blue", "green"]])
    question = play.session.question
    assert question is not None
    assert (question.kind, question.seats) == ("no_hand", (2,))
    play.say("hand", seat=2, cards=[])
    assert [(hand["points"], hand.get("seen", True)) for hand in play.told("hand")] == [
        (0, True),
        (-1, True),
        (0, True),
    ]


def test_only_the_hands_that_are_not_clear_are_asked_for(table: Image) -> None:
    play = Play()
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.t_ns += 5 * SECOND
    play.sand(None)
    covered = with_hand(table, (455, 91), 0.63)
    play.show([covered] * 12)
    play.say("count", ask=True)
    play.show([covered] * 12)
    question = play.session.question
    assert question is not None and question.seats == (1,)
    play.say("hand", seat=1, cards=[])
    assert [(hand["seat"], hand["points"]) for hand in play.told("hand")] == [(0, 5), (1, 0), (2, 3)]


@pytest.mark.usefixtures("no_hands_sought")
def test_what_was_filmed_before_time_is_not_counted_at_the_end_of_a_recording(table: Image) -> None:
    play = Play()
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.show([table])
    play.t_ns += 5 * SECOND  # no picture comes any more
    play.sand(None)
    play.finish()
    assert not play.told("hand")


@pytest.mark.usefixtures("no_hands_sought")
def test_a_card_that_shows_the_other_side_is_asked_about_before_anybody_has_points(table: Image) -> None:
    # The same table, as if the black side were played: what lies white up is nobody's point card in the first round.
    header = Header("confetti", PLAYERS, {"side": "black"})
    play = Play()
    play.session = Session(game_kind("confetti").start(header), watcher_for(header, WatchSetup()))
    play.show([table] * 6)
    play.sand(SandFlipped)
    play.sand(None)
    play.show([table] * 12)
    assert not play.told("hand")
    assert {(notice.kind, notice.seat) for notice in play.notices} == {("wrong_side", seat) for seat in range(3)}


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.nightly
def test_a_place_without_cards_is_an_empty_hand_only_if_it_looks_as_it_did_before(table: Image) -> None:
    watcher = watcher_for(Header("confetti", PLAYERS, {}), WatchSetup())
    for step in range(6):
        watcher.look(Frame(step * SECOND, step * SECOND, table, step))
    mine = np.concatenate([o.corners_px for o in watcher.outlines if o.seat == 2]).astype(int)
    low, high = mine.min(0) - 10, mine.max(0) + 10
    without = painted_over(table, (low[0], low[1]), (high[0] - low[0], high[1] - low[1]))
    cloth = without.copy()
    cloth[low[1] : high[1], low[0] : high[0]] = (170, 60, 40)
    for before, after, points in ((without, without, [5, 2, 0]), (without, cloth, [])):
        play = Play()
        play.show([before] * 6)
        play.sand(SandFlipped)
        play.sand(None)
        play.show([after] * 18)
        assert [hand["points"] for hand in play.told("hand")] == points
        assert (2 in {notice.seat for notice in play.notices}) is (not points)
