"""What is read anew when somebody rings: what is too dear for every frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hardware.events import Event as DeviceEvent
from referee.decks.finding import find_print_deck
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Outcome, Session
from referee.games.piccolino.demo import Plan, write_piccolino
from referee.games.piccolino.watching.eyes import TableEyes
from referee.games.registry import game_kind, watcher_for
from referee.language import Language
from referee.sayings.service import notice as say
from referee.watchers import table_finder
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.view import Look
from tests.support.piles_table import piles_table
from vision.arrays import Image
from vision.markers import Marker, find_markers, table_from_markers
from vision.pictured.clowns import PictureClowns
from vision.pictured.piles import PileReader
from vision.piles.sights import PilePlace, PileSight
from vision.table import Table

MS = 1_000_000


def test_a_card_under_a_finger_counts_at_the_ring_and_is_not_looked_for_before(monkeypatch: pytest.MonkeyPatch) -> None:
    laid = piles_table(2, 2, 1, Shots(size=(960, 540), frames_per_s=12))
    frames = [laid.session.look(frame).frame for frame in laid.frames(laid.landings_ns)]
    last = frames[-1]
    assert last is not None
    searched: list[int] = []

    def read_part(reader: PileReader, image_bgr: Image, number: int) -> PileSight:
        searched.append(number)
        return PileSight(reader.places[number].seat, "face", "purple", "happy", 0.99, np.eye(4, 2) * 60 + 300, None)

    monkeypatch.setattr(PileReader, "read_part", read_part)
    hidden = np.random.default_rng(1).integers(0, 256, last.bgr().shape).astype(np.uint8)
    hidden[:, :480] = last.bgr()[:, :480]
    later_ns = last.exposure_end_ns + 33 * MS
    laid.session.look(replace(last, t_ns=later_ns, exposure_end_ns=later_ns, image=hidden, sequence=last.sequence + 1))
    assert searched == []
    ruling = laid.ruling_at(later_ns + 5 * MS, 0)
    assert searched != []
    # Ann's purple happy card lies there, and now Ben's.
    assert (ruling["valid"], ruling["colour"]) == (True, "purple")


def filmed(seed: int, players: int, until_s: float, shots: Shots) -> list[tuple[int, object, object]]:
    """Play a game on a simulated table; gives each ring's second, whether it was valid (None: unclear), its colour."""
    game = write_piccolino(find_print_deck("piccolino"), seed, Plan(players=players, turns=24))
    table = LiveTable(game.script, find_print_deck("piccolino"), seed, shots)
    header = Header("piccolino", ("Ann", "Ben", "Cem", "Dan", "Eva")[:players], {})
    session = Session(game_kind("piccolino").start(header), watcher_for(header, WatchSetup()))
    ruled: list[tuple[int, object, object]] = []

    def note(event: DeviceEvent, outcome: Outcome) -> None:
        rings = [one for one in outcome.rulings if one["ruling"] in ("ring", "unclear", "ignored")]
        ruled.extend((round(table.seconds(one["t_ns"])), one.get("valid"), one.get("colour")) for one in rings)

    stepped = SteppedTable(table, seed, session, note)
    for _ in stepped.play(until_s):
        pass
    stepped.close()
    return ruled


@pytest.mark.nightly
def test_won_piles_are_seen_taken_away_from_grained_wood_and_new_cards_count_at_once() -> None:
    # The second ring came on the first card after the piles were won, the third on a card laid where those had been.
    assert filmed(33, 3, 23.0, Shots(size=(1280, 720), frames_per_s=15)) == [
        (7, True, "purple"),
        (13, False, None),
        (22, True, "purple"),
    ]


@pytest.mark.nightly
def test_a_place_is_seen_to_be_bare_when_the_draw_pile_beside_it_throws_less_of_a_shadow() -> None:
    rings = filmed(138, 4, 48.2, Shots(size=(960, 540), frames_per_s=12))
    assert rings == [(10, False, None), (32, True, "green"), (41, True, "blue"), (48, False, None)]


