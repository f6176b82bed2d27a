"""Look of a table itself, small and grey: without a visible marker it shows that the camera stands as it stood.

A table may be of one colour and look the same from anywhere, and a camera may be moved far: then nothing is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image, Points, Singles

WIDTH_PX = 640
_FINEST_PX, _COARSEST_PX = 1.0, 10.0  # standard deviations of what is looked at, and of the light that falls on it
_NOISE = 2.0  # grey levels
_HALF_PX = 8  # of a patch
_CELL_PX = 24  # one patch is chosen in each
_LEAST_CORNER = 0.002
_SHIFT_PX = 6  # patches are looked for so far from their places
_ALIKE = 0.6  # correlation
_ENOUGH, _AGREEING = 12, 0.6  # patches that are found where one move of the camera takes them: how many, which share
_AGREE_PX = 1.0
_LEAST_SPREAD = 0.2  # of the table's outline


@dataclass(frozen=True, eq=False)
class TableTexture:
    """A table from above: `grey` (h, w), WIDTH_PX wide; `outline` (n, 2), in its px: what of it is table."""

    grey: Image
    outline: Points

    def shift_px(self, image: Image) -> Points | None:
        """Return how far (n, 2) the outline is off its place in a picture of the same camera, in px of `grey`.

        None if nothing shows it.
        """
        now = small_grey(image)
        if now.shape != self.grey.shape:
            return None
        places, moves = _moves(self._evened, _evened(now), self._patches)
        if len(places) < _ENOUGH:
            return None
        found = cv2.estimateAffinePartial2D(
            places, places + moves, method=cv2.RANSAC, ransacReprojThreshold=_AGREE_PX, maxIters=500
        )
        if not np.any(found[1]):
            return None
        fit = found[0]
        agreeing = places[found[1].ravel() > 0]
        spread = np.ptp(agreeing, axis=0) / np.ptp(self.outline, axis=0)
        if len(agreeing) < max(_ENOUGH, _AGREEING * len(places)) or spread.min() < _LEAST_SPREAD:
            return None
        return np.asarray(self.outline @ fit[:, :2].T + fit[:, 2] - self.outline, np.float64)

    @cached_property
    def _evened(self) -> Singles:
        return _evened(self.grey)

    @cached_property
    def _patches(self) -> NDArray[np.intp]:
        """Middles (n, 2) of places by which a shift shows, x and y."""
        strength = cv2.cornerMinEigenVal(self._evened, 2 * _HALF_PX + 1, ksize=3)
        inside = np.zeros(self.grey.shape, np.uint8)
        cv2.fillPoly(inside, [np.rint(self.outline).astype(np.int32)], 1)
        rim = _HALF_PX + _SHIFT_PX + 1
        inside[:rim], inside[-rim:], inside[:, :rim], inside[:, -rim:] = 0, 0, 0, 0
        # Outside nothing was kept: that edge is none of the table's.
        inside = np.asarray(cv2.erode(inside, np.ones((2 * rim + 1, 2 * rim + 1), np.uint8)))
        strength[inside == 0] = 0
        found = []
        for top in range(0, strength.shape[0], _CELL_PX):
            for left in range(0, strength.shape[1], _CELL_PX):
                cell = strength[top : top + _CELL_PX, left : left + _CELL_PX]
                y, x = np.unravel_index(int(cell.argmax()), cell.shape)
                if cell[y, x] > _LEAST_CORNER:
                    found.append((left + x, top + y))
        return np.array(found, np.intp).reshape(-1, 2)


def texture_within(grey: Image, outline: Points) -> TableTexture:
    """Return the texture in a small grey picture (see `small_grey`); what is outside of the outline is not kept."""
    inside = np.zeros(grey.shape, np.uint8)
    cv2.fillPoly(inside, [np.rint(outline).astype(np.int32)], 255)
    return TableTexture(np.asarray(cv2.bitwise_and(grey, inside)), outline)


def small_grey(image: Image) -> Image:
    """Return a picture (h, w, 3) BGR or (h, w) as small as textures are."""
    size = WIDTH_PX, max(1, round(image.shape[0] * WIDTH_PX / image.shape[1]))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(small if small.ndim == 2 else cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _evened(grey: Image) -> Singles:
    """Take off the light, and make faint texture as strong as any that stands out of the noise."""
    fine = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), _FINEST_PX)
    detail = fine - cv2.GaussianBlur(fine, (0, 0), _COARSEST_PX)
    strength = np.sqrt(cv2.GaussianBlur(detail * detail, (0, 0), _COARSEST_PX))
    return np.asarray(detail / (strength + _NOISE), np.float32)


def _moves(old: Singles, new: Singles, patches: NDArray[np.intp]) -> tuple[Points, Points]:
    """Places (n, 2) whose patch is found again nearby, and how far off (n, 2)."""
    places, moves = [], []
    for x, y in patches.tolist():
        patch = old[y - _HALF_PX : y + _HALF_PX + 1, x - _HALF_PX : x + _HALF_PX + 1]
        reach = _HALF_PX + _SHIFT_PX
        likeness = cv2.matchTemplate(
            new[y - reach : y + reach + 1, x - reach : x + reach + 1], patch, cv2.TM_CCOEFF_NORMED
        )
        row, column = np.unravel_index(int(likeness.argmax()), likeness.shape)
        if likeness[row, column] < _ALIKE or not (0 < row < 2 * _SHIFT_PX and 0 < column < 2 * _SHIFT_PX):
            continue
        places.append((x, y))
        moves.append(
            (
                column - _SHIFT_PX + _peak(*likeness[row, column - 1 : column + 2].tolist()),
                row - _SHIFT_PX + _peak(*likeness[row - 1 : row + 2, column].tolist()),
            )
        )
    return np.array(places, np.float64).reshape(-1, 2), np.array(moves, np.float64).reshape(-1, 2)


def _peak(before: float, at: float, after: float) -> float:
    """Return where a parabola through three values at -1, 0 and 1 is highest."""
    bend = before - 2 * at + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend
