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


def _strokes(ink: tuple[int, int, int], sigma: float, noise: float = 0.0) -> NDArray[np.uint8]:
    """A white card with a thin ring of an ink, BGR; the camera blurs colours more than light and dark."""
    image: NDArray[np.uint8] = np.full((_SIZE[1], _SIZE[0], 3), 235, np.uint8)
    cv2.ellipse(image, (150, 210), (90, 50), 0, 0, 360, ink, 3, cv2.LINE_AA)
    seen = cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), 1.5), cv2.COLOR_BGR2YCrCb).astype(np.float32)
    seen[..., 1:] = cv2.GaussianBlur(seen[..., 1:], (0, 0), sigma)
    grain = np.asarray(noise * np.random.default_rng(4).standard_normal(seen.shape), np.float32)
    seen += cv2.GaussianBlur(grain, (0, 0), 2.0)
    return np.asarray(cv2.cvtColor(np.clip(seen, 0, 255).astype(np.uint8), cv2.COLOR_YCrCb2BGR), np.uint8)


@pytest.mark.parametrize(
    ("name", "ink"),
    [("green", (70, 130, 10)), ("purple", (120, 30, 80)), ("red", (60, 30, 200)), ("grey", (60, 60, 60))],
)
def test_the_colour_of_a_thin_stroke_is_that_of_its_ink_however_a_camera_blurs_it(
    name: str, ink: tuple[int, int, int]
) -> None:
    for sigma in (1.0, 5.0):
        (mark,) = find_marks(_strokes(ink, sigma), _CORNERS)
        assert mark.colour == name


def test_print_is_surer_than_noise() -> None:
    (clear,) = find_marks(_strokes((70, 130, 10), 1.0), _CORNERS)
    assert clear.confidence > 0.99
    noisy = find_marks(_strokes((235, 235, 235), 1.0, noise=60.0), _CORNERS)
    assert all(mark.confidence < 0.5 for mark in noisy)
