"""A deck's face as printed: the outlines of its marks in mm, and a picture of it."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import ART_PX_PER_MM, Deck, Face, PrintedMark

# fillPoly paints every pixel that an outline touches: at this resolution, before scaling down, that is 0.03 mm.
_FINE_PX_PER_MM = 20.0
_CIRCLE_POINTS = 96
_LEAST_CORNERS = 3


def mark_outline_mm(deck: Deck, mark: PrintedMark) -> NDArray[np.float64]:
    """Return the mark's outline on its card, (n, 2), in mm from the card's top-left corner, x right, y down.

    A circle is a polygon of 96 points; a mark that the card's edge cuts ends there.
    """
    if mark.shape in deck.outlines:
        outline = deck.outlines[mark.shape]
    else:
        angles = np.linspace(0, 2 * math.pi, _CIRCLE_POINTS, endpoint=False)
        outline = np.column_stack([np.cos(angles), np.sin(angles)])
    turn = math.radians(mark.rotation_deg)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    placed: NDArray[np.float64] = outline @ rotation.T * (mark.diameter_mm / 2) + (mark.x_mm, mark.y_mm)
    return _on_card(placed, deck.card_mm)


def _on_card(outline: NDArray[np.float64], card_mm: tuple[float, float]) -> NDArray[np.float64]:
    """Return an outline (n, 2) clipped to the card (Sutherland and Hodgman 1974)."""
    for axis, sign, edge in ((0, 1, 0.0), (0, -1, card_mm[0]), (1, 1, 0.0), (1, -1, card_mm[1])):
        within = sign * (outline[:, axis] - edge)
        if (within >= 0).all():
            continue
        kept = []
        for k, point in enumerate(outline):
            before, own = within[k - 1], within[k]
            if (own >= 0) != (before >= 0):
                kept.append(outline[k - 1] + (point - outline[k - 1]) * before / (before - own))
            if own >= 0:
                kept.append(point)
        if len(kept) < _LEAST_CORNERS:
            return outline
        outline = np.array(kept)
    return outline


def bgr(colour: str) -> tuple[int, int, int]:
    """Return the colour `#rrggbb` as (blue, green, red)."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return blue, green, red


def face_image(deck: Deck, face: Face, px_per_mm: float) -> NDArray[np.uint8]:
    """Return the face as printed, (h, w, 3) uint8 BGR, with square corners: its art resized, or its marks drawn.

    The picture's edges are the card's: the point (x, y) in mm is at the pixel (x * px_per_mm - 0.5, y * px_per_mm -
    0.5), with the centre of the top-left pixel at (0, 0).
    """
    width, height = (max(1, round(side * px_per_mm)) for side in deck.card_mm)
    if not face.marks:
        return np.asarray(cv2.resize(face.art, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    picture = np.empty((height, width, 3), dtype=np.uint8)
    picture[:] = bgr(deck.background[face.side])
    scale = np.array([width, height]) / deck.card_mm
    for mark in face.marks:
        _paint(picture, mark_outline_mm(deck, mark) * scale, bgr(deck.palette[face.side][mark.colour]), px_per_mm)
    return picture


def drawn(deck: Deck) -> Deck:
    """Return a deck of marks with the art of its faces."""
    return replace(deck, faces=tuple(replace(face, art=face_image(deck, face, ART_PX_PER_MM)) for face in deck.faces))


def _paint(
    picture: NDArray[np.uint8], outline: NDArray[np.float64], colour: tuple[int, int, int], px_per_mm: float
) -> None:
    """Fill an outline, (n, 2) in pixels from the picture's top-left corner."""
    finer = max(2, math.ceil(_FINE_PX_PER_MM / px_per_mm))
    low = np.clip(np.floor(outline.min(axis=0)).astype(int), 0, None)
    high = np.clip(np.ceil(outline.max(axis=0)).astype(int), low + 1, picture.shape[1::-1])
    columns, rows = (int(count) for count in high - low)
    fine = np.zeros((rows * finer, columns * finer), dtype=np.uint8)
    # A pixel's place is its centre, and fillPoly takes sixteenths of a pixel.
    cv2.fillPoly(fine, [np.rint(((outline - low) * finer - 0.5) * 16).astype(np.int32)], 255, shift=4)
    cover = cv2.resize(fine, (columns, rows), interpolation=cv2.INTER_AREA)[:, :, None] / np.float32(255)
    part = picture[low[1] : high[1], low[0] : high[0]]
    part[:] = np.rint(part * (1 - cover) + np.array(colour, dtype=np.float32) * cover).astype(np.uint8)
