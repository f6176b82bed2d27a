"""Cards of which a reflection has left little but the outline."""

from __future__ import annotations

import math

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.flat_cards import Image, confetti, flat_table, lay
from vision.marked.pipeline import read_on
from vision.marked.wiped_cards import frames, lined
from vision.reading import UnclearCard

SCALE, SIZE = 1.6, (640, 480)
AT, TURN = (220.0, 120.0), 0.3
MIDDLE_MM = np.array([AT[0] / SCALE, AT[1] / SCALE]) + np.array(
    [31.5 * math.cos(TURN) - 44 * math.sin(TURN), 31.5 * math.sin(TURN) + 44 * math.cos(TURN)]
)


def table_with(card: bool, light: bool) -> Image:
    """Brown wood, and on it a black card or none, under a lamp's reflection that clips all of its print or none."""
    picture = np.full((SIZE[1], SIZE[0], 3), (60, 95, 140), np.uint8)
    picture = np.asarray(picture + np.random.default_rng(1).normal(0, 3, picture.shape), np.uint8)
    if card:
        lay(picture, confetti(), confetti().side("black")[17], AT, TURN, SCALE)
    if light:
        x, y = MIDDLE_MM * SCALE
        spot = np.zeros(picture.shape[:2], np.float32)
        cv2.ellipse(spot, ((x, y), (50 * SCALE, 76 * SCALE), math.degrees(TURN)), (400.0,), -1)
        spot = cv2.GaussianBlur(spot, (0, 0), 2 * SCALE)
        picture = np.asarray(np.minimum(picture + spot[..., None], 255), np.uint8)
    return picture


def beside_a_lamp(card: bool) -> Image:
    """A dark table that mirrors a lamp of 15 cm, and a black card or none beside it, which mirrors what is about it."""
    picture = np.full((SIZE[1], SIZE[0], 3), 34, np.uint8)
    if card:
        lay(picture, confetti(), confetti().side("black")[17], AT, TURN, SCALE)
    x, y = (MIDDLE_MM + 120.0 * np.array([-math.sin(TURN), math.cos(TURN)])) * SCALE
    beyond_mm = np.hypot(*(np.indices(SIZE[::-1])[::-1] - np.array([x, y])[:, None, None])) / SCALE - 75.0
    lamp = 255 * (beyond_mm < 0)
    # What is laminated mirrors more than the grain of the table.
    shine = 420 * np.exp(-np.maximum(beyond_mm, 0) / 110) * (picture != 34).any(axis=2)
    light = cv2.GaussianBlur(lamp + shine, (0, 0), 1.5)[..., None]
    grain = np.random.default_rng(1).normal(0, 2, picture.shape)
    return np.asarray(np.clip(picture + light + grain, 0, 255), np.uint8)


def unclear_in(picture: Image) -> list[UnclearCard]:
    reading = read_on(picture, confetti(), flat_table(SIZE, SCALE))[0]
    assert not [card for card in reading.cards if card.face is not confetti().side("black")[17]]
    return [card for card in reading.unclear if card.reason == "glare"]


def test_a_black_card_that_a_reflection_has_wiped_clean_is_unclear() -> None:
    (card,) = unclear_in(table_with(card=True, light=True))
    np.testing.assert_allclose(np.array(card.centre_mm), MIDDLE_MM, atol=2)


def test_a_reflection_on_the_table_is_no_card_and_a_card_that_is_told_is_not_unclear() -> None:
    assert not unclear_in(table_with(card=False, light=True))
    assert not unclear_in(table_with(card=True, light=False))


def test_a_card_that_a_large_lamps_reflection_touches_is_unclear_and_the_lamp_is_no_card() -> None:
    (card,) = unclear_in(beside_a_lamp(card=True))
    np.testing.assert_allclose(np.array(card.centre_mm), MIDDLE_MM, atol=2)
    assert not unclear_in(beside_a_lamp(card=False))


@settings(max_examples=25)
@given(turn=st.floats(-math.pi, math.pi), at=st.tuples(st.floats(0, 300), st.floats(0, 300)), short=st.floats(0.3, 0.9))
def test_three_sides_make_a_frame(turn: float, at: tuple[float, float], short: float) -> None:
    u = np.array([math.cos(turn), math.sin(turn)])
    v = np.array([-u[1], u[0]])
    quad = np.array(at) + np.array([0 * u, 63 * u, 63 * u + 88 * v, 88 * v])
    sides = np.stack([quad, np.roll(quad, -1, axis=0)], axis=1)
    lines = np.array([sides[1], sides[3][::-1], sides[0]])
    lines[0, 1] = lines[0, 0] + short * (lines[0, 1] - lines[0, 0])
    found = frames(lines, (63.0, 88.0))
    off = np.linalg.norm(found.mean(1) - quad.mean(0), axis=1)
    assert off.min() < 0.01
    share = np.sort(lined(found[off.argmin()][None], lines)[0])
    assert share[0] == 0
    assert abs(share[1] - short) < 0.12
    assert share[2:].min() == 1
