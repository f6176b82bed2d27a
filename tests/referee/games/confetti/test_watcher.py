"""Confetti watched: sand and pictures in, hands counted; a busy or unclear table is waited for, never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from hardware.events import SandFlipped, SandRanOut
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Outcome, Session, Watcher
from referee.games.confetti import demo as script
from referee.games.confetti.score import score_hand
from referee.games.registry import game_kind, watcher_for
from referee.match.match import Match
from referee.store.store import Store
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from tests.support.pasted_hand import with_hand
from vision.deck import Deck, load_deck
from vision.image import load_picture

Image = NDArray[np.uint8]

DATA = Path(__file__).parents[3] / "data"
TABLE = DATA / "tables" / "confetti-three-seats.jpg"
HANDS = json.loads((DATA / "scenes" / "white-seats-mug.json").read_text(encoding="utf-8"))["seats"]
DECK = load_deck("confetti")
HANDS_SEEN = [[[mark.colour for mark in DECK.face(face, "white").marks] for face in hand] for hand in HANDS]
SECOND = 1_000_000_000
STEP = SECOND // 5
PLAYERS = ("Ann", "Ben", "Cem")


@pytest.fixture(scope="module")
def table() -> Image:
    picture = load_picture(TABLE).image
    return np.asarray(cv2.resize(picture, (1120, 630), interpolation=cv2.INTER_AREA), np.uint8)


class Play:
    """A round, played frame by frame; five frames a second, each with the camera's own noise."""

    def __init__(self, **options: object) -> None:
        header = Header("confetti", PLAYERS, options)
        self.session = Session(header, game_kind("confetti").start, watcher_for(header, WatchSetup()))
        self.t_ns = SECOND
        self.rulings: list[dict[str, Any]] = []
        self.notices: list[Notice] = []
        self._random = np.random.default_rng(1)

    def until_time(self, before: Image, during: Iterable[Image] = (), *, gap_s: int = 0) -> Play:
        """Show the table before the sand runs, and while it does but for its last seconds."""
        self.show([before] * 6)
        self._note(self.session.hear(SandFlipped(self.t_ns + 1)))
        self.show(during)
        self.t_ns += gap_s * SECOND
        self._note(self.session.hear(SandRanOut(self.t_ns + 1, SECOND)))
        return self

    def show(self, pictures: Iterable[Image]) -> None:
        for number, picture in enumerate(pictures):
            noisy = picture.astype(np.int16) + self._random.integers(-3, 4, picture.shape, np.int16)
            self.t_ns += STEP
            frame = Frame(self.t_ns, self.t_ns, np.clip(noisy, 0, 255).astype(np.uint8), number)
            self._note(self.session.look(frame))

    def say(self, kind: str, **data: object) -> None:
        self._note(self.session.report(Event(self.t_ns, kind, data)))

    def finish(self) -> None:
        self._note(self.session.finish(self.t_ns))

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [ruling for ruling in self.rulings if ruling["ruling"] == kind]

    @property
    def points(self) -> list[int]:
        assert [hand["seat"] for hand in self.told("hand")] in ([], [0, 1, 2])
        return [hand["points"] for hand in self.told("hand")]

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


Box = tuple[int, int, int, int]
Places = Mapping[int, Sequence[Box]]


def without(picture: Image, boxes: Iterable[Box]) -> Image:
    """Paint over parts of a picture as the bare table looks."""
    image = picture.copy()
    for left, top, right, bottom in boxes:
        image[top:bottom, left:right] = picture[14:28, 490:504].mean((0, 1))
    return image


@pytest.fixture(scope="module")
def places(table: Image) -> Places:
    """Return where the cards of each seat are in the picture: left, top, right, bottom."""
    watcher = watcher_for(Header("confetti", PLAYERS, {}), WatchSetup())
    for step in range(6):
        watcher.look(Frame(step * SECOND, step * SECOND, table, step))
    found: dict[int, list[Box]] = {}
    for outline in watcher.outlines:
        if outline.seat is not None and outline.certain:
            (left, top), (right, bottom) = np.min(outline.corners_px, 0), np.max(outline.corners_px, 0)
            found.setdefault(outline.seat, []).append((int(left) - 8, int(top) - 8, int(right) + 8, int(bottom) + 8))
    assert {seat: len(boxes) for seat, boxes in found.items()} == {seat: len(hand) for seat, hand in enumerate(HANDS)}
    return found


