"""Finds cards that are none of the deck's: outlines of a whole card's size, whatever is printed within them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictured.pile_frames import LEVELS, fits_table, printed, rectangles, without_twins
from vision.table import Table

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_WORK_PX_PER_MM = 1.0
_SLACK = (0.9, 1.12)  # of a card's size, as for printed frames


def card_outlines(
    image_bgr: Image, table: Table, card_mm: tuple[float, float], box_px: tuple[int, int, int, int]
) -> Floats:
    """Give outlines (n, 4, 2), px, of flat things of a card's size that lie whole in a part of a picture (h, w, 3).

    box_px: left, top, right, bottom. A white card is lighter than what lies round it, a dark one darker; a card of the
    table's own brightness shows in neither way.
    """
    left, top, right, bottom = box_px
    crop = image_bgr[top:bottom, left:right]
    if min(crop.shape[:2]) < 16:
        return np.zeros((0, 4, 2))
    middle = np.array([[(left + right) / 2, (top + bottom) / 2]])
    px_per_mm = float(table.px_per_mm(middle)[0])
    scale = min(1.0, _WORK_PX_PER_MM / px_per_mm)
    work = crop if scale == 1 else np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    scales = table.px_per_mm(corners) * scale
    ink = printed(np.asarray(work, np.uint8), px_per_mm * scale)
    darker = [(ink < round(255 * level)).astype(np.uint8) for level in LEVELS]
    masks = [*darker, *(np.asarray(1 - mask, np.uint8) for mask in darker)]
    quads = rectangles(masks, card_mm, (float(scales.min()) * _SLACK[0], float(scales.max()) * _SLACK[1]))
    if not quads:
        return np.zeros((0, 4, 2))
    outlines = (without_twins(np.array(quads)) + 0.5) / scale - 0.5 + (left, top)
    return np.asarray(outlines[fits_table(table, outlines, card_mm)], np.float64)
