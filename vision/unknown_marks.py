"""The marks on a card of an unknown deck: where, how large, of which colour, and of which shape if that is plain."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colour import LINEAR, hue_deg, oklab
from vision.shapes import shape_of

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_PATCH_PX = 200.0  # the shorter side of a card's own straightened picture, at most
_RIM = 0.05  # of the shorter side: the outermost part of a card belongs to its edge
_REACH = 0.42  # of the shorter side: marks are narrower than this one way, so that the ground closes over them
_LEAST_CONTRAST = 0.12
_SHARE_OF_PEAK = 0.4
_LEAST_AREA = 0.003  # of the card
_MOST_AREA = 0.7
_HUES = ((12, "pink"), (42, "red"), (75, "orange"), (117, "yellow"), (200, "green"), (285, "blue"), (338, "purple"))
_GREY = 0.07
_LEAST_OF_LARGEST = 0.1
_DENSE = 0.75


@dataclass(frozen=True, eq=False)
class UnknownMark:
    """A mark: its colour's name, its shape's name or None, its centre (x, y) and its area in the picture."""

    colour: str
    shape: str | None
    centre_px: tuple[float, float]
    area_px: float


def marks_on_card(image_bgr: Image, corners_px: Floats) -> tuple[UnknownMark, ...]:
    """Find the marks on one card with the corners (4, 2), clockwise, in a picture (h, w, 3)."""
    corners = np.asarray(corners_px, np.float64)
    width, height = _patch_size(corners)
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    to_patch = cv2.getPerspectiveTransform(corners.astype(np.float32), frame)
    patch = np.asarray(cv2.warpPerspective(image_bgr, to_patch, (width, height), flags=cv2.INTER_AREA), np.uint8)
    ratio = _freed_of_ground(patch, min(width, height))
    contrast = np.abs(1 - ratio).max(axis=2)
    back = np.linalg.inv(to_patch)
    marks = []
    for outline in _outlines(contrast):
        mask = np.zeros((height, width), np.uint8)
        cv2.drawContours(mask, [outline], -1, 1, -1)
        within = contrast[mask > 0]
        # Where the print is densest: an outline's line, not the ground that it encloses.
        ink = (mask > 0) & (contrast >= _DENSE * np.percentile(within, 97))
        seen = cv2.perspectiveTransform(outline.astype(np.float64), back)
        moments = cv2.moments(seen.astype(np.float32))
        if moments["m00"] <= 0:
            continue
        centre = (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"])
        colour = colour_name(np.median(ratio[ink], axis=0)[::-1])
        marks.append(UnknownMark(colour, shape_of(outline[:, 0].astype(np.float64)), centre, float(moments["m00"])))
    return tuple(sorted(marks, key=lambda mark: (mark.centre_px[1], mark.centre_px[0])))


def _patch_size(corners: Floats) -> tuple[int, int]:
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    width, height = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    scale = min(1.0, _PATCH_PX / max(min(width, height), 1.0))
    return max(8, round(width * scale)), max(8, round(height * scale))


def _freed_of_ground(patch: Image, shorter: int) -> Floats:
    """(h, w, 3) linear BGR over the card's own ground, which is 1 all over: light, shadow and tint go with it."""
    rim = max(1, int(_RIM * shorter))
    inner = patch[rim:-rim, rim:-rim]
    reach = int(_REACH * shorter) | 1
    kernel = np.ones((reach, reach), np.uint8)
    border = np.concatenate([inner[:2].reshape(-1, 3), inner[-2:].reshape(-1, 3), inner[:, :2].reshape(-1, 3)])
    dark = border.mean() < inner.reshape(-1, 3).mean() and border.mean() < 90
    ground = cv2.morphologyEx(inner, cv2.MORPH_OPEN if dark else cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REFLECT)
    ground = cv2.blur(ground, (reach // 2 | 1, reach // 2 | 1), borderType=cv2.BORDER_REFLECT)
    ratio = np.ones(patch.shape, np.float64)
    ratio[rim:-rim, rim:-rim] = (LINEAR[inner] + 0.004) / (LINEAR[ground] + 0.004)
    return ratio


def _outlines(contrast: Floats) -> list[NDArray[np.int32]]:
    """Outer outlines of the marks; an outlined mark counts with what it encloses."""
    area = contrast.size
    peak = float(np.percentile(contrast, 99))
    if peak < _LEAST_CONTRAST:
        return []
    mask = (contrast > max(_LEAST_CONTRAST, _SHARE_OF_PEAK * peak)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    sizes = [cv2.contourArea(outline) for outline in found]
    # Specks and shadows at the rim are small beside the marks.
    least = max(_LEAST_AREA * area, _LEAST_OF_LARGEST * max(sizes, default=0.0))
    return [
        np.asarray(outline, np.int32)
        for outline, size in zip(found, sizes, strict=True)
        if least < size < _MOST_AREA * area
    ]


def colour_name(rgb: Floats) -> str:
    """The name of a linear RGB colour (3,) whose ground is white (1, 1, 1)."""
    lab = oklab(np.clip(rgb, 0, 1.5))
    lightness, chroma, hue = float(lab[0]), float(np.hypot(lab[1], lab[2])), float(hue_deg(lab))
    # A thin line is blurred with the ground: both its chroma and its darkness shrink, so their ratio tells.
    if chroma < _GREY * (abs(1 - lightness) + 0.03):
        return "black" if lightness < 0.45 else "grey" if lightness < 0.9 else "white"
    name = next((name for limit, name in _HUES if hue < limit), "pink")
    if name in ("orange", "red") and lightness < 0.5 and chroma < 0.12:
        return "brown"
    return "pink" if name == "red" and lightness > 0.78 and chroma < 0.12 else name
