"""A forearm with its hand, as it is seen from above, drawn once for each person and way of holding it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.motion import FLAT, PINCH
from simulation.script import Colour, Person
from simulation.view import Image

PX_PER_MM = 2.0
WIDTH_MM, LENGTH_MM = 150.0, 900.0
TIP_MM = (75.0, 26.0)
"""Where the fingertips are, from the picture's top-left; the arm leads down from there."""

# Each finger: knuckle, middle joint and tip in mm, and the radius at both ends; the nearest to the eye last.
_FINGERS = {
    PINCH: (
        ((104, 112), (108, 78), (100, 58), 9.0, 7.0),
        ((92, 100), (98, 62), (90, 40), 10.0, 8.0),
        ((78, 96), (86, 56), (80, 28), 10.5, 8.0),
        ((62, 98), (68, 56), (69, 27), 10.5, 8.0),
        ((46, 150), (44, 100), (60, 44), 13.0, 9.0),
    ),
    FLAT: (
        ((106, 118), (114, 84), (118, 62), 9.0, 7.0),
        ((94, 104), (99, 62), (101, 32), 10.0, 8.0),
        ((79, 98), (80, 52), (81, 20), 10.5, 8.0),
        ((63, 100), (60, 56), (59, 26), 10.5, 8.0),
        ((48, 152), (30, 116), (20, 88), 13.0, 9.5),
    ),
}


@dataclass(frozen=True, eq=False)
class HandArt:
    """`picture` (h, w, 4) uint8: blue, green and red, each times cover, and cover; `PX_PER_MM` to the mm.

    `cover` (h / 4, w / 4) is the last of them, small, for the shadow.
    """

    picture: Image
    cover: Image


def hand_art(person: Person, pose: str) -> HandArt:
    """Draw a person's forearm and hand in a pose (PINCH or FLAT)."""
    scale = PX_PER_MM
    size = (round(LENGTH_MM * scale), round(WIDTH_MM * scale))
    colour = np.zeros((*size, 3), dtype=np.float32)
    cover = np.zeros(size, dtype=np.uint8)
    centre = WIDTH_MM / 2
    sleeve = np.array([[centre - 38, 248], [centre + 38, 248], [centre + 54, LENGTH_MM], [centre - 54, LENGTH_MM]])
    wrist = np.array([[centre - 25, 170], [centre + 25, 170], [centre + 31, 262], [centre - 31, 262]])
    palm = np.array([[46, 104], [62, 92], [96, 94], [112, 112], [110, 150], [102, 182], [52, 182], [42, 150]])
    _limb(colour, cover, _filled(size, wrist, scale), person.skin, 34 * scale)
    _limb(colour, cover, _filled(size, sleeve, scale), person.sleeve, 46 * scale)
    cuff = np.array([[centre - 40, 240], [centre + 40, 240], [centre + 41, 258], [centre - 41, 258]])
    _limb(colour, cover, _filled(size, cuff, scale), _brighter(person.sleeve, 1.25), 44 * scale)
    soft_palm = np.asarray(cv2.GaussianBlur(_filled(size, palm, scale), (0, 0), 3 * scale), np.uint8)
    _limb(colour, cover, soft_palm, person.skin, 30 * scale)
    for finger in _FINGERS[pose]:
        _limb(colour, cover, _finger(size, finger, scale), person.skin, 8 * scale)
        _nail(colour, finger, person.skin, scale)
    premultiplied = np.rint(colour * (cover[:, :, None] / np.float32(255))).astype(np.uint8)
    picture = np.dstack([premultiplied, cover])
    picture = np.ascontiguousarray(picture[:, ::-1] if person.left_handed else picture)
    return HandArt(picture, small_cover(picture))


def small_cover(picture: Image) -> Image:
    """Give the cover of a picture (h, w, 4) at a quarter of its size."""
    size = (max(1, picture.shape[1] // 4), max(1, picture.shape[0] // 4))
    return np.asarray(cv2.resize(picture[:, :, 3], size, interpolation=cv2.INTER_AREA), np.uint8)


def _limb(colour: NDArray[np.float32], cover: Image, mask: Image, paint: Colour, round_px: float) -> None:
    """Paint a part, rounded: darker towards its outline, with a darker seam round it on what lies below."""
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return
    part = slice(max(int(rows[0]) - 8, 0), int(rows[-1]) + 8)
    inside = (mask[part] > 127).astype(np.uint8)
    depth = np.minimum(cv2.distanceTransform(inside, cv2.DIST_L2, 3) / round_px, 1.0)
    shade = 0.55 + 0.45 * np.sqrt(np.maximum(2 * depth - depth**2, 0))
    seam = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 2.5)[:, :, None]
    colour[part] *= 1 - 0.35 * seam
    soft = (mask[part] / np.float32(255))[:, :, None]
    colour[part] = colour[part] * (1 - soft) + np.array(paint, np.float32) * shade[:, :, None] * soft
    np.maximum(cover[part], mask[part], out=cover[part])


def _filled(size: tuple[int, int], outline_mm: NDArray[np.float64], scale: float) -> Image:
    mask = np.zeros(size, dtype=np.uint8)
    cv2.fillPoly(mask, [np.rint(outline_mm * scale).astype(np.int32)], 255, cv2.LINE_AA)
    return mask


def _finger(size: tuple[int, int], finger: tuple[object, ...], scale: float) -> Image:
    """Give a finger's mask: circles along its bones, close enough to be one."""
    joints, (start, end) = np.array(finger[:3], dtype=np.float64), np.array(finger[3:], dtype=np.float64)
    mask = np.zeros(size, dtype=np.uint8)
    for share in np.linspace(0, 2, 61):
        bone = min(int(share), 1)
        x, y = joints[bone] + (joints[bone + 1] - joints[bone]) * (share - bone)
        radius = start + (end - start) * share / 2
        cv2.circle(mask, (round(x * scale), round(y * scale)), round(radius * scale), 255, -1, cv2.LINE_AA)
    return mask


def _nail(colour: NDArray[np.float32], finger: tuple[object, ...], skin: Colour, scale: float) -> None:
    middle, tip = np.array(finger[1:3], dtype=np.float64)
    way = (tip - middle) / np.linalg.norm(tip - middle)
    centre = (tip + way * 1.5) * scale
    angle = float(np.degrees(np.arctan2(way[1], way[0])))
    axes = (round(4.2 * scale), round(3.2 * scale))
    place = (round(float(centre[0])), round(float(centre[1])))
    cv2.ellipse(colour, place, axes, angle, 0, 360, _brighter(skin, 1.12), -1, cv2.LINE_AA)


def _brighter(paint: Colour, factor: float) -> Colour:
    blue, green, red = (min(round(part * factor), 255) for part in paint)
    return blue, green, red
