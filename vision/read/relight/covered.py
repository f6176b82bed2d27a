"""Finds the cover on a card: it is as thick as a finger, and it comes in over the margin."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags


@dataclass(frozen=True)
class CoverParams:
    """Thickness of covers on a card, in cells."""

    thin: int = 3  # cells: a narrower one is a line of the art that is a little off
    finger: int = 7  # cells: a gap of less than a finger's width does not divide a cover
    beside: int = 5  # cells between a cover and a margin that it may touch
    most_inside: float = 5.0  # share of the print that a finger hides, by the share of the margin
    near: int = 5  # cells from the margin to the print beside it


COVER = CoverParams()


def cover_of(odd: Flags, margin: Flags, used: Flags) -> tuple[Flags, Flags]:
    """Return the covered cells of a card (h, w), and the `odd` ones, unlike the art, that cannot be covered.

    `margin` are cells of white paper; cells that are not `used` do not count.
    """
    likely = (odd | (_grown(odd, COVER.thin) & ~used)).astype(np.uint8)
    thick = _joined(cv2.morphologyEx(likely, cv2.MORPH_OPEN, np.ones((COVER.thin, COVER.thin), np.uint8)))
    count, labels = cv2.connectedComponents(thick)
    over_margin = np.zeros(count, bool)
    over_margin[labels[(thick > 0) & odd & margin]] = True
    cover = over_margin[labels]
    printed = used & ~margin
    if cover[printed].mean() > COVER.most_inside * cover[margin].mean():
        cover[:] = False
    # A picture of another colour is odd all along a white margin.
    clear = margin & ~_grown(odd & margin, 2 * COVER.beside + 1)
    strange = odd & ~margin & (~cover | _grown(clear, 2 * COVER.near + 1))
    return _grown(cover, COVER.thin), strange


def _joined(thick: cv2.typing.MatLike) -> NDArray[np.uint8]:
    """Return the cover without the gaps where a fit explains a finger's skin by the art in odd light."""
    padded = cv2.copyMakeBorder(thick, *(COVER.finger,) * 4, cv2.BORDER_CONSTANT, value=0)
    filled = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((COVER.finger, COVER.finger), np.uint8))
    return np.asarray(filled[COVER.finger : -COVER.finger, COVER.finger : -COVER.finger], np.uint8)


def _grown(cells: Flags, side: int) -> Flags:
    return np.asarray(cv2.dilate(cells.astype(np.uint8), np.ones((side, side), np.uint8)) > 0)
