"""Filmed games of Piccolino: hidden cards, piles that go away, a camera that is pushed, a table out of sight."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import TimedEvent as DeviceEvent
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Outcome, Session
from referee.games.piccolino.demo import PiccolinoPlan, write_piccolino
from referee.games.piccolino.watching.tracker import PileTracker
from referee.games.recorded_game import RecordedGame
from referee.games.registry import game_kind, watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.view import Look
from tests.support.piles_table import piles_table
from tests.support.short_game import on_cores, record_short_game, rulings_of
from vision.arrays import Image
from vision.deck import load_deck
from vision.markers import find_markers, table_from_markers
from vision.piles.observations import pile_place
from vision.piles.pile_reader import PrintTableReader

MS = 1_000_000
DECK = load_deck("piccolino")
Rung = tuple[int, object, object]
BIG = Shots(size=(1280, 720), frames_per_s=20)
BARE = Shots(size=(1280, 720), frames_per_s=15)
SMALL = Shots(size=(960, 540), frames_per_s=12)

# Seed, players, seconds, shots; and of the last rings the second, whether it was valid (None: unclear), the colour.
FILMED: dict[str, tuple[int, int, float, Shots, list[Rung]]] = {
    "the first card after piles were won, and a card laid where those had been, on grained wood": (
        *(33, 3, 23.0, BARE),
        [(7, True, "purple"), (13, False, None), (22, True, "purple")],
    ),
    "a place is seen to be bare when the draw pile beside it throws less of a shadow": (
        *(138, 4, 48.2, SMALL),
        [(10, False, None), (32, True, "green"), (41, True, "blue"), (48, False, None)],
    ),
    # Once only the draw pile beside it was in sight: the place was called empty, and a valid ring false.
    "a first card under the arm that rings": (190, 4, 5.6, replace(BIG, look=Look("wood")), [(5, True, "black")]),
    "so on white": (273, 3, 5.6, replace(BIG, look=Look("white")), [(5, True, "green")]),
    "what does not show it leaves a doubt": (275, 5, 5.6, replace(BIG, look=Look("white")), [(5, None, None)]),
    # A won card rested before a player whose first card nobody had seen; his pile was never looked at after that.
    "a card put down for a moment on its way to the winner": (
        *(243, 5, 14.0, BIG),
        [(8, True, "purple"), (14, False, None)],
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("case", FILMED)
def test_a_filmed_game_is_ruled_as_it_was_played(case: str) -> None:
    seed, players, until_s, shots, rings = FILMED[case]
    table = LiveTable(write_piccolino(DECK, seed, PiccolinoPlan(players=players, turns=24)).script, DECK, seed, shots)
    header = Header("piccolino", ("Ann", "Ben", "Cem", "Dan", "Eva")[:players], {})
    session = Session(header, game_kind("piccolino").start, watcher_for(header, WatchSetup()))
    ruled: list[Rung] = []

    def note(event: DeviceEvent, outcome: Outcome) -> None:
        told = [one for one in outcome.rulings if one["ruling"] in ("ring", "unclear", "ignored")]
        ruled.extend((round(table.seconds(one["t_ns"])), one.get("valid"), one.get("colour")) for one in told)

    stepped = SteppedTable(table, seed, session, note)
    for _ in stepped.play(until_s):
        pass
    stepped.close()
    assert ruled == rings


@pytest.mark.nightly
@pytest.mark.parametrize(("seed", "frame", "colour"), [(292, 720, "purple"), (332, 222, "yellow")])
def test_a_card_half_under_the_arm_that_rings_is_read_though_print_and_sleeve_make_straighter_frames(
    seed: int, frame: int, colour: str
) -> None:
    script = write_piccolino(DECK, seed, PiccolinoPlan(players=2, turns=24)).script
    shots = replace(BIG, look=Look(table="white", tint=(1.0, 0.97, 0.9)))
    image = LiveTable(script, DECK, seed, shots).frame(frame).bgr()
    table = table_from_markers(find_markers(image), shots.size)
    sight = PrintTableReader(DECK).read_pile(image, table, pile_place(1, (564.0, 98.0), table))
    assert (sight.kind, sight.colour, sight.mood) == ("face", colour, "happy")


@pytest.fixture(scope="module")
def frame() -> Frame:
    laid = piles_table(2, 2, 1, SMALL)
    return next(iter(laid.frames(laid.landings_ns)))


def later(frame: Frame, image: Image, after_ms: int, sequence: int) -> Frame:
    t_ns = frame.exposure_end_ns + after_ms * MS
    return replace(frame, t_ns=t_ns, exposure_end_ns=t_ns, image=image, sequence=sequence)


def test_a_ring_in_the_moment_in_which_the_camera_was_pushed_is_ruled_on_no_pile(frame: Frame) -> None:
    eyes = PileTracker(PrintTableReader(DECK), None, 2)
    eyes.look(frame)
    assert not any(sight.kind == "covered" and sight.seat == 0 for sight in eyes.look_closely())
    eyes.look(later(frame, np.roll(frame.bgr(), 12, axis=1), 80, 1))
    assert [(sight.seat, sight.kind) for sight in eyes.look_closely()] == [(0, "unclear"), (1, "unclear")]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.mcap"
    record_short_game(path)
    return path


def test_it_is_ruled_by_the_frames_before_each_ring(recording: Path) -> None:
    told: list[str] = []
    RecordedGame(recording, told.append)
    assert told == []
    rulings = [json.loads(line) for line in rulings_of(recording).splitlines()]
    false, valid = (ruling for ruling in rulings if ruling["ruling"] == "ring")
    assert (false["valid"], false["seat"], false["reason"]) == (False, 0, "no_pair")
    assert (valid["valid"], valid["seat"], valid["colour"], valid["seats"]) == (True, 1, "yellow", [1, 2])
    for ring in (false, valid):
        assert ring["frame_t_ns"] < ring["t_ns"] <= ring["frame_t_ns"] + 110 * MS
    (late,) = (ruling for ruling in rulings if ruling["ruling"] == "also_rang")
    assert (late["seat"], late["lag_ms"]) == (0, 38.0)


def test_it_is_ruled_the_same_each_time_on_one_core_and_on_two(recording: Path) -> None:
    outcomes = []
    for cores in (1, 2):
        with on_cores(cores):
            outcomes.append(rulings_of(recording))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].count(b"\n") >= 3
