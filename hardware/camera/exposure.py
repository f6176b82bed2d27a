"""Exposure, white balance and flicker: set once for white cards, then held.

Clipped white loses its colour, and vision divides by the card's own white. White must therefore stay below the end of
the scale in every channel. The loop takes a picture, judges it and applies the next exposure.

A lamp is bright twice a period of the mains. Rows that are exposed for whole half periods get the same light. With
other exposure times rows differ, and the stripes move from picture to picture.
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
# Share of the picture that may be brighter than white: glints on laminated cards and rings on fingers. One card of
# 63x88 mm on a table of 1 m x 0.6 m has 0.9 %.
GLINT_SHARE = 0.002
# Cameras encode light with about this power (sRGB); the loop tolerates small differences.
GAMMA = 2.2
GLINT_PX = 4

Polygon = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Exposure:
    """Exposure time of each row, microseconds, and analogue gain (1.0: no amplification)."""

    time_us: float
    gain: float

    @property
    def light(self) -> float:
        """Return exposure time times gain, µs; a picture's brightness is proportional to it."""
        return self.time_us * self.gain


@dataclass(frozen=True)
class ExposureLimits:
    """Limits of the exposure, set by the camera and the game.

    shortest_us, longest_us: exposure time, microseconds; a longer one smears hands and turning cards.
    highest_gain: above it, noise covers the colours.
    flicker_us: half a period of the mains; longer times are cut to whole multiples, against stripes.
    """

    shortest_us: float = 100.0
    longest_us: float = 20_000.0
    highest_gain: float = 8.0
    flicker_us: float = 10_000.0

    def split(self, light: float) -> Exposure:
        """Split `light` into time and gain: the least gain, and whole flicker periods where possible."""
        time_us = min(max(light, self.shortest_us), self.longest_us)
        if self.flicker_us > 0 and time_us > self.flicker_us:
            time_us -= time_us % self.flicker_us
        return Exposure(time_us, min(max(light / time_us, 1.0), self.highest_gain))


class ExposureObstacle(Enum):
    """Reason why the exposure cannot be right."""

    ENOUGH = "enough"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"


@dataclass(frozen=True)
class Judgement:
    """The judgement of one picture's exposure.

    white: level of the brightest surface without glints, 0 to 255, in the brightest channel.
    clipped_share: share of the picture in which a channel is at the end of the scale, 0 to 1.
    settled: no further change is necessary, or possible.
    exposure: the next exposure (the same, if settled).
    light: the camera's limit that keeps white out of range, if any.
    """

    white: float
    clipped_share: float
    settled: bool
    exposure: Exposure
    light: ExposureObstacle


def judge(image: npt.NDArray[np.uint8], current: Exposure, limits: ExposureLimits | None = None) -> Judgement:
    """Judge a picture, (h, w) grey or (h, w, 3) uint8, taken with `current`, and return the next exposure.

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
    # Cameras round away changes below 2 %; smaller steps would not converge.
    if abs(wanted.light / current.light - 1.0) < 0.02:
        return Judgement(
            white, clipped, True, current, ExposureObstacle.TOO_DARK if factor > 1.0 else ExposureObstacle.TOO_BRIGHT
        )
    return Judgement(white, clipped, False, wanted, ExposureObstacle.ENOUGH)


@dataclass(frozen=True)
class SettledExposure:
    """Result of `settle`: exposure in force, judgement of the last picture, number of pictures."""

    exposure: Exposure
    judgement: Judgement
    steps: int


MOST_STEPS = 20


def settle(
    take: Callable[[], npt.NDArray[np.uint8]],
    apply: Callable[[Exposure], Exposure],
    start: Exposure,
    limits: ExposureLimits | None = None,
) -> SettledExposure:
    """Take pictures and set the exposure until white is right, at most `MOST_STEPS` times.

    take: returns a picture with the exposure in force. apply: sets an exposure, waits for it, and returns the one that
    the camera reports. Without convergence the last exposure stays, and the judgement reports it.
    """
    current = start
    judgement = judge(take(), current, limits)
    for step in range(1, MOST_STEPS + 1):
        if judgement.settled:
            return SettledExposure(current, judgement, step)
        current = apply(judgement.exposure)
        judgement = judge(take(), current, limits)
    return SettledExposure(current, judgement, MOST_STEPS + 1)


def within(image: npt.NDArray[np.uint8], area: Polygon | None) -> npt.NDArray[np.uint8]:
    """Return a picture (h, w) or (h, w, 3) that is black outside `area`.

    area: (k, 2) as fractions of the picture's size; None: the whole picture.
    A window or a lamp beside the table is brighter than any card and would darken the exposure.
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
    """Return the factor for the light; clipped white does not show how far above the scale it is."""
    if WHITE_LOW <= white <= WHITE_HIGH:
        return 1.0
    if white >= CLIPPED:
        return 0.45 if clipped > 0.05 else 0.65
    return float(np.clip((WHITE_AIM / max(white, 1.0)) ** GAMMA, 0.25, 4.0))


STRIPED = 0.012
"""Share of the light by which rows may differ between pictures: about 3 levels at white."""
_PICTURES = 6
_ROWS, _COLUMNS = 120, 16
_DARK = 12.0
HALF_PERIODS_US = (10_000.0, 500_000.0 / 60)
Image = npt.NDArray[np.uint8]
Columns = npt.NDArray[np.float32]