@pytest.fixture(scope="module")
def bare(table: Image, places: Places) -> Image:
    """The table without anybody's cards."""
    return without(table, [box for boxes in places.values() for box in boxes])


def arms(table: Image, count: int) -> list[Image]:
    return [with_arm(table, number) for number in range(count)]


def blank(table: Image) -> Image:
    return np.full_like(table, 90)


def test_a_round_is_timed_and_the_still_table_afterwards_is_counted(table: Image) -> None:
    play = Play().until_time(table, arms(table, 10))
    assert [ruling["ruling"] for ruling in play.rulings] == ["round", "time"]
    play.show(arms(table, 10))
    assert not play.told("hand")  # nobody is counted while an arm is over the table
    play.show([table] * 16)
    assert play.points == [5, 2, 3]
    assert not play.told("foul")
    assert not play.notices


def test_cards_under_a_hand_that_rests_there_are_not_counted_without_them(table: Image) -> None:
    # The hand is as still as the table, and nothing of a card of seat 1 shows beside it.
    play = Play().until_time(table, [with_arm(table, 3)])
    play.show([with_hand(table, (455, 91), 0.63)] * 20)
    assert not play.told("hand")
    assert [(one.kind, one.seat, one.data["reasons"]) for one in play.notices] == [("unclear_cards", 1, ["thing"])]
    play.show([table] * 16)
    assert play.points == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_table_nobody_can_read_is_waited_for_and_people_are_told_once(table: Image) -> None:
    play = Play().until_time(table, [with_arm(table, 3)])
    play.show([blank(table)] * 12)
    assert not play.told("hand")
    assert [notice.kind for notice in play.notices] == ["no_table"]
    play.show([table] * 16)
    assert play.points == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_camera_that_swaps_left_and_right_is_told_from_covered_markers(table: Image) -> None:
    play = Play()
    play.show([np.fliplr(table).copy()] * 6)
    assert [notice.kind for notice in play.notices] == ["mirrored"]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_telephone_beside_a_hand_holds_nobody_up_if_it_lay_there_before_the_round(table: Image) -> None:
    with_phone = table.copy()
    with_phone[470:613, 790:862] = (24, 20, 20)
    for before, counted in ((table, False), (with_phone, True)):
        play = Play().until_time(before, [with_arm(with_phone, 3)])
        play.show([with_phone] * 12)
        assert bool(play.told("hand")) is counted


@pytest.mark.usefixtures("no_hands_sought")
def test_a_recording_that_ends_early_is_counted_from_its_last_frame(table: Image) -> None:
    play = Play()
    play.until_time(table).show([table])
    assert not play.told("hand")
    play.finish()
    assert play.points == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_card_taken_after_time_is_a_foul_if_it_visibly_was_not_there(table: Image, places: Places) -> None:
    # A card of seat 0 that has nothing beside it: at its place the bare table shows until time is over.
    before = without(table, places[0][:1])
    for covered, fouls in ((before, 1), (with_arm(before, 0), 0)):
        play = Play().until_time(before, [covered] * 10)
        play.show(arms(table, 4))
        play.show([table] * 16)
        assert play.points == [5, 2, 3]
        assert len(play.told("foul")) == fouls


@pytest.mark.usefixtures("no_hands_sought")
def test_nothing_seen_is_no_empty_hand_and_players_say_what_they_hold(table: Image) -> None:
    play = Play().until_time(table)
    play.show([blank(table)] * 6)
    play.say("count", ask=True)
    assert not play.told("hand")
    assert [(one["seats"], one["reason"]) for one in play.told("unclear")] == [([0, 1, 2], "no_hand")]
    play.say("hand", seat=0, cards=[])
    play.say("hand", seat=1, cards=[["red", "blue", "green"]])
    question = play.session.question
    assert question is not None
    assert (question.kind, question.seats) == ("no_hand", (2,))
    play.say("hand", seat=2, cards=[])
    assert play.points == [0, -1, 0]
    assert all(hand.get("seen", True) for hand in play.told("hand"))


