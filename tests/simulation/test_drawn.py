"""The drawn table, still and moving, is what its truth says, and the same for the same seed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from simulation.live import LiveTable, Shots
from simulation.script import BellHit, CardPose, Carry, Flip, Motion, Rest, Script, ScriptCard, person_at
from simulation.still import table_picture
from simulation.truth import truth_at
from simulation.view import Look
from tests.support.script_check import collisions
from vision.deck import Deck
from vision.render_face import bgr

AREA = (800.0, 450.0)
SIZE = (640, 360)
EVEN = Look(table="plain", noise=0, gradient=0, blur_px=0)


def script() -> Script:
    """Two cards before nobody, a bell and a sandtimer; somebody at the bottom, somebody on the left."""
    cards = (
        ScriptCard("under", "confetti-01", CardPose(380, 200, 10, "white")),
        ScriptCard("over", "confetti-02", CardPose(400, 210, 40, "white")),
        ScriptCard("alone", "confetti-03", CardPose(600, 120, 0, "white")),
    )
    actions = (
        Flip(0, 1.5, 4.0),
        Carry(0, ("over",), 3.0, 4.0, (CardPose(300, 380, 0, "white"),)),
        Carry(1, ("alone",), 4.0, 5.0, (CardPose(150, 200, 90, "black"),)),
        BellHit(1, 6.5),
        Rest(0, 6.0, 7.0, (300, 380)),
    )
    people = (person_at((400, 430), AREA, 0), person_at((20, 225), AREA, 1))
    return Script(AREA, cards, people, actions, 8.0, bell_mm=(520, 300), sandtimer_mm=(650, 300))


@pytest.fixture
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


def test_a_card_that_is_turned_over_shows_less_of_itself_in_mid_turn_and_then_its_other_side(table: LiveTable) -> None:
    def width(seconds: float) -> float:
        corners = truth_at(table, table.exposure_end_ns(at(table, seconds))).card("alone").corners_px
        return float(np.linalg.norm(corners[1] - corners[0]))

    turning = truth_at(table, table.exposure_end_ns(at(table, 4.5))).card("alone")
    assert turning.turning and turning.since_ns is None
    assert width(4.5) < 0.5 * width(0.5)
    landed = truth_at(table, table.exposure_end_ns(at(table, 5.1))).card("alone")
    assert (landed.side, landed.since_ns) == ("black", table.start_ns + 5 * 10**9)
    corners = landed.corners_px
    image = table.frame(at(table, 5.9)).image
    ground = image[tuple(np.rint(corners.mean(axis=0) * 0.1 + corners[0] * 0.9).astype(int)[::-1])]
    assert ground.max() < 60


def test_the_hand_is_at_the_bell_when_it_rings(table: LiveTable) -> None:
    (hand,) = (hand for hand in truth_at(table, table.start_ns + round(6.5e9)).hands if hand.seat == 1)
    assert np.hypot(hand.x_mm - 520, hand.y_mm - 300) < 1
    before, ringing = (table.frame(at(table, seconds)).image for seconds in (0.5, 6.55))
    x, y = np.rint(table.view.to_px(np.array([[480, 300]]))[0]).astype(int)
    changed = np.abs(before[y - 5 : y + 5, x - 5 : x + 5].astype(int) - ringing[y - 5 : y + 5, x - 5 : x + 5]).mean()
    assert changed > 20


def test_scripts_that_cannot_be_are_refused() -> None:
    person = person_at((400, 430), AREA, 0)
    card = ScriptCard("a", "confetti-01", CardPose(0, 0, 0, "white"))
    carry = Carry(0, ("a",), 1.0, 2.0, (CardPose(1, 1, 0, "white"),))
    again = Carry(0, ("a",), 1.5, 2.5, (CardPose(1, 1, 0, "white"),))
    for cards, actions, said in (
        ((card,), (carry, again), "still carried"),
        ((card,), (BellHit(0, 1.0),), "no bell"),
        ((card, card), (), "same key"),
    ):
        with pytest.raises(ValueError, match=said):
            Motion(Script(AREA, cards, (person,), actions, 3.0))
    busy = Script(AREA, (card,), (person,), (carry, Rest(0, 1.5, 2.5, (1, 1))), 3.0)
    assert collisions(busy) == ["seat 0 has two things to do at 1.50 s"]


@pytest.mark.parametrize("side", ["white", "black"])
def test_marks_lie_where_the_truth_says(deck: Deck, side: str) -> None:
    image, truth = table_picture(deck, 12, seed=1, size=(960, 540), side=side, look=EVEN)
    assert image.shape == (540, 960, 3)
    checked = 0
    for card in truth["cards"]:
        width, height = deck.card_mm
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        to_px = cv2.getPerspectiveTransform(corners, np.array(card["corners_px"], np.float32))
        for mark in deck.face(card["id"], side).marks:
            if mark.shape == "crescent":
                continue
            x, y = np.rint(cv2.perspectiveTransform(np.array([[[mark.x_mm, mark.y_mm]]]), to_px)[0, 0]).astype(int)
            # The lamp is a little warm and dim: 0.96, and 0.94 of the blue.
            expected = np.array(bgr(deck.palette[side][mark.colour])) * 0.96 * np.array([0.94, 0.98, 1.0])
            assert image[y, x] == pytest.approx(expected, abs=4)
            checked += 1
    assert checked >= 24
