"""A picture under construction with the map of who owns each pixel."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from tools.train.draw import Floats, Image, Points, Random, way

NOBODY = 0  # in `SceneCanvas.owners`: table, hand or thing
_AROUND = 30  # px in which an object may cast its shadow


class Shadow(NamedTuple):
    """The shadow that an object casts: shift in px, side of the box blur in px, darkness 0..1."""

    shift: tuple[float, float]
    blur: int
    darkness: float


def placed(size_px: tuple[float, float], art_size: tuple[int, int], at: Points, turn: float) -> Points:
    """Return the map (2, 3) from art of `art_size` (w, h) to a rectangle of `size_px` (w, h).

    at: its middle. turn: in rad.
    """
    linear = np.stack([way(turn), way(turn + np.pi / 2)], 1) * np.divide(size_px, art_size)
    return np.asarray(np.c_[linear, np.asarray(at) - linear @ (np.array(art_size) / 2)])


class SceneCanvas:
    """Pixels `image` (n, n, 3) BGR and their `owners` (n, n): a card's number from 1, or NOBODY."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.owners = np.zeros(image.shape[:2], np.uint8)

    @property
    def side(self) -> int:
        """Width and height in px."""
        return int(self.image.shape[0])

    def lay(self, art: Image, place: Points, owner: int, shadow: Shadow, shade: Floats | None = None) -> None:
        """Put flat BGRA art (h, w, 4) on top; `place` (2, 3) leads to the canvas, `shade` (h, w) scales its light."""
        h, w = art.shape[:2]
        corners = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]]) @ place.T
        low, high = np.clip([corners.min(0) - _AROUND, corners.max(0) + _AROUND], 0, self.side).astype(int)
        if (high - low < 2).any():
            return
        here, size = place.copy(), (int(high[0] - low[0]), int(high[1] - low[1]))
        here[:, 2] += 0.5 * (place[:, 0] + place[:, 1]) - 0.5 - low  # px centres are at 0.5
        warped = cv2.warpAffine(art, here, size, flags=cv2.INTER_LINEAR)
        texture = warped[..., :3].astype(np.float32)
        if shade is not None:
            texture *= cv2.warpAffine(shade, here, size, borderMode=cv2.BORDER_REPLICATE)[..., None]
        self._blend((slice(low[1], high[1]), slice(low[0], high[0])), warped[..., 3], texture, owner, shadow)

    def cover(self, mask: Image, texture: Floats, shadow: Shadow) -> None:
        """Put something of any outline on top: `mask` (n, n) 0..255, `texture` (n, n, 3) or (3,)."""
        x, y, w, h = cv2.boundingRect(mask)
        if w:
            box = (slice(max(0, y - _AROUND), y + h + _AROUND), slice(max(0, x - _AROUND), x + w + _AROUND))
            self._blend(box, mask[box], texture[box] if texture.ndim == 3 else texture, NOBODY, shadow)

    def _blend(self, box: tuple[slice, slice], mask: Image, texture: Floats, owner: int, shadow: Shadow) -> None:
        below, shift = self.image[box].astype(np.float32), np.c_[np.eye(2), shadow.shift]
        dark = cv2.warpAffine(cv2.blur(mask, (shadow.blur, shadow.blur)), shift, mask.shape[::-1])
        below *= (1 - np.float32(shadow.darkness / 255) * dark)[..., None]
        below += (texture - below) * (mask * np.float32(1 / 255))[..., None]
        self.image[box] = np.clip(below, 0, 255)
        self.owners[box][mask > 127] = owner


def some_shadow(g: Random, most: float = 8.0) -> Shadow:
    """Return the shadow of an object up to `most` px from its ground."""
    x, y = g.uniform(-most, most, 2)
    return Shadow((float(x), float(y)), int(g.integers(1, 6)) * 2 + 1, g.uniform(0, 0.65))
