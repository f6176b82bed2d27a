"""Puts the sides of cards on edges of the picture: strong changes of colour within some 3 mm of where a side is."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.channels import largest
from vision.find.scale import CARD_PX, CROP_CELL_PX, CROP_PX, FINE

Floats = NDArray[np.float64]

_ALONG = np.linspace(-0.86, 0.86, 20) * CARD_PX / 2  # px of a crop along a side; rounded corners are left out
_STEP, _APART = 0.5, 2  # px between offsets; steps to either side between which the colour is compared
_OFFSETS = np.arange(-4, 4.1, _STEP)
_NEAR_PX = 1.5  # standard deviation of an edge from where votes put the side: a printed frame is at 2 px and more
_HALF_STRENGTH = 25.0  # levels of change that count half as much as an endless one
_ERROR_PX, _TOGETHER = 0.4, 4.0  # standard error of a point at an edge; neighbouring points err together
_INSIDE_PX = 3.0  # from a side to the cell that says whether the card is in sight there
_HOME = np.array([-1, 1, -1, 1]) * CARD_PX / 2  # of the left, right, top and bottom side from the crop's middle


def edges_beside(
    fine: NDArray[np.uint8], maps: Floats, lines: Floats, on: NDArray[np.float32], way: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Normal matrices (n, 8, 8) and right sides (n, 8) that put sides on edges, their strength (n,) 0..1 and changes.

    Changes (n, 4, 3) are of the colour at each side, from inside to outside, 0 where the card is covered.

    `fine` (h, w, 3) is a BGR picture at FINE, `maps` (n, 2, 3) lead from crops to the view, `lines` (n, 8)
    are offset and slope of the left, right, top and bottom side in px of crops, `on` (n, rows, columns) is the share of
    cells that shows the card, `way` (3,) the direction in which colours change at the edges of cards, if it is known.
    """
    n = len(lines)
    line = lines.reshape(n, 4, 2)
    sides = line[:, :, :1] + line[:, :, 1:] * _ALONG  # (n, 4, points)
    pad = _STEP * np.arange(1, _APART + 1)
    wide = np.concatenate([_OFFSETS[0] - pad[::-1], _OFFSETS, _OFFSETS[-1] + pad])
    colours = _sampled(fine, maps, _points(sides[..., None] + wide))
    change = colours[..., 2 * _APART :, :] - colours[..., : -2 * _APART, :]
    outward = np.sign(_HOME)[:, None, None, None] * change
    change = largest(np.abs(change)) if way is None else np.maximum(outward @ way.astype(np.float32), 0)
    strength = change**2 / (change**2 + _HALF_STRENGTH**2)
    strength[:, :, 1:-1] = (strength[:, :, :-2] + strength[:, :, 1:-1] + strength[:, :, 2:]) / 3
    best = (strength * np.exp(-0.5 * (_OFFSETS / _NEAR_PX) ** 2)).argmax(-1)
    # A strong edge saturates beside itself, too: its place is where the change is largest.
    beside = np.abs(np.arange(len(_OFFSETS)) - best[..., None]) <= _APART
    best = np.where(beside, change, 0).argmax(-1)
    inside = _points((sides - np.sign(_HOME)[:, None] * _INSIDE_PX)[..., None])[..., 0, :]
    cell = np.clip((inside + CROP_PX / 2) // CROP_CELL_PX, 0, on.shape[1] - 1).astype(np.intp)
    in_sight = on[np.arange(n)[:, None, None], cell[..., 1], cell[..., 0]]
    edge = np.take_along_axis(strength, best[..., None], -1)[..., 0]
    weight = edge * in_sight / (_ERROR_PX**2 * _TOGETHER)
    value = weight * (sides + _OFFSETS[0] + _STEP * _peak(change, best))
    normal, right = equations_of_lines(weight, value, _ALONG)
    changes = np.take_along_axis(outward, best[..., None, None], 3)[..., 0, :] * in_sight[..., None]
    strength = (edge * in_sight).sum((1, 2)) / np.maximum(in_sight.sum((1, 2)), 1e-3)
    return normal, right, strength, changes.mean(2)


def equations_of_lines(
    weight: NDArray[np.floating], value: NDArray[np.floating], along: NDArray[np.floating]
) -> tuple[Floats, Floats]:
    """Normal matrices (n, 8, 8) and right sides (n, 8) for offset and slope of four lines.

    `weight` (n, 4, points) is of points at places `along` (points,) of each line, `value` their offsets times weights.
    """
    n, k, one = len(weight), np.arange(4), np.ones_like(along)
    normal = np.zeros((n, 4, 2, 4, 2))
    moments = weight @ np.stack([one, along, along, along**2], 1)
    normal[:, k, :, k] = moments.reshape(n, 4, 2, 2).swapaxes(0, 1)
    return normal.reshape(n, 8, 8), (value @ np.stack([one, along], 1)).reshape(n, 8)


def _points(offsets: Floats) -> Floats:
    """(n, 4, points, offsets, 2) px from the crop's middle, for offsets (n, 4, points, offsets) of sides."""
    across = offsets + _HOME[:, None, None]
    along = np.broadcast_to(_ALONG[:, None], across.shape)
    points = np.stack([across, along], -1)
    points[:, 2:] = points[:, 2:, ..., ::-1]
    return points


def _sampled(fine: NDArray[np.uint8], maps: Floats, points: Floats) -> NDArray[np.float32]:
    """Colours (n, 4, points, offsets, 3) of the picture at points of crops."""
    linear = FINE * maps[..., :2].swapaxes(1, 2)
    places = points.reshape(len(points), -1, 2) @ linear
    places += (CROP_PX / 2 * linear.sum(1) + FINE * maps[..., 2] - 0.5)[:, None]
    # Rounded to float32 before, places would move by the 1/32 px of a remap: 2 of 426 cards of SET lose a corner.
    x, y = np.moveaxis(places, -1, 0).astype(np.float32)
    colours = cv2.remap(fine, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return colours.astype(np.float32).reshape(*points.shape[:-1], 3)


def _peak(values: NDArray[np.floating], best: NDArray[np.intp]) -> Floats:
    """Place of the maximum near `best` along the last axis, between samples by a parabola."""
    i = np.clip(best, 1, values.shape[-1] - 2)[..., None]
    low, mid, high = (np.take_along_axis(values, i + d, -1)[..., 0] for d in (-1, 0, 1))
    bend = low - 2 * mid + high
    between = np.where(bend < -1e-9, 0.5 * (low - high) / np.where(bend < -1e-9, bend, -1), 0)
    return np.asarray(i[..., 0] + np.clip(between, -1, 1))
