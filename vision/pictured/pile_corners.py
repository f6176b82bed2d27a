"""Guesses frames of which a part is hidden: one corner gives the whole frame.

A corner is where two straight edges meet, or would meet if nothing lay on it, with white outside both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.effort import spend
from vision.pictured.outlines import without_twins
from vision.pictured.pile_frames import Frames, refined
from vision.piles.bare import printed

_COARSE = 0.6  # of the picture's scale: the edges themselves are looked up afterwards
_LEAST_SIDE_MM = 11.0
_GAP_MM = 14.0  # between a side's end and the corner: a fingertip's width
_BEYOND_MM = 2.5
_CROSSING = 0.5  # least sine between the sides in the picture
_SQUARE = 0.35  # most cosine between them on the table
_MOST = 150
_BESIDE_MM = 2.2
_WHITER, _WHITE = 1.06, 185
_ALONG = np.linspace(0.1, 0.9, 9)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Straight edges: `start`, `end` and `inwards`, the unit vector to their darker side, (n, 2) each."""

    start: Floats
    end: Floats
    inwards: Floats


def frames_from_corners(
    image_bgr: Image, frame_mm: tuple[float, float], px_per_mm: float, mm_to_px: Callable[[Floats], Floats]
) -> Frames:
    """Guess frames of `frame_mm` in a picture (h, w, 3).

    `mm_to_px` gives, for points (n, 2) in px, the (n, 2, 2) matrices that turn steps in mm on the table into px there.
    """
    spend(image_bgr.size / 150)
    corners = _corners(_sides(printed(image_bgr, px_per_mm), px_per_mm), px_per_mm)
    if not len(corners):
        return Frames(np.zeros((0, 4, 2)), np.zeros(0))
    steps = mm_to_px(corners[:, 0])
    sides = np.einsum("nij,nkj->nki", np.linalg.inv(steps), corners[:, 1:] - corners[:, :1])
    sides /= np.linalg.norm(sides, axis=2, keepdims=True)
    square = np.abs((sides[:, 0] * sides[:, 1]).sum(axis=1)) < _SQUARE
    corners, steps, sides = corners[square], steps[square], sides[square]
    quads = [_frame(corners[:, 0], steps, sides, size) for size in (frame_mm, frame_mm[::-1])]
    both = np.concatenate([_clockwise(quad, short) for quad, short in zip(quads, (True, False), strict=True)])
    return refined(image_bgr, without_twins(both)) if len(both) else Frames(both, np.zeros(0))


def squared(
    image_bgr: Image, frame_px: Floats, frame_mm: tuple[float, float], mm_to_px: Callable[[Floats], Floats]
) -> Frames:
    """Guess frames of `frame_mm` by each corner of a crooked one (4, 2), clockwise from where a short side begins.

    Where glare or a finger's tip has carried off one side, the corners that it does not touch are still right.
    """
    arms = np.stack([np.roll(frame_px, -1, axis=0), np.roll(frame_px, 1, axis=0)], axis=1) - frame_px[:, None]
    steps = mm_to_px(frame_px)
    sides = np.einsum("nij,nkj->nki", np.linalg.inv(steps), arms)
    sides /= np.linalg.norm(sides, axis=2, keepdims=True)
    short, long = min(frame_mm), max(frame_mm)
    # From every other corner on, the long side comes first.
    quads = [
        np.roll(_frame(frame_px[k : k + 1], steps[k : k + 1], sides[k : k + 1], size)[0], k, axis=0)
        for k, size in enumerate([(short, long), (long, short)] * 2)
    ]
    return refined(image_bgr, without_twins(np.array(quads)))


def _sides(ink: Image, px_per_mm: float) -> _Sides:
    """Straight edges between white and print, as long as a piece of a frame's side."""
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE, _COARSE).detect(ink)[0]
    ends = np.zeros((0, 2, 2)) if found is None else np.asarray(found, np.float64).reshape(-1, 2, 2)
    ends = ends[np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > _LEAST_SIDE_MM * px_per_mm]
    start, end = ends[:, 0], ends[:, 1]
    along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    places = start[:, None] + (end - start)[:, None] * _ALONG[:, None]

    def ink_at(mm: float) -> Floats:
        x, y = np.moveaxis(np.rint(places + normal[:, None] * mm * px_per_mm).astype(int), -1, 0)
        seen = ink[np.clip(y, 0, ink.shape[0] - 1), np.clip(x, 0, ink.shape[1] - 1)]
        return np.asarray(np.median(seen, axis=1), np.float64)

    one, other = ink_at(_BESIDE_MM), ink_at(-_BESIDE_MM)
    white, dark = np.maximum(one, other), np.minimum(one, other)
    chosen = (white > _WHITE) & (white > _WHITER * dark)
    inwards = np.where((one > other)[:, None], -normal, normal)
    return _Sides(start[chosen], end[chosen], inwards[chosen])


def _corners(sides: _Sides, px_per_mm: float) -> Floats:
    """(n, 3, 2) for each place where two sides meet: where, and both sides' far ends; those of the longest first."""
    along = sides.end - sides.start
    length = np.linalg.norm(along, axis=1)
    along /= length[:, None]
    cross = along[:, None, 0] * along[None, :, 1] - along[:, None, 1] * along[None, :, 0]
    one, other = np.nonzero(np.triu(np.abs(cross) > _CROSSING, 1))
    gap, sine = sides.start[other] - sides.start[one], cross[one, other]
    # How far from each side's start the two meet.
    way = np.stack([gap[:, 0] * along[k, 1] - gap[:, 1] * along[k, 0] for k in (other, one)], axis=1) / sine[:, None]
    pairs = np.stack([one, other], axis=1)
    whole = length[pairs]
    forward = np.abs(whole - way) >= np.abs(way)
    far = np.where(forward[..., None], sides.end[pairs], sides.start[pairs])
    short = np.where(forward, -way, way - whole)  # of the corner, where positive; beyond it, where negative
    corner = sides.start[one] + along[one] * way[:, :1]
    arms = far - corner[:, None]
    # A frame's print is on the side of the other arm; beyond a card's edge it is the other way round.
    facing = (sides.inwards[pairs] * arms[:, ::-1]).sum(axis=2) > 0
    good = ((short < _GAP_MM * px_per_mm) & (short > -_BEYOND_MM * px_per_mm) & facing).all(axis=1)
    seen = (whole - np.maximum(short, 0)).sum(axis=1)[good]
    found = np.concatenate([corner[:, None], far], axis=1)[good]
    return np.asarray(found[np.argsort(-seen, kind="stable")[:_MOST]])


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
