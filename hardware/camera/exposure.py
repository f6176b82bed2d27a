"""How to set a camera's exposure so that the white of the cards is bright but not clipped.

A mark on clipped white has lost its colour for good, and vision divides by the card's own white, so the white has to
stay below the end of the scale in every channel. The loop is: take a picture, judge it, set what `judge` says, again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

CLIPPED = 250
WHITE_LOW = 205.0
WHITE_AIM = 225.0
WHITE_HIGH = 240.0
# The share of the picture that may be brighter than "the white": glints on laminated cards and rings on fingers are
# smaller; one card of 63x88 mm on a table of 1 m x 0.6 m has 0.9 %.
GLINT_SHARE = 0.002
# Cameras code light with about this power (sRGB); the loop forgives it where the curve differs.
GAMMA = 2.2
GLINT_PX = 4

Polygon = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Exposure:
    """time_us: how long each row collects light, microseconds; gain: analogue amplification, 1.0 is none."""

    time_us: float
    gain: float

    @property
    def light(self) -> float:
        """What a picture's brightness is proportional to, microseconds at gain 1."""
        return self.time_us * self.gain


@dataclass(frozen=True)
class ExposureLimits:
    """What the camera can do and what the game allows.

    shortest_us, longest_us: exposure time, microseconds (the longest keeps hands and turning cards from smearing).
    highest_gain: above it noise eats the colours.
    flicker_us: half a period of the mains; times longer than it are cut to whole ones, so that lamps make no stripes.
    """

    shortest_us: float = 100.0
    longest_us: float = 20_000.0
    highest_gain: float = 8.0
    flicker_us: float = 10_000.0

    def split(self, light: float) -> Exposure:
        """Share `light` between time and gain: as little gain as possible, whole flicker periods where time allows."""
        time_us = min(max(light, self.shortest_us), self.longest_us)
        if self.flicker_us > 0 and time_us > self.flicker_us:
            time_us -= time_us % self.flicker_us
        return Exposure(time_us, min(max(light / time_us, 1.0), self.highest_gain))


class Light(Enum):
    """What stands in the way of a good exposure."""

    ENOUGH = "enough"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"


@dataclass(frozen=True)
class Judgement:
    """What one picture says about its exposure.

    white: level of the brightest surface, 0 to 255, the largest of the three channels, glints left out.
    clipped_share: share of the picture, 0 to 1, in which a channel is at the end of the scale.
    settled: nothing is to be changed, or nothing can be.
    exposure: what to set next (the same, if settled).
    light: whether the limits of the camera are what keeps the white from where it should be.
    """

    white: float
    clipped_share: float
    settled: bool
    exposure: Exposure
    light: Light


def judge(image: npt.NDArray[np.uint8], current: Exposure, limits: ExposureLimits | None = None) -> Judgement:
    """Judge a picture, (h, w) grey or (h, w, 3) uint8, that was taken with `current`, and give what to set next.

    Raises ValueError for a picture without pixels.
    """
    limits = limits or ExposureLimits()
    brightest = _without_glints(image)
    white = float(np.quantile(brightest, 1.0 - GLINT_SHARE))
    clipped = float(np.mean(brightest >= CLIPPED))
    factor = _factor(white, clipped)
    if factor == 1.0:
        return Judgement(white, clipped, True, current, Light.ENOUGH)
    wanted = limits.split(current.light * factor)
    # Less than 2 % of a change is what cameras round away: going on would go round in circles.
    if abs(wanted.light / current.light - 1.0) < 0.02:
        return Judgement(white, clipped, True, current, Light.TOO_DARK if factor > 1.0 else Light.TOO_BRIGHT)
    return Judgement(white, clipped, False, wanted, Light.ENOUGH)


@dataclass(frozen=True)
class Settled:
    """How settling ended: the exposure in force, the judgement of the last picture, and how many pictures it took."""

    exposure: Exposure
    judgement: Judgement
    steps: int


def settle(
    take: Callable[[], npt.NDArray[np.uint8]],
    apply: Callable[[Exposure], Exposure],
    start: Exposure,
    limits: ExposureLimits | None = None,
    steps: int = 20,
) -> Settled:
    """Take pictures and set the exposure until the white is right, at most `steps` times.

    take: gives a picture taken with what was applied last. apply: sets an exposure, waits until it is in force, and
    gives what the camera says it is. If it does not converge, the last exposure stands and the judgement says so.
    """
    current = start
    judgement = judge(take(), current, limits)
    for step in range(1, steps + 1):
        if judgement.settled:
            return Settled(current, judgement, step)
        current = apply(judgement.exposure)
        judgement = judge(take(), current, limits)
    return Settled(current, judgement, steps + 1)


def within(image: npt.NDArray[np.uint8], area: Polygon | None) -> npt.NDArray[np.uint8]:
    """Give a picture (h, w) or (h, w, 3) that is black outside `area`, (k, 2) in shares of its size; None: all of it.

    A window or a lamp beside the table is brighter than any card, and must not say how the table is exposed.
    """
    if area is None:
        return image
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.rint(area * (image.shape[1], image.shape[0])).astype(np.int32)], 255)
    return np.asarray(cv2.bitwise_and(image, image, mask=mask), np.uint8)


def _without_glints(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    if image.size == 0:
        raise ValueError("a picture without pixels says nothing about its exposure")
    channels = image if image.ndim == 3 else image[:, :, np.newaxis]
    height, width = (max(size // GLINT_PX, 1) for size in channels.shape[:2])
    step_y, step_x = channels.shape[0] // height, channels.shape[1] // width
    blocks = channels[: height * step_y, : width * step_x].reshape(height, step_y, width, step_x, -1)
    return np.asarray(blocks.mean(axis=(1, 3)).max(axis=2), dtype=np.float32)


def _factor(white: float, clipped: float) -> float:
    """By how much the light should change; a clipped white does not say how far above the scale it is."""
    if WHITE_LOW <= white <= WHITE_HIGH:
        return 1.0
    if white >= CLIPPED:
        return 0.45 if clipped > 0.05 else 0.65
    return float(np.clip((WHITE_AIM / max(white, 1.0)) ** GAMMA, 0.25, 4.0))
