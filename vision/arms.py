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

from vision.arrays import Image, Points
from vision.still_table import THING, StillTable

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
        """Take the next picture, (h, w, 3); gives what is no still table, small, as `StillTable.look` does."""
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
        whole = [patch for part, entries in found if len(entries) for patch in self._told_apart(part, entries)]
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

    def _told_apart(self, part: Part, entries: Points) -> list[_Patch]:
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
        joined = cv2.dilate(crossing, np.ones((9, 9), np.uint8))
        count, _, stats, middles = cv2.connectedComponentsWithStats(joined, connectivity=8)
        wide = [number for number in range(1, count) if stats[number, cv2.CC_STAT_AREA] >= _LEAST_CROSSING]
        return np.asarray(middles[wide], np.float64).reshape(-1, 2)

    def _small(self, image_bgr: Image) -> NDArray[np.float32]:
        # Rows are left out first: averaging every pixel costs time and gains nothing.
        step = max(1, round(0.5 / self._scale))
        small = cv2.resize(image_bgr[::step], self._size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.float32)


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
