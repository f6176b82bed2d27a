import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.camera.exposure import Exposure, ExposureLimits, Light, judge, settle

CARD = (slice(40, 60), slice(30, 45))
GLINT = (slice(48, 49), slice(36, 37))


class FakeTable:
    """A dark table with one white card with a red mark and a glint, seen by a camera with a curve of its own."""

    def __init__(self, brightness: float, warm: float = 1.0, gamma: float = 2.2, knee: float = 0.0) -> None:
        self.light = np.full((120, 160, 3), 0.04)
        self.light[CARD] = (0.85 / warm, 0.85, 0.85 * warm)
        self.light[GLINT] = 40.0
        self.brightness, self.gamma, self.knee = brightness, gamma, knee
        self.exposure = Exposure(10_000.0, 1.0)
        self.random = np.random.default_rng(5)

    def take(self) -> npt.NDArray[np.uint8]:
        linear = np.clip(self.light * self.brightness * self.exposure.light / 10_000.0, 0, 1)
        coded = linear ** (1 / self.gamma)
        coded = coded + self.knee * coded * (1 - coded)
        noise = self.random.normal(0, 1.5, coded.shape)
        return np.clip(np.rint(coded * 255 + noise), 0, 255).astype(np.uint8)

    def apply(self, wanted: Exposure) -> Exposure:
        # Sensors expose whole rows and have gains in steps.
        self.exposure = Exposure(round(wanted.time_us / 19.0) * 19.0, round(wanted.gain * 16) / 16)
        return self.exposure


@settings(max_examples=60)
@given(
    brightness=st.floats(0.03, 60.0),
    warm=st.floats(1.0, 1.3),
    gamma=st.floats(1.8, 2.6),
    knee=st.floats(0.0, 0.5),
)
def test_the_white_of_a_card_ends_bright_and_not_clipped(
    brightness: float, warm: float, gamma: float, knee: float
) -> None:
    table = FakeTable(brightness, warm, gamma, knee)
    limits = ExposureLimits(shortest_us=30, longest_us=20_000, highest_gain=8)
    settled = settle(table.take, table.apply, table.exposure, limits)
    assert settled.judgement.settled
    assert settled.steps <= 16
    card = table.take()[CARD].reshape(-1, 3).max(axis=1)
    if settled.judgement.light is Light.ENOUGH:
        assert np.mean(card >= 254) < 0.02
        assert np.median(card) > 190
    else:
        # Only a light that the camera's limits cannot reach excuses a card that is too dark or too bright.
        light = settled.exposure.light
        assert light >= 0.9 * 20_000 * 8 if settled.judgement.light is Light.TOO_DARK else light <= 31


def test_a_coloured_lamp_that_clips_one_channel_only_is_noticed() -> None:
    picture = np.full((80, 80, 3), (120, 180, 255), np.uint8)
    judged = judge(picture, Exposure(5_000, 1))
    assert not judged.settled
    assert judged.exposure.light < 5_000


def test_a_lone_glint_does_not_darken_the_picture() -> None:
    picture = np.full((120, 160), 225, np.uint8)
    picture[60:62, 80:83] = 255
    assert judge(picture, Exposure(5_000, 1)).settled


def test_gain_is_the_last_resort_and_lamps_make_no_stripes() -> None:
    limits = ExposureLimits()
    assert limits.split(7_000) == Exposure(7_000, 1.0)
    assert limits.split(13_000) == Exposure(10_000, 1.3)
    assert limits.split(40_000) == Exposure(20_000, 2.0)
    assert limits.split(10.0**9) == Exposure(20_000, 8.0)
    assert limits.split(1.0) == Exposure(100.0, 1.0)
    sixty = ExposureLimits(flicker_us=500_000 / 60)
    assert sixty.split(18_000).time_us == pytest.approx(2 * 500_000 / 60)


def test_a_table_in_the_dark_is_said_to_be_too_dark() -> None:
    judged = judge(np.full((40, 40, 3), 3, np.uint8), Exposure(20_000, 8))
    assert (judged.settled, judged.light) == (True, Light.TOO_DARK)


def test_sun_that_no_exposure_is_short_enough_for_is_said() -> None:
    judged = judge(np.full((40, 40, 3), 255, np.uint8), Exposure(100, 1))
    assert (judged.settled, judged.light) == (True, Light.TOO_BRIGHT)


def test_a_camera_that_ignores_what_it_is_told_does_not_hang_the_search() -> None:
    white = np.full((40, 40, 3), 255, np.uint8)
    settled = settle(lambda: white, lambda wanted: Exposure(9_000, 1), Exposure(9_000, 1), steps=5)
    assert not settled.judgement.settled
    assert settled.exposure == Exposure(9_000, 1)


def test_a_picture_without_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match="without pixels"):
        judge(np.zeros((0, 4, 3), np.uint8), Exposure(1, 1))
