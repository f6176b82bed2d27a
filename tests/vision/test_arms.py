"""Arms over a table that is drawn with a few strokes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.arms import Arm, ArmFinder

SIZE = (640, 360)
BELL = (320.0, 180.0)
EDGE = np.array([[600.0, 330.0], [40.0, 330.0], [40.0, 30.0], [600.0, 30.0]])
Image = NDArray[np.uint8]


def table(seed: int = 1, light: float = 1.0) -> Image:
    wood = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.float32)
    wood += np.random.default_rng(seed).normal(0, 2, wood.shape)
    return np.asarray(np.clip(wood * light, 0, 255), np.uint8)


def with_arm(image: Image, start: tuple[int, int], tip: tuple[int, int], colour: tuple[int, int, int]) -> Image:
    drawn = image.copy()
    cv2.line(drawn, start, tip, colour, 34)
    return drawn


def arms(finder: ArmFinder, image: Image) -> tuple[Arm, ...]:
    return finder.arms(finder.look(image), np.array([BELL], np.float64))


def rested(frames: int = 25) -> ArmFinder:
    finder = ArmFinder(SIZE, EDGE)
    for seed in range(frames):
        finder.look(table(seed))
    return finder


@pytest.mark.parametrize("colour", [(110, 60, 40), (140, 170, 222), (60, 88, 140), (30, 30, 30)])
def test_an_arm_is_seen_with_where_it_comes_in_and_how_near_it_is(colour: tuple[int, int, int]) -> None:
    (arm,) = arms(rested(), with_arm(table(99), (0, 200), (250, 185), colour))
    assert arm.reach_px == pytest.approx(70 - 17, abs=8)
    ((x, y),) = arm.entries_px
    assert (x, y) == pytest.approx((42, 198), abs=12)


def test_an_empty_table_has_no_arms_whatever_its_noise_and_a_slow_change_of_light() -> None:
    finder = rested()
    for seed in range(60):
        assert arms(finder, table(seed, 1.0 + seed * 0.002)) == ()


def test_what_lies_there_where_no_arm_is_known_to_be_belongs_to_the_table_at_once() -> None:
    finder = rested()
    laid = with_arm(table(97), (0, 200), (250, 185), (140, 170, 222))
    assert len(arms(finder, laid)) == 1
    finder.settle()
    assert arms(finder, laid) == ()
    (arm,) = arms(finder, with_arm(laid, (639, 200), (390, 190), (60, 88, 140)))
    assert arm.entries_px[0][0] > 560
    # Once it is gone, the table is as it was.
    assert arms(finder, table(96)) == ()


def test_a_shadow_and_what_lies_on_the_table_are_no_arms() -> None:
    finder = rested()
    image = table(50).astype(np.float32)
    image[:, :220] *= 0.75
    dark = np.asarray(image, np.uint8)
    cv2.rectangle(dark, (300, 100), (360, 180), (250, 250, 250), -1)
    assert arms(finder, dark) == ()


def two_arms(left: int, right: int) -> Image:
    """Arms from both sides, up to these columns."""
    one = with_arm(table(left + right), (0, 180), (left, 180), (110, 60, 40))
    return with_arm(one, (639, 180), (right, 180), (60, 60, 150))


def test_two_arms_are_two_until_they_touch() -> None:
    near, far = sorted(arms(rested(), two_arms(240, 420)), key=lambda arm: arm.reach_px)
    assert near.entries_px[0][0] < 60 < 580 < far.entries_px[0][0]
    (both,) = arms(rested(), two_arms(240, 250))
    assert len(both.entries_px) == 2


def test_arms_that_begin_to_touch_are_told_apart_by_where_they_were() -> None:
    finder = rested()
    arms(finder, two_arms(310, 440))
    left, right = sorted(arms(finder, two_arms(310, 350)), key=lambda arm: arm.entries_px[0][0])
    assert [len(arm.entries_px) for arm in (left, right)] == [1, 1]
    # Whose the new part is between them nobody knows: it may be of both.
    assert left.reach_px < 5
    assert right.reach_px < 25
    for _ in range(3):
        found = arms(finder, two_arms(310, 350))
    assert [len(arm.entries_px) for arm in found] == [2]


def test_an_arm_that_reaches_another_is_as_far_away_as_it_was_not_the_other() -> None:
    finder = rested()
    arms(finder, two_arms(400, 560))
    left, right = sorted(arms(finder, two_arms(400, 440)), key=lambda arm: arm.entries_px[0][0])
    assert left.reach_px < 5
    assert right.reach_px == pytest.approx(440 - 320 - 17, abs=20)


def test_a_card_that_was_laid_down_belongs_to_the_table_after_a_moment() -> None:
    finder = rested()
    for seed in range(100):
        image = table(seed)
        cv2.rectangle(image, (60, 150), (120, 240), (250, 250, 250), -1)
        mask = finder.look(image)
    assert not mask.any()
    # And when it is taken away, what it lay on is no arm.
    assert not finder.look(table(7)).any()


def test_a_plain_sleeve_that_moves_along_itself_stays_an_arm() -> None:
    finder = rested()
    for tip in range(60, 300, 5):
        found = arms(finder, with_arm(table(tip), (0, 180), (tip, 180), (110, 60, 40)))
    (arm,) = found
    assert arm.reach_px < 30
    assert arms(finder, table(3)) == ()


def test_an_arm_is_seen_in_dim_light() -> None:
    finder = ArmFinder(SIZE, EDGE)
    for seed in range(25):
        finder.look(table(seed, 0.45))
    image = with_arm(table(99), (0, 180), (250, 180), (60, 88, 140))
    assert len(arms(finder, np.asarray(image * 0.45, np.uint8))) == 1


GREY_SLEEVE, SKIN = (52, 82, 112), (140, 170, 222)


def with_hand(image: Image, start: tuple[int, int], wrist: tuple[int, int], tip: tuple[int, int]) -> Image:
    """A hand at the end of a sleeve that darkens the table as a shadow does."""
    return with_arm(with_arm(image, start, wrist, GREY_SLEEVE), wrist, tip, SKIN)


def test_a_sleeve_that_looks_like_a_shadow_tells_where_its_hand_comes_in() -> None:
    (arm,) = arms(rested(), with_hand(table(99), (0, 200), (170, 190), (250, 185)))
    assert arm.reach_px == pytest.approx(70 - 17, abs=8)
    ((x, y),) = arm.entries_px
    assert (x, y) == pytest.approx((42, 198), abs=12)


def test_a_hand_whose_sleeve_nobody_sees_belongs_to_where_it_came_in() -> None:
    finder = rested()
    for step, tip in enumerate(range(40, 280, 24)):
        found = arms(finder, with_arm(table(60 + step), (max(tip - 60, 0), 190), (tip, 190), SKIN))
    (arm,) = found
    assert arm.reach_px == pytest.approx(320 - tip - 17, abs=8)
    ((x, y),) = arm.entries_px
    assert (x, y) == pytest.approx((42, 190), abs=12)


def test_hands_that_change_places_do_not_come_in_at_more_and_more_places() -> None:
    finder = rested()
    arms(finder, with_arm(with_arm(table(60), (0, 150), (200, 150), SKIN), (0, 210), (200, 210), SKIN))
    for step in range(20):
        down = 30 * (step % 2)
        image = with_arm(table(80 + step), (150, 150 + down), (200, 150 + down), SKIN)
        found = arms(finder, with_arm(image, (150, 210 + down), (200, 210 + down), SKIN))
    assert len(found) == 2
    assert all(len(arm.entries_px) <= 2 for arm in found)


def test_what_lies_on_the_table_and_hangs_on_nothing_is_no_arm_for_a_shadow_beside_it() -> None:
    finder = rested()
    image = table(60)
    image[150:240, 300:360] = 250
    image[160:250, 360:400] = (image[160:250, 360:400] * 0.7).astype(np.uint8)
    assert arms(finder, image) == ()


def test_a_hand_that_may_hang_on_two_arms_may_be_of_both() -> None:
    finder = rested()
    image = with_arm(table(60), (0, 180), (200, 180), (110, 60, 40))
    image = with_arm(image, (639, 180), (440, 180), (60, 60, 150))
    image[165:195, 200:440] = (image[165:195, 200:440] * 0.75).astype(np.uint8)
    image = with_arm(image, (310, 180), (330, 180), SKIN)
    hand = min(arms(finder, image), key=lambda arm: arm.reach_px)
    assert len(hand.entries_px) == 2
