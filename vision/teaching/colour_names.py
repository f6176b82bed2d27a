"""Names for colours as people use them, judged by hue, chroma and lightness in CIE Lab."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_GREY_CHROMA = 13.0
_BLACK_LIGHTNESS = 30.0
_WHITE_LIGHTNESS = 84.0
# Upper ends of hue ranges in degrees; a hue beyond the last one is red again.
_HUES = ((43.0, "red"), (74.0, "orange"), (108.0, "yellow"), (205.0, "green"), (299.0, "blue"), (345.0, "purple"))
_BROWN_LIGHTNESS, _BROWN_CHROMA = 50.0, 52.0
_PINK_LIGHTNESS, _PINK_SATURATION = 62.0, 0.7  # the latter is chroma by lightness: light red is no pink


def colour_name(lab: tuple[float, float, float]) -> str:
    """The name of a CIE Lab colour (L 0 to 100).

    One of red, orange, yellow, green, blue, purple, pink, brown, black, grey and white.
    """
    lightness, a, b = lab
    chroma = float(np.hypot(a, b))
    # In the dark a little chroma says nothing, and black print is seldom neutral.
    if lightness < _BLACK_LIGHTNESS and chroma < _GREY_CHROMA + (_BLACK_LIGHTNESS - lightness) / 3:
        return "black"
    if chroma < _GREY_CHROMA:
        return "white" if lightness > _WHITE_LIGHTNESS else "grey"
    hue = float(np.degrees(np.arctan2(b, a)) % 360)
    name = next((name for end, name in _HUES if hue < end), "red")
    if name in ("orange", "red") and hue < 90 and hue > 35 and lightness < _BROWN_LIGHTNESS and chroma < _BROWN_CHROMA:
        return "brown"
    whitish = lightness > _PINK_LIGHTNESS and chroma < _PINK_SATURATION * lightness
    if (name == "red" and whitish) or (hue > 330 and lightness > _BROWN_LIGHTNESS):
        return "pink"
    return name


def lab_of_linear(rgb: NDArray[np.floating]) -> NDArray[np.float64]:
    """CIE Lab (..., 3) under D65 of linear RGB (..., 3), white being 1."""
    to_xyz = np.array([[0.412456, 0.357576, 0.180438], [0.212673, 0.715152, 0.072175], [0.019334, 0.119192, 0.950304]])
    relative = np.asarray(rgb, np.float64) @ to_xyz.T / to_xyz.sum(axis=1)
    root = np.where(relative > 0.008856, np.cbrt(np.maximum(relative, 0)), 7.787 * relative + 16 / 116)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def linear_of_bgr(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Linear RGB (..., 3) from 0 to 1 of 8-bit sRGB pixels in OpenCV's channel order."""
    level = np.arange(256, dtype=np.float32) / 255
    table = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.asarray(table[bgr[..., ::-1]])
