"""Sees arms that reach in over a table: what is no still table and comes in over its edge.

Shadows are no arms. But a sleeve may look like a shadow, or like the table, and leave a hand in sight that hangs on
nothing: it belongs to the arm that it was part of a picture ago, or to what darkens the table between it and the edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image, Points, Singles
from vision.channels import largest, shrunk, smallest

Mask = NDArray[np.uint8]
Part = NDArray[np.bool_]

WIDTH_PX = 240
_LEAST_AREA = 0.0012  # of the picture
_GAP_PX = 5
_LEAST_CROSSING = 130  # pixels of a crossing, widened by four to each side
_MOVES = np.ones((9, 9), np.uint8)  # a hand is seen again within so much of where it was
_SAME_SHARE = 0.25  # of it, at least, is then where it was
_SAME_PX = 12.0  # an arm comes in so near to where it did a picture ago
_TOUCH = 3  # pictures in which arms that touch are still distinguished by where they were before

SHADE, THING = 1, 2
"""Kind of a pixel that is not the still table: darkened as by a shadow, or an object."""

_NOISES, _ROUNDING = 3.5, 2.0  # what differs by less than so many times a pixel's mean change, and this, is noise
_FIRST_NOISE = 2.5
_SHADOW = (0.5, 1.0)
_SHADOW_SPREAD = 0.05
_STAYS = 10.0
# Pictures that a thing stays before it belongs to the table: a sleeve of one colour stays while it moves on.
_LEARNED = 75
_FOLLOWS, _NOISE_FOLLOWS = 0.2, 0.03
_SPARSE = 6  # of so many pixels each way, one measures the change of exposure and white balance
_STEADY, _MOST_GAIN = 0.003, 0.03


@dataclass(frozen=True, eq=False)
class Arm:
    """One arm, or several that touch.

    entries_px (n, 2): where it comes in over the edge, one for each arm that it may be. reach_px: the distance of its
    nearest part from the spots that were asked for.
    """

    entries_px: Points
    reach_px: float


@dataclass(frozen=True, eq=False)
class _Patch:
    """An arm in a small picture: what may be of it, what is of it for certain, and where it comes in, (n, 2).

    touches: for how many pictures it has touched another.
    """

    part: Part
    core: Part
    entries: Points
    touches: int = 0

    @cached_property
    def near(self) -> Mask:
        """Return where it may be a picture later."""
        return np.asarray(cv2.dilate(self.part.astype(np.uint8), _MOVES), np.uint8)


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
        self._table: StillTable | None = None
        self._last: list[_Patch] = []

    def look(self, image_bgr: Image) -> Mask:
        """Take the next picture, (h, w, 3); gives SHADE, THING or 0 for each pixel of a small copy."""
        now = self._small(image_bgr)
        if self._table is None:
            self._table = StillTable(now)
        return self._table.look(now)

    def arms(self, kinds: Mask, spots_px: Points) -> tuple[Arm, ...]:
        """Return the arms in what `look` gave last, with how far each is from the nearest of some spots (k, 2)."""
        things = cv2.bitwise_and(np.asarray(kinds == THING, np.uint8), self._inside)
        things = cv2.medianBlur(things, 3)
        things = cv2.morphologyEx(things, cv2.MORPH_CLOSE, np.ones((_GAP_PX, _GAP_PX), np.uint8))
        things = cv2.bitwise_and(things, self._inside)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(things, connectivity=8)
        large = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= _LEAST_AREA * things.size]
        found = [(part := labels == number, self._entries(part)) for number in large]
        whole = [patch for part, entries in found if len(entries) for patch in self._separated(part, entries)]
        loose = [part for part, entries in found if not len(entries)]
        hands = self._linked(loose, whole, kinds, np.asarray(things, np.uint8)) if loose else []
        self._last = [*whole, *hands]
        return tuple(
            Arm(patch.entries / self._scale, _distance(patch.part, spots_px * self._scale) / self._scale)
            for patch in self._last
        )

    def settle(self) -> None:
        """Take all that the last picture shows for the table: no arm is in it."""
        if self._table is not None:
            self._table.settle()
        self._last = []

    def _separated(self, part: Part, entries: Points) -> list[_Patch]:
        """Separate arms that touched for a moment only: pixels of one arm before the touch are not the other's.

        New pixels may belong to both, so that no hand seems further from the spot than it is.
        """
        together = [_Patch(part, part, entries)]
        owners = [[patch for patch in self._last if _gap_px(patch.entries, entry) < _SAME_PX] for entry in entries]
        before = [patch for mine in owners for patch in mine]
        if len(entries) < 2 or not all(owners) or len(set(map(id, before))) < len(before):
            return together
        if any(len(patch.entries) > 1 or patch.touches >= _TOUCH for patch in before):
            return together
        cores = [np.any([patch.core for patch in mine], axis=0) & part for mine in owners]
        apart = []
        for number, mine in enumerate(owners):
            others = np.any(cores[:number] + cores[number + 1 :], axis=0)
            touches = 1 + max(patch.touches for patch in mine)
            apart.append(_Patch(part & ~others, cores[number], entries[number : number + 1], touches))
        return apart if all(patch.part.any() for patch in apart) else together

    def _linked(self, loose: list[Part], whole: list[_Patch], kinds: Mask, things: Mask) -> list[_Patch]:
        """Return where hands without a visible arm come in; hands without any trace are left out."""
        hands = []
        dark: NDArray[np.int32] | None = None
        for part in loose:
            size = np.count_nonzero(part)
            came = [patch.entries for patch in self._last if np.count_nonzero(patch.near[part]) > _SAME_SHARE * size]
            if not came:
                dark = self._dark(kinds, things) if dark is None else dark
                mine = dark == dark[part].max()
                came = [patch.entries for patch in whole if mine[patch.part].any()] or [self._entries(mine)]
            entries = _distinct(np.concatenate(came))
            if len(entries):
                hands.append(_Patch(part, part, entries))
        return hands

    def _dark(self, kinds: Mask, things: Mask) -> NDArray[np.int32]:
        """Number the patches of what is no still table, shadows among it, (h, w)."""
        inside = cv2.bitwise_and(np.asarray(kinds > 0, np.uint8), self._inside)
        opened = cv2.medianBlur(inside, 3)
        return np.asarray(cv2.connectedComponents(cv2.bitwise_or(opened, things), connectivity=8)[1], np.int32)

    def _entries(self, part: Part) -> Points:
        """Return where a patch crosses the edge, (n, 2); crossings that nearly touch are one."""
        crossing = (part & (self._rim > 0)).astype(np.uint8)
        if not crossing.any():
            return np.zeros((0, 2))
        joined = cv2.dilate(crossing, np.ones((9, 9), np.uint8))
        count, _, stats, middles = cv2.connectedComponentsWithStats(joined, connectivity=8)
        wide = [number for number in range(1, count) if stats[number, cv2.CC_STAT_AREA] >= _LEAST_CROSSING]
        return np.asarray(middles[wide], np.float64).reshape(-1, 2)

    def _small(self, image_bgr: Image) -> NDArray[np.float32]:
        return np.asarray(cv2.GaussianBlur(shrunk(image_bgr, self._size), (0, 0), 0.8), np.float32)


class StillTable:
    """Finds pixels that are not the still table in small pictures, (h, w, 3) float32, of one size.

    Pixels that have rested for a while belong to the table. Each one's noise is learned, so that an arm of nearly the
    table's colour is seen in good light and noise is none in bad. Shadows darken all colours alike; so do some sleeves,
    and only their surroundings decide.
    """

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
        low, high = smallest(ratio), largest(ratio)
        shade = (low > _SHADOW[0]) & (high < _SHADOW[1]) & (high - low < _SHADOW_SPREAD)
        # Where something lay for long and was taken away, the table is as it was: nothing in its place.
        bare = self._bare[changed]
        back = largest(np.abs(seen - bare)) < step[changed]
        table[back] = bare[back]
        self._table[changed] = table
        kinds[changed] = np.where(back, 0, np.where(shade, SHADE, THING))
        return kinds


def _distinct(entries: Points) -> Points:
    """Leave out those entries (n, 2) that are another's: each picture would add to what the one before left."""
    kept: list[Points] = []
    for entry in entries:
        if not kept or _gap_px(np.array(kept), entry) >= _SAME_PX:
            kept.append(entry)
    return np.array(kept).reshape(-1, 2)


def _gap_px(entries: Points, entry: Points) -> float:
    """Return how far the nearest of some entries (n, 2) is from one (2,)."""
    return float(np.linalg.norm(entries - entry, axis=1).min())


def _distance(part: Part, spots: Points) -> float:
    """Return how far the nearest pixel of a patch is from the nearest of some spots (k, 2)."""
    y, x = np.nonzero(part)
    away = (x[:, None] - spots[:, 0]) ** 2 + (y[:, None] - spots[:, 1]) ** 2
    return float(np.sqrt(away.min()))
