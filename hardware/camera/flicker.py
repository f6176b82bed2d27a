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
HALF_PERIODS_US = (10_000.0, 500_000.0 / 60)
Image = npt.NDArray[np.uint8]


def striped(pictures: Sequence[Image]) -> float:
    """By what share of the light rows differ between pictures of one place, (h, w) or (h, w, 3) uint8 each.

    A row counts by the median of its parts, so that a hand that moves over less than half of it makes no stripe.
    """
    small = np.stack([_columns(picture) for picture in pictures])
    mean = small.mean(axis=0)
    ratio = np.where(mean > _DARK, small / np.maximum(mean, 1.0), np.nan)
    lit = np.isfinite(ratio).all(axis=0).sum(axis=1) >= _COLUMNS // 2
    if np.count_nonzero(lit) < _ROWS // 4:
        return 0.0
    rows = np.nanmedian(ratio[:, lit], axis=2)
    # Bright and dark rows: half the way from the darkest to the brightest tenth, in light, not in levels.
    swing = np.quantile(rows, 0.9, axis=1) - np.quantile(rows, 0.1, axis=1)
    return float(np.median(swing)) / 2 * 2.2


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
    fewest = striped([look() for _ in range(_PICTURES)])
    for half_us in sorted(HALF_PERIODS_US, key=lambda half: abs(half - limits.flicker_us)):
        if fewest <= STRIPED:
            break
        # What the automatics found is in no such steps, and `settle` leaves it if it is right.
        exposure = apply(replace(limits, flicker_us=half_us).split(best.exposure.light))
        tried = settle(take, apply, exposure, replace(limits, flicker_us=half_us))
        stripes = striped([look() for _ in range(_PICTURES)])
        if stripes < fewest:
            best, fewest = tried, stripes
    return replace(best, exposure=apply(best.exposure)), fewest > STRIPED


def _columns(picture: Image) -> npt.NDArray[np.float32]:
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(grey, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA), np.float32)
