"""Exposure, white balance and flicker: chosen once for white cards, then held.

A mark on clipped white has lost its colour for good, and vision divides by the card's own white, so the white has to
stay below the end of the scale in every channel. The loop is: take a picture, judge it, set what `judge` says, again.

A lamp is bright twice a period of the mains. Rows that are exposed for whole half periods all get the same light; with
any other time they differ, and the stripes wander from picture to picture, unlike the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
        """Return exposure times gain, µs at gain 1; a picture's brightness is proportional to it."""
        return self.time_us * self.gain


@dataclass(frozen=True)
class ExposureLimits:
    """Limits of the exposure: the camera's and the game's.

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


class ExposureObstacle(Enum):
    """Obstacle to a good exposure."""

    ENOUGH = "enough"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"


@dataclass(frozen=True)
class Judgement:
    """Judgement of one picture's exposure.

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
    light: ExposureObstacle


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
        return Judgement(white, clipped, True, current, ExposureObstacle.ENOUGH)
    wanted = limits.split(current.light * factor)
    # Less than 2 % of a change is what cameras round away: going on would go round in circles.
    if abs(wanted.light / current.light - 1.0) < 0.02:
        return Judgement(
            white, clipped, True, current, ExposureObstacle.TOO_DARK if factor > 1.0 else ExposureObstacle.TOO_BRIGHT
        )
    return Judgement(white, clipped, False, wanted, ExposureObstacle.ENOUGH)


@dataclass(frozen=True)
class SettledExposure:
    """Result of settling: exposure in force, judgement of the last picture, number of pictures."""

    exposure: Exposure
    judgement: Judgement
    steps: int


def settle(
    take: Callable[[], npt.NDArray[np.uint8]],
    apply: Callable[[Exposure], Exposure],
    start: Exposure,
    limits: ExposureLimits | None = None,
    steps: int = 20,
) -> SettledExposure:
    """Take pictures and set the exposure until the white is right, at most `steps` times.

    take: gives a picture taken with what was applied last. apply: sets an exposure, waits until it is in force, and
    gives what the camera says it is. If it does not converge, the last exposure stands and the judgement says so.
    """
    current = start
    judgement = judge(take(), current, limits)
    for step in range(1, steps + 1):
        if judgement.settled:
            return SettledExposure(current, judgement, step)
        current = apply(judgement.exposure)
        judgement = judge(take(), current, limits)
    return SettledExposure(current, judgement, steps + 1)


