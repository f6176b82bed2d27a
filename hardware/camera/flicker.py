"""Lamps that flicker with the mains: stripes in the pictures of a rolling shutter, and the exposure that has none.

A lamp is bright twice a period of the mains. Rows that are exposed for whole half periods all get the same light; with
any other time they differ, and the stripes wander from picture to picture, which what lies on the table does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera.exposure import Exposure, ExposureLimits, Settled, settle

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
    """Which rows (rows,) are lit, and by what such rows of small pictures (n, rows, columns) are brighter (n, lit)."""
    ratio = np.where((by > _DARK) & (small > _DARK), small / np.maximum(by, 1.0), np.nan)
    lit = np.isfinite(ratio).all(axis=0).sum(axis=1) >= _COLUMNS // 2
    return lit, np.asarray(np.nanmedian(ratio[:, lit], axis=2), np.float32)


def settle_without_stripes(
    take: Callable[[], Image],
    apply: Callable[[Exposure], Exposure],
    start: Exposure,
    limits: ExposureLimits,
    whole: Callable[[], Image] | None = None,
) -> tuple[Settled, bool]:
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
