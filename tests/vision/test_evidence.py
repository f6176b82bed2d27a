"""Faces weighed by the patterns that they show."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.read.evidence import errors, log_ratios, misprints, patterns_of
from vision.read.fitting import Fits

ROWS, COLUMNS = 70, 45


def art(hat: tuple[float, float, float] | None) -> np.ndarray:
    sheet = np.full((ROWS, COLUMNS, 3), 0.8, np.float32)
    cv2.circle(sheet, (22, 40), 12, (0.2, 0.3, 0.7), -1, cv2.LINE_AA)
    cv2.rectangle(sheet, (8, 56), (36, 63), (0.6, 0.3, 0.2), -1, cv2.LINE_AA)
    if hat is not None:
        cv2.fillConvexPoly(sheet, np.array([[10, 24], [34, 24], [22, 6]]), hat, cv2.LINE_AA)
    return sheet


RED, BLUE = (0.1, 0.1, 0.8), (0.8, 0.2, 0.1)
FACES = np.stack([art(RED), art(BLUE), art(None)])
OPEN = np.ones((ROWS, COLUMNS), bool)


def fits_of(shown: np.ndarray, models: np.ndarray = FACES) -> Fits:
    return Fits(np.zeros((4, 2)), shown, models.copy(), OPEN, np.zeros((len(models), 8)))


@pytest.mark.parametrize("face", range(3))
@given(veil=st.floats(0, 0.2), lamp=st.floats(0.7, 1.2), tint=st.floats(0.7, 1.3), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_the_face_that_lies_there_wins_under_any_lamp_slow_shadow_and_veil(
    face: int, veil: float, lamp: float, tint: float, seed: int
) -> None:
    slope = np.linspace(0.7, 1, ROWS, dtype=np.float32)[:, None, None]
    noise = np.random.default_rng(seed).normal(0, 0.02, FACES[0].shape)
    shown = (FACES[face] * lamp * slope * (tint, 1, 1 / tint) * (1 - veil) + veil + noise).astype(np.float32)
    patterns = patterns_of(fits_of(shown))
    assert int(np.argmin(errors(patterns))) == face
    others = [other for other in range(3) if other != face]
    odds = log_ratios(patterns)
    assert (odds[face, others] > 20).all(), odds[face, others]
    assert np.allclose(odds, -odds.T)


def test_where_the_difference_is_hidden_neither_face_wins() -> None:
    is_open = OPEN.copy()
    is_open[:32] = False  # a hand is on the hat
    assert abs(log_ratios(patterns_of(fits_of(FACES[0]), is_open))[0, 1]) < 8


def test_a_hat_that_was_never_taught_is_found_where_it_is() -> None:
    green = art((0.2, 0.7, 0.2))
    odd = misprints(patterns_of(fits_of(green, FACES[2:])), 0, OPEN)
    assert odd[8:22, 16:28].any() and not odd[36:60].any()
    assert not misprints(patterns_of(fits_of(FACES[2], FACES[2:])), 0, OPEN).any()


@pytest.mark.parametrize("vivid", [0.6, 1.8])
def test_an_empty_shape_is_told_from_a_filled_one_however_vivid_a_camera_makes_its_line(vivid: float) -> None:
    line, filling = np.full((2, ROWS, COLUMNS, 3), 0.9, np.float32)
    cv2.ellipse(filling, (22, 35), (16, 10), 0, 0, 360, (0.86, 0.9, 0.86), -1, cv2.LINE_AA)
    for sheet in (line, filling):
        cv2.ellipse(sheet, (22, 35), (16, 10), 0, 0, 360, (0.5, 0.65, 0.45), 2, cv2.LINE_AA)
    grey = line.mean(axis=2, keepdims=True)
    noise = np.random.default_rng(4).normal(0, 0.01, line.shape)
    shown = (0.7 * (grey + vivid * (line - grey)) + noise).astype(np.float32)
    assert log_ratios(patterns_of(fits_of(shown, 0.7 * np.stack([line, filling]))))[0, 1] > 20
