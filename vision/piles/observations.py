"""Places of piles, their parts of a picture, and observations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from vision.arrays import Box, Floats, Image
from vision.table import Table

Kind = Literal["face", "back", "empty", "covered", "turning", "unclear", "strange"]

_REACH_MM = 82.0  # from a place's centre: half a card's diagonal, and the drift of an untidy pile
_MOVED_MM = 38.0  # a card with its centre further off is not part of the pile
SLOW_NS = 45_000_000
"""ns from one slow reading to the next: a card takes 17 yardsticks, 33 ms are 16. A ring has the last picture read."""


@dataclass(frozen=True, eq=False)
class PileSight:
    """Observation of one place.

    `kind`: `face` and `back` are certain; `turning` is a lifted or tilted card, `covered` something else in the way,
    `unclear` a flat card that cannot be identified (`colour` and `mood` are then the likeliest), `strange` another
    object at a seat without a known place. `corners_px` (4, 2) are the card's, clockwise from the face's top-left.
    """

    seat: int
    kind: Kind
    colour: str | None = None
    mood: str | None = None
    corners_px: Floats | None = None


@dataclass(frozen=True)
class PilePlace:
    """Place of a pile: its seat, its middle and the scale, and the part of a picture with it, in px."""

    seat: int
    centre_px: tuple[float, float]
    px_per_mm: float
    part: Box

    def crop(self, image: Image) -> Image:
        """Cut the place out of a picture (a view)."""
        left, top, right, bottom = self.part
        return image[top:bottom, left:right]

    @property
    def core(self) -> Box:
        """Return the part of a picture with the middle of the pile's top card."""
        return box_at(self.centre_px, _MOVED_MM * self.px_per_mm)

    def has(self, corners_px: Floats) -> bool:
        """Return whether a card (4, 2) is on the pile."""
        aside = float(np.linalg.norm(corners_px.mean(axis=0) - self.centre_px))
        return aside < _MOVED_MM * self.px_per_mm


def pile_place(seat: int, centre_mm: tuple[float, float], table: Table) -> PilePlace:
    """Return the place of a pile in a table's pictures."""
    centre = table.to_px(np.array([centre_mm]))
    px_per_mm = float(table.px_per_mm(centre)[0])
    x, y = (float(value) for value in centre[0])
    left, top, right, bottom = box_at((x, y), _REACH_MM * px_per_mm)
    left, top, width, height = max(0, left), max(0, top), *table.size_px
    return PilePlace(seat, (x, y), px_per_mm, (left, top, max(left, min(width, right)), max(top, min(height, bottom))))


def box_at(middle_px: tuple[float, float], reach_px: float) -> Box:
    """Return the square around a point."""
    x, y = middle_px
    return int(x - reach_px), int(y - reach_px), int(x + reach_px) + 1, int(y + reach_px) + 1
