"""Compares and moves possible places of cards, as corners in px, and fits the table to cards that were read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Box, Floats, Image
from vision.table import Table


@dataclass(frozen=True)
class PlaceParams:
    """Tolerances for one card's places, and for a flat one; lengths are shares of a card's diagonal."""

    near: float = 0.07  # of a card's diagonal: places with middles so near are of one card
    steady: float = 0.02  # of a card's diagonal: the finder is 1 mm off
    size: tuple[float, float] = (
        0.9,
        1.1,
    )  # of a card's size on the table: 55 cards are 16 mm high, and the camera may be near
    flat: float = 0.06  # logarithm of the ratio of its diagonals


PLACE = PlaceParams()
_LEAST_CARDS, _ROUNDS = 2, 20
_FLAT = 1e-9  # of a homography's determinant: points on one line give no plane
_CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2


def same_place(one: Floats, other: Floats) -> bool:
    """Return whether two quads (4, 2) are of one card."""
    near = PLACE.near * float(np.linalg.norm(other[2] - other[0]))
    return bool(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) < near)


def is_steady(one: Floats, other: Floats) -> bool:
    """Return whether two quads (4, 2) in successive pictures are of one card that nobody moves."""
    near = PLACE.steady * float(np.linalg.norm(other[2] - other[0]))
    return bool(np.abs(one.mean(axis=0) - other.mean(axis=0)).max() < near and np.abs(one - other).max() < 2 * near)


def moved(quads: Floats, table: Table, by_mm: float, by_turn: float) -> Floats:
    """Return quads (n, k, 4, 2) px: each of (n, 4, 2) moved a little on the table, and turned (rad), and as it is."""
    shifts = [(x, y) for x in (0.0, -by_mm, by_mm) for y in (0.0, -by_mm, by_mm)] if by_mm else [(0.0, 0.0)]
    corners = table.to_mm(quads)
    middles = corners.mean(axis=1, keepdims=True)
    near_mm = []
    for turn in (0.0, -by_turn, by_turn):
        cos, sin = np.cos(turn), np.sin(turn)
        turned = (corners - middles) @ np.array([[cos, sin], [-sin, cos]]) + middles
        near_mm += [turned + shift for shift in shifts]
    near = np.stack(near_mm, axis=1)
    return table.to_px(near.reshape(-1, 2)).reshape(near.shape)


def cut_table(table: Table, box: Box) -> Table:
    """Return the table in a part of the picture."""
    left, top, right, bottom = box
    shift = np.array([[1.0, 0.0, -left], [0.0, 1.0, -top], [0.0, 0.0, 1.0]])
    size = (right - left, bottom - top)
    return replace(table, camera=shift @ table.camera, homography=shift @ table.homography, size_px=size)


def is_flat(table: Table, corners_px: Floats, card_mm: tuple[float, float]) -> bool:
    """Return whether corners (4, 2) are a card's of this size that is on the table, or on a pile there."""
    corners = table.to_mm(corners_px)
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    sizes = np.array([sides[0] + sides[2], sides[1] + sides[3]]) / 2 / card_mm
    diagonals = np.linalg.norm(corners[:2] - corners[2:], axis=1)
    skew = abs(float(np.log(diagonals[0] / max(1e-6, float(diagonals[1])))))
    uneven = abs(float(np.log(sizes[0] / sizes[1])))
    size = float(np.sqrt(sizes.prod()))
    return PLACE.size[0] < size < PLACE.size[1] and skew < PLACE.flat and uneven < 2 * PLACE.flat


def box_round(points: Floats, image_bgr: Image) -> Box:
    """Return the part of a picture round points (n, 2), px, with room for corners to move."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.15 * float((high - low).max())
    height, width = image_bgr.shape[:2]
    left, top = (max(0, int(value - room)) for value in low)
    right, bottom = (min(most, int(value + room) + 2) for value, most in zip(high, (width, height), strict=True))
    return left, top, max(left, right), max(top, bottom)


def wider(box: Box, by_px: int, size_px: tuple[int, int]) -> Box:
    """Return a part of a picture of a size, wider by `by_px` on each side, within the picture."""
    left, top, right, bottom = box
    return max(0, left - by_px), max(0, top - by_px), min(size_px[0], right + by_px), min(size_px[1], bottom + by_px)


def table_of(quads: Floats, card_mm: tuple[float, float], size_px: tuple[int, int]) -> Table | None:
    """Return the plane on which all cards (n, 4, 2) px, clockwise from top left, have one size; None for a single card.

    Its origin is arbitrary. Cards and plane are fitted in turns, from the plane of the largest card.
    """
    if len(quads) < _LEAST_CARDS:
        return None
    card = _CORNERS * card_mm
    largest = max(quads, key=lambda quad: cv2.contourArea(quad.astype(np.float32)))
    flat = cv2.getPerspectiveTransform(card.astype(np.float32), largest.astype(np.float32))
    homography = np.asarray(flat, np.float64)
    points = quads.reshape(-1, 1, 2)
    for _ in range(_ROUNDS):
        seen = cv2.perspectiveTransform(points, np.linalg.inv(homography)).reshape(-1, 4, 2)
        middles = seen.mean(axis=1, keepdims=True)
        # The turn of each card by its corners: a Procrustes fit in the plane of complex numbers.
        turns = ((seen - middles) @ (1, 1j) * (card @ (1, -1j))).sum(axis=1)
        turned = (card @ (1, 1j)) * (turns / np.maximum(np.abs(turns), 1e-9))[:, None]
        laid = np.stack([turned.real, turned.imag], axis=-1) + middles
        homography = np.asarray(cv2.findHomography(laid.reshape(-1, 2), points.reshape(-1, 2))[0], np.float64)
        if homography.shape != (3, 3) or abs(np.linalg.det(homography)) < _FLAT:
            return None
    return Table(np.eye(3), np.zeros(5), homography, size_px, 0.0)
