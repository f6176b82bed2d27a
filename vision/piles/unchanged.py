"""Remembers cards that were read: a card that looks as it did needs no reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Box, Floats, Image, Singles
from vision.channels import largest
from vision.quads import shared_area
from vision.read.rectify import Pyramid
from vision.reading import Card


@dataclass(frozen=True)
class MemoryParams:
    """Thresholds for an unchanged card; levels are shares of white."""

    cells_per_mm: float = 0.5
    # of white; a patch of so many cells across is not noise
    same_level: float = 0.09
    same_cells: int = 2
    rim: int = 1  # cells at the edge of a card, where a pixel's shift shows
    most_hidden: float = 0.4  # of a card
    gains: tuple[float, float] = (0.5, 2.0)
    over: float = 0.3  # of a place's area: two whole cards share less
    most: int = 60  # remembered cards: more than players have before them at once


MEMORY = MemoryParams()


@dataclass(frozen=True, eq=False)
class CardLook:
    """Look of a certain card: the pixels within its corners, (rows, columns, 3)."""

    card: Card
    sheet: Singles

    def is_there(self, image_bgr: Image) -> bool:
        """Return whether all of it is unchanged, or most, with covers over the rest that come in over its edge.

        A card that was laid on it squarely differs within its edges, too.
        """
        changed = self._changed(image_bgr)
        if changed is None or changed.mean() > MEMORY.most_hidden:
            return False
        count, labels = cv2.connectedComponents(changed)
        edge = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
        return bool(np.isin(np.arange(1, count), edge).all())

    def _changed(self, image_bgr: Image) -> Image | None:
        """Return the changed cells (rows, columns) as 1, without the rim; None where the card is cut off."""
        now = _sheet(image_bgr, self.card.corners_px, self.sheet.shape[:2])
        if np.isnan(now).any() or np.isnan(self.sheet).any():
            return None
        # A dimmed lamp is not another card.
        gain = float(np.median(self.sheet) + 0.01) / float(np.median(now) + 0.01)
        off = cv2.GaussianBlur(
            largest(np.abs(now * np.float32(np.clip(gain, *MEMORY.gains)) - self.sheet)), (0, 0), 0.8
        )
        other = (off[MEMORY.rim : -MEMORY.rim, MEMORY.rim : -MEMORY.rim] > MEMORY.same_level).astype(np.uint8)
        return np.asarray(
            cv2.morphologyEx(other, cv2.MORPH_OPEN, np.ones((MEMORY.same_cells, MEMORY.same_cells), np.uint8))
        )


class CardMemory:
    """The read cards of one deck on one table, and their looks."""

    def __init__(self, card_mm: tuple[float, float]) -> None:
        self._rows_columns = tuple(round(side * MEMORY.cells_per_mm) for side in reversed(card_mm))
        self._known: list[CardLook] = []

    def clear(self) -> None:
        """Forget all cards: the table is another one."""
        self._known = []

    def still_there(self, image_bgr: Image, box_px: Box) -> list[Card]:
        """Return unchanged cards with their middle in a part of a picture."""
        left, top, right, bottom = box_px
        found = []
        for look in self._known:
            x, y = look.card.corners_px.mean(axis=0)
            if left <= x < right and top <= y < bottom and look.is_there(image_bgr):
                found.append(look.card)
        return found

    def look_at(self, corners_px: Floats) -> CardLook | None:
        """Return the look of the card that was read at some corners."""
        return next((look for look in self._known if look.card.corners_px is corners_px), None)

    def keep(self, image_bgr: Image, cards: Sequence[Card]) -> None:
        """Remember certain cards of a picture; cards already known keep their first look."""
        for card in cards:
            if any(card is look.card for look in self._known):
                continue
            at = card.corners_px
            self._known = [look for look in self._known if shared_area(look.card.corners_px, at) < MEMORY.over]
            self._known.append(CardLook(card, _sheet(image_bgr, at, self._rows_columns)))
        del self._known[: -MEMORY.most]


def _sheet(image_bgr: Image, corners_px: Floats, cells: tuple[int, ...]) -> Singles:
    """Return the sheet (rows, columns, 3) within corners (4, 2), NaN outside the picture."""
    low, high = np.floor(corners_px.min(axis=0)) - 2, np.ceil(corners_px.max(axis=0)) + 3
    height, width = image_bgr.shape[:2]
    left, top = (max(0, int(value)) for value in low)
    right, bottom = min(width, int(high[0])), min(height, int(high[1]))
    crop = image_bgr[top:bottom, left:right]
    if min(crop.shape[:2], default=0) < 2:
        return np.full((*cells, 3), np.nan, np.float32)
    return np.asarray(Pyramid(crop).straight((corners_px - (left, top))[None], cells[0], cells[1])[0])
