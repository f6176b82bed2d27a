"""A picture under construction with the map of who owns each pixel."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from tools.train.draw import Floats, Image, Points, Random

NOBODY = 0  # in `Canvas.owners`: table, hand or thing


class Shadow(NamedTuple):
    """The shadow that an object casts: shift in px, side of the box blur in px, darkness 0..1."""

    shift: tuple[float, float]
    blur: int
    darkness: float


def placed(size_px: tuple[float, float], art_size: tuple[int, int], at: Points, turn: float) -> Points:
    """Return the map (2, 3) from art of `art_size` (w, h) to a rectangle of `size_px` (w, h).

    at: its middle. turn: in rad.
    """
    cos, sin = np.cos(turn), np.sin(turn)
    linear = np.array([[cos, -sin], [sin, cos]]) @ np.diag([size_px[0] / art_size[0], size_px[1] / art_size[1]])
    return np.asarray(np.c_[linear, np.asarray(at) - linear @ (np.array(art_size) / 2)])


class Canvas:
    """Pixels `image` (n, n, 3) BGR and their `owners` (n, n): a card's number from 1, or NOBODY."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.owners = np.zeros(image.shape[:2], np.uint8)

    @property
    def side(self) -> int:
        """Width and height in px."""
        return int(self.image.shape[0])

    def lay(
        self, art: Image, place: Points, owner: int, shadow: Shadow | None = None, shade: Floats | None = None
    ) -> None:
        """Put flat BGRA art (h, w, 4) on top; `place` (2, 3) leads to the canvas, `shade` (h, w) scales its light."""
        h, w = art.shape[:2]
        corners = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1.0]]) @ place.T
        low = np.maximum(np.floor(corners.min(0)).astype(int) - 8, 0)
        high = np.minimum(np.ceil(corners.max(0)).astype(int) + 8, self.side)
        if (high - low < 2).any():
            return
        here = place.copy()
        here[:, 2] += -low - 0.5 + 0.5 * (place[:, 0] + place[:, 1])  # px centres are at 0.5
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        warped = cv2.warpAffine(art, here, size, flags=cv2.INTER_LINEAR)
        mask, texture = warped[..., 3], warped[..., :3].astype(np.float32)
        if shade is not None:
            texture *= cv2.warpAffine(shade, here, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[
                ..., None
            ]
        self._blend((slice(low[1], high[1]), slice(low[0], high[0])), mask, texture, owner, shadow)

    def cover(self, mask: Image, texture: Floats, shadow: Shadow | None = None, owner: int = NOBODY) -> None:
        """Put something of any outline on top: `mask` (n, n) 0..255, `texture` (n, n, 3) or (3,)."""
        x, y, w, h = cv2.boundingRect(mask)
        if not w:
            return
        pad = 30 if shadow else 1
        box = (slice(max(0, y - pad), y + h + pad), slice(max(0, x - pad), x + w + pad))
        self._blend(box, mask[box], texture[box] if texture.ndim == 3 else texture, owner, shadow)

    def _blend(self, box: tuple[slice, slice], mask: Image, texture: Floats, owner: int, shadow: Shadow | None) -> None:
        below = self.image[box].astype(np.float32)
        if shadow is not None and shadow.darkness > 0.02:
            size = mask.shape[::-1]
            shift = np.array([[1, 0, shadow.shift[0]], [0, 1, shadow.shift[1]]], np.float32)
            dark = cv2.warpAffine(cv2.blur(mask, (shadow.blur, shadow.blur)), shift, size)
            below *= (1 - np.float32(shadow.darkness / 255) * dark)[..., None]
        below += (texture - below) * (mask * np.float32(1 / 255))[..., None]
        self.image[box] = np.clip(below, 0, 255)
        self.owners[box][mask > 127] = owner


def some_shadow(g: Random, most: float = 8.0) -> Shadow:
    """Return the shadow of an object up to `most` px from its ground."""
    x, y = g.uniform(-most, most, 2)
    return Shadow((float(x), float(y)), int(g.integers(1, 6)) * 2 + 1, g.uniform(0, 0.65))
