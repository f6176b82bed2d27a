"""The watcher before a drawn table: the first moves of a game, from frames to rulings, and the count at its end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from hardware.camera.frames import Frame
from referee.demo.stepped import SteppedTable
from referee.demo.table import NAMES
from referee.engine.events import Event, Header
from referee.engine.session import Session
from referee.errors import BadInputError
from referee.games.coloretto.demo import ColorettoGame, ColorettoPlan, write_coloretto
from referee.games.coloretto.rules import from_header
from referee.games.coloretto.start_options import rooms
from referee.games.coloretto.watching.looks import TableLook
from referee.games.coloretto.watching.table_watch import TableWatch
from referee.games.coloretto.watching.watcher import ColorettoWatcher
from referee.games.registry import game_kind, watcher_for
from referee.games.seating import AREA_MM, people_at, ring_of
from referee.watchers.table_finder import WatchSetup
from simulation.art import FRONT
from simulation.live import LiveTable, Shots
from simulation.script import CardPose, Carry, Script, ScriptCard
from simulation.view import Look as View
from tests.support.coloretto_drawn import watch_game
from tests.support.script_check import collisions
from vision.deck import load_deck

DECK = load_deck("coloretto")
CLOTH = View(table="cloth")


def looks_at(script: Script, players: int, shots: Shots, frames: int) -> list[TableLook]:
    table, eyes = LiveTable(script, DECK, 7, shots), TableWatch(DECK, None, players, rooms(players))
    return [look for look in (eyes.look(table.frame(index)) for index in range(frames)) if look is not None]


def test_start_cards_last_round_and_cards_placed_are_seen() -> None:
    told = write_coloretto(DECK, 7, ColorettoPlan(rounds=1))
    events: list[Event] = []
    header = Header("coloretto", NAMES[:4], {})
    watcher = watcher_for(header, WatchSetup())
    session = Session(header, game_kind("coloretto").start, watcher, lambda record: events.append(record.event))
    live = LiveTable(told.script, DECK, 7, Shots(frames_per_s=4.0, look=CLOTH))
    table = SteppedTable(live, 7, session, lambda event, outcome: None)
    # A second after the hand has gone.
    for _ in table.play(until_s=8.6):
        pass
    table.close()
    started = [(event.data["seat"], event.data["cards"]) for event in events if event.kind == "start_cards"]
    assert started == [(0, ["yellow"]), (1, ["orange"]), (2, ["green"]), (3, ["red"])]
    seen = [dict(event.data) for event in events if event.kind != "start_cards"]
    assert seen == [dict(event.data) for event in told.moves if event.t_ns < 7e9]
    assert [outline.label for outline in session.watcher.outlines].count("last round") == 1


@pytest.mark.parametrize(
    ("name", "players"), [("coloretto", 2), ("coloretto", 3), ("coloretto", 4), ("coloretto", 5), ("everdeck", 3)]
)
def test_a_written_game_is_one_by_the_rules_with_one_foul(name: str, players: int) -> None:
    deck, plan = load_deck(name), ColorettoPlan(players=players)
    told, again = write_coloretto(deck, 7, plan), write_coloretto(deck, 7, plan)
    assert told.game.over and len(told.fouls) <= 1
    assert collisions(told.script) == []
    assert (again.fouls, again.moves) == (told.fouls, told.moves)
    faces = [card.face for card in told.script.cards]
    # With the Everdeck every card has a face of its own, and no card marks a row.
    assert (len(faces) == len(set(faces)), told.has_row_cards) == (name == "everdeck", name != "everdeck")


def test_a_deck_that_lacks_a_card_of_the_game_gets_one_sentence() -> None:
    without = replace(DECK, faces=tuple(face for face in DECK.faces if face.attributes.get("kind") != "joker"))
    with pytest.raises(BadInputError, match="are not all of Coloretto"):
        write_coloretto(without, 7)


@pytest.mark.nightly
def test_a_round_for_five_is_understood_though_their_cards_lie_close() -> None:
    counted = watch_game(5, 2.0, ColorettoPlan(rounds=1, players=5))
    assert (counted.wrong, counted.fouls_false, counted.fouls_missed) == ([], [], [])
    assert counted.understood == counted.moves == 19 and counted.points_right


@pytest.mark.nightly
def test_whose_arm_reached_over_the_rows_is_told_with_each_look() -> None:
    script = write_coloretto(DECK, 7, ColorettoPlan(rounds=1)).script
    looks = looks_at(script, 4, Shots(frames_per_s=8.0, look=CLOTH), 8 * 14)
    laid = [(action.release_s * 1e9, action.seat) for action in script.actions if isinstance(action, Carry)]
    assert len(looks) > 4
    for before, look in pairwise(looks):
        assert look.arms == frozenset(seat for t_ns, seat in laid if before.t_ns < t_ns <= look.t_ns)
    assert {seat for look in looks for seat in look.arms or ()} == {0, 1}


def test_a_table_found_by_three_markers_is_found_again_as_soon_as_the_fourth_shows() -> None:
    script = write_coloretto(DECK, 7, ColorettoPlan(players=3, rounds=1)).script
    table, eyes = LiveTable(script, DECK, 7, Shots(frames_per_s=2.0, look=CLOTH)), TableWatch(DECK, None, 3, rooms(3))
    found = []
    for index in range(4):
        frame = table.frame(index)
        image = frame.bgr().copy()
        image[: image.shape[0] // 4, : image.shape[1] // 8] *= np.uint8(index >= 2)
        eyes.look(replace(frame, image=image))
        found.append(eyes.place)
    assert found[0] is not None and found[0] is found[1]
    assert found[2] is not found[1] and found[3] is found[2]


@pytest.mark.parametrize(("name", "hints"), [("coloretto", 0), ("everdeck", 1)])
def test_where_no_card_marks_the_rows_players_are_asked_once_to_leave_room_between_them(name: str, hints: int) -> None:
    deck = load_deck(name)
    table = LiveTable(
        write_coloretto(deck, 7, ColorettoPlan(players=3, rounds=1)).script, deck, 7, Shots(frames_per_s=2.0)
    )
    watcher = ColorettoWatcher(Header("coloretto", NAMES[:3], {}), deck, None)
    notices = [notice.kind for index in range(6) for notice in watcher.look(table.frame(index)).notices]
    assert notices.count("rows_unmarked") == hints


def test_at_thirty_pictures_a_second_nothing_is_seen_to_lie_where_only_the_table_does() -> None:
    # In the noise of this cloth an outline beside a card once passed for one that cannot be read.
    script = write_coloretto(DECK, 7, ColorettoPlan(rounds=1)).script
    look = looks_at(script, 4, Shots(frames_per_s=30.0, look=CLOTH), 40)[0]
    assert [(spot.cards, spot.unread) for spot in look.rows] == [((), 0)] * 4
    assert [spot.cards for spot in look.areas] == [("yellow",), ("orange",), ("green",), ("red",)]


def last_look(red: CardPose, *laid: Carry) -> TableLook:
    """What is seen in the end on a table for three with three rows, a red card, a blue one, and what is done."""
    faces = {face.attributes.get("colour"): face.id for face in DECK.fronts}
    row = next(face.id for face in DECK.fronts if face.attributes.get("room") == "3")
    cards = [ScriptCard(f"row-{k}", row, CardPose(240.0, y, 0.0, FRONT)) for k, y in enumerate((262.0, 351.0, 440.0))]
    cards += [
        ScriptCard("red", faces["red"], red),
        ScriptCard("blue", faces["blue"], CardPose(575.0, 420.0, 0.0, FRONT)),
    ]
    script = Script(AREA_MM, tuple(cards), people_at(ring_of(3)), laid, 8.0)
    return looks_at(script, 3, Shots(frames_per_s=2.0, look=CLOTH), 14)[-1]


def test_a_card_laid_edge_to_edge_with_another_rows_card_takes_nothing_from_that_row() -> None:
    laid = Carry(1, ("blue",), 2.0, 2.9, (CardPose(304.0, 264.0, -2.0, FRONT),))
    look = last_look(CardPose(309.0, 351.0, 1.0, FRONT), laid)
    assert [(spot.cards, spot.covered) for spot in look.rows] == [(("blue",), False), (("red",), False), ((), False)]


def test_a_card_that_was_taken_is_gone_though_another_one_now_lies_over_a_corner_of_its_place() -> None:
    took = Carry(0, ("red",), 2.0, 2.9, (CardPose(600.0, 560.0, 0.0, FRONT),))
    laid = Carry(1, ("blue",), 2.0, 2.9, (CardPose(309.0, 180.0, 0.0, FRONT),))
    look = last_look(CardPose(309.0, 262.0, 1.0, FRONT), took, laid)
    assert "red" not in look.rows[0].cards
    assert sorted(card for spot in look.areas for card in spot.cards).count("red") == 1


_FPS = 2.0
HEADER = Header("coloretto", NAMES[:4], {})


@pytest.fixture(scope="module")
def written() -> ColorettoGame:
    """A game of one round, which is soon over."""
    return write_coloretto(DECK, 7, ColorettoPlan(rounds=1))


class Followed:
    """A game whose watcher saw all start cards and learned all moves."""

    def __init__(self, moves: Sequence[Event], first: Sequence[Frame] = ()) -> None:
        self.watcher = ColorettoWatcher(HEADER, DECK, None)
        self.game = from_header(HEADER)
        started = [event for frame in first for event in self.watcher.look(frame).events]
        self.report(*started, *moves)

    def report(self, *events: Event) -> None:
        for event in events:
            rulings = [ruling.as_json() for ruling in self.game.apply(event)]
            self.watcher.judged(event, rulings, self.game.view())


def _misread(seat: int, was: str, card: str) -> Event:
    return Event(1, "card_was", {"event": "card_was", "seat": seat, "was": was, "card": card})


def test_only_the_seat_whose_area_shows_other_cards_is_asked_until_that_is_put_right_or_answered(
    written: ColorettoGame,
) -> None:
    live = LiveTable(written.script, DECK, 7, Shots(frames_per_s=_FPS, look=CLOTH))
    end_s = max(action.release_s for action in written.script.actions if isinstance(action, Carry))
    last = [live.frame(round((end_s + 1) * _FPS) + k) for k in range(round(7 * _FPS))]
    played = Followed(written.moves, [live.frame(k) for k in range(5)])
    watcher = played.watcher
    played.report(_misread(1, "orange", "+2"))
    notices = [notice for frame in last if watcher.looks_on for notice in watcher.look(frame).notices]
    assert [(notice.kind, notice.seat) for notice in notices] == [("area_differs", 1)]
    assert not watcher.looks_on
    (doubt,) = watcher.doubts
    assert (doubt.data["missing"], doubt.data["extra"]) == (["+2"], ["orange"])
    assert doubt.shown is not None
    assert {one.label for one in doubt.shown.outlines if not one.certain} == {"orange"}
    assert sorted(one.label for one in doubt.shown.outlines) == sorted(written.game.hands[1].elements())
    as_told, mended = doubt.answers
    assert as_told.events == ()
    played.report(*mended.events)
    assert list(watcher.doubts) == []
    # What is corrected later is held against the same picture.
    played.report(_misread(3, "red", "blue"), _misread(3, "orange", "blue"))
    (doubt,) = watcher.doubts
    assert doubt.data == {"seat": 3, "missing": ["blue", "blue"], "extra": ["orange", "red"]}
    played.report(*doubt.answers[1].events[:1])
    assert [len(one.data["extra"]) for one in watcher.doubts] == [1]
    watcher.answered(watcher.doubts[0])
    assert list(watcher.doubts) == []


def test_a_game_that_was_over_before_anybody_looked_is_not_counted(written: ColorettoGame) -> None:
    assert not Followed(written.moves).watcher.looks_on


_ENDS_WHILE_COUNTING = """
import time, cv2, numpy as np
from hardware.camera.frames import Frame
from referee.games.coloretto.rules import from_header
from referee.games.coloretto.watching import count as coloretto_count

def slowly(*_):
    until = time.monotonic() + 1
    while time.monotonic() < until:
        cv2.createLineSegmentDetector().detect(np.random.default_rng(1).integers(0, 255, (900, 900), np.uint8))
    print("counted", flush=True)
    raise coloretto_count.BadInputError("no table")

coloretto_count.read_areas = slowly
count = coloretto_count.EndCount(None, None, 0)
count.follow()
count.look(Frame(1, 1, np.zeros((9, 9, 3), np.uint8), 1), rests=True)
"""


def test_a_program_that_ends_while_areas_are_counted_ends_well() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _ENDS_WHILE_COUNTING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "counted\n", "")
