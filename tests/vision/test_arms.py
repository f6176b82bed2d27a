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


def two_arms(left: int, right: int) -> Image:
    one = with_arm(table(left + right), (0, 180), (left, 180), (110, 60, 40))
    return with_arm(one, (639, 180), (right, 180), (60, 60, 150))


def test_two_arms_are_two_until_they_touch() -> None:
    near, far = sorted(arms(rested(), two_arms(240, 420)), key=lambda arm: arm.reach_px)
    assert near.entries_px[0][0] < 60 < 580 < far.entries_px[0][0]
    (both,) = arms(rested(), two_arms(240, 250))
    assert len(both.entries_px) == 2


def test_a_hand_that_may_hang_on_two_arms_may_be_of_both() -> None:
    finder = rested()
    image = with_arm(table(60), (0, 180), (200, 180), (110, 60, 40))
    image = with_arm(image, (639, 180), (440, 180), (60, 60, 150))
    image[165:195, 200:440] = (image[165:195, 200:440] * 0.75).astype(np.uint8)
    image = with_arm(image, (310, 180), (330, 180), (140, 170, 222))
    hand = min(arms(finder, image), key=lambda arm: arm.reach_px)
    assert len(hand.entries_px) == 2
