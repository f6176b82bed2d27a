"""A lamp that flickers makes stripes: they wander, or stand still where there were none before; hands make none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.frames import SECOND_NS, Frame
from referee.service.guard.mishaps import Mishap
from referee.service.guard.stripes import Stripes

HEIGHT, WIDTH, PER_S = 360, 480, 30
READOUT_S = 0.026
BEGINS_S = 5.0


def table(random: np.random.Generator) -> NDArray[np.float64]:
    """A table (h, w) with a few light cards on it."""
    wood = np.full((HEIGHT, WIDTH), 120.0)
    for x, y in random.integers(20, 300, (6, 2)):
        wood[y : y + 60, x : x + 45] = 225.0
    return wood


class Lamp:
    """Gives the frames of a table under a lamp that flickers from `BEGINS_S` on, with a hand that wanders about."""

    def __init__(self, hertz: float, depth: float) -> None:
        self.random = np.random.default_rng(4)
        self.table = table(self.random)
        self.hertz, self.depth = hertz, depth

    def frames(self, start_ns: int, end_ns: int) -> list[Frame]:
        first, last = (int(np.ceil(ns * PER_S / SECOND_NS)) for ns in (start_ns, end_ns))
        return [self.frame(number) for number in range(max(first, 0), last)]

    def frame(self, number: int) -> Frame:
        t_s = number / PER_S
        light = self.table.copy()
        hand = int(200 + 120 * np.sin(t_s))
        light[hand : hand + 50, : hand + 60] = 90.0
        if t_s >= BEGINS_S:
            rows_s = t_s + np.linspace(0, READOUT_S, HEIGHT)
            light *= ((1 + self.depth * np.cos(2 * np.pi * self.hertz * rows_s)) ** (1 / 2.2))[:, None]
        noisy = light + self.random.normal(0, 1.5, light.shape)
        image = np.asarray(np.clip(np.repeat(noisy[..., None], 3, axis=2), 0, 255), np.uint8)
        t_ns = round(t_s * SECOND_NS)
        return Frame(t_ns - 5_000_000, t_ns, image, number)


def shown(lamp: Lamp, until_s: float) -> list[float]:
    """When stripes are seen, by looks four times a second."""
    stripes = Stripes(lamp.frames)
    times = np.arange(1.0, until_s, 0.25)
    return [t for t in times.tolist() if Mishap.FLICKER in stripes.here(round(t * SECOND_NS))]


@pytest.mark.parametrize("hertz", [100.0, 119.4, 120.0])
def test_a_lamp_that_begins_to_flicker_is_seen_within_a_second(hertz: float) -> None:
    seen = shown(Lamp(hertz, 0.2), 9.0)
    assert seen and BEGINS_S <= seen[0] <= BEGINS_S + 1.0


def test_a_hand_and_a_lamp_that_hardly_flickers_make_no_stripes() -> None:
    assert shown(Lamp(120.0, 0.01), 12.0) == []
