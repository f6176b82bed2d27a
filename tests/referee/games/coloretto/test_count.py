"""When a game of Coloretto is over: each area by one picture alone, held against what was told of the game."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from hardware.camera.frames import Frame
from referee.decks.finding import find_print_deck
from referee.demo.table import NAMES
from referee.engine.events import Event, Header
from referee.games.coloretto.demo import ColorettoGame, Plan, write_coloretto
from referee.games.coloretto.rules import from_header
from referee.games.coloretto.watching.watcher import ColorettoWatcher
from simulation.live import LiveTable, Shots
from simulation.script import Carry
from simulation.view import Look

_FPS = 2.0
DECK = find_print_deck("coloretto")
HEADER = Header("coloretto", NAMES[:4], {})


@pytest.fixture(scope="module")
def written() -> ColorettoGame:
    """A game of one round, which is soon over."""
    return write_coloretto(DECK, 7, Plan(rounds=1))


class Followed:
    """A game whose watcher saw which cards all start with, and was told of all moves."""

    def __init__(self, moves: Sequence[Event], first: Sequence[Frame] = ()) -> None:
        self.watcher = ColorettoWatcher(HEADER, DECK, None)
        self.game = from_header(HEADER)
        started = [event for frame in first for event in self.watcher.look(frame).events]
        self.tell(*started, *moves)

    def tell(self, *events: Event) -> None:
        for event in events:
            rulings = [ruling.as_json() for ruling in self.game.apply(event)]
            self.watcher.judged(event, rulings, self.game.view())


def _misread(seat: int, was: str, card: str) -> Event:
    return Event(1, "card_was", {"event": "card_was", "seat": seat, "was": was, "card": card})


def test_only_the_seat_whose_area_shows_other_cards_is_asked_until_that_is_put_right_or_answered(
    written: ColorettoGame,
) -> None:
    live = LiveTable(written.script, DECK, 7, Shots(frames_per_s=_FPS, look=Look(table="cloth")))
    end_s = max(action.release_s for action in written.script.actions if isinstance(action, Carry))
    last = [live.frame(round((end_s + 1) * _FPS) + k) for k in range(round(7 * _FPS))]
    played = Followed(written.moves, [live.frame(k) for k in range(5)])
    watcher = played.watcher
    played.tell(_misread(1, "orange", "+2"))
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
    played.tell(*mended.events)
    assert list(watcher.doubts) == []
    # What is corrected later is held against the same picture.
    played.tell(_misread(3, "red", "blue"), _misread(3, "orange", "blue"))
    (doubt,) = watcher.doubts
    assert doubt.data == {"seat": 3, "missing": ["blue", "blue"], "extra": ["orange", "red"]}
    played.tell(*doubt.answers[1].events[:1])
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
