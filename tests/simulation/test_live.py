"""The table that moves: the same for the same seed, true to its script, and plausible to a camera."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.camera.frames import PixelFormat, to_bgr
from simulation.live import LiveTable, Shots, to_nv12
from simulation.script import Carry, Flip, Lying, Motion, Rest, Ring, Script, ScriptCard, collisions, person_at
from simulation.truth import rings_of, truth_at, visible_since
from simulation.view import Look
from vision.deck import Deck, load_deck

AREA = (800.0, 450.0)
SIZE = (640, 360)
EVEN = Look(table="plain", noise=0, gradient=0, blur_px=0)


def script() -> Script:
    """Two cards before nobody, a bell and a sandtimer; somebody at the bottom, somebody on the left."""
    cards = (
        ScriptCard("under", "confetti-01", Lying(380, 200, 10, "white")),
        ScriptCard("over", "confetti-02", Lying(400, 210, 40, "white")),
        ScriptCard("alone", "confetti-03", Lying(600, 120, 0, "white")),
    )
    actions = (
        Flip(0, 1.5, 4.0),
        Carry(0, ("over",), 3.0, 4.0, (Lying(300, 380, 0, "white"),)),
        Carry(1, ("alone",), 4.0, 5.0, (Lying(150, 200, 90, "black"),)),
        Ring(1, 6.5),
        Rest(0, 6.0, 7.0, (300, 380)),
    )
    people = (person_at((400, 430), AREA, 0), person_at((20, 225), AREA, 1))
    return Script(AREA, cards, people, actions, 8.0, bell_mm=(520, 300), sandtimer_mm=(650, 300))


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck("confetti")


@pytest.fixture(scope="module")
def table(deck: Deck) -> LiveTable:
    return LiveTable(script(), deck, 3, Shots(size=SIZE, look=EVEN), start_ns=10**9)


def at(table: LiveTable, seconds: float) -> int:
    """The frame whose exposure ends at a time of the script."""
    return round(seconds * table.shots.frames_per_s) - 1


def test_the_same_seed_gives_the_same_frames_in_any_order(deck: Deck) -> None:
    shots = Shots(size=SIZE, frames_per_s=10)
    one, two, other = (LiveTable(script(), deck, seed, shots) for seed in (3, 3, 4))
    forwards = {index: one.frame(index).image for index in (5, 33, 45)}
    backwards = {index: two.frame(index).image for index in (45, 33, 5)}
    for index, image in forwards.items():
        assert np.array_equal(image, backwards[index])
    assert not np.array_equal(forwards[5], other.frame(5).image)


def test_frames_carry_their_times(table: LiveTable) -> None:
    frames = [table.frame(index) for index in (0, 1, 29)]
    assert [frame.sequence for frame in frames] == [0, 1, 29]
    assert frames[2].exposure_end_ns == 2 * 10**9
    assert frames[0].exposure_end_ns == table.exposure_end_ns(0) == 10**9 + round(10**9 / 30)


def test_a_still_card_shows_its_marks_where_the_truth_says(table: LiveTable, deck: Deck) -> None:
    index = at(table, 0.5)
    image = table.frame(index).image
    card = truth_at(table, table.exposure_end_ns(index)).card("alone")
    assert card.lies and card.visible > 0.98
    face = deck.by_id["white", "confetti-03"]
    top_left, top_right, _, bottom_left = card.corners_px
    for mark in face.marks:
        x, y = top_left + (top_right - top_left) * mark.x_mm / 63 + (bottom_left - top_left) * mark.y_mm / 88
        red, green, blue = bytes.fromhex(deck.palette["white"][mark.colour].removeprefix("#"))
        expected = np.array([blue, green, red]) * 0.96 * np.array(EVEN.tint)
        assert image[round(y), round(x)] == pytest.approx(expected, abs=8)


def test_a_card_that_is_turned_over_shows_less_of_itself_in_mid_turn_and_then_its_other_side(table: LiveTable) -> None:
    def width(seconds: float) -> float:
        corners = truth_at(table, table.exposure_end_ns(at(table, seconds))).card("alone").corners_px
        return float(np.linalg.norm(corners[1] - corners[0]))

    turning = truth_at(table, table.exposure_end_ns(at(table, 4.5))).card("alone")
    assert turning.turning and not turning.lies and turning.since_ns is None
    assert width(4.5) < 0.5 * width(0.5)
    landed = truth_at(table, table.exposure_end_ns(at(table, 5.1))).card("alone")
    assert (landed.side, landed.lies, landed.since_ns) == ("black", True, table.start_ns + 5 * 10**9)
    corners = landed.corners_px
    image = table.frame(at(table, 5.9)).image
    ground = image[tuple(np.rint(corners.mean(axis=0) * 0.1 + corners[0] * 0.9).astype(int)[::-1])]
    assert ground.max() < 60


def test_what_is_hidden_is_known(table: LiveTable) -> None:
    early = truth_at(table, table.exposure_end_ns(at(table, 0.2)))
    assert early.card("under").visible < 0.6 and early.hands == ()
    uncovered = truth_at(table, table.exposure_end_ns(at(table, 5.5)))
    assert uncovered.card("under").visible > 0.98
    resting = truth_at(table, table.exposure_end_ns(at(table, 6.4)))
    assert resting.card("over").visible < 0.8
    assert {hand.seat for hand in resting.hands} >= {0}
    since = visible_since(table, "under", at(table, 5.5))
    assert since is not None and 3 * 10**9 < since - table.start_ns < 5 * 10**9
    assert visible_since(table, "alone", at(table, 4.5)) is None
    assert early.card("alone").since_ns == table.start_ns
    with pytest.raises(KeyError):
        early.card("nobody")


def test_the_hand_is_at_the_bell_when_it_rings(table: LiveTable) -> None:
    ((t_ns, seat),) = rings_of(table)
    assert (t_ns, seat) == (table.start_ns + round(6.5e9), 1)
    (hand,) = (hand for hand in truth_at(table, t_ns).hands if hand.seat == 1)
    assert np.hypot(hand.x_mm - 520, hand.y_mm - 300) < 1
    before, ringing = (table.frame(at(table, seconds)).image for seconds in (0.5, 6.55))
    x, y = np.rint(table.view.to_px(np.array([[480, 300]]))[0]).astype(int)
    changed = np.abs(before[y - 5 : y + 5, x - 5 : x + 5].astype(int) - ringing[y - 5 : y + 5, x - 5 : x + 5]).mean()
    assert changed > 20


def test_a_hand_casts_a_shadow_beside_itself(table: LiveTable) -> None:
    before, carrying = (table.frame(at(table, seconds)).image.astype(int) for seconds in (0.5, 3.5))
    darker = (before.sum(axis=2) - carrying.sum(axis=2)) > 40
    hands = np.abs(before - carrying).max(axis=2) > 3
    assert 0.02 < darker.mean() < hands.mean() + 0.05


def test_frames_come_as_nv12_and_with_a_small_grey_picture(deck: Deck) -> None:
    shots = Shots(size=SIZE, look=EVEN, pixel_format=PixelFormat.NV12, small_width=160)
    plain = LiveTable(script(), deck, 3, Shots(size=SIZE, look=EVEN)).frame(10)
    frame = LiveTable(script(), deck, 3, shots).frame(10)
    assert frame.image.shape == (540, 640)
    assert np.abs(frame.bgr().astype(int) - plain.image).mean() < 3
    assert frame.small_grey is not None and frame.small_grey.shape == (90, 160)
    assert np.array_equal(to_bgr(to_nv12(plain.image), PixelFormat.NV12), frame.bgr())


def test_the_markers_can_be_found(deck: Deck) -> None:
    image = LiveTable(script(), deck, 5, Shots(size=(1280, 720))).frame(0).image
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    _, ids, _ = detector.detectMarkers(image)
    assert ids is not None and set(ids.ravel().tolist()) == {0, 1, 2, 3}


def test_sand_and_glass_are_where_the_script_puts_them() -> None:
    motion = Motion(script())
    assert motion.sand(0.0).left == 0.0
    assert motion.sand(1.1).height_mm > 20
    assert motion.sand(3.5).left == pytest.approx(0.5)
    assert (motion.sand(6.0).left, motion.sand(6.0).turn_deg) == (0.0, 180.0)


def test_scripts_that_cannot_be_are_refused() -> None:
    person = person_at((400, 430), AREA, 0)
    card = ScriptCard("a", "confetti-01", Lying(0, 0, 0, "white"))
    there = (Lying(1, 1, 0, "white"),)
    twice = (Carry(0, ("a",), 1.0, 2.0, there), Carry(0, ("a",), 1.5, 2.5, there))
    with pytest.raises(ValueError, match="still carried"):
        Motion(Script(AREA, (card,), (person,), twice, 3.0))
    with pytest.raises(ValueError, match="no bell"):
        Motion(Script(AREA, (card,), (person,), (Ring(0, 1.0),), 3.0))
    with pytest.raises(ValueError, match="same key"):
        Motion(Script(AREA, (card, card), (person,), (), 3.0))
    busy = Script(AREA, (card,), (person,), (Carry(0, ("a",), 1.0, 2.0, there), Rest(0, 1.5, 2.5, (1, 1))), 3.0)
    assert collisions(busy) == ["seat 0 has two things to do at 1.50 s"]
