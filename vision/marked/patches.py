"""Measures the connected patches of a mask: their places, areas and second moments."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.effort import spend

_OF_A_PIXEL = 1 / 12  # the variance of a square of side 1


def patches_of(
    mask: Image, least_px: float
) -> tuple[NDArray[np.int32], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Find the patches of a 0/1 mask (h, w) with at least `least_px`; their pixels touch by their sides.

    Return for every pixel the number of its patch, large or small, 0 for none (h, w). For the n patches that are large
    enough, return the number (n,); left, top, width, height and area (n, 5); the centroid (n, 2); the variances of x
    and y and their covariance (n, 3), of pixels that are squares and not points; all in px.
    """
    spend(mask.size / 80)
    # OpenCV adds up the same pixel by pixel; this adds up runs of a row, which is faster.
    count, found = cv2.connectedComponents(mask, connectivity=4, ltype=cv2.CV_32S)
    labels = np.asarray(found, np.int32)
    framed = cv2.copyMakeBorder(mask, 0, 0, 1, 1, cv2.BORDER_CONSTANT, value=(0,))
    ends = np.flatnonzero(cv2.bitwise_xor(framed[:, 1:], framed[:, :-1]).view(bool))
    row, left = np.divmod(ends[::2], mask.shape[1] + 1)
    length = ends[1::2] - ends[::2]
    number = labels.ravel()[ends[::2] - row].astype(np.intp)
    large = np.flatnonzero((np.bincount(number, weights=length, minlength=count) >= least_px)[number])
    # numpy sorts 16-bit numbers stably in a sixth of the time.
    order = large[np.argsort(number[large].astype(np.min_scalar_type(count)), kind="stable")]
    row, left, length, number = row[order], left[order], length[order], number[order]
    first = np.flatnonzero(np.diff(number, prepend=-1))
    if not len(first):
        return labels, np.zeros(0, np.intp), np.zeros((0, 5), np.intp), np.zeros((0, 2)), np.zeros((0, 3))
    last = np.append(first[1:], len(number)) - 1
    area = np.add.reduceat(length, first)
    begin, end = np.minimum.reduceat(left, first), np.maximum.reduceat(left + length, first)
    boxes = np.stack([begin, row[first], end - begin, row[last] + 1 - row[first], area], axis=1)
    # Integers: they lose nothing where the mean square and the square of the mean are large and nearly equal.
    along = length * left + length * (length - 1) // 2
    squares = length * left * left + (length - 1) * length * (6 * left + 2 * length - 1) // 6
    sums = np.add.reduceat(np.stack([along, length * row, squares, length * row * row, along * row]), first, axis=1)
    x, y, xx, yy, xy = sums / area
    spread = np.stack([xx - x * x + _OF_A_PIXEL, yy - y * y + _OF_A_PIXEL, xy - x * y], axis=1)
    return labels, number[first], boxes, np.stack([x, y], axis=1), spread
