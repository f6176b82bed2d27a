"""Flat pieces on a table, cards and marker cards, and how they are laid into a picture of it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.view import Image, Place, Points, corners_mm

MARKER_MM = 50.0
MARKER_CARD_MM = 66.0
_SHADOW_REACH_PX = 12


@dataclass(frozen=True, eq=False)
class Piece:
    """Something flat: its picture, its corners in mm (TL TR BR BL), and its corner radius in mm."""

    picture: Image
    corners_mm: Points
    radius_mm: float


@dataclass(frozen=True, eq=False)
class Patch:
    """A piece as the camera sees it, within a window of the picture whose top-left pixel is `low`.

    `colour` (h, w, 3) uint8; `cover` (h, w, 1) float32, 1 where the piece is; `shade` (h, w, 1), 1 where its soft
    shadow is darkest.
    """

    low: tuple[int, int]
    colour: Image
    cover: NDArray[np.float32]
    shade: NDArray[np.float32]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The window: left, top, right, bottom."""
        height, width = self.colour.shape[:2]
        return self.low[0], self.low[1], self.low[0] + width, self.low[1] + height

    def blend(self, image: Image, box: tuple[int, int, int, int] | None = None) -> None:
        """Draw it into a picture, (h, w, 3) uint8; only within `box` (left, top, right, bottom) if there is one."""
        left, top, right, bottom = self.box if box is None else common(self.box, box)
        if right <= left or bottom <= top:
            return
        part = (slice(top - self.low[1], bottom - self.low[1]), slice(left - self.low[0], right - self.low[0]))
        under = image[top:bottom, left:right]
        cover = self.cover[part]
        shaded = under * (1 - 0.3 * self.shade[part]) * (1 - cover)
        under[:] = np.rint(shaded + self.colour[part] * cover).astype(np.uint8)


def common(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Give what two boxes (left, top, right, bottom) have in common; nothing if its sides are not positive."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def patch_of(picture: Image, cutout: Image, corners_px: Points, size: tuple[int, int]) -> Patch | None:
    """Give a piece as it is seen with its corners (4, 2) at `corners_px` in a picture of `size`; None outside of it."""
    height, width = picture.shape[:2]
    low = np.maximum(np.floor(corners_px.min(axis=0)).astype(int) - _SHADOW_REACH_PX, 0)
    high = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + _SHADOW_REACH_PX + 1, size)
    if (high <= low).any():
        return None
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), (corners_px - low).astype(np.float32))
    window = (int(high[0] - low[0]), int(high[1] - low[1]))
    colour = cv2.warpPerspective(picture, warp, window, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.warpPerspective(cutout, warp, window, flags=cv2.INTER_LINEAR)
    cover = seen.astype(np.float32)[:, :, None] / np.float32(255)
    shade = cv2.GaussianBlur(np.roll(cover[:, :, 0], (3, 2), axis=(0, 1)), (0, 0), 3.0)[:, :, None]
    return Patch((int(low[0]), int(low[1])), np.asarray(colour, np.uint8), cover, np.asarray(shade, np.float32))


def piece_patch(piece: Piece, corners_px: Points, size: tuple[int, int]) -> Patch | None:
    """Give a piece as it is seen with its corners (4, 2) at `corners_px`."""
    width_mm = float(np.linalg.norm(piece.corners_mm[1] - piece.corners_mm[0]))
    return patch_of(piece.picture, cutout(piece.picture, piece.radius_mm / width_mm), corners_px, size)


def cutout(picture: Image, radius: float) -> Image:
    """Give 255 where a piece is, with round corners; `radius` as a share of its width."""
    height, width = picture.shape[:2]
    corner = max(1, round(radius * width))
    alpha = np.zeros((height, width), dtype=np.uint8)
    cv2.rectangle(alpha, (corner, 0), (width - 1 - corner, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, corner), (width - 1, height - 1 - corner), 255, -1)
    for x in (corner, width - 1 - corner):
        for y in (corner, height - 1 - corner):
            cv2.circle(alpha, (x, y), corner, 255, -1, cv2.LINE_AA)
    return alpha


def marker_piece(number: int, place: Place) -> Piece:
    """Give a marker card (ArUco, DICT_4X4_50) that lies at a place."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(MARKER_CARD_MM * 4)
    picture = np.full((side, side, 3), 255, dtype=np.uint8)
    edge = round((MARKER_CARD_MM - MARKER_MM) / 2 * 4)
    square = cv2.aruco.generateImageMarker(dictionary, number, round(MARKER_MM * 4))
    picture[edge:-edge, edge:-edge] = square[:, :, None]
    return Piece(picture, corners_mm((MARKER_CARD_MM, MARKER_CARD_MM), place), 0.0)


def marker_places(
    random: np.random.Generator, markers: tuple[int, ...], area_mm: tuple[float, float]
) -> dict[int, Place]:
    """Give where marker cards lie, at most four: in the corners of the area, a little turned."""
    inset = MARKER_CARD_MM * 0.75
    corners = [(x, y) for y in (inset, area_mm[1] - inset) for x in (inset, area_mm[0] - inset)]
    return {number: (x, y, float(random.uniform(-10, 10))) for number, (x, y) in zip(markers, corners, strict=False)}
