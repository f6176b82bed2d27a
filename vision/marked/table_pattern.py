"""What the table itself shows again and again, squares of a cloth or marble between veins, and no covered card is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.channels import largest
from vision.marked.marks import WorkImage
from vision.table import Table

_ABOUT_MM = 80.0  # what lies so far about is what a thing is compared with
_THIN_MM = 3.5  # narrower things are grain
_NEAR_MM = 3.5  # so near to a card it may be one
_AROUND_MM, _SEVERAL = 250.0, 8
_AS_LARGE, _AS_PLAIN = 0.7, 0.6  # as that of which is asked
_ALIKE = 1.4  # times as large
_SUBPIXEL_BITS = 4
_LEVELS = 0.1 * 1.4 ** np.arange(-1, 10)  # of plainness, relative to what lies about


class TablePattern:
    """What is lighter on the bare table than what lies about it, or darker, in one channel at least.

    `known_px` (n, 4, 2): the cards and other things that are known, in picture px. Nothing is computed until it is
    asked for.
    """

    def __init__(self, work: WorkImage, table: Table, known_px: Floats) -> None:
        self._work, self._table = work, table
        self._known_px = known_px
        self._steps: dict[bool, NDArray[np.float32]] = {}
        self._things: dict[tuple[bool, float], tuple[Floats, Floats]] = {}

    def holds(self, places_mm: Floats, area_mm2: float, *, dark: bool) -> bool:
        """Tell whether what lies at some places (k, 2) on the table is one of several alike, as large and as plain.

        `dark`: it is darker than the table about it, not lighter.
        """
        if dark not in self._steps:
            self._steps[dark] = self._step(dark)
        height, width = self._steps[dark].shape
        x, y = np.rint(self._work.to_work(self._table.to_px(places_mm))).astype(int).T
        step = float(self._steps[dark][y.clip(0, height - 1), x.clip(0, width - 1)].mean())
        level = float(_LEVELS[max(int(np.searchsorted(_LEVELS, _AS_PLAIN * step)) - 1, 0)])
        if (dark, level) not in self._things:
            self._things[dark, level] = self._as_plain_as(dark, level)
        places, areas = self._things[dark, level]
        about = np.linalg.norm(places - places_mm.mean(axis=0), axis=1) < _AROUND_MM
        sizes = np.sort(areas[about & (areas > _AS_LARGE * area_mm2)])
        # A card may lie on a part of one, so that they may be larger; but they are as large as each other.
        return bool((sizes[_SEVERAL - 1 :] < _ALIKE * sizes[: max(len(sizes) - _SEVERAL + 1, 0)]).any())

    @cached_property
    def _known(self) -> Image:
        return filled(self._work.bgr.shape, self._work.to_work(self._known_px))

    @cached_property
    def _px_per_mm(self) -> float:
        """Work px, in the picture's middle."""
        height, width = self._work.bgr.shape[:2]
        middle = self._work.to_picture(np.array([[width / 2, height / 2]]))
        return float(self._table.px_per_mm(middle)[0]) * self._work.scale

    def _step(self, dark: bool) -> NDArray[np.float32]:
        """(h, w) by how much each pixel is lighter, or darker, than the bare table about it, relative to that."""
        bare = (self._known == 0).astype(np.float32)
        about = 2 * (2 * round(_ABOUT_MM * self._px_per_mm / 2) + 1,)
        share = np.maximum(cv2.blur(bare, about), 1e-3)
        mean = cv2.blur(self._work.smooth * bare[..., None], about) / share[..., None]
        change = (self._work.smooth - mean) / np.maximum(mean, 1)
        return np.asarray(largest(-change if dark else change), np.float32)

    def _as_plain_as(self, dark: bool, level: float) -> tuple[Floats, Floats]:
        """The middles (n, 2), mm, and areas (n,), mm², of what is near no card and stands out by a level."""
        mask = np.asarray(((self._steps[dark] > level) & (self._known == 0)) * np.uint8(255))
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, self._disc(_THIN_MM / 2)), np.uint8)
        count, labels, boxes, middles = cv2.connectedComponentsWithStats(mask, connectivity=4)
        near = cv2.dilate(self._known, self._disc(_NEAR_MM))
        alone = np.ones(count, bool)
        alone[np.concatenate([[0], labels[0], labels[-1], labels[:, 0], labels[:, -1], labels[near > 0]])] = False
        middles_px = self._work.to_picture(np.asarray(middles[alone], np.float64))
        scales = self._table.px_per_mm(middles_px) * self._work.scale
        return self._table.to_mm(middles_px), boxes[alone, cv2.CC_STAT_AREA] / scales**2

    def _disc(self, radius_mm: float) -> cv2.typing.MatLike:
        size = 2 * round(radius_mm * self._px_per_mm) + 1
        return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))


def filled(shape: tuple[int, ...], quads: Sequence[Floats] | Floats) -> Image:
    """0/255 mask of quads (4, 2), in px."""
    mask = np.zeros(shape[:2], np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(mask, np.rint(quad * 2**_SUBPIXEL_BITS).astype(np.int32), (255,), shift=_SUBPIXEL_BITS)
    return mask
