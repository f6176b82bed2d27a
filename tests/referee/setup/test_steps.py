"""The steps of setting up: what each says of what is measured, with its device there, misbehaving, or missing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hardware.events import BellEdge, BellPressed, SandEdge, SandLine, TimedEvent
from referee.decks.store import DeckStore
from referee.errors import BadInputError
from referee.language import LANGUAGES, Language
from referee.match.settings import TableSettings
from referee.scoring.seats import SeatRing, even_places
from referee.setup.camera import CameraStep
from referee.setup.check import CheckStep
from referee.setup.devices import BellStep, LampStep, SandtimerStep
from referee.setup.light import LightStep
from referee.setup.seats import SeatsStep, moved
from referee.setup.step import Heard, KeptStep, State, StepInput, load_kept, save_kept
from referee.setup.table import PICTURES, TableStep
from referee.setup.walk import NAMES, new_step
from referee.watchers.table_finder import TableFinder
from simulation.pins import press, sand
from simulation.still import table_picture
from vision.deck import Deck, Face, load_deck
from vision.markers import find_markers
from vision.profile import TableProfile, load_profile, profile_text, seats_fit

MS, SECOND = 1_000_000, 1_000_000_000
NOW = 100 * SECOND
Image = NDArray[np.uint8]


@cache
def picture(cards: int = 0, markers: tuple[int, ...] = (0, 1, 2, 3)) -> Image:
    return table_picture(load_deck("confetti"), cards, 4, (1280, 720), markers=markers)[0]


def seen(
    image: Image | None = None,
    heard: Sequence[TimedEvent] = (),
    settings: TableSettings | None = None,
    now_ns: int = NOW,
    since_ns: int = 0,
    folder: Path = Path("/nowhere"),
    troubles: dict[str, str] | None = None,
    kept: dict[str, KeptStep] | None = None,
) -> StepInput:
    given = [Heard(event, event.t_ns + 20 * MS) for event in heard]
    now = StepInput(now_ns, since_ns, Language("en"), settings or TableSettings(), folder, image, now_ns, given)
    return replace(now, troubles=troubles or {}, kept=kept or {})


def pressed(times_s: Sequence[float]) -> list[TimedEvent]:
    rng = random.Random(1)
    events: list[TimedEvent] = []
    for at_s in times_s:
        edges = list(press(rng, "bell", round(at_s * SECOND), 120 * MS))
        events.append(BellPressed(edges[0].t_ns, None))
        events += [BellEdge(edge.t_ns, None, edge.active) for edge in edges]
    return events


def sand_run(begin_s: float, runs_s: float) -> list[TimedEvent]:
    edges = sand(random.Random(2), round(begin_s * SECOND), runs_s)
    return [SandEdge(edge.t_ns, SandLine.BARRIER, int(edge.active)) for edge in edges]


@pytest.mark.parametrize("name", NAMES)
def test_every_step_goes_on_in_one_sentence_with_all_devices_missing(name: str) -> None:
    troubles = {kind: f"The {kind} is not there." for kind in ("camera", "bell", "sandtimer", "lamp", "speaker")}
    step = new_step(name)
    step.begin(seen(troubles=troubles))
    found = step.look(seen(troubles=troubles))
    assert found.text.endswith((".", "?"))
    if name != "deck":
        assert found.state is State.MISSING
    for code in LANGUAGES:
        assert Language(code).text(step.title_key) and Language(code).text(step.ask_key)


def test_the_camera_is_aimed_focused_and_put_right() -> None:
    step = CameraStep()
    assert step.look(seen()).state is State.WAIT
    good = step.look(seen(picture()))
    assert (good.state, good.text) == (State.GOOD, "The camera sees the table well.")
    mirrored = step.look(seen(np.asarray(cv2.flip(picture(), 1), np.uint8)))
    assert mirrored.text.startswith("The picture is mirrored")
    assert step.answer(seen(), mirrored.choices[0].answer).settings == {"camera_mirrored": True}
    blurred = step.look(seen(np.asarray(cv2.GaussianBlur(picture(), (0, 0), 4.0), np.uint8)))
    assert blurred.state is State.MEND
    assert "turn the lens back" in blurred.text
    shift = np.array([[1.0, 0, -80], [0, 1, 0]])
    cut = np.asarray(cv2.warpAffine(picture(), shift, (1280, 720), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    assert "cut off at the left edge" in CameraStep().look(seen(cut)).text
    less = step.look(seen(np.asarray(cv2.GaussianBlur(picture(), (0, 0), 2.0), np.uint8)))
    assert less.bar is not None and blurred.bar is not None and less.bar > blurred.bar


def measured(kept: dict[str, KeptStep] | None = None) -> TableProfile:
    step = TableStep()
    states = [step.look(seen(picture(), now_ns=NOW + k * SECOND)).state for k in range(PICTURES)]
    assert states == [State.WAIT] * (PICTURES - 1) + [State.GOOD]
    profile = step.keep(seen(picture(), kept=kept)).profile
    assert profile is not None and profile.edge_mm is not None
    return profile


def test_a_missing_marker_card_is_asked_for_and_a_table_is_measured_from_several_pictures() -> None:
    step = TableStep()
    bare = step.look(seen(picture(markers=())))
    assert (bare.state, bare.text.split(":")[0]) == (State.WAIT, "No marker card is in sight")
    two = step.look(seen(picture(markers=(0, 1))))
    assert two.text == "Put marker card 2 near the bottom left corner."
    with pytest.raises(BadInputError, match="not measured yet"):
        step.keep(seen(picture(markers=(0, 1))))
    assert sorted(measured().markers_mm) == [0, 1, 2, 3]


def test_seats_are_shown_and_buttons_are_given_to_them_by_ringing() -> None:
    step, settings = SeatsStep(), TableSettings(bell="seats", bell_pins=(17, 27, 22))
    step.answer(seen(), {"players": 3})
    rung: list[TimedEvent] = []
    for number, button in enumerate((2, 0, 1)):
        found = step.look(seen(picture(), rung, settings))
        assert found.text == f"Seat {number + 1}, ring now."
        assert sum(shape.kind == "seat" for shape in found.shapes) == 3
        rung.append(BellPressed(number * SECOND, button))
    assert step.look(seen(picture(), rung, settings)).state is State.GOOD
    assert step.keep(seen(picture(), rung, settings)).settings == {"bell_pins": [22, 17, 27]}
    with pytest.raises(BadInputError):
        step.answer(seen(), {"players": 12})


@cache
def with_one_marker(number: int) -> Image:
    """The table with one of its four markers left."""
    image = picture().copy()
    for marker in find_markers(image):
        if marker.id != number:
            middle = marker.corners_px.mean(0)
            whole = middle + 1.6 * (marker.corners_px - middle)
            cv2.fillConvexPoly(image, np.rint(whole).astype(np.int32), (60, 90, 120))
    return image


def test_a_phone_that_is_laid_at_each_corner_measures_the_table_below_its_screen() -> None:
    step = TableStep()
    step.answer(seen(), {"reference": "phone"})
    assert step.look(seen(picture(markers=()))).text == "Lay the phone near the top left corner, showing number 0."
    for number in range(4):
        # A phone that moves does not count; at rest for half a second it does.
        moving = np.asarray(cv2.warpAffine(with_one_marker(number), np.array([[1.0, 0, 9], [0, 1, 9]]), (1280, 720)))
        at_ns = NOW + 10 * number * SECOND
        for image, later_ns in ((moving, 0), (with_one_marker(number), SECOND)):
            found = step.look(seen(np.asarray(image, np.uint8), now_ns=at_ns + later_ns))
            assert found.bar == number / 4
        with pytest.raises(BadInputError, match="not measured yet"):
            step.keep(seen(with_one_marker(number)))
        found = step.look(seen(with_one_marker(number), now_ns=at_ns + 2 * SECOND))
    assert (found.state, found.text) == (State.GOOD, "Measured. Take the phone away, and go on.")
    profile = step.keep(seen(picture(markers=()))).profile
    assert profile is not None and not profile.markers_mm and profile.edge_mm is not None
    # The same corners as marker cards give, and the table itself 8 mm farther away than the screen.
    cards = measured()
    assert cards.edge_mm is not None
    ratio = profile.table.px_per_mm(np.array([[640.0, 360]])) / cards.table.px_per_mm(np.array([[640.0, 360]]))
    height_mm = float(cards.table.camera[0, 0] / cards.table.px_per_mm(np.array([[640.0, 360]]))[0])
    assert abs(float(ratio[0]) - height_mm / (height_mm + 8)) < 0.003
    sides = [np.linalg.norm(one.edge_mm[1:3] - one.edge_mm[:2], axis=1) for one in (profile, cards)]  # type: ignore[index]
    np.testing.assert_allclose(sides[0], sides[1], rtol=0.004)


def test_a_seat_is_dragged_or_moved_and_whose_card_it_is_follows() -> None:
    step, profile = SeatsStep(), measured()
    edge = profile.edge_mm
    assert edge is not None
    now = replace(seen(picture()), profile=profile)

    def put(answer: dict[str, object], at: TableProfile = profile) -> TableProfile:
        kept = step.answer(replace(now, profile=at), answer).profile
        assert kept is not None
        return kept

    assert [one.label for one in step.look(now).handles] == ["Seat 1", "Seat 2", "Seat 3"]
    # Seat 2 of three, which is near the top left, is dragged to the middle of the left edge.
    there = (edge[1] + edge[2]) / 2
    x, y = (float(v) for v in profile.table.to_px(there[None])[0] / now.size_px)
    dragged = put({"seat": 1, "at": [x, y]})
    even, ring = SeatRing(edge, 3), SeatRing(edge, 3, places=dragged.seats[3])
    for share, seats in ((0.95, (1, 1)), (0.6, (1, 2))):
        place = edge[2] * share + edge[3] * (1 - share)
        assert tuple(one.seat_at((float(place[0]), float(place[1]))) for one in (even, ring)) == seats
    np.testing.assert_allclose(ring.part_of(1)[len(ring.part_of(1)) // 2], there, atol=2.0)
    # Back by the keyboard's steps, and evenly again.
    back = put({"seat": 1, "by_cm": 10}, dragged)
    assert back.seats[3][1] > dragged.seats[3][1]
    spread = step.look(replace(now, profile=back)).choices[-1]
    assert spread.text == "Spread the seats evenly"
    assert not put(dict(spread.answer), back).seats
    # Nobody is dragged over a neighbour, and nothing else is taken.
    far = put({"seat": 1, "by_cm": 400})
    assert far.seats[3][0] < far.seats[3][1] < far.seats[3][2]
    for wrong in ({"seat": 3, "by_cm": 1}, {"seat": 0, "at": [1]}, {"seat": 0, "by_cm": "9"}):
        with pytest.raises(BadInputError):
            step.answer(now, wrong)


def test_seats_stay_where_they_were_put_when_the_table_is_measured_again(tmp_path: Path) -> None:
    step, now = SeatsStep(), replace(seen(picture()), profile=measured())
    save_kept(tmp_path, {"seats": KeptStep("good", "", step.answer(now, {"seat": 2, "by_cm": -20}).data)})
    profile = measured(load_kept(tmp_path))
    (tmp_path / "table.json").write_text(profile_text(profile), encoding="utf-8")
    again = load_profile(tmp_path / "table.json")
    assert again.seats == profile.seats == {3: (0.0, 0.3333, again.seats[3][2])}
    finder = TableFinder(again, 3)
    finder.look(picture())
    assert finder.place is not None and finder.place.ring.places == again.seats[3]
    with pytest.raises(BadInputError, match="when the table is measured"):
        SeatsStep().answer(seen(picture()), {"seat": 0, "by_cm": 10})


@given(players=st.integers(2, 7), moves=st.lists(st.tuples(st.integers(0, 6), st.floats(-3, 3)), max_size=12))
def test_however_seats_are_moved_they_stay_in_order_and_once_round(
    players: int, moves: list[tuple[int, float]]
) -> None:
    places = even_places(players)
    for seat, share in moves:
        places = moved(places, seat % players, share)
        assert seats_fit(players, list(places)), places


def test_the_light_is_good_or_says_where_a_lamp_dazzles() -> None:
    step = LightStep()
    assert step.begin(seen()).settle
    good = step.look(seen(picture()))
    assert good.state is State.GOOD, good
    assert good.more[0].startswith("I can tell all colours apart; most alike are")
    dazzled = picture().copy()
    cv2.circle(dazzled, (1150, 130), 110, (255, 255, 255), -1)
    found = step.look(seen(dazzled))
    assert found.text.startswith("A lamp dazzles at the top right")
    assert [shape.kind for shape in found.shapes] == ["bad"]


@pytest.mark.parametrize(
    ("violet", "expected"),
    [
        ((160, 40, 10), "Hard to tell in this light are blue and violet: a whiter lamp, or daylight"),
        ((255, 0, 0), "Hard to tell in any light are blue and violet: where they lie it will ask."),
    ],
)
def test_the_two_cards_of_a_deck_of_prints_that_come_closest_are_named_and_what_would_help(
    tmp_path: Path, violet: tuple[int, int, int], expected: str
) -> None:
    prints = []
    for face, colour in {"blue": (255, 0, 0), "violet": violet, "red": (0, 0, 230), "green": (60, 180, 60)}.items():
        art = np.full((174, 112, 3), 250, np.uint8)
        cv2.circle(art, (56, 60), 36, (30, 30, 30), -1)
        cv2.rectangle(art, (30, 110), (82, 150), colour, -1)
        prints.append(Face(face, "front", {}, art))
    DeckStore(tmp_path).add(Deck("ours", (56.0, 87.0), tuple(prints)))
    # A red lamp: its blue and green are too weak for the pair, which daylight separates.
    lit = np.clip(picture() * np.array((0.01, 0.02, 1.0)), 0, 255).astype(np.uint8)
    found = LightStep().look(seen(lit, kept={"deck": KeptStep("good", "", {"deck": "ours"})}, folder=tmp_path))
    assert found.more[0].startswith(expected)


def test_three_presses_show_how_the_bell_bounces() -> None:
    step = BellStep()
    assert step.look(seen(heard=pressed([1, 3]))).text == "Heard so far: 2 of 3."
    found = step.look(seen(heard=pressed([1, 3, 5])))
    assert found.state is State.GOOD
    assert "I hear a press within 20 ms" in found.more[0]
    # A contact that bounces long is said, and counts all the same.
    worn = [*pressed([1, 3, 5]), BellEdge(5 * SECOND + 45 * MS, None, True)]
    assert "bounces long" in step.look(seen(heard=worn)).text
    unplugged = step.look(seen(heard=pressed([1]), troubles={"bell": "The bell is not there."}))
    assert (unplugged.state, unplugged.text) == (State.MISSING, "The bell is not there.")
    assert step.look(seen(settings=TableSettings(bell="none"))).state is State.GOOD


def test_a_sandtimer_is_learned_from_two_whole_runs() -> None:
    step = SandtimerStep()
    one = sand_run(5, 12)
    assert step.look(seen(heard=one, now_ns=10 * SECOND)).text == "The sand runs: run 1 of 2."
    assert step.look(seen(heard=one, now_ns=20 * SECOND)).text == "Once more: turn it again."
    both = [*one, *sand_run(25, 12.5)]
    found = step.look(seen(heard=both, now_ns=45 * SECOND))
    assert (found.state, found.text) == (State.GOOD, "It runs for 12 seconds.")
    learned = TableSettings().changed(step.keep(seen(heard=both, now_ns=45 * SECOND)).settings).sand
    assert learned is not None
    assert abs(learned[0] - 12.25 * SECOND) < SECOND // 10
    assert abs(learned[1] - SECOND // 2) < SECOND // 10
    # A run that was on before, and one that was cut short, are no whole ones.
    assert step.look(seen(heard=both, since_ns=5 * SECOND, now_ns=45 * SECOND)).text == "Once more: turn it again."
    unlike = step.look(seen(heard=[*one, *sand_run(25, 5)], now_ns=45 * SECOND))
    assert "once more" in unlike.text
    with pytest.raises(BadInputError, match="not known yet"):
        SandtimerStep().keep(seen(heard=one, now_ns=45 * SECOND))


def test_a_sandtimer_without_sensors_is_timed_by_hand_and_a_lamp_that_nobody_sees_is_not_fitted() -> None:
    step, bare = SandtimerStep(), TableSettings(sandtimer=False)
    step.answer(seen(settings=bare), {"tap": True})
    step.answer(seen(settings=bare, now_ns=NOW + 61 * SECOND), {"tap": True})
    assert step.look(seen(settings=bare)).text == "It runs for 61 seconds."
    step.answer(seen(settings=bare), {"seconds": 90})
    settings = bare.changed(step.keep(seen(settings=bare)).settings).sand_settings()
    assert settings is not None and settings.profile is not None
    assert settings.profile.duration_ns == 90 * SECOND
    with pytest.raises(BadInputError, match="too short or too long"):
        step.answer(seen(settings=bare), {"seconds": 2})
    lamp = LampStep()
    assert lamp.answer(seen(), {"quieter": True}).settings == {"volume": 0.8}
    lamp.answer(seen(), {"seen": False})
    lamp.answer(seen(), {"heard": True})
    assert (lamp.look(seen()).state, lamp.keep(seen()).settings) == (State.GOOD, {"lamp": False})


def test_ten_cards_and_a_ring_are_ready_to_play() -> None:
    assert CheckStep().look(seen(picture(3))).text == "Read so far: 3 of 10 cards."
    step = CheckStep()
    assert step.look(seen(picture(10))).text == "All 10 cards are read. Now ring once."
    gone = step.look(seen(picture(10), troubles={"bell": "The bell is not there."}))
    assert (gone.state, gone.text) == (State.MEND, "All 10 cards are read, but the bell is not there.")
    ready = step.look(seen(picture(10), pressed([1])))
    assert ready.state is State.GOOD, ready
    assert step.keep(seen()).data == {"read": 10, "unclear": 0}
    wanting = {"light": KeptStep("mend", "It is dark: one more lamp would help.")}
    mend = step.look(seen(picture(10), pressed([1]), kept=wanting))
    assert (mend.state, mend.more) == (State.MEND, ("It is dark: one more lamp would help.",))
