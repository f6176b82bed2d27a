"""Guesses frames of which a part is hidden: one corner in sight, with a piece of both sides, gives the whole frame."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pile_frames import LEVELS, Frames, printed, refined, without_twins

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_LEAST_SIDE_MM = 13.0
_ROUND_MM = 5.0  # between two sides, where the corner is round
_BEND_MM = 1.2
_SQUARE = 0.35  # most cosine between the sides on the table
_MOST = 150
_OUTSIDE_MM, _INSIDE_MM = 1.6, 2.2  # along both sides at once, so 2.3 and 3.1 mm from the corner
_WHITER, _WHITE = 1.12, 190


def frames_from_corners(
    image_bgr: Image, frame_mm: tuple[float, float], px_per_mm: float, mm_to_px: Callable[[Floats], Floats]
) -> Frames:
    """Guess frames of `frame_mm` in a picture (h, w, 3).

    `mm_to_px` gives, for points (n, 2) in px, the (n, 2, 2) matrices that turn steps in mm on the table into px there.
    """
    ink = printed(image_bgr, px_per_mm)
    corners: list[Floats] = []
    for level in LEVELS:
        dark = (ink < round(255 * level)).astype(np.uint8)
        outlines, _ = cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            if len(outline) > 2 * _LEAST_SIDE_MM * px_per_mm:
                corners += _corners(outline, px_per_mm)
    if not corners:
        return Frames(np.zeros((0, 4, 2)), np.zeros(0))
    # Each corner with its place and the ends of both sides: the ones with the longest sides first.
    found = np.array(corners)
    found = found[_white_outside(ink, found, px_per_mm)]
    length = np.linalg.norm(found[:, 1:] - found[:, :1], axis=2).sum(axis=1)
    found = found[np.argsort(-length, kind="stable")[:_MOST]]
    steps = mm_to_px(found[:, 0])
    sides = np.einsum("nij,nkj->nki", np.linalg.inv(steps), found[:, 1:] - found[:, :1])
    sides /= np.linalg.norm(sides, axis=2, keepdims=True)
    square = np.abs((sides[:, 0] * sides[:, 1]).sum(axis=1)) < _SQUARE
    found, steps, sides = found[square], steps[square], sides[square]
    quads = [_frame(found[:, 0], steps, sides, size) for size in (frame_mm, frame_mm[::-1])]
    both = np.concatenate([_clockwise(quad, short) for quad, short in zip(quads, (True, False), strict=True)])
    return refined(image_bgr, without_twins(both)) if len(both) else Frames(both, np.zeros(0))


def _corners(outline: cv2.typing.MatLike, px_per_mm: float) -> list[Floats]:
    """(3, 2) for each place where two straight sides nearly meet: where, and the sides' far ends."""
    bends = cv2.approxPolyDP(outline, _BEND_MM * px_per_mm, True)[:, 0].astype(np.float64)
    start, end = bends, np.roll(bends, -1, axis=0)
    long = np.flatnonzero(np.linalg.norm(end - start, axis=1) > _LEAST_SIDE_MM * px_per_mm)
    found = []
    for one, other in zip(long, np.roll(long, -1), strict=True):
        if one != other and np.linalg.norm(end[one] - start[other]) < _ROUND_MM * px_per_mm:
            a, b = end[one] - start[one], end[other] - start[other]
            cross = a[0] * b[1] - a[1] * b[0]
            if abs(cross) > 0.5 * np.linalg.norm(a) * np.linalg.norm(b):
                gap = start[other] - start[one]
                where = start[one] + a * (gap[0] * b[1] - gap[1] * b[0]) / cross
                found.append(np.array([where, start[one], end[other]]))
    return found


def _white_outside(ink: Image, corners: Floats, px_per_mm: float) -> NDArray[np.bool_]:
    """Which corners (n, 3, 2) have white outside and print inside, as a frame's have."""
    sides = corners[:, 1:] - corners[:, :1]
    sides /= np.linalg.norm(sides, axis=2, keepdims=True)
    inwards = sides.sum(axis=1)

    def ink_at(mm: float) -> NDArray[np.intp]:
        x, y = np.rint(corners[:, 0] + inwards * mm * px_per_mm).astype(int).T
        return np.asarray(ink[np.clip(y, 0, ink.shape[0] - 1), np.clip(x, 0, ink.shape[1] - 1)], np.intp)

    return np.asarray((ink_at(-_OUTSIDE_MM) > _WHITER * ink_at(_INSIDE_MM)) & (ink_at(-_OUTSIDE_MM) > _WHITE))


def _frame(corner: Floats, steps: Floats, sides: Floats, size: tuple[float, float]) -> Floats:
    """Frames (n, 4, 2) from their corners along two sides, the first of `size[0]`, made square on the table."""
    one, other = sides[:, 0], sides[:, 1]
    hand = np.sign(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])[:, None]
    turned = np.stack([other[:, 1], -other[:, 0]], axis=1) * hand
    along = one + turned
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) * hand
    first, second = along * size[0], across * size[1]
    offsets = np.stack([np.zeros_like(first), first, first + second, second], axis=1)
    return np.asarray(corner[:, None] + np.einsum("nij,nkj->nki", steps, offsets))


def _clockwise(quads: Floats, short_first: bool) -> Floats:
    """The same quads clockwise as seen, beginning with a short side."""
    edge, last = quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    mirrored = edge[:, 0] * last[:, 1] - edge[:, 1] * last[:, 0] < 0
    # Turned round from its second corner, a quad keeps its first side.
    turned = np.where(mirrored[:, None, None], quads[:, [1, 0, 3, 2]], quads)
    return turned if short_first else np.roll(turned, -1, axis=1)
