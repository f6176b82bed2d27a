"""What the place of a discard pile shows in a frame, in Piccolino."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Corners = NDArray[np.float64]


class Sight(Protocol):
    """What a discard pile's place shows in a frame; `vision.piles.sights.PileSight` is one.

    kind: "face", "back", "empty", "covered", "turning", "unclear", or "strange": a card that is none of the deck's.
    """

    @property
    def seat(self) -> int:
        """Whose pile it is."""

    @property
    def kind(self) -> str:
        """What the place shows."""

    @property
    def colour(self) -> str | None:
        """The face's colour."""

    @property
    def mood(self) -> str | None:
        """The face's mood."""

    @property
    def corners_px(self) -> Corners | None:
        """The card's corners (4, 2), clockwise from the face's top-left."""


@dataclass(frozen=True, eq=False)
class BareSight:
    """What the place of a seat shows that had no pile before."""

    seat: int
    kind: str
    colour: str | None = None
    mood: str | None = None
    corners_px: Corners | None = None
