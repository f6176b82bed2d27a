"""Compares small copies of the places of piles, without noise, and distinguishes bare table from a cover."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image, Singles
from vision.channels import largest, shrunk, smallest
from vision.piles.observations import PilePlace

Cells = NDArray[np.bool_]

SMALL = (20, 20)
_CHANGED_CELL = 0.12  # of the brightness, in a cell of the small picture
LEAST_CELLS = 3
_SHADED = 0.33  # of an uncovered place: cards cover more of it
MIDDLE = 0.55  # of a place's half: the extent of a pile there
_CORE = 0.275  # the same: covered by a card there, wherever it is
_BESIDE, _BESIDE_SHADED = 0.1, 0.2  # of an uncovered place: may have another colour or brightness while it rests
ROUND_IT = 0.8  # of a place's half: the table round a pile
_OTHERWISE = 0.15  # of the brightness: no light changes so from one moment to the next, unless a lamp goes on or off

_WORK_PX_PER_MM = 1.25
_BUSY_MM, _BUSY = 60.0, 0.05  # round the place's middle; the least share of edges at which it is not uncovered table
_EDGE = 0.75  # of the brightest within reach: darker pixels are an edge or a thing
_REACH_MM = 15.0
_DARKEST_WHITE = 26

_ROWS, _COLUMNS = np.indices(SMALL)
FROM_MIDDLE = np.hypot(_ROWS - (SMALL[0] - 1) / 2, _COLUMNS - (SMALL[1] - 1) / 2) / (SMALL[0] / 2)
"""Each cell's distance from the middle of a small picture, in halves of a place."""


def small_of(crop: Image) -> Singles:
    """Return a tiny copy of a place, (h, w, 3), without visible noise."""
    if not crop.size:
        return np.zeros((*SMALL, 3), np.float32)
    return np.asarray(shrunk(crop, SMALL), np.float32)


def changed_cells(before: Singles | None, now: Singles) -> Cells:
    """Return which cells changed by more than the light as a whole did."""
    if before is None:
        return np.ones(now.shape[:2], np.bool_)
    gain = gain_between(before, now)
    if not 0.8 < gain < 1.25:
        return np.ones(now.shape[:2], np.bool_)
    return np.asarray(change_of(before, now, gain) > _CHANGED_CELL)


def cells_at(outlines: Sequence[Floats], shape: tuple[int, ...]) -> Cells:
    """Return the cells (rows, columns) of a shape within outlines (4, 2), or touching them: shadows are beside cards.

    Outlines are in shares of a picture's width and height.
    """
    cells = np.zeros(shape, np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(cells, np.floor(outline * shape[::-1]).astype(np.int32), 1)
    return np.asarray(cv2.dilate(cells, np.ones((3, 3), np.uint8)) > 0)


def gain_between(before: Singles, now: Singles) -> float:
    """Return by how much the light as a whole was brighter."""
    return float(before.mean() + 1) / float(now.mean() + 1)


def change_of(before: Singles, now: Singles, gain: float = 1.0) -> Singles:
    """Return (h, w) each cell's relative change of brightness, after `gain` removes the change of light."""
    return np.asarray(largest(np.abs(now * np.float32(gain) - before)) / np.maximum(largest(before), 60), np.float32)


def veiled(before: Singles, now: Singles) -> Cells:
    """Return which cells (h, w) changed in brightness or colour, each by itself."""
    return np.asarray(change_of(before, now) > _OTHERWISE)


def is_bare(bare: Singles, now: Singles, *, rests: bool) -> bool:
    """Return whether a place looks uncovered again, with the draw pile beside it.

    rests: nothing has moved there for a while.
    """
    middle = FROM_MIDDLE < MIDDLE
    changed = changed_cells(bare, now) & middle
    # A shrinking draw pile takes its shadow along: the light changes, not the colour, in a part too small for a card.
    tinted = int((changed & _tinted(bare, now)).sum())
    if tinted < LEAST_CELLS and changed.sum() < _SHADED * middle.sum():
        return True
    aside = tinted < _BESIDE * middle.sum() and changed.sum() < _BESIDE_SHADED * middle.sum()
    return rests and bool(aside and not (changed & (FROM_MIDDLE < _CORE)).any())


def _tinted(before: Singles, now: Singles) -> Cells:
    """Return which cells changed in colour, whatever their brightness."""
    ratio = (now + 1) / (before + 1)
    ratio /= ratio.mean(axis=2, keepdims=True)
    return np.asarray(largest(np.abs(ratio - 1)) > _CHANGED_CELL)


def is_busy(crop: Image, place: PilePlace) -> bool:
    """Return whether a place (h, w, 3) without a card shows strong edges: an uncovered table has none."""
    scale = min(1.0, _WORK_PX_PER_MM / place.px_per_mm)
    work = np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    x, y = ((value - start) * scale for value, start in zip(place.centre_px, place.part[:2], strict=True))
    mask = np.zeros(work.shape[:2], np.uint8)
    cv2.circle(mask, (round(x), round(y)), round(_BUSY_MM * place.px_per_mm * scale), 1, -1)
    if not mask.any():
        return True
    soft = cv2.GaussianBlur(work, (0, 0), 0.7)
    side = 2 * round(_REACH_MM * place.px_per_mm * scale / 2) + 1
    white = cv2.dilate(soft, np.ones((side, side), np.uint8))
    white = cv2.blur(np.maximum(white, _DARKEST_WHITE), (side, side))
    ink = smallest(np.asarray(cv2.divide(soft, white, scale=255.0), np.uint8))
    return bool((ink[mask > 0] < round(255 * _EDGE)).mean() >= _BUSY)
