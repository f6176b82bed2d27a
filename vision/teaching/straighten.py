"""Cards put straight at the scale of taught art, and brought onto each other."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image, Singles

_MOST_FINER = 4
_GIVE_UP = 0.05  # of a side: no outline that was found is off by so much
_STEPS, _STEP = 25, 1e-3


def straight(image_bgr: Image, quad_px: NDArray[np.floating], size_px: tuple[int, int]) -> Singles:
    """Return the pixels within a quadrilateral (4, 2), clockwise from its top left, as (h, w, 3) levels from 0 to 1."""
    width, height = size_px
    quad = np.asarray(quad_px, np.float64)
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    finer = int(np.clip(np.ceil(max(sides[0::2].max() / width, sides[1::2].max() / height)), 1, _MOST_FINER))
    w, h = width * finer, height * finer
    sheet = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(sheet, quad.astype(np.float32))
    large = cv2.warpPerspective(
        image_bgr, warp, (w, h), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    if finer > 1:
        large = cv2.resize(large, size_px, interpolation=cv2.INTER_AREA)
    return np.asarray(large, np.float32) / np.float32(255)


def points_on(quad_px: NDArray[np.floating], size_px: tuple[int, int]) -> Floats:
    """(h, w, 2) where in the picture every pixel of a straight card is."""
    width, height = size_px
    sheet = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(sheet, np.asarray(quad_px, np.float32))
    x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    points = np.stack([x.ravel(), y.ravel()], axis=1)[None]
    return np.asarray(cv2.perspectiveTransform(points, warp)[0].reshape(height, width, 2))


def turns_of(card_mm: tuple[float, float]) -> tuple[int, ...]:
    """By how many quarters a card of this shape may be turned and still look as long and as wide."""
    return (0, 1, 2, 3) if abs(card_mm[0] / card_mm[1] - 1) < 0.03 else (0, 2)


def turned(card: Singles, turn: int) -> Singles:
    """A card (h, w, 3) turned by quarters, counter-clockwise; a square one keeps its size to the pixel."""
    result = np.ascontiguousarray(np.rot90(card, turn))
    if result.shape != card.shape:
        return np.asarray(cv2.resize(result, (card.shape[1], card.shape[0])), np.float32)
    return np.asarray(result, np.float32)


def brought_onto(template: Singles, card: Singles) -> Singles:
    """The card as it looks when it is on the template, both (h, w, 3): outlines are off by a pixel or two.

    Enhanced correlation (Evangelidis and Psarakis 2008), affine; the card itself where that finds nothing.
    """
    height, width = template.shape[:2]
    warp = np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _STEPS, _STEP)
    try:
        _, found = cv2.findTransformECC(_grey(template), _grey(card), warp, cv2.MOTION_AFFINE, criteria)
    except cv2.error:
        return card
    found = np.asarray(found, np.float32)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = corners @ found[:, :2].T + found[:, 2]
    if not np.isfinite(found).all() or np.abs(moved - corners).max() > _GIVE_UP * max(width, height):
        return card
    lying = cv2.warpAffine(
        card, found, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(lying, np.float32)


def _grey(card: Singles) -> Singles:
    return np.asarray(cv2.cvtColor(np.clip(card, 0, 1), cv2.COLOR_BGR2GRAY), np.float32)
