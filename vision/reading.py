"""Result of a reader: the certain cards, and the unclear ones with the reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.deck import Face

PLACES = ("camera", "out of sight", "hand", "thing", "light", "darkness", "blur", "between", "apart")
"""Reasons for a place at which a card may be unseen: nothing shows how the camera stands, the place is not in the
picture, a person's hand or a thing is there, or there is light that clips the picture,
darkness, or blur; or a card is on the border of two seats."""


@dataclass(frozen=True, eq=False)
class CardReading:
    """A card that was read with certainty.

    `corners_px` is (4, 2), clockwise from the face's own top-left corner (centre of the picture's top-left pixel is
    (0, 0)); `centre_mm` is (x, y) on the table or None without a table; `confidence` is the probability that the
    face is right.
    """

    face: Face
    confidence: float
    corners_px: NDArray[np.float64]
    centre_mm: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class UnclearCard:
    """A card that was seen but not identified with certainty.

    `corners_px` is (k, 2), what is known of its outline, or (0, 2); `reason` is one of `covered`, `glare`, `colours`,
    `dark`, `blurred`, `edge of picture`, `same card twice`, or one of `PLACES`; `best` is the likeliest face with its
    confidence; `side` is the side that is up as far as anything shows it, else None.
    """

    corners_px: NDArray[np.float64]
    centre_px: tuple[float, float]
    centre_mm: tuple[float, float] | None
    reason: str
    best: tuple[Face, float] | None
    side: str | None = None


@dataclass(frozen=True)
class Reading:
    """All that was read in one picture."""

    cards: tuple[CardReading, ...]
    unclear: tuple[UnclearCard, ...]
