"""Return the main colours of a card's picture, beside its ground, its black and its white."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.teaching.colour_names import colour_name

_SIDE = 96  # px
_CHROMA = 30.0  # what is less is skin, paper, or grey
_BINS = 36
_NEAR = 25.0  # degrees of hue: still the same paint
_PLAIN = 1.6  # times as much as of the next paint
_LEAST = 0.015  # of the card
_HUE_SHARE = 0.05  # of the card, for one hue of several
_GROUND = 14.0  # in Lab
_BLACK_L, _BLACK_CHROMA, _BLACK_SHARE = 25.0, 12.0, 0.12
_LIGHT_L = 65.0
_TURQUOISE = (172.0, 238.0)  # degrees of hue


@dataclass(frozen=True)
class MainColours:
    """A picture's paints.

    `name` is that of the main one, None where there is none, `hue` (degrees) its hue; `is_plain`: no other comes near
    it; `hues` are how many quite different ones there are; `coloured` is the share of the card that they cover;
    `is_light`: the rest is light.
    """

    name: str | None
    hue: float
    is_plain: bool
    hues: int
    coloured: float
    is_light: bool


def main_colours(art: Image) -> MainColours:
    """The paints of a card put straight under white light, (h, w, 3) uint8 BGR."""
    sheet = cv2.resize(art, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    lab = np.asarray(cv2.cvtColor(sheet, cv2.COLOR_BGR2LAB), np.float32)
    rim = round(0.04 * _SIDE)
    lab = lab[rim:-rim, rim:-rim]
    chroma = np.hypot(lab[..., 1], lab[..., 2])
    hue = np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360
    painted = chroma > _CHROMA
    coloured = float(painted.mean())
    is_light = float(np.median(lab[..., 0])) > _LIGHT_L
    hues = _hues(hue[painted], painted.size)
    own = painted & ~_ground(lab)
    if float(own.mean()) < _LEAST:
        own = painted
    black = (lab[..., 0] < _BLACK_L) & (chroma < _BLACK_CHROMA)
    if float(black.mean()) > _BLACK_SHARE and float(own.mean()) < float(black.mean()):
        return MainColours("black", 0.0, False, hues, coloured, is_light)
    if float(own.mean()) < _LEAST:
        return MainColours(None, 0.0, False, hues, coloured, is_light)
    weight = np.where(own, chroma**2, 0)
    middle, most = _peak(hue, weight)
    near = np.abs((hue - middle + 180) % 360 - 180) < _NEAR
    _, next_ = _peak(hue, np.where(near, 0, weight))
    mean = np.average(lab[near & own], axis=0, weights=weight[near & own])
    return MainColours(_name(mean), middle, most > _PLAIN * next_, hues, coloured, is_light)


def _peak(hue: NDArray[np.floating], weight: NDArray[np.floating]) -> tuple[float, float]:
    """The hue, in degrees, that most of the weight is near, and how much does."""
    amount, _ = np.histogram(hue, bins=_BINS, range=(0, 360), weights=weight)
    around = amount + np.roll(amount, 1) + np.roll(amount, -1)
    best = int(np.argmax(around))
    return (best + 0.5) * 360 / _BINS, float(around[best])


def _hues(hue: NDArray[np.floating], pixels: int) -> int:
    """Return how many sixths of the circle of hues are painted with."""
    amount, _ = np.histogram(hue, bins=12, range=(0, 360))
    runs = amount > _HUE_SHARE * pixels
    return int((runs & ~np.roll(runs, 1)).sum() + (runs & np.roll(runs, 1)).sum() / 2) if runs.any() else 0


def _ground(lab: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return where the picture is of a colour that goes round its edge."""
    edge = np.concatenate([lab[:4].reshape(-1, 3), lab[:, :4].reshape(-1, 3), lab[:, -4:].reshape(-1, 3)])
    return np.asarray(np.linalg.norm(lab - np.median(edge, axis=0), axis=-1) < _GROUND)


def _name(lab: NDArray[np.floating]) -> str | None:
    lightness, a, b = (float(value) for value in lab)
    hue = float(np.degrees(np.arctan2(b, a)) % 360)
    if _TURQUOISE[0] < hue < _TURQUOISE[1] and np.hypot(a, b) > _CHROMA / 2:
        return "turquoise"
    name = colour_name((lightness, a, b))
    return None if name in ("white", "grey") else name