def striped(small: Columns) -> float:
    """Return the share of light by which rows differ between pictures (n, rows, columns), see `in_columns`.

    A row counts by the median of its parts: a hand over less than half of it makes no stripe.
    """
    lit, rows = _ratios(small, small.mean(axis=0))
    if np.count_nonzero(lit) < _ROWS // 4:
        return 0.0
    # Half the difference between the darkest and the brightest tenth, in light, not in levels.
    swing = np.quantile(rows, 0.9, axis=1) - np.quantile(rows, 0.1, axis=1)
    return float(np.median(swing)) / 2 * GAMMA


def in_columns(pictures: Sequence[Image]) -> Columns:
    """Return pictures, (h, w) or (h, w, 3) uint8 each, as small grey ones (n, rows, columns)."""
    grey = (picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in pictures)
    small = [cv2.resize(each, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA) for each in grey]
    return np.asarray(small, np.float32)


def _ratios(small: Columns, by: Columns) -> tuple[npt.NDArray[np.bool_], Columns]:
    """Return a mask of the lit rows (rows,), and their brightness relative to `by`, (n, lit)."""
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
    """Set the exposure with the mains frequency under which the lamp makes the fewest stripes.

    limits: with the half period that is tried first. whole: returns whole pictures, where `take` returns parts. Returns
    also whether stripes remain. Exposures shorter than half a period, as by daylight, stay as they are.
    """
    look = whole or take
    best = settle(take, apply, start, limits)
    if not limits.flicker_us or best.exposure.time_us < min(HALF_PERIODS_US):
        return best, False
    fewest = striped(in_columns([look() for _ in range(_PICTURES)]))
    for half_us in sorted(HALF_PERIODS_US, key=lambda half: abs(half - limits.flicker_us)):
        if fewest <= STRIPED:
            break
        # The automatic exposure is no multiple of a half period, and `settle` keeps it if white is right.
        exposure = apply(replace(limits, flicker_us=half_us).split(best.exposure.light))
        tried = settle(take, apply, exposure, replace(limits, flicker_us=half_us))
        stripes = striped(in_columns([look() for _ in range(_PICTURES)]))
        if stripes < fewest:
            best, fewest = tried, stripes
    return replace(best, exposure=apply(best.exposure)), fewest > STRIPED


# Sensors expose whole rows (about 20 µs) and have gains in steps; their reports differ by that much.
TOLERANCE = 0.02
ROW_US = 60.0


@dataclass(frozen=True)
class Lock:
    """Locked values: exposure, and the red and blue gains of the white balance (None: not locked)."""

    exposure: Exposure
    colour_gains: tuple[float, float] | None

    def controls(self) -> dict[str, object]:
        """Return the libcamera controls that set the lock; they also end the automatics."""
        controls = exposure_controls(self.exposure)
        if self.colour_gains is not None:
            controls |= {"AwbEnable": False, "ColourGains": self.colour_gains}
        return controls

    def drift(self, metadata: Mapping[str, object]) -> str | None:
        """Return the name of a value that drifted by a frame's metadata, or None; unreported values are trusted."""
        if not exposure_matches(self.exposure, metadata):
            return "exposure"
        gains = metadata.get("ColourGains")
        if self.colour_gains is not None and isinstance(gains, (tuple, list)):
            for wanted, got in zip(self.colour_gains, gains, strict=False):
                if abs(float(got) - wanted) > TOLERANCE * wanted:
                    return "white balance"
        return None


class FrameAction(Enum):
    """The action for a frame: use it, drop it, drop it and lock again, or unlock and use it."""

    USE = "use"
    REFUSE = "refuse"
    SET_AGAIN = "set again"
    GIVE_UP = "give up"


AGAIN_AFTER, GIVE_UP_AFTER = 8, 48


class DriftWatch:
    """Drops drifting frames and locks again, until it gives up.

    It locks again every AGAIN_AFTER frames, since controls take some frames to work. It gives up after GIVE_UP_AFTER
    drifting frames in a row.
    """

    def __init__(self, lock: Lock) -> None:
        self.lock = lock
        self.refused = 0
        self._in_a_row = 0

    def judge(self, metadata: Mapping[str, object]) -> FrameAction:
        """Return the action for the next frame by its metadata."""
        if self.lock.drift(metadata) is None:
            self._in_a_row = 0
            return FrameAction.USE
        self._in_a_row += 1
        if self._in_a_row > GIVE_UP_AFTER:
            return FrameAction.GIVE_UP
        self.refused += 1
        return FrameAction.SET_AGAIN if self._in_a_row % AGAIN_AFTER == 1 else FrameAction.REFUSE


def exposure_controls(exposure: Exposure) -> dict[str, object]:
    """Return the libcamera controls for one exposure."""
    return {"AeEnable": False, "ExposureTime": round(exposure.time_us), "AnalogueGain": exposure.gain}


def exposure_matches(exposure: Exposure, metadata: Mapping[str, object]) -> bool:
    """Return whether a frame's metadata match this exposure; unreported values are trusted."""
    time_us = metadata.get("ExposureTime")
    if isinstance(time_us, (int, float)) and abs(time_us - exposure.time_us) > max(
        TOLERANCE * exposure.time_us, ROW_US
    ):
        return False
    gain = metadata.get("AnalogueGain")
    return not (isinstance(gain, (int, float)) and abs(gain - exposure.gain) > 3 * TOLERANCE * exposure.gain)
