"""Rectifies cards: samples the picture within quadrilaterals as upright sheets."""

from __future__ import annotations

from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image, Singles
from vision.quads import points_within

_LEVELS = 5
_SHIFT, _FAR = 6, 1e5  # bits of a cell's parts; cells beyond which a cover is as good as cut off
_SAMPLED = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP


class Pyramid:
    """A picture (h, w, 3) uint8 BGR, or (h, w) grey, in halves of halves, so that a card is sampled without aliasing.

    Levels are float32 in 0..1, in the picture's own gamma: light multiplies there, too, and noise is nearly even.
    """

    def __init__(self, image_bgr: Image) -> None:
        self.shape = image_bgr.shape
        self._levels: list[Image] = [image_bgr]

    @cached_property
    def grey(self) -> Pyramid:
        """Return the same picture's brightness, (h, w)."""
        return Pyramid(np.asarray(cv2.cvtColor(self._levels[0], cv2.COLOR_BGR2GRAY), np.uint8))

    def straight(self, quads: Floats, rows: int, columns: int) -> Singles:
        """Return the sheets (n, rows, columns, 3) within quads (n, 4, 2), clockwise from each sheet's top left corner.

        NaN outside the picture; (n, rows, columns) of a grey picture.
        """
        sheets = np.empty((len(quads), rows, columns, *self.shape[2:]), np.float32)
        if not len(quads):
            return sheets
        sheet_corners = _sheet_corners(rows, columns)
        for k, quad in enumerate(np.asarray(quads, np.float32)):
            step = np.sqrt(max(1.0, abs(cv2.contourArea(quad))) / (rows * columns))
            level = int(np.clip(np.floor(np.log2(max(step, 1.0)) + 0.5), 0, _LEVELS - 1))
            picture = self._level(level)
            height, width = picture.shape[:2]
            at = (quad + np.float32(0.5)) / np.float32(2**level) - np.float32(0.5)
            way = cv2.getPerspectiveTransform(sheet_corners, at)
            sheets[k] = cv2.warpPerspective(
                picture, way, (columns, rows), flags=_SAMPLED, borderMode=cv2.BORDER_REPLICATE
            )
            if not ((at >= 0) & (at <= (width - 1, height - 1))).all():
                sheets[k][_outside(quad, rows, columns, self.shape)] = np.nan
        sheets /= 255
        return sheets

    def _level(self, level: int) -> Image:
        while len(self._levels) <= level:
            before = self._levels[-1]
            size = (max(1, before.shape[1] // 2), max(1, before.shape[0] // 2))
            self._levels.append(np.asarray(cv2.resize(before, size, interpolation=cv2.INTER_AREA), np.uint8))
        return self._levels[level]


def _sheet_corners(rows: int, columns: int) -> Singles:
    """Return the corners (4, 2) of a sheet whose cells have whole numbers in their middles."""
    return np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - np.float32(0.5)


def _outside(quad: Floats, rows: int, columns: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the cells (rows, columns) of a sheet beyond the picture's edge."""
    at = points_within(np.asarray(quad, np.float64)[None], cells(rows, columns)[None]).reshape(rows, columns, 2)
    return np.asarray((at < -0.5).any(-1) | (at > (shape[1] - 0.5, shape[0] - 0.5)).any(-1))


class Covers:
    """Covers of cards: identified cards and marker cards, as quads (n, 4, 2) px."""

    def __init__(self, quads: Floats) -> None:
        turned = [quad if _is_clockwise(quad) else quad[::-1] for quad in quads]
        self.quads = np.array(turned, np.float64).reshape(-1, 4, 2)

    def over(self, quads: Floats, rows: int, columns: int) -> NDArray[np.bool_]:
        """Return the covered cells (n, rows, columns) of sheets on quads (n, 4, 2)."""
        # One cell more all round: OpenCV leaves out cells of a polygon that it cuts off there.
        over = np.zeros((len(quads), rows + 2, columns + 2), np.uint8)
        low, high = self.quads.min(axis=1), self.quads.max(axis=1)
        for sheet, quad in zip(over, np.asarray(quads, np.float32), strict=True):
            near = ((high > quad.min(axis=0)) & (low < quad.max(axis=0))).all(axis=1)
            if near.any():
                way = cv2.getPerspectiveTransform(quad, _sheet_corners(rows, columns) + np.float32(1))
                at = cv2.perspectiveTransform(self.quads[near].reshape(-1, 1, 2), way).reshape(-1, 4, 2)
                fixed = np.rint(np.fmax(np.fmin(at, _FAR), -_FAR) * 2**_SHIFT).astype(np.int32)
                for cover in fixed:
                    cv2.fillConvexPoly(sheet, cover, 1, shift=_SHIFT)
        return over[:, 1:-1, 1:-1].view(np.bool_)

    def near(self, quad: Floats) -> Covers | None:
        """Return the covers that may be over a card on a quad (4, 2), None without any."""
        low, high = quad.min(axis=0), quad.max(axis=0)
        room = 0.1 * float((high - low).max())
        over = (self.quads.max(axis=1) > low - room).all(1) & (self.quads.min(axis=1) < high + room).all(1)
        return Covers(self.quads[over]) if over.any() else None

    def and_(self, quad: Floats) -> Covers:
        """Return these covers with one more (4, 2)."""
        return Covers(np.concatenate([self.quads, quad[None]]))


def _is_clockwise(quad: Floats) -> bool:
    return float(cv2.contourArea(quad.astype(np.float32), oriented=True)) > 0


@lru_cache(maxsize=32)
def cells(rows: int, columns: int) -> Floats:
    """Return the middles (rows * columns, 2) of a sheet's cells, as shares of its width and height."""
    across, down = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
    shares = np.stack([across.ravel(), down.ravel()], axis=1)
    shares.setflags(write=False)
    return shares
