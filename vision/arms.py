"""Sees arms that reach in over a table: what differs from the still table and comes in over its edge.

The still table is learned from the pictures themselves: what has stayed as it is for a while belongs to it. Shadows
darken all colours alike, and are no arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Points = NDArray[np.float64]
Mask = NDArray[np.uint8]

WIDTH_PX = 240
_STEP = 11.0  # of 256: what differs by less is noise, or soft shadow
_BRIGHT, _DIMMEST = 105.0, 0.5  # in dim light all differs by less, and cameras still show it
_SHADOW = (0.5, 1.0)
_SHADOW_SPREAD = 0.05
_STAYS = 10.0
_LEARNED = 75  # pictures that a thing stays before it belongs to the table: a plain sleeve stays while it moves on
_LEAST_AREA = 0.0012  # of the picture
_GAP_PX = 5
_LEAST_CROSSING = 130  # pixels of a crossing, widened by four to each side


@dataclass(frozen=True, eq=False)
class Arm:
    """One arm, or several that touch.

    entries_px (n, 2): where it comes in over the edge, one for each arm that it may be. reach_px: the distance of its
    nearest part from the spot that was asked for.
    """

    entries_px: Points
    reach_px: float


class ArmFinder:
    """Follows a table through pictures of one size; all points are in pixels of those pictures.

    edge_px (k, 2): the polygon that people sit round.
    """

    def __init__(self, size_px: tuple[int, int], edge_px: Points) -> None:
        self._scale = min(1.0, WIDTH_PX / size_px[0])
        self._size = (round(size_px[0] * self._scale), round(size_px[1] * self._scale))
        inside = np.zeros(self._size[::-1], np.uint8)
        cv2.fillPoly(inside, [np.rint(edge_px * self._scale).astype(np.int32)], 1)
        inside[:2], inside[-2:], inside[:, :2], inside[:, -2:] = 0, 0, 0, 0
        self._inside: Mask = inside
        self._rim: Mask = cv2.dilate(1 - inside, np.ones((5, 5), np.uint8)) & inside
        self._table: NDArray[np.float32] | None = None
        self._bare: NDArray[np.float32] | None = None  # the table before what was learned last came to lie on it
        self._before: NDArray[np.float32] | None = None
        self._stayed: NDArray[np.int16] | None = None

    def look(self, image_bgr: Image) -> Mask:
        """Take the next picture, (h, w, 3); gives what is no still table, (h, w) uint8, 0 or 1, small."""
        now = self._small(image_bgr)
        if self._table is None or self._bare is None or self._before is None or self._stayed is None:
            self._table, self._bare, self._before = now.copy(), now.copy(), now
            self._stayed = np.zeros(now.shape[:2], np.int16)
            return np.zeros(now.shape[:2], np.uint8)
        stays = _largest(cv2.absdiff(now, self._before)) < _STAYS
        self._stayed[stays] += 1
        self._stayed[~stays] = 0
        # Compared is with what it was when it came to rest, so that slow things do not creep into the table.
        self._before[~stays] = now[~stays]
        step = _STEP * min(1.0, max(_DIMMEST, float(self._table.mean()) / _BRIGHT))
        differs = _differs(now, self._table, step)
        # Where something lay for long and was taken away, the table is as it was: no arm in its place.
        back = (differs > 0) & (_largest(cv2.absdiff(now, self._bare)) < step)
        self._table[back] = self._bare[back]
        differs[back] = 0
        # The light may change slowly; and what came to rest belongs to the table from then on.
        cv2.accumulateWeighted(now, self._table, 0.2, (1 - differs).astype(np.uint8))
        learned = (self._stayed >= _LEARNED) & (differs > 0)
        self._bare[learned] = self._table[learned]
        self._table[learned] = now[learned]
        return differs

    def arms(self, differs: Mask, spot_px: tuple[float, float]) -> tuple[Arm, ...]:
        """Give the arms in what `look` gave, with how far each is from a spot."""
        mask = cv2.morphologyEx(cv2.bitwise_and(differs, self._inside), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((_GAP_PX, _GAP_PX), np.uint8))
        mask = cv2.bitwise_and(mask, self._inside)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        arms = []
        for number in range(1, count):
            if stats[number, cv2.CC_STAT_AREA] < _LEAST_AREA * mask.size:
                continue
            part = labels == number
            entries = self._entries(part)
            if len(entries):
                y, x = np.nonzero(part)
                spot = np.array(spot_px) * self._scale
                reach = float(np.sqrt(((x - spot[0]) ** 2 + (y - spot[1]) ** 2).min()))
                arms.append(Arm(entries / self._scale, reach / self._scale))
        return tuple(arms)

    def _entries(self, part: NDArray[np.bool_]) -> Points:
        """Where a patch crosses the edge, (n, 2); crossings that nearly touch are one."""
        crossing = (part & (self._rim > 0)).astype(np.uint8)
        joined = cv2.dilate(crossing, np.ones((9, 9), np.uint8))
        count, _, stats, middles = cv2.connectedComponentsWithStats(joined, connectivity=8)
        wide = [number for number in range(1, count) if stats[number, cv2.CC_STAT_AREA] >= _LEAST_CROSSING]
        return np.asarray(middles[wide], np.float64).reshape(-1, 2)

    def _small(self, image_bgr: Image) -> NDArray[np.float32]:
        # Rows are left out first: averaging every pixel would cost more than it tells.
        step = max(1, round(0.5 / self._scale))
        small = cv2.resize(image_bgr[::step], self._size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.float32)


def _differs(now: NDArray[np.float32], table: NDArray[np.float32], step: float) -> Mask:
    differs = np.asarray(_largest(cv2.absdiff(now, table)) > step)
    ratio = (now[differs] + 4) / (table[differs] + 4)
    low, high = ratio.min(axis=1), ratio.max(axis=1)
    shadow = (low > _SHADOW[0]) & (high < _SHADOW[1]) & (high - low < _SHADOW_SPREAD)
    differs[differs] = ~shadow
    return differs.astype(np.uint8)


def _largest(step: NDArray[Any]) -> NDArray[np.float32]:
    """The largest of the three channels, (h, w)."""
    blue, green, red = cv2.split(step)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
