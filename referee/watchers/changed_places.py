"""Where a picture of a table has changed since another one, and what has the shape of a card there."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.channels import largest

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Mask = NDArray[np.bool_]
Box = tuple[int, int, int, int]

_WIDTH_PX = 480
_CHANGED = 14.0  # levels in any channel, light's change divided out
_LIKE = (0.8, 1.25)  # of a card's sides


def changed_since(before: Singles | None, now: Singles) -> Mask:
    """Where a small picture (h, w, 3) differs from an earlier one; everywhere if there is none."""
    if before is None or before.shape != now.shape:
        return np.ones(now.shape[:2], bool)
    changed = (levels_changed(before, now) > _CHANGED).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0)


def levels_changed(before: Singles, now: Singles) -> Singles:
    """(h, w) by how many levels in any channel it differs from an earlier one, the light's change divided out."""
    gain = np.median((now + 8) / (before + 8), axis=(0, 1))
    return np.asarray(largest(np.abs(now - before * gain)), np.float32)


def small_picture(image: Image) -> Singles:
    """A small picture (h, w, 3) of a picture (h, w, 3) BGR."""
    height = max(1, round(image.shape[0] * _WIDTH_PX / image.shape[1]))
    shrunk = cv2.resize(image, (_WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(shrunk.astype(np.float32), (0, 0), 0.8), np.float32)


def like_a_card(points_mm: Floats, card_mm: tuple[float, float]) -> Floats | None:
    """Give how a card lies that is as large as what points (n, 2) go round, either way round; None if it is not."""
    (x, y), (one, other), turn = cv2.minAreaRect(points_mm.astype(np.float32))
    short, long = sorted((one, other))
    if not (_LIKE[0] < short / card_mm[0] < _LIKE[1] and _LIKE[0] < long / card_mm[1] < _LIKE[1]):
        return None
    angle = np.radians(turn if one <= other else turn + 90)
    across, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    corners = np.array([x, y]) + half[:, :1] * card_mm[0] * across + half[:, 1:] * card_mm[1] * down
    return np.asarray(corners[None], np.float64)


def ring_of(mask: NDArray[np.uint8]) -> Mask:
    """What lies round a part of a small picture (h, w), 1 where it is."""
    return np.asarray((cv2.dilate(mask, np.ones((15, 15), np.uint8)) > 0) & (mask == 0))


def unlike(
    small: Singles,
    bare: Singles,
    quad: Floats,
    levels: float,
    beside: Sequence[Floats] = (),
) -> float:
    """The share of a place (4, 2) in a small picture (h, w, 3) that looks unlike the `bare` table round about.

    By more than so many levels; what lies under the cards `beside` does not count.
    """
    mask = np.zeros(small.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(quad).astype(np.int32), 1)
    around = ring_of(mask)
    for card in beside:
        cv2.fillConvexPoly(mask, np.rint(card).astype(np.int32), 0)
    inside = mask > 0
    # Where a card lay all the time the table was never seen: what is round about stands for it.
    off = np.abs(small[inside] - np.median(bare[around], axis=0)).max(axis=1)
    return float((off > levels).mean()) if len(off) else 0.0


def box_of(points_px: Floats, image: Image) -> Box:
    """The part of a picture, left, top, right and bottom, that holds points (n, 2)."""
    low = np.clip(np.floor(points_px.min(axis=0)), 0, None).astype(int)
    high = np.minimum(np.ceil(points_px.max(axis=0)).astype(int) + 1, (image.shape[1], image.shape[0]))
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def share(mask: Mask, quad: Floats) -> float:
    """How much of a quad is marked."""
    inside = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.rint(quad).astype(np.int32), 1)
    return float(mask[inside > 0].mean()) if inside.any() else 0.0
