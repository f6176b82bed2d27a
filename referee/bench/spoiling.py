"""Spoils one card in a picture: light, darkness, blur, a thing that lies on it, and what else keeps it from being read.

Everything is drawn in the card's own mm, with edges as soft as lamps have them, and clips as a camera does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Mask = NDArray[np.float32]

_CARD_MM = (63.0, 88.0)
_LAMP = 420.0  # grey levels: it clips on black, too
_CLOTHS = ((40, 40, 150), (130, 60, 30), (60, 110, 50), (70, 70, 70), (30, 30, 35), (140, 160, 180), (90, 40, 90))


@dataclass(frozen=True, eq=False)
class Spot:
    """A card in a picture (h, w, 3) BGR: its corners (4, 2), clockwise from the face's top left, in px."""

    image: Image
    corners_px: Floats
    random: np.random.Generator

    @cached_property
    def _to_px(self) -> Floats:
        width, height = _CARD_MM
        flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(flat, self.corners_px.astype(np.float32)), np.float64)

    @cached_property
    def px_per_mm(self) -> float:
        """The picture's scale at the card."""
        area = cv2.contourArea(self.corners_px.astype(np.float32))
        return float(np.sqrt(area / (_CARD_MM[0] * _CARD_MM[1])))

    def mask(self, *outlines_mm: Floats, soft_mm: float = 0.3, upright_mm: float = 0.0) -> Mask:
        """(h, w, 1) 0 to 1, where outlines (k, 2) in the card's mm lie, with edges that are `soft_mm` wide."""
        drawn = np.zeros(self.image.shape[:2], np.float32)
        for outline in outlines_mm:
            px = cv2.perspectiveTransform(outline.reshape(-1, 1, 2).astype(np.float64), self._to_px)
            cv2.fillPoly(drawn, [np.rint(px * 16).astype(np.int32)], (1.0,), cv2.LINE_AA, 4)
        return np.asarray(cv2.GaussianBlur(drawn, (0, 0), max(soft_mm * self.px_per_mm, 0.4)), np.float32)[..., None]

    def card(self, soft_mm: float = 0.3, grown_mm: float = 0.0) -> Mask:
        """The card itself as a mask."""
        return self.mask(rectangle((31.5, 44.0), (63 + 2 * grown_mm, 88 + 2 * grown_mm), 0.0), soft_mm=soft_mm)

    def inside(self, most_off: float = 0.25) -> Floats:
        """(2,) a place on the card, in its mm, off its middle by a part of its size."""
        return np.array([31.5, 44.0]) + np.array(_CARD_MM) * self.random.uniform(-most_off, most_off, 2)

    def blended(self, mask: Mask, other: NDArray[Any]) -> Image:
        """The picture with another one, or a colour, where the mask is."""
        return np.asarray(np.clip(self.image * (1 - mask) + other * mask, 0, 255), np.uint8)

    def lit(self, mask: Mask) -> Image:
        """The picture with a lamp's light added."""
        return np.asarray(np.clip(self.image + _LAMP * mask, 0, 255), np.uint8)