def test_only_the_hands_that_are_not_clear_are_asked_for(table: Image) -> None:
    play = Play().until_time(table, gap_s=5)
    covered = with_hand(table, (455, 91), 0.63)
    play.show([covered] * 12)
    play.say("count", ask=True)
    play.show([covered] * 12)
    question = play.session.question
    assert question is not None and question.seats == (1,)
    play.say("hand", seat=1, cards=[])
    assert play.points == [5, 0, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_what_was_filmed_before_time_is_not_counted_at_the_end_of_a_recording(table: Image) -> None:
    play = Play().until_time(table, [table], gap_s=5)
    play.finish()
    assert not play.told("hand")


@pytest.mark.usefixtures("no_hands_sought")
def test_a_card_that_shows_the_other_side_is_asked_about_before_anybody_has_points(table: Image) -> None:
    # The same table, as if the black side were played: what is white up is nobody's point card in the first round.
    play = Play(side="black").until_time(table)
    play.show([table] * 12)
    assert not play.told("hand")
    assert {(notice.kind, notice.seat) for notice in play.notices} == {("wrong_side", seat) for seat in range(3)}


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.nightly
def test_a_place_without_cards_is_an_empty_hand_only_if_it_looks_as_it_did_before(table: Image, places: Places) -> None:
    low, high = np.min(places[2], 0)[:2] - 2, np.max(places[2], 0)[2:] + 2
    nobodys = without(table, [(low[0], low[1], high[0], high[1])])
    cloth = nobodys.copy()
    cloth[low[1] : high[1], low[0] : high[0]] = (170, 60, 40)
    for after, points in ((nobodys, [5, 2, 0]), (cloth, [])):
        play = Play().until_time(nobodys)
        play.show([after] * 18)
        assert play.points == points
        assert (2 in {notice.seat for notice in play.notices}) is (not points)


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.parametrize("arm", [False, True])
def test_cards_put_away_before_they_were_counted_are_asked_for_and_are_no_foul(
    table: Image, bare: Image, arm: bool
) -> None:
    play = Play().until_time(bare, arms(table, 10) if arm else [table] * 10)
    play.t_ns += 18 * SECOND  # a busy machine; the cards are gone when it looks again
    play.show([bare] * 20)
    assert not play.told("foul")
    assert not play.told("hand")
    (asked,) = play.told("unclear")
    assert (asked["reason"], asked["seats"]) == ("hand_gone", [0, 1, 2])
    assert [hand is None for hand in asked["last_seen"]] == [arm, arm, False]  # the arm does not reach seat 2
    question = play.session.question
    assert question is not None and question.seats == (0, 1, 2)
    for seat, hand in enumerate(HANDS_SEEN):
        play.say("hand", seat=seat, cards=hand)
    assert not play.told("foul")
    assert play.points == [5, 2, 3]
    assert play.session.question is None


@pytest.mark.usefixtures("no_hands_sought")
def test_of_hands_of_which_one_was_put_away_the_others_count_as_they_lay(
    table: Image, bare: Image, places: Places
) -> None:
    play = Play().until_time(bare, [table] * 10)
    play.t_ns += 18 * SECOND
    play.show([without(table, places[0])] * 20)
    (asked,) = play.told("unclear")
    assert (asked["reason"], asked["seats"]) == ("hand_gone", [0])
    play.say("hand", seat=0, cards=asked["last_seen"][0])
    assert not play.told("foul")
    assert play.points == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_cards_that_are_laid_down_again_are_counted(table: Image, bare: Image, places: Places) -> None:
    play = Play().until_time(bare, [table] * 10)
    play.show([without(table, places[1])] * 12)
    (asked,) = play.told("unclear")
    assert asked["seats"] == [1]
    play.show([table] * 12)
    assert not play.told("foul")
    assert play.points == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.parametrize(("wait_s", "fouls", "reasons"), [(0, [0], []), (12, [], ["hand_gone"])])
def test_a_card_put_back_is_a_foul_just_after_time_and_a_question_when_tables_are_cleared(
    table: Image, bare: Image, places: Places, wait_s: int, fouls: list[int], reasons: list[str]
) -> None:
    play = Play().until_time(bare, [table] * 10)
    play.t_ns += wait_s * SECOND
    play.show([without(table, places[0][:1])] * 14)
    assert [foul["seat"] for foul in play.told("foul")] == fouls
    assert [unclear["reason"] for unclear in play.told("unclear")] == reasons


@pytest.mark.usefixtures("no_hands_sought")
def test_a_card_that_comes_to_a_seat_while_another_hand_is_put_away_is_no_foul(
    table: Image, bare: Image, places: Places
) -> None:
    play = Play().until_time(bare, [without(table, places[2][:1])] * 10)
    play.show([without(table, places[0])] * 14)
    assert not play.told("foul")
    assert [(one["reason"], one["seats"]) for one in play.told("unclear")] == [("hand_gone", [0, 2])]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_header_without_a_side_means_the_white_one_whatever_most_cards_show(table: Image) -> None:
    # What a family's second round looks like to somebody who counts sides: more black cards than white ones.
    for play in (Play(), Play(side="white")):
        play.until_time(table, [table] * 10).show([table] * 12)
        assert play.points == [5, 2, 3]


@pytest.fixture(scope="module")
def game(deck: Deck) -> script.ConfettiGame:
    return script.write_confetti(deck, 7, script.ConfettiPlan(rounds=3, heap=24, sand_s=6.0))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Store]:
    journal = Store(tmp_path / "games.sqlite")
    yield journal
    journal.close()


