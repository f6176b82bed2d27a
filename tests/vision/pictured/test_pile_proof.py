"""Which of several looks at one place counts, and what a guess must prove."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.flat_piles import Image, PileTable, bare, piccolino, pile
from vision.pictured.card_frame import frame_corners
from vision.pictured.face_match import FaceMatch
from vision.pictured.picture_reader import one_a_place
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.pile_proof import cleared, doubt_of, misfit_of, proved, worth_another_look

RED = FaceMatch(piccolino().by_id["red-happy"], 0, 30.0, 0.2, 0.05, 0.9, 1.0)
FRAME = np.array([[0.0, 0.0], [53.0, 0.0], [53.0, 78.0], [0.0, 78.0]])


class Fitter(FaceFitter):
    """Always finds the same."""

    def __init__(self, found: FaceMatch) -> None:
        super().__init__(FaceReader(piccolino()))
        self.found = found

    def read(self, image_bgr: Image, frame_px: np.ndarray) -> tuple[FaceMatch, np.ndarray]:
        return self.found, frame_px


class Follower(Fitter):
    """Moves a frame by a tenth of its height at each look, and is the surer the further down it is."""

    def read(self, image_bgr: Image, frame_px: np.ndarray) -> tuple[FaceMatch, np.ndarray]:
        below = float(frame_px[0, 1]) / FRAME[2, 1]
        return replace(self.found, log_odds=self.found.log_odds + 100 * below), frame_px + [0, FRAME[2, 1] / 10]


def test_a_certain_card_is_not_lost_to_a_doubtful_frame_that_happens_to_fit_better() -> None:
    doubtful = replace(RED, face=piccolino().by_id["orange-happy"], log_odds=6.0, error=0.19)
    assert doubt_of(doubtful) is not None
    assert one_a_place([(doubtful, FRAME + 2), (RED, FRAME)]) == [(RED, FRAME)]


def test_a_frame_with_print_in_its_margin_is_tried_after_one_that_lies_on_a_card() -> None:
    bleached, askew = replace(RED, log_odds=1.0, error=0.4), replace(RED, log_odds=13.0, error=0.33, white=0.65)
    assert misfit_of(bleached, 0.6) < misfit_of(askew, 0.6)


def test_a_frame_with_straight_sides_is_tried_before_one_that_happens_to_look_a_little_like_a_card() -> None:
    hazy = replace(RED, log_odds=11.0, error=0.46, white=0.86)
    guess = replace(RED, log_odds=17.0, error=0.38, white=0.83)
    assert misfit_of(hazy, 1.0) < misfit_of(guess, 0.4)


def test_a_guess_that_fits_badly_needs_more_evidence_than_one_that_fits_well() -> None:
    image, doubt = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=5.0)
    told = {}
    for error in (0.1, 0.2):
        for odds in (18.0, 40.0):
            found = proved(Fitter(replace(RED, log_odds=odds, error=error, hidden=0.08)), image, doubt, FRAME)
            told[error, odds] = found is not None and doubt_of(found[0]) is None
    assert told == {(0.1, 18.0): True, (0.1, 40.0): True, (0.2, 18.0): False, (0.2, 40.0): True}


def test_what_is_plainly_print_may_fit_badly() -> None:
    image, doubt, told = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=5.0), {}
    for printed in (40.0, 180.0):
        lit = replace(RED, log_odds=18.0, error=0.16, hidden=0.08, bleached=0.4, printed=printed)
        found = proved(Fitter(lit), image, doubt, FRAME)
        told[printed] = found is not None and doubt_of(found[0]) is None
    assert told == {40.0: False, 180.0: True}


def test_a_marker_half_under_an_arm_is_no_black_card() -> None:
    image, doubt, told = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=40.0, error=0.5, white=0.48), {}
    for printed in (33.0, 100.0):
        for error in (0.05, 0.2):
            part = replace(RED, log_odds=33.0, error=error, hidden=0.04, white=0.48, seen=0.57, printed=printed)
            found = proved(Fitter(part), image, doubt, FRAME)
            told[printed, error] = found is not None and doubt_of(found[0]) is None
    assert told == {(33.0, 0.05): True, (33.0, 0.2): False, (100.0, 0.05): True, (100.0, 0.2): True}


def test_after_a_frame_that_proved_to_be_none_a_bleached_one_with_a_white_margin_is_looked_at() -> None:
    bleached, askew = replace(RED, log_odds=1.0, error=0.5), replace(RED, log_odds=10.0, error=0.44, white=0.64)
    assert worth_another_look(bleached, 0.46, bleached=True)
    assert not worth_another_look(bleached, 0.46, bleached=False)
    assert not worth_another_look(askew, 0.8, bleached=True)
    assert worth_another_look(askew, 0.95, bleached=False)


def test_a_closer_look_that_is_much_surer_outweighs_the_first() -> None:
    image, first = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=45.0)
    told = {}
    for odds in (85.0, 120.0):
        other = replace(RED, face=piccolino().by_id["orange-happy"], log_odds=odds, error=0.14)
        found = proved(Fitter(other), image, first, FRAME)
        told[odds] = found is not None and doubt_of(found[0]) is None
    assert told == {85.0: False, 120.0: True}


def test_where_a_margin_is_hidden_a_worse_fit_is_told_only_if_nothing_else_is_possible() -> None:
    image, first = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=100.0, white=0.6)
    told = {}
    for odds in (100.0, 170.0):
        part = replace(first, log_odds=odds, error=0.23, hidden=0.09, printed=odds)
        found = proved(Fitter(part), image, first, FRAME)
        told[odds] = found is not None and doubt_of(found[0]) is None
    assert told == {100.0: False, 170.0: True}


def test_what_is_left_of_a_bleached_card_makes_it_unclear_and_what_a_hand_leaves_of_grain_does_not() -> None:
    image, doubt = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=5.0)
    left = replace(RED, log_odds=3.0, error=0.12, seen=0.2, told=0.0, printed=30.0)
    found = proved(Fitter(replace(left, bleached=0.7)), image, doubt, FRAME)
    assert found is not None
    assert doubt_of(found[0]) == "glare"
    assert proved(Fitter(left), image, doubt, FRAME) is None


def test_where_much_is_bleached_a_surer_closer_look_outweighs_the_first() -> None:
    image, first = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=22.0)
    told = {}
    for odds in (20.0, 40.0):
        for bleached in (0.0, 0.4):
            other = replace(RED, face=piccolino().by_id["orange-happy"], log_odds=odds, error=0.09, bleached=bleached)
            found = proved(Fitter(other), image, first, FRAME)
            told[odds, bleached] = found is not None and doubt_of(found[0]) is None
    assert told == {(20.0, 0.0): False, (20.0, 0.4): False, (40.0, 0.0): False, (40.0, 0.4): True}


def test_a_face_that_asks_for_an_unheard_of_camera_and_still_fits_badly_is_none() -> None:
    image, doubt = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=5.0)
    told = {}
    for stray in (0.03, 0.08):
        for bent in (1.0, 4.0):
            closer = replace(RED, log_odds=90.0, error=0.14, bent=bent, stray=stray)
            found = proved(Fitter(closer), image, doubt, FRAME)
            told[stray, bent] = found is not None and doubt_of(found[0]) is None
    assert told == {(0.03, 1.0): True, (0.03, 4.0): True, (0.08, 1.0): True, (0.08, 4.0): False}


def test_a_first_look_that_sees_no_card_contradicts_nothing() -> None:
    image, told = np.zeros((90, 60, 3), np.uint8), {}
    for error in (0.2, 0.36):
        first = replace(RED, face=piccolino().by_id["pink-happy"], log_odds=25.0, error=error, hidden=0.21)
        found = proved(Fitter(replace(RED, log_odds=18.0, error=0.14)), image, first, FRAME)
        told[error] = found is not None and doubt_of(found[0]) is None
    assert told == {0.2: False, 0.36: True}


def test_a_reflection_across_the_back_makes_no_doubt_and_across_a_face_it_may_be_another_paint() -> None:
    image, doubt, told = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=5.0), {}
    for face in (None, RED.face):
        closer = replace(RED, face=face, log_odds=180.0, error=0.24, hidden=0.13, stray=0.15)
        found = proved(Fitter(closer), image, doubt, FRAME)
        told[face] = found is not None and doubt_of(found[0]) is None
    assert told == {None: True, RED.face: False}


def test_what_is_only_just_sure_at_first_sight_and_leaves_much_open_is_looked_at_closer() -> None:
    image, told = np.zeros((90, 60, 3), np.uint8), {}
    purple = replace(RED, face=piccolino().by_id["purple-happy"], log_odds=188.0, error=0.06)
    for odds, error in ((82.0, 0.14), (82.0, 0.08), (130.0, 0.14)):
        black = replace(RED, face=piccolino().by_id["black-happy"], log_odds=odds, error=error)
        found = cleared(Fitter(purple), image, black, FRAME)[0].face
        told[odds, error] = found.id if found else None
    assert told == {(82.0, 0.14): "purple-happy", (82.0, 0.08): "black-happy", (130.0, 0.14): "black-happy"}


def test_a_bleached_card_whose_frame_is_far_off_is_looked_at_again_where_the_look_has_moved_it() -> None:
    image, doubt, told = np.zeros((90, 60, 3), np.uint8), replace(RED, log_odds=5.0), {}
    for bleached in (0.0, 0.4):
        for printed in (-20.0, 120.0):
            found = proved(
                Follower(replace(RED, log_odds=2.0, error=0.1, bleached=bleached, printed=printed)),
                image,
                doubt,
                FRAME,
            )
            told[bleached, printed] = found is not None and doubt_of(found[0]) is None
    assert told == {(0.0, -20.0): False, (0.0, 120.0): False, (0.4, -20.0): False, (0.4, 120.0): True}


def test_what_two_looks_name_alike_in_its_own_colours_may_differ_a_little_more() -> None:
    image, told = np.zeros((90, 60, 3), np.uint8), {}
    for first in (RED, replace(RED, log_odds=5.0)):
        for bent in (0.5, 2.4):
            closer = replace(RED, log_odds=150.0, error=0.2, hidden=0.12, stray=0.12, bent=bent)
            found = cleared(Fitter(closer), image, first, FRAME)[0]
            told[first.log_odds, bent] = doubt_of(found) is None
    assert told == {(30.0, 0.5): True, (30.0, 2.4): False, (5.0, 0.5): False, (5.0, 2.4): False}


def topped(name: str) -> tuple[Image, np.ndarray]:
    """A pile with a card on top, and the card's frame."""
    camera = PileTable((1280, 720))
    image = bare(np.random.default_rng(1), camera, 0)
    corners = pile(np.random.default_rng(2), image, camera, (0.0, 40.0, 12.0), [name], 6)
    return image, frame_corners(piccolino(), corners)


@pytest.mark.parametrize("told", ["green-sad", "yellow-sad"])
def test_an_overexposed_clown_is_not_named_by_a_fit_whose_drawing_is_not_there(told: str) -> None:
    image, frame = topped("green-sad")
    found = replace(RED, face=piccolino().by_id[told], log_odds=60.0, error=0.1, told=1.0, overexposed=True)
    fitter = Fitter(found)
    first = replace(RED, log_odds=2.0)
    match, _ = cleared(fitter, image, first, frame)
    card = proved(fitter, image, first, frame)
    is_told = told == "green-sad"
    assert (doubt_of(match) is None) == is_told
    assert (card is not None and doubt_of(card[0]) is None) == is_told


@pytest.mark.parametrize(("bent", "is_told"), [(2.0, True), (3.0, False)])
def test_where_only_one_drawing_is_at_all_possible_a_lamp_may_bend_its_colours_somewhat(
    bent: float, is_told: bool
) -> None:
    image, frame = topped("purple-happy")
    fitter = Fitter(replace(RED, face=piccolino().by_id["purple-happy"], log_odds=90.0, error=0.25, bent=bent))
    match, _ = cleared(fitter, image, replace(RED, log_odds=2.0), frame)
    assert (doubt_of(match) is None) == is_told
