"""Colours and centres of marks on cards of unknown decks, in drawn light."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_marks import CardMark, find_marks

_SIZE = 300, 420
_CORNERS = np.array([[20, 20], [279, 20], [279, 399], [20, 399]], np.float64)
# Linear RGB of bright inks.
_INKS = {
    "red": (1.0, 0.07, 0.11),
    "orange": (1.0, 0.32, 0.05),
    "yellow": (1.0, 0.75, 0.07),
    "green": (0.07, 0.62, 0.16),
    "blue": (0.07, 0.37, 1.0),
    "purple": (0.46, 0.15, 0.67),
}


def _card(inks: dict[str, tuple[int, int]], light: float, mirrored: float, paper: float = 0.008) -> NDArray[np.uint8]:
    """A card with a disc of each ink at its place, lit by `light`, in which the bright ceiling is `mirrored`."""
    linear = np.full((_SIZE[1], _SIZE[0], 3), paper, np.float32)
    for name, place in inks.items():
        cv2.circle(linear, place, 35, _INKS[name], -1, cv2.LINE_AA)
    # The ceiling is brighter at one end.
    linear = linear * light + mirrored * np.linspace(0.8, 1.2, _SIZE[1], dtype=np.float32)[:, None, None]
    linear = np.clip(cv2.GaussianBlur(linear, (0, 0), 1.5), 0, 1)
    encoded = np.where(linear < 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(255 * encoded[..., ::-1]), np.uint8)


def _at(marks: tuple[CardMark, ...], place: tuple[int, int]) -> str | None:
    near = [mark.colour for mark in marks if np.hypot(mark.centre_px[0] - place[0], mark.centre_px[1] - place[1]) < 5]
    return near[0] if near else None


@pytest.mark.parametrize("inks", [("red", "green", "blue"), ("orange", "yellow", "purple")])
@pytest.mark.parametrize("mirrored", [0.0, 0.08, 0.25])
@pytest.mark.parametrize("light", [0.3, 0.7, 1.8])
def test_colours_on_a_black_card_are_told_in_reflections_and_overexposed(
    inks: tuple[str, ...], mirrored: float, light: float
) -> None:
    places = dict(zip(inks, ((90, 90), (200, 200), (100, 320)), strict=True))
    marks = find_marks(_card(places, light, mirrored), _CORNERS)
    assert {name: _at(marks, place) for name, place in places.items()} == {name: name for name in inks}


def test_the_centre_of_a_crescent_is_that_of_its_disc() -> None:
    image = np.full((_SIZE[1], _SIZE[0], 3), 235, np.uint8)
    cv2.circle(image, (150, 200), 60, (60, 40, 200), -1, cv2.LINE_AA)
    cv2.circle(image, (178, 200), 50, (235, 235, 235), -1, cv2.LINE_AA)
    (mark,) = find_marks(image, _CORNERS)
    assert mark.centre_px == pytest.approx((150, 200), abs=5)


@pytest.mark.parametrize("degrees", range(0, 45, 5))
@pytest.mark.parametrize("blur", [3.0, 4.0, 5.0])
def test_a_small_cross_out_of_focus_is_told_as_no_other_shape(degrees: int, blur: float) -> None:
    arm = np.array([[-8, -24], [8, -24], [8, -8], [24, -8], [24, 8], [8, 8], [8, 24], [-8, 24], [-8, 8], [-24, 8]])
    turn = cv2.getRotationMatrix2D((0, 0), degrees, 1)[:, :2]
    outline = np.rint(np.vstack([arm, [[-24, -8], [-8, -8]]]) @ turn.T + (150, 200)).astype(np.int32)
    image = np.full((_SIZE[1], _SIZE[0], 3), 235, np.uint8)
    cv2.fillPoly(image, [outline], (150, 40, 120), cv2.LINE_AA)
    (mark,) = find_marks(np.asarray(cv2.GaussianBlur(image, (0, 0), blur), np.uint8), _CORNERS)
    assert mark.shape in ("cross", None)
