"""Places of piles, their parts of a picture, and observations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.table import Table

Kind = Literal["face", "back", "empty", "covered", "turning", "unclear", "strange"]

REGION_MM = 82.0  # from a place's centre: half a card's diagonal, and the drift of an untidy pile
MOVED_MM = 38.0
"""A card with its centre further off is not part of the pile."""
SLOW_NS = 45_000_000
"""ns from one slow reading to the next: a card takes 17 yardsticks, 33 ms are 16. A ring has the last picture read."""


@dataclass(frozen=True)
class PilePlace:
    """Place of a pile: its seat, and its middle on the table."""

    seat: int
    centre_mm: tuple[float, float]


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
class Region:
    """The part of a picture with a pile: its corner, size, the place's centre and the scale, in px."""

    left: int
    top: int
    right: int
    bottom: int
    centre_px: tuple[float, float]
    px_per_mm: float

    def crop(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Cut the region out of a picture (a view)."""
        return image[self.top : self.bottom, self.left : self.right]


def region_of(place: PilePlace, table: Table) -> Region:
    """Return the part of a table's pictures with a pile."""
    centre = table.to_px(np.array([place.centre_mm]))
    px_per_mm = float(table.px_per_mm(centre)[0])
    x, y = (float(value) for value in centre[0])
    reach = REGION_MM * px_per_mm
    left, top = (max(0, int(value - reach)) for value in (x, y))
    right, bottom = (min(most, int(value + reach) + 1) for value, most in zip((x, y), table.size_px, strict=True))
    return Region(left, top, max(left, right), max(top, bottom), (x, y), px_per_mm)
