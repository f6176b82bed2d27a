"""An evening on the drawn table: daylight that fades, a lamp that is switched on, a window in the picture.

The camera's exposure and white balance are held until it is set up anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.exposure import Exposure, ExposureLimits, Polygon, settle, within
from hardware.camera.frames import SECOND_NS, Frame
from simulation.art import AnyDeck
from simulation.live import LiveTable, Shots
from simulation.script import Script
from vision.arrays import Image

GAMMA = 2.2
_AS_DRAWN = 10_000.0
"""Light for which pictures are drawn: that of an exposure of 10 ms at gain 1 in full light."""
_WINDOW = (0.55, 0.85)  # from the left, shares of the picture's width
_WALL = 0.12
_BRIGHTER_THAN_PAPER = 5.0
_NOISE = 1.3
_PAPER = 215.0
"""The level of white paper as it is drawn, amid the table."""

Light = tuple[float, float, float]
"""Blue, green and red, 1 each for the light in which the table is drawn."""


@dataclass(frozen=True)
class Evening:
    """The light over an evening, by seconds of a script; begun_s: how long the evening has lasted when that begins.

    daylight: at the beginning; a camera sees the table well by 0.1 to 8. halves_s: in so many seconds half of it goes.
    lamp_on_s, lamp_off_s: when a lamp is switched on and off again, None: never. lamp: its light. window: whether a
    window is to be seen beside the table.
    """

    daylight: float = 1.5
    halves_s: float = 12.0
    lamp_on_s: float | None = 40.0
    lamp_off_s: float | None = None
    lamp: Light = (0.32, 0.6, 0.85)
    window: bool = True
    begun_s: float = 0.0

    def day(self, t_s: float) -> Light:
        """Give the daylight; it becomes bluer as the sun sets."""
        halved = max(t_s + self.begun_s, 0.0) / self.halves_s
        day = self.daylight * 0.5**halved
        blue = 1.0 + 0.06 * min(halved, 4.0)
        return day * blue, day, day / blue

    def light(self, t_s: float) -> Light:
        """Give the light on the table."""
        on = self.lamp_on_s is not None and t_s + self.begun_s >= self.lamp_on_s
        off = self.lamp_off_s is not None and t_s + self.begun_s >= self.lamp_off_s
        blue, green, red = (
            day + (lamp if on and not off else 0.0) for day, lamp in zip(self.day(t_s), self.lamp, strict=True)
        )
        return blue, green, red


class EveningTable(LiveTable):
    """A drawn table in the light of an evening, seen by a camera that is held as it was set.

    Above the picture of the table there is a strip of wall with a window in it. `exposure` and `gains` (blue, green,
    red) are what the camera is set to; at first, what suits the first picture.
    """

    def __init__(self, script: Script, deck: AnyDeck, seed: int, evening: Evening, shots: Shots | None = None) -> None:
        super().__init__(script, deck, seed, shots)
        self.evening = evening
        self.exposure, self.gains = Exposure(10_000.0, 1.0), (1.0, 1.0, 1.0)
        self._shown = 0
        width, height = self.shots.size
        self._strip = round(0.2 * height)
        grains = np.random.default_rng((seed, 7)).standard_normal((height + self._strip + 32, width + 32, 3))
        self._grain = (_NOISE * grains).astype(np.float32)
        self.settle()

    def frame(self, index: int) -> Frame:
        """Draw a frame as the camera shows it now."""
        self._shown = index
        drawn = super().frame(index)
        return replace(drawn, image=self._exposed(drawn.image, index))

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Find exposure and white balance anew by the picture that was shown last."""
        image = super().frame(self._shown).image
        light = np.array(self.evening.light(self._seconds(self._shown)))
        blue, green, red = (float(part) for part in light[1] / light)
        self.gains = blue, green, red

        def apply(wanted: Exposure) -> Exposure:
            self.exposure = wanted
            return wanted

        limits = ExposureLimits()
        settle(lambda: within(self._exposed(image, self._shown), area), apply, self.exposure, limits)

    @property
    def white(self) -> float:
        """The level of white paper in the picture that was shown last, over 255 where it is clipped."""
        camera = np.array(self.gains) * self.exposure.light / _AS_DRAWN
        light = float((np.array(self.evening.light(self._seconds(self._shown))) * camera).max())
        return float(_PAPER * light ** (1 / GAMMA))

    def _exposed(self, drawn: Image, index: int) -> Image:
        t_s = self._seconds(index)
        camera = np.array(self.gains) * self.exposure.light / _AS_DRAWN
        table = (np.array(self.evening.light(t_s)) * camera) ** (1 / GAMMA)
        height, width = drawn.shape[:2]
        whole = np.empty((height + self._strip, width, 3), np.float32)
        np.multiply(drawn, table.astype(np.float32), out=whole[self._strip :])
        whole[: self._strip] = 255 * table * _WALL ** (1 / GAMMA)
        if self.evening.window:
            left, right = (round(share * width) for share in _WINDOW)
            outside = np.array(self.evening.day(t_s)) * camera * _BRIGHTER_THAN_PAPER
            whole[self._strip // 8 : self._strip // 2, left:right] = 255 * outside ** (1 / GAMMA)
        down, across = (int(part) for part in np.random.default_rng(index).integers(0, 32, 2))
        noise = self._grain[down : down + whole.shape[0], across : across + width]
        whole += noise * math.sqrt(self.exposure.gain)
        return np.asarray(np.clip(np.rint(whole), 0, 255), np.uint8)

    def _seconds(self, index: int) -> float:
        return (self.exposure_end_ns(index) - self.start_ns) / SECOND_NS


def relit(image: Image, light: Light) -> NDArray[np.uint8]:
    """Give a picture (h, w, 3) uint8 BGR as a camera shows it that is held when there is another light on it all."""
    factors = [max(part, 0.0) ** (1 / GAMMA) for part in light]
    levels = np.arange(256)
    tables = np.stack([np.clip(np.rint(levels * factor), 0, 255) for factor in factors], axis=-1).astype(np.uint8)
    return np.asarray(cv2.LUT(image, tables[None]), np.uint8)