def rectangle(middle: tuple[float, float] | Floats, sides: tuple[float, float], turn: float) -> Floats:
    """(4, 2) corners of a rectangle that is turned by an angle in rad."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(sides) / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(middle + half @ np.array([[cos, sin], [-sin, cos]]))


def ellipse(middle: tuple[float, float] | Floats, sides: tuple[float, float], turn: float) -> Floats:
    """(72, 2) points round an ellipse with these axes that is turned by an angle in rad."""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    round_mm = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.array(sides) / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(middle + round_mm @ np.array([[cos, sin], [-sin, cos]]))


def wiped(spot: Spot) -> Image:
    """All of the card, and a little more or less, is white."""
    return spot.lit(spot.card(spot.random.uniform(0.3, 3.0), spot.random.uniform(-4.0, 3.0)))


def lamp(spot: Spot) -> Image:
    """A lamp is mirrored: a soft ellipse that ends in the card, or runs a little onto the table or the neighbour."""
    sides = (float(spot.random.uniform(45, 85)), float(spot.random.uniform(55, 110)))
    shape = ellipse(spot.inside(), sides, float(spot.random.uniform(0, np.pi)))
    return spot.lit(spot.mask(shape, soft_mm=float(spot.random.uniform(0.5, 8.0))))


def tube(spot: Spot) -> Image:
    """A tube is mirrored, across the card and its neighbours."""
    sides = (float(spot.random.uniform(30, 60)), float(spot.random.uniform(90, 320)))
    shape = rectangle(spot.inside(0.15), sides, float(spot.random.uniform(0, np.pi)))
    return spot.lit(spot.mask(shape, soft_mm=float(spot.random.uniform(0.5, 8.0))))


def window(spot: Spot) -> Image:
    """A window of two or four panes is mirrored."""
    width, height = spot.random.uniform(60, 130), spot.random.uniform(70, 170)
    middle, turn, bar = spot.inside(), float(spot.random.uniform(0, np.pi)), spot.random.uniform(2, 7)
    across, down = 2, int(spot.random.integers(1, 3))
    panes = []
    for column in range(across):
        for row in range(down):
            off = np.array([(column + 0.5) / across - 0.5, (row + 0.5) / down - 0.5]) * (width, height)
            cos, sin = np.cos(turn), np.sin(turn)
            at = middle + off @ np.array([[cos, sin], [-sin, cos]])
            panes.append(rectangle(at, (width / across - bar, height / down - bar), turn))
    return spot.lit(spot.mask(*panes, soft_mm=float(spot.random.uniform(0.5, 6.0))))


def darkened(spot: Spot) -> Image:
    """The card lies in deep shadow."""
    share = float(np.exp(spot.random.uniform(np.log(0.004), np.log(0.4))))
    mask = spot.card(float(spot.random.uniform(0.3, 8.0)), float(spot.random.uniform(0, 12)))
    return spot.blended(mask, spot.image * share)


def brightened(spot: Spot) -> Image:
    """The card lies in glaring light."""
    share = float(np.exp(spot.random.uniform(np.log(1.3), np.log(12))))
    mask = spot.card(float(spot.random.uniform(0.3, 8.0)), float(spot.random.uniform(0, 12)))
    return spot.blended(mask, np.minimum(spot.image * share, 255.0))


def blurred(spot: Spot) -> Image:
    """The card is out of focus."""
    sigma = float(np.exp(spot.random.uniform(np.log(1.0), np.log(20.0)))) * spot.px_per_mm
    return spot.blended(spot.card(4.0, 20.0), cv2.GaussianBlur(spot.image, (0, 0), sigma))


def smeared(spot: Spot) -> Image:
    """The card is being moved, or the camera was knocked."""
    length = max(3, round(float(spot.random.uniform(4, 45)) * spot.px_per_mm)) | 1
    kernel = np.zeros((length, length), np.float32)
    turn = float(spot.random.uniform(0, np.pi))
    reach = np.array([np.cos(turn), np.sin(turn)]) * length / 2
    ends = [tuple(int(v) for v in np.rint(length / 2 + way * reach)) for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], (1.0,), 1)
    return spot.blended(spot.card(5.0, 24.0), cv2.filter2D(spot.image, -1, kernel / kernel.sum()))


def mug(spot: Spot) -> Image:
    """A mug stands on the card."""
    at = spot.inside(0.12)
    side = float(spot.random.uniform(84, 100))
    outer, inner = (ellipse(at, (wide, wide), 0.0) for wide in (side, side - 12))
    colour = np.array(_CLOTHS[spot.random.integers(len(_CLOTHS))], np.float64)
    once = Spot(spot.blended(spot.mask(outer), colour), spot.corners_px, spot.random)
    return _grained(once, once.blended(once.mask(inner), np.array([20.0, 32, 48])), once.mask(outer))


def phone(spot: Spot) -> Image:
    """A telephone lies on the card."""
    shape = rectangle(spot.inside(0.05), (78.0, 155.0), float(spot.random.choice([0.0, np.pi])))
    level = float(spot.random.uniform(6, 45))
    return _grained(spot, spot.blended(spot.mask(shape), np.array([level * 1.1, level, level])), spot.mask(shape))


def paper(spot: Spot) -> Image:
    """A sheet of paper lies on the card."""
    sides = (float(spot.random.uniform(80, 150)), float(spot.random.uniform(100, 210)))
    shape = rectangle(spot.inside(0.05), sides, float(spot.random.normal(0, 0.2)))
    level = float(spot.random.uniform(150, 245))
    return _grained(spot, spot.blended(spot.mask(shape), np.array([level * 0.95, level, level])), spot.mask(shape))


def cloth(spot: Spot) -> Image:
    """A napkin lies on the card."""
    sides = (float(spot.random.uniform(85, 130)), float(spot.random.uniform(100, 150)))
    shape = rectangle(spot.inside(0.05), sides, float(spot.random.uniform(0, np.pi / 2)))
    colour = np.array(_CLOTHS[spot.random.integers(len(_CLOTHS))], np.float64)
    return _grained(spot, spot.blended(spot.mask(shape, soft_mm=0.8), colour), spot.mask(shape), 9.0)


def sleeve(spot: Spot) -> Image:
    """An arm in a sleeve lies across the card, from beyond the picture's edge, its hand out of sight."""
    height, width = spot.image.shape[:2]
    x, y = spot.corners_px.mean(0)
    ways = {(0.0, -1.0): y, (0.0, 1.0): height - y, (-1.0, 0.0): x, (1.0, 0.0): width - x}
    out = np.array(min(ways, key=lambda way: ways[way]))
    aside = np.array([-out[1], out[0]])
    wide, reach = spot.random.uniform(38, 50) * spot.px_per_mm, 70 * spot.px_per_mm
    end, start = np.array([x, y]) - reach * out, np.array([x, y]) + (min(ways.values()) + 40) * out
    drawn = np.zeros((height, width), np.float32)
    shape = np.array([end - wide * aside, end + wide * aside, start + 1.3 * wide * aside, start - 1.3 * wide * aside])
    cv2.fillPoly(drawn, [np.rint(shape).astype(np.int32)], (1.0,))
    mask = np.asarray(cv2.GaussianBlur(drawn, (0, 0), 1.5), np.float32)[..., None]
    colour = np.array(_CLOTHS[spot.random.integers(len(_CLOTHS))], np.float64)
    return _grained(spot, spot.blended(mask, colour), mask, 8.0)


def _grained(spot: Spot, image: Image, mask: Mask, grain: float = 3.0) -> Image:
    """The picture with a little light and shade over a thing that was drawn into it."""
    height, width = image.shape[:2]
    light = 1 + 0.12 * np.sin(np.linspace(0, spot.random.uniform(3, 9), width))[None, :, None]
    noise = spot.random.normal(0, grain, (height, width, 1))
    other = np.clip(image * light + noise, 0, 255)
    return np.asarray(image * (1 - mask) + other * mask, np.uint8)


SPOILING: dict[str, Callable[[Spot], Image]] = {
    "wiped": wiped,
    "lamp": lamp,
    "tube": tube,
    "window": window,
    "darkened": darkened,
    "brightened": brightened,
    "blurred": blurred,
    "smeared": smeared,
    "mug": mug,
    "phone": phone,
    "paper": paper,
    "cloth": cloth,
    "sleeve": sleeve,
}
