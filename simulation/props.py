"""Things that stand on the table: the bell and the sandtimer, drawn as stacks of discs."""

from __future__ import annotations

import math

import cv2
import numpy as np

from simulation.motion import SandNow
from simulation.script import Spot
from simulation.view import Image, View

Paint = tuple[float, float, float]

GLASS_MM = 86.0
_WOOD: Paint = (52, 82, 128)
_SAND: Paint = (120, 180, 226)
_CLEAR: Paint = (196, 202, 196)


def draw_bell(image: Image, view: View, spot: Spot) -> None:
    """Draw a call bell of 74 mm, 40 mm high, into a picture, (h, w, 3) uint8 BGR."""
    _shadow(image, view, spot, 42.0, 24.0)
    for share in np.linspace(0, 1, 5):
        _disc(image, view, (*spot, 7 * float(share)), 37.0, (60 + 22 * share, 58 + 22 * share, 58 + 22 * share))
    for share in np.linspace(0, 1, 24):
        radius, height = 33 * math.cos(share * math.pi / 2), 7 + 27 * math.sin(share * math.pi / 2)
        # Polished metal: bright where it faces the lamp, with a dark ring below.
        grey = 120 + 105 * math.sin(share * 2.6) ** 2
        _disc(image, view, (*spot, height), max(radius, 3.0), (grey, grey * 0.99, grey * 0.97))
    highlight = (spot[0] - 8, spot[1] - 9, 33.0)
    _disc(image, view, highlight, 5.0, (250, 250, 248))
    for height in (35.0, 38.0, 40.0):
        _disc(image, view, (*spot, height), 5.5, (150 + height, 150 + height, 148 + height))


def draw_sandtimer(image: Image, view: View, spot: Spot, sand: SandNow, light: Paint) -> None:
    """Draw the sandtimer, 86 mm high, into a picture; `light`: of the lamp there, 1 is full (blue, green, red)."""
    _shadow(image, view, spot, 34.0, 30.0 + sand.height_mm)
    turn = math.radians(sand.turn_deg)
    middle = np.array([spot[0], spot[1], GLASS_MM / 2 + sand.height_mm])
    axis = np.array([math.sin(turn), 0.35 * math.sin(turn), math.cos(turn)])
    discs = []
    for share in np.linspace(-0.5, 0.5, 27):
        centre = middle + axis * share * GLASS_MM
        above = share * (1 if axis[2] >= 0 else -1)
        discs.append((float(centre[2]), centre, *_slice(abs(float(share)), above, sand.left)))
    for _, centre, radius, colour in sorted(discs, key=lambda disc: disc[0]):
        blue, green, red = (part * lamp for part, lamp in zip(colour, light, strict=True))
        _disc(image, view, (float(centre[0]), float(centre[1]), float(centre[2])), radius, (blue, green, red))


def _slice(off: float, above: float, left: float) -> tuple[float, Paint]:
    """Give radius and colour of the glass `off` its neck (0 to 0.5); `above`: the same, negative in the lower half."""
    if off > 0.46:
        return 23.0, _WOOD
    radius = 3.0 + 17.0 * min(1.0, off / 0.3) ** 0.8
    # Sand lies at the neck of the upper half, and on the floor of the lower one.
    filled = off < 0.4 * left if above >= 0 else off > 0.46 - 0.4 * (1 - left)
    return radius, _SAND if filled else _CLEAR


def _disc(image: Image, view: View, centre_mm: tuple[float, float, float], radius_mm: float, colour: Paint) -> None:
    x, y, height = centre_mm
    px = view.project(np.array([[x, y, height], [x + radius_mm, y, height], [x, y + radius_mm, height]]))
    across, down = np.linalg.norm(px[1] - px[0]), np.linalg.norm(px[2] - px[0])
    place = (round(float(px[0][0]) * 16), round(float(px[0][1]) * 16))
    axes = (max(1, round(float(across) * 16)), max(1, round(float(down) * 16)))
    cv2.ellipse(image, place, axes, 0, 0, 360, colour, -1, cv2.LINE_AA, 4)


def _shadow(image: Image, view: View, spot: Spot, radius_mm: float, throw_mm: float) -> None:
    """Darken the table beside something that stands on it."""
    centre = view.to_px(np.array([[spot[0] + throw_mm * 0.35, spot[1] + throw_mm * 0.25]]))[0]
    radius = radius_mm * view.px_per_mm(*spot)
    low = np.maximum(np.floor(centre - 1.6 * radius).astype(int), 0)
    high = np.minimum(np.ceil(centre + 1.6 * radius).astype(int), view.size)
    if (high <= low).any():
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    place = (round(float(centre[0] - low[0])), round(float(centre[1] - low[1])))
    cv2.circle(mask, place, max(1, round(radius)), 255, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), radius / 4)
    under = image[low[1] : high[1], low[0] : high[0]]
    cv2.multiply(under, cv2.merge([255 - np.asarray(soft * 0.45, np.uint8)] * 3), dst=under, scale=1 / 255)
