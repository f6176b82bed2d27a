"""The bare table under the cards, and what a camera does to a picture of it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.view import Image, Look

_PX_PER_MM = 1.5
_TABLES = {
    "wood": (70, 110, 160),
    "cloth": (70, 90, 40),
    "plain": (150, 155, 150),
    "checked": (200, 205, 215),
    "white": (236, 240, 242),
}


def surface(
    random: np.random.Generator,
    kind: str,
    homography: NDArray[np.float64],
    area_mm: tuple[float, float],
    size: tuple[int, int],
) -> Image:
    """Give the table without cards as the camera sees it, (h, w, 3) uint8 BGR; `homography` leads from mm to pixels.

    Raises:
        ValueError: there is no such kind of table.
    """
    if kind not in _TABLES:
        raise ValueError(f"there is no table {kind!r}; there is {', '.join(_TABLES)}")
    # The camera sees more than the area: a quarter of it more on each side is drawn, and mirrored beyond that.
    width, height = (round(side * 1.5 * _PX_PER_MM) for side in area_mm)
    relief = _relief(random, kind, width, height)
    texture = np.empty((height, width, 3), np.uint8)
    for channel, level in enumerate(_TABLES[kind]):
        texture[:, :, channel] = np.clip(relief * np.float32(level), 0, 255)
    to_mm = np.array(
        [[1 / _PX_PER_MM, 0, -area_mm[0] / 4], [0, 1 / _PX_PER_MM, -area_mm[1] / 4], [0, 0, 1]], dtype=np.float64
    )
    seen = cv2.warpPerspective(texture, homography @ to_mm, size, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, dtype=np.uint8)


def _relief(random: np.random.Generator, kind: str, width: int, height: int) -> NDArray[np.float32]:
    """Brightness of the texture round 1, (height, width)."""
    fine = random.normal(0, 1, (height, width)).astype(np.float32)
    if kind == "wood":
        grain = cv2.GaussianBlur(fine, (0, 0), sigmaX=40, sigmaY=1.2)
        relief = 1 + 0.12 * grain / grain.std() + 0.02 * fine
        relief[:, :: round(140 * _PX_PER_MM)] *= 0.45
    elif kind == "checked":
        y, x = np.indices((height, width), sparse=True)
        square = round(35 * _PX_PER_MM)
        relief = np.where((y // square + x // square) % 2 == 0, 1.0, 0.62).astype(np.float32) + 0.02 * fine
    else:
        weave = cv2.GaussianBlur(fine, (0, 0), 1.0)
        relief = 1 + {"cloth": 0.10, "plain": 0.02, "white": 0.01}[kind] * weave / weave.std()
    return np.asarray(relief, dtype=np.float32)


def light_over(random: np.random.Generator, size: tuple[int, int], look: Look) -> NDArray[np.float32]:
    """Give the lamp's light over a picture of `size`, (h, w, 3): 1 where all colours are as bright as they are."""
    width, height = size
    y, x = np.indices((height, width), sparse=True, dtype=np.float32)
    angle = random.uniform(0, 2 * np.pi)
    ramp = np.cos(angle) * (x / width - 0.5) + np.sin(angle) * (y / height - 0.5)
    light = (0.96 - look.gradient * (ramp / 1.42 + 0.5)).astype(np.float32)
    return np.asarray(light[:, :, None] * np.array(look.tint, dtype=np.float32), dtype=np.float32)


def finish(random: np.random.Generator, image: Image, look: Look) -> Image:
    """Give the picture with fading light, a lens's blur, a sensor's noise and, if asked, JPEG artefacts."""
    lit: NDArray[np.float32] = image.astype(np.float32) * light_over(random, (image.shape[1], image.shape[0]), look)
    if look.blur_px > 0:
        # A lens blurs light, of which grey levels are about the root.
        lit = np.sqrt(np.asarray(cv2.GaussianBlur(lit * lit, (0, 0), look.blur_px), dtype=np.float32))
    if look.noise > 0:
        lit += look.noise * random.standard_normal(lit.shape, dtype=np.float32)
    done = np.clip(np.rint(lit), 0, 255).astype(np.uint8)
    if look.jpeg_quality is None:
        return np.asarray(done, dtype=np.uint8)
    packed = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg_quality])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