def cards(deck: Deck, faces: tuple[str, ...]) -> list[list[str]]:
    return [[mark.colour for mark in deck.face(face, "white").marks] for face in faces]


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.parametrize("stops_after_s", [-2.0, 0.4])
def test_a_restart_in_round_three_changes_nothing(
    deck: Deck, game: script.ConfettiGame, journal: Store, stops_after_s: float
) -> None:
    def watcher(header: Header) -> Watcher:
        return watcher_for(header, WatchSetup())

    # As an older version wrote it: no side is named.
    header = Header("confetti", PLAYERS, {})
    now_ns = 0

    def clock() -> int:
        return now_ns

    match = Match(journal, watcher, "boot", clock)
    match.start(header)
    for round_ in game.rounds[:2]:
        now_ns = round(round_.flipped_s * SECOND)
        match.report("timer_flipped", {})
        now_ns = round(round_.out_s * SECOND)
        match.report("timer_ran_out", {})
        now_ns += SECOND
        for seat, hand in enumerate(round_.hands):
            match.report("hand", {"seat": seat, "cards": cards(deck, hand)})
    last = game.rounds[2]
    table = LiveTable(game.script, deck, 7, Shots(frames_per_s=4))
    stops_s, flipped, ran_out, restarted = last.out_s + stops_after_s, False, False, False
    for index in range(int((last.flipped_s - 3.2) * 4), int(game.script.length_s * 4)):
        frame = table.frame(index)
        now_ns, t_s = frame.t_ns, frame.t_ns / SECOND
        if not flipped and t_s > last.flipped_s:
            flipped = True
            match.hear(SandFlipped(round(last.flipped_s * SECOND)))
        if not restarted and t_s > stops_s:
            restarted = True
            match = Match(journal, watcher, "boot", clock)
            assert match.resume() is not None
        if not ran_out and t_s > last.out_s:
            ran_out = True
            match.hear(SandRanOut(round(last.out_s * SECOND), 6 * SECOND))
        match.look(frame)
        if match.playing().over:
            break
    play = match.playing()
    ruled = [ruling for record in play.log.records.values() for ruling in record.rulings]
    assert [one["ruling"] for one in ruled if one["ruling"] in ("foul", "unclear")] == []
    kept = [0, 0, 0]
    for round_, limit in zip(game.rounds, (6, 6, 9), strict=True):
        for seat, hand in enumerate(round_.hands):
            score = score_hand([(a, b, c) for a, b, c in cards(deck, hand)], limit)
            kept[seat] = max(0, kept[seat] + score.points)
    assert [one["points"] for one in ruled if one["ruling"] == "end"] == [kept]
