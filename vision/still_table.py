"""Finds pixels that are not the still table, learned from the pictures themselves.

Pixels that have rested for a while belong to the table. Their noise is learned, too, from their own
noise, so that an arm of nearly the table's colour is seen in good light and noise is none in bad. Shadows darken all
colours alike; so do some sleeves, and only their surroundings decide.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.channels import largest

Mask = NDArray[np.uint8]

SHADE, THING = 1, 2
"""Kind of a pixel that is not the still table: darkened as by a shadow, or an object."""

_NOISES, _ROUNDING = 3.5, 2.0  # what differs by less than so many times a pixel's mean change, and this, is noise
_FIRST_NOISE = 2.5
_SHADOW = (0.5, 1.0)
_SHADOW_SPREAD = 0.05
_STAYS = 10.0
_LEARNED = 75  # pictures that a thing stays before it belongs to the table: a plain sleeve stays while it moves on
_FOLLOWS, _NOISE_FOLLOWS = 0.2, 0.03
_SPARSE = 6  # of so many pixels each way, one measures the change of exposure and white balance
_STEADY, _MOST_GAIN = 0.003, 0.03


class StillTable:
    """Follows a table through small pictures, (h, w, 3) float32, of one size."""

    def __init__(self, first: Singles) -> None:
        self._table, self._before = first.copy(), first.copy()
        self._bare = first.copy()  # the table before what was learned last came to be on it
        self._noise = np.full(first.shape[:2], _FIRST_NOISE, np.float32)
        self._stayed = np.zeros(first.shape[:2], np.int16)
        self._kinds: Mask = np.zeros(first.shape[:2], np.uint8)

    def look(self, now: Singles) -> Mask:
        """Take the next picture; gives what is no still table, (h, w) uint8: SHADE, THING, or 0."""
        self._expose(now)
        stays = np.asarray(largest(cv2.absdiff(now, self._before)) < _STAYS)
        self._stayed = (self._stayed + 1) * stays
        # Compared is with what it was when it came to rest, so that slow things do not creep into the table.
        cv2.copyTo(now, np.asarray(~stays, np.uint8), self._before)
        change = largest(cv2.absdiff(now, self._table))
        self._kinds = self._kinds_of(now, change)
        # The light may change slowly; and what came to rest belongs to the table from then on.
        still = np.asarray(self._kinds == 0, np.uint8)
        cv2.accumulateWeighted(now, self._table, _FOLLOWS, still)
        cv2.accumulateWeighted(change, self._noise, _NOISE_FOLLOWS, still)
        learned = (self._stayed >= _LEARNED) & (still == 0)
        if learned.any():
            self._learn(learned, now)
        return self._kinds

    def settle(self) -> None:
        """Take all that is there now for the table, without waiting: somebody knows that no arm is in sight."""
        self._learn(self._kinds > 0, self._before)
        self._kinds[:] = 0

    def _learn(self, where: NDArray[np.bool_], now: Singles) -> None:
        self._bare[where] = self._table[where]
        self._table[where] = now[where]

    def _expose(self, now: Singles) -> None:
        """Follow the camera's exposure and white balance, by what was table a picture ago."""
        sparse = (slice(None, None, _SPARSE), slice(None, None, _SPARSE))
        table = self._kinds[sparse] == 0
        ratios = (now[sparse][table] + 1) / (self._table[sparse][table] + 1)
        if not len(ratios):
            return
        gain = np.clip(np.median(ratios, axis=0), 1 - _MOST_GAIN, 1 + _MOST_GAIN)
        if np.abs(gain - 1).max() > _STEADY:
            self._table *= gain
            self._bare *= gain

    def _kinds_of(self, now: Singles, change: Singles) -> Mask:
        step = self._noise * _NOISES + _ROUNDING
        kinds = np.zeros(change.shape, np.uint8)
        changed = change > step
        if not changed.any():
            return kinds
        seen, table = now[changed], self._table[changed]
        ratio = (seen + 4) / (table + 4)
        low, high = ratio.min(axis=1), ratio.max(axis=1)
        shade = (low > _SHADOW[0]) & (high < _SHADOW[1]) & (high - low < _SHADOW_SPREAD)
        # Where something lay for long and was taken away, the table is as it was: nothing in its place.
        bare = self._bare[changed]
        back = np.abs(seen - bare).max(axis=1) < step[changed]
        table[back] = bare[back]
        self._table[changed] = table
        kinds[changed] = np.where(back, 0, np.where(shade, SHADE, THING))
        return kinds