def within(image: npt.NDArray[np.uint8], area: Polygon | None) -> npt.NDArray[np.uint8]:
    """Return a picture (h, w) or (h, w, 3) that is black outside `area`, (k, 2) in shares of its size; None: all of it.

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


STRIPED = 0.012
"""Share of the light by which rows may differ from picture to picture: about a step of 3 at white."""
_PICTURES = 6
_ROWS, _COLUMNS = 120, 16
_DARK = 12.0
_GAMMA = 2.2
# A rolling shutter takes 12 to 45 ms from the first row to the last, a lamp 8 or 10 ms from bright to bright.
_WAVES = np.arange(1.25, 5.05, 0.1)
_TREND = 4  # what else changes from row to row: a cubic, as when a lamp moves or a window brightens
_ONE_WAVE = 0.8  # of what is left, to be stripes and nothing else
HALF_PERIODS_US = (10_000.0, 500_000.0 / 60)
Image = npt.NDArray[np.uint8]
Columns = npt.NDArray[np.float32]


def striped(small: Columns) -> float:
    """By what share of the light rows differ between pictures (n, rows, columns) of one place, see `in_columns`.

    A row counts by the median of its parts, so that a hand that moves over less than half of it makes no stripe.
    """
    lit, rows = _ratios(small, small.mean(axis=0))
    if np.count_nonzero(lit) < _ROWS // 4:
        return 0.0
    # Bright and dark rows: half the way from the darkest to the brightest tenth, in light, not in levels.
    swing = np.quantile(rows, 0.9, axis=1) - np.quantile(rows, 0.1, axis=1)
    return float(np.median(swing)) / 2 * _GAMMA


def striped_since(before: Columns, now: Columns) -> float:
    """By what share of the light rows (rows, columns) differ in one wave from how they were; 0 where in no wave.

    Stripes that stand still, as of a lamp that flickers a whole number of times a picture, show only so.
    """
    lit, (rows,) = _ratios(now[None], before)
    if np.count_nonzero(lit) < _ROWS // 2:
        return 0.0
    y = np.linspace(-1, 1, _ROWS)[lit]
    trend = np.linalg.qr(np.vander(y, _TREND))[0]

    def left(of: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.asarray(of - trend @ (trend.T @ of), np.float64)

    rest, largest = left(np.asarray(rows, np.float64)), 0.0
    for waves in _WAVES:
        wave = np.linalg.qr(left(np.stack([np.cos(np.pi * waves * y), np.sin(np.pi * waves * y)], axis=1)))[0]
        largest = max(largest, float(np.square(wave.T @ rest).sum()))
    if largest < _ONE_WAVE * float(np.square(rest).sum()):
        return 0.0
    return float(np.sqrt(2 * largest / len(rest))) * _GAMMA


def in_columns(pictures: Sequence[Image]) -> Columns:
    """Pictures, (h, w) or (h, w, 3) uint8 each, as small grey ones (n, rows, columns)."""
    grey = (picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in pictures)
    small = [cv2.resize(each, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA) for each in grey]
    return np.asarray(small, np.float32)


def _ratios(small: Columns, by: Columns) -> tuple[npt.NDArray[np.bool_], Columns]:
    """Return the lit rows (rows,), and how much brighter they are in small pictures (n, rows, columns): (n, lit)."""
    ratio = np.where((by > _DARK) & (small > _DARK), small / np.maximum(by, 1.0), np.nan)
    lit = np.isfinite(ratio).all(axis=0).sum(axis=1) >= _COLUMNS // 2
    return lit, np.asarray(np.nanmedian(ratio[:, lit], axis=2), np.float32)


def settle_without_stripes(
    take: Callable[[], Image],
    apply: Callable[[Exposure], Exposure],
    start: Exposure,
    limits: ExposureLimits,
    whole: Callable[[], Image] | None = None,
) -> tuple[SettledExposure, bool]:
    """Settle the exposure (`exposure.settle`) by the mains frequency under which the lamp makes no stripes.

    limits: with the half period that is tried first. whole: gives whole pictures, where `take` gives parts. Gives also
    whether stripes are left; shorter exposures than half a period, as by daylight, are left as they are.
    """
    look = whole or take
    best = settle(take, apply, start, limits)
    if not limits.flicker_us or best.exposure.time_us < min(HALF_PERIODS_US):
        return best, False
    fewest = striped(in_columns([look() for _ in range(_PICTURES)]))
    for half_us in sorted(HALF_PERIODS_US, key=lambda half: abs(half - limits.flicker_us)):
        if fewest <= STRIPED:
            break
        # What the automatics found is in no such steps, and `settle` leaves it if it is right.
        exposure = apply(replace(limits, flicker_us=half_us).split(best.exposure.light))
        tried = settle(take, apply, exposure, replace(limits, flicker_us=half_us))
        stripes = striped(in_columns([look() for _ in range(_PICTURES)]))
        if stripes < fewest:
            best, fewest = tried, stripes
    return replace(best, exposure=apply(best.exposure)), fewest > STRIPED


# Sensors expose whole rows (some 20 µs) and have gains in steps; what they report back differs by that much.
TOLERANCE = 0.02
ROW_US = 60.0


@dataclass(frozen=True)
class Lock:
    """Locked values: exposure, and the red and blue gains of the white balance (None: not locked)."""

    exposure: Exposure
    colour_gains: tuple[float, float] | None

    def controls(self) -> dict[str, object]:
        """Return the libcamera controls that set it; they also end the automatics."""
        controls = exposure_controls(self.exposure)
        if self.colour_gains is not None:
            controls |= {"AwbEnable": False, "ColourGains": self.colour_gains}
        return controls

    def drift(self, metadata: Mapping[str, object]) -> str | None:
        """Name what of a frame's metadata is not as it was set, or None; what the camera does not report is trusted."""
        if not exposure_matches(self.exposure, metadata):
            return "exposure"
        gains = metadata.get("ColourGains")
        if self.colour_gains is not None and isinstance(gains, (tuple, list)):
            for wanted, got in zip(self.colour_gains, gains, strict=False):
                if abs(float(got) - wanted) > TOLERANCE * wanted:
                    return "white balance"
        return None


class FrameAction(Enum):
    """Action for a frame: use it, refuse it, refuse it and lock again, or release the lock and use it."""

    USE = "use"
    REFUSE = "refuse"
    SET_AGAIN = "set again"
    GIVE_UP = "give up"


class DriftWatch:
    """Decides frame by frame: a drifting frame is refused and the lock set again, until it is clear that it is no use.

    again_after: frames between two tries (controls take some frames to work). give_up_after: drifting frames in a row.
    """

    def __init__(self, lock: Lock, again_after: int = 8, give_up_after: int = 48) -> None:
        self.lock = lock
        self.refused = 0
        self._again_after = again_after
        self._give_up_after = give_up_after
        self._in_a_row = 0

    def judge(self, metadata: Mapping[str, object]) -> FrameAction:
        """Judge the next frame by its metadata."""
        if self.lock.drift(metadata) is None:
            self._in_a_row = 0
            return FrameAction.USE
        self._in_a_row += 1
        if self._in_a_row > self._give_up_after:
            return FrameAction.GIVE_UP
        self.refused += 1
        return FrameAction.SET_AGAIN if self._in_a_row % self._again_after == 1 else FrameAction.REFUSE


def exposure_controls(exposure: Exposure) -> dict[str, object]:
    """Return the libcamera controls for one exposure."""
    return {"AeEnable": False, "ExposureTime": round(exposure.time_us), "AnalogueGain": exposure.gain}


def exposure_matches(exposure: Exposure, metadata: Mapping[str, object]) -> bool:
    """Return whether a frame's metadata say that it was taken with this exposure; what is not reported is trusted."""
    time_us = metadata.get("ExposureTime")
    if isinstance(time_us, (int, float)) and abs(time_us - exposure.time_us) > max(
        TOLERANCE * exposure.time_us, ROW_US
    ):
        return False
    gain = metadata.get("AnalogueGain")
    return not (isinstance(gain, (int, float)) and abs(gain - exposure.gain) > 3 * TOLERANCE * exposure.gain)
