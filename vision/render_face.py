"""A deck's face as it is printed: the outlines of its marks in mm, and a picture of it."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, Face, Mark

# fillPoly paints every pixel that an outline touches; drawn this finely before it is scaled down, that is 0.03 mm.
_FINE_PX_PER_MM = 20.0
_CIRCLE_POINTS = 96


def mark_outline_mm(deck: Deck, mark: Mark) -> NDArray[np.float64]:
    """Give the mark's outline on its card, (n, 2), in mm from the card's top-left corner, x right, y down.

    A circle is given as a polygon of 96 points.
    """
    if mark.shape in deck.outlines:
        outline = deck.outlines[mark.shape]
    else:
        angles = np.linspace(0, 2 * math.pi, _CIRCLE_POINTS, endpoint=False)
        outline = np.column_stack([np.cos(angles), np.sin(angles)])
    turn = math.radians(mark.rotation_deg)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    placed: NDArray[np.float64] = outline @ rotation.T * (mark.diameter_mm / 2) + (mark.x_mm, mark.y_mm)
    return placed


def bgr(colour: str) -> tuple[int, int, int]:
    """Give the colour `#rrggbb` as (blue, green, red)."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return blue, green, red


def face_image(deck: Deck, face: Face, px_per_mm: float) -> NDArray[np.uint8]:
    """Draw the face as printed, (h, w, 3) uint8 BGR, anti-aliased, with square corners.

    The card's edges are the picture's edges: the mm (x, y) lies at the pixel (x * px_per_mm - 0.5, y * px_per_mm - 0.5)
    when the centre of the top-left pixel is (0, 0).
    """
    width, height = (max(1, round(side * px_per_mm)) for side in deck.card_mm)
    finer = max(2, math.ceil(_FINE_PX_PER_MM / px_per_mm))
    fine = np.empty((height * finer, width * finer, 3), dtype=np.uint8)
    fine[:] = bgr(deck.background[face.side])
    scale = np.array([fine.shape[1], fine.shape[0]]) / deck.card_mm
    for mark in face.marks:
        # The pixel's centre is its place, and fillPoly takes sixteenths of a pixel.
        points = np.rint((mark_outline_mm(deck, mark) * scale - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(fine, [points], bgr(deck.palette[face.side][mark.colour]), shift=4)
    picture = cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(picture, dtype=np.uint8)