def test_a_table_that_is_fitted_otherwise_to_the_same_markers_is_the_same_until_the_camera_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laid = piles_table(2, 2, 1, Shots(size=(960, 540), frames_per_s=12))
    frame = next(iter(laid.frames(laid.landings_ns)))
    fits = 0

    def fit(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table:
        nonlocal fits
        fits += 1
        return table_from_markers(markers, size_px).moved(np.array([8.0 * fits, 0.0]))

    monkeypatch.setattr(table_finder, "table_from_markers", fit)
    eyes = TableEyes(PictureClowns(find_print_deck("piccolino")), None, 2)
    seatings = []
    for second, shift in enumerate((0, 0, 0, 12, 12)):
        image = np.roll(frame.bgr(), shift, axis=1)
        t_ns = frame.exposure_end_ns + second * 3_000 * MS
        eyes.look(replace(frame, t_ns=t_ns, exposure_end_ns=t_ns, image=image, sequence=second))
        seatings.append(eyes.seating)
    assert seatings[0] is seatings[1] is seatings[2]
    assert seatings[3] is not seatings[2]


def test_a_ring_in_the_moment_in_which_the_camera_was_pushed_is_ruled_on_no_pile() -> None:
    laid = piles_table(2, 2, 1, Shots(size=(960, 540), frames_per_s=12))
    frame = next(iter(laid.frames(laid.landings_ns)))
    eyes = TableEyes(PictureClowns(find_print_deck("piccolino")), None, 2)
    eyes.look(frame)
    assert not any(sight.kind == "covered" and sight.seat == 0 for sight in eyes.look_closely())
    t_ns = frame.exposure_end_ns + 80 * MS
    shifted = replace(frame, t_ns=t_ns, exposure_end_ns=t_ns, image=np.roll(frame.bgr(), 12, axis=1), sequence=1)
    eyes.look(shifted)
    assert [(sight.seat, sight.kind) for sight in eyes.look_closely()] == [(0, "unclear"), (1, "unclear")]


def test_people_are_told_whether_markers_are_covered_or_the_camera_swaps_left_and_right() -> None:
    laid = piles_table(2, 2, 1, Shots(size=(960, 540), frames_per_s=12))
    frame = next(iter(laid.frames(laid.landings_ns)))
    eyes = TableEyes(PictureClowns(find_print_deck("piccolino")), None, 2)
    told = []
    for second, image in enumerate((np.zeros_like(frame.bgr()), np.fliplr(frame.bgr()).copy(), frame.bgr())):
        t_ns = frame.exposure_end_ns + second * 3_000 * MS
        eyes.look(replace(frame, t_ns=t_ns, exposure_end_ns=t_ns, image=image, sequence=second))
        told.append([say(notice.kind, notice.seat, notice.data, (), Language()) for notice in eyes.notices])
    assert told == [
        ["The table cannot be seen: please uncover the marker cards."],
        ["The camera swaps left and right: please turn mirroring off in its settings."],
        [],
    ]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("seed", "players", "table", "ruling"),
    [(190, 4, "wood", (5, True, "black")), (273, 3, "white", (5, True, "green")), (275, 5, "white", (5, None, None))],
)
def test_a_first_card_under_the_arm_that_rings_counts_if_what_shows_tells_it_and_leaves_a_doubt_if_not(
    seed: int, players: int, table: str, ruling: tuple[int, object, object]
) -> None:
    # Once only the draw pile beside it was in sight: the place was called empty, and a valid ring false.
    shots = Shots(size=(1280, 720), frames_per_s=20, look=Look(table=table))
    assert filmed(seed, players, 5.6, shots) == [ruling]


@pytest.mark.nightly
@pytest.mark.parametrize(("seed", "frame", "colour"), [(292, 720, "purple"), (332, 222, "yellow")])
def test_a_card_half_under_the_arm_that_rings_is_read_though_print_and_sleeve_make_straighter_frames(
    seed: int, frame: int, colour: str
) -> None:
    deck = find_print_deck("piccolino")
    script = write_piccolino(deck, seed, Plan(players=2, turns=24)).script
    shots = Shots(size=(1280, 720), frames_per_s=20, look=Look(table="white", tint=(1.0, 0.97, 0.9)))
    image = LiveTable(script, deck, seed, shots).frame(frame).bgr()
    table = table_from_markers(find_markers(image), shots.size)
    sight = PileReader(deck, table, shots.size, [PilePlace(1, centre_mm=(564.0, 98.0))]).read_part(image, 0)
    assert sight is not None
    assert (sight.colour, sight.mood) == (colour, "happy")


@pytest.mark.nightly
def test_a_card_that_is_put_down_for_a_moment_on_its_way_to_the_winner_lies_in_nobodys_place() -> None:
    # It rested before a player whose first card nobody had seen; his pile was never looked at after that, and a ring
    # on the pair that lay there a minute later was ruled false.
    shots = Shots(size=(1280, 720), frames_per_s=20)
    assert filmed(243, 5, 14.0, shots)[-1] == (14, False, None)
