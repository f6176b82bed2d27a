"""Finds the printed frames of picture cards: dark or coloured rectangles with the card's white all round.

The white next to a frame is the reference, so neither the lamp nor the table nor the cards beneath matter: a pixel
counts as printed where it is darker, in any channel, than the brightest within a few millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.effort import spend
from vision.pictured.outlines import LEVELS, rectangles, without_twins
from vision.piles.bare import printed
from vision.prints.print_deck import PrintDeck
from vision.table import Table
from vision.white_edges import moved_to_white

SLACK = (0.9, 1.12)  # of a frame's size on the table: a high pile is nearer to the camera
_SKEW = 0.06  # logarithm of the ratio of a frame's diagonals


@dataclass(frozen=True, eq=False)
class Frames:
    """Outlines of frames: `corners_px` (n, 4, 2), clockwise, the first side a short one; `straight` (n,), 0 to 1."""

    corners_px: Floats
    straight: Floats

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Frames:
        """Some of them."""
        return Frames(self.corners_px[chosen], self.straight[chosen])


def find_frames(image_bgr: Image, frame_mm: tuple[float, float], px_per_mm: tuple[float, float]) -> Frames:
    """Find frames of `frame_mm` (width, height) at a scale between the two of `px_per_mm` in a picture (h, w, 3)."""
    spend(image_bgr.size / 250)
    middle = float(np.sqrt(px_per_mm[0] * px_per_mm[1]))
    ink = printed(image_bgr, middle)
    levels = ((ink < round(255 * level)).astype(np.uint8) for level in LEVELS)
    quads = rectangles(levels, frame_mm, px_per_mm)
    if not quads:
        return Frames(np.zeros((0, 4, 2)), np.zeros(0))
    rough = without_twins(np.array(quads))
    return refined(image_bgr, rough)


def refined(image_bgr: Image, quads: Floats) -> Frames:
    """Move the sides of quads (n, 4, 2) to where the white ends, to a fraction of a pixel."""
    # All channels count alike: only blue tells yellow from white.
    blue, green, red = cv2.split(image_bgr)
    grey = np.asarray(cv2.add(cv2.add(blue, green, dtype=cv2.CV_32F), red, dtype=cv2.CV_32F), np.float32)
    grey /= 3
    return Frames(*moved_to_white(grey, quads))


def table_shape(table: Table, frames_px: Floats, frame_mm: tuple[float, float]) -> tuple[Floats, Floats]:
    """How large frames (n, 4, 2) are by what they would be on the table, (n, 2) for both sides, and how skew, (n,)."""
    corners = table.to_mm(frames_px.reshape(-1, 2)).reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    pairs = (sides[:, :2] + sides[:, 2:]) / 2
    one, other = (np.linalg.norm(corners[:, k] - corners[:, k + 2], axis=1) for k in (0, 1))
    return np.sort(pairs, axis=1) / np.sort(frame_mm), np.abs(np.log(one / other))


def fits_table(table: Table, frames_px: Floats, frame_mm: tuple[float, float]) -> NDArray[np.bool_]:
    """Which frames (n, 4, 2) have the frame's size on the table, and right angles."""
    sizes, skews = table_shape(table, frames_px, frame_mm)
    return np.asarray(((sizes > SLACK[0]) & (sizes < SLACK[1])).all(axis=1) & (skews < _SKEW))


def shifted(deck: PrintDeck, frame_px: Floats, step: Floats) -> Floats:
    """A card's frame (4, 2), from the face's top-left, after its art moved by a step (6,).

    That is mm to the right, what it grows by across and down its card, and the same downwards.
    """
    x, y, across, down = deck.frame
    frame = np.array([[x, y], [x + across, y], [x + across, y + down], [x, y + down]])
    way = frame / deck.card_mm - 0.5
    shift = np.column_stack([np.ones(4), way]) @ step.reshape(2, 3).T
    warp = cv2.getPerspectiveTransform(frame.astype(np.float32), frame_px.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform((frame - shift)[None].astype(np.float32), warp)[0], np.float64)
