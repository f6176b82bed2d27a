"""Areas with four sides that lie by themselves: a card with rounded corners and much print, on a plain table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.closed_lines import four_sides
from vision.unknown.view import View

Floats = NDArray[np.float32]

_LEVELS, _RANGE = 14, (1, 99)  # percentiles of the darkest channel
_GRAIN = 5  # pixels: what is thinner is no card
_LEAST_SIDE_PX, _MOST = 40, 0.3  # tiles and cells of weave are smaller; of the picture's area
_SAME_PX = 4.0
_OFTEN = 2  # levels at which an area has about the same outline
_MOST_OUTLINES = 300


def lone_areas(view: View) -> Floats:
    """The corners (n, 4, 2), clockwise, of areas with four sides that are darker or lighter than what lies round them.

    The darkest of red, green and blue tells any print from white, and white from any table.
    """
    values = cv2.medianBlur(np.ascontiguousarray(view.small_bgr.min(axis=2)), _GRAIN)
    low, high = np.percentile(values, _RANGE)
    found = []
    for level in np.unique(np.linspace(low, high, _LEVELS + 2)[1:-1].astype(np.uint8)):
        for kind in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
            mask = cv2.threshold(values, float(level), 255, kind)[1]
            found += _four_sided(np.asarray(mask, np.uint8))
    if not found:
        return np.zeros((0, 4, 2), np.float32)
    quads = np.stack(found)
    start = np.argmin(quads.sum(axis=2), axis=1)
    quads = quads[np.arange(len(quads))[:, None], (start[:, None] + np.arange(4)) % 4]
    near = np.abs(quads[:, None] - quads[None]).max(axis=(2, 3)) < _SAME_PX
    times = near.sum(axis=1)
    order = np.argsort(-times, kind="stable")
    order = order[times[order] >= _OFTEN]
    kept: list[int] = []
    for k in order.tolist():
        if len(kept) < _MOST_OUTLINES and not near[k, kept].any():
            kept.append(k)
    return np.asarray(quads[kept], np.float32)


def _four_sided(mask: NDArray[np.uint8]) -> list[Floats]:
    """The outlines (4, 2) of the areas of a mask (h, w) that have four sides and do not touch the picture's border."""
    height, width = mask.shape
    found = []
    for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        x, y, w, h = cv2.boundingRect(contour)
        inside = x > 0 and y > 0 and x + w < width and y + h < height
        if inside and min(w, h) >= _LEAST_SIDE_PX and w * h < _MOST * mask.size:
            quad = four_sides(np.asarray(contour))
            if quad is not None:
                found.append(quad)
    return found
