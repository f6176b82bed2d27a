"""Follows the whole cards on a table through a series of pictures: reads only changed parts."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from vision.arrays import Box, Floats, Image, Singles
from vision.channels import shrunk
from vision.piles.observations import SLOW_NS
from vision.piles.pile_reader import PrintTableReader
from vision.piles.small_copies import Cells, cells_at, change_of, gain_between, veiled
from vision.quads import shared_area
from vision.read.places import wider
from vision.reading import Card
from vision.table import Table

_CELL_MM = 10.0
_CHANGED = 0.12  # of a cell's brightness
_LEAST_CELLS = 4  # a card covers fifty
_GAP_NS = 150_000_000  # at most between readings while something moves: a search for cards takes 20 ms
_CORE_MM = 54.0  # round a change: a card with its middle here may be another one now
_CARD_MM = 52.0  # from there: to the far corner of a card's print
_EDGE_MM = 15.0
_VEILED = 0.5  # of a seat's cells, hidden by something close to the lens
_OF_A_PILE = 0.3  # of their areas
_A_CARD_CELLS = 16  # a third of one
_A_CARD_MM = 180.0  # two cards askew; a thing that reaches further is an arm


class CardWatch:
    """Keeps the cards of one table; `cards` are the certain ones, as of the last reading of their place.

    The first picture (h, w, 3) is read whole. A place that no caller requests (`look`) is read when its turn comes
    (`sweep`). still: nothing moved anywhere since the picture before.
    """

    def __init__(self, reader: PrintTableReader, table: Table, first_bgr: Image) -> None:
        self._reader = reader
        self._table = table
        self._size = table.size_px
        middle = np.array([[side / 2 for side in self._size]])
        self._px_per_mm = float(table.px_per_mm(middle)[0])
        cell_px = max(1.0, _CELL_MM * self._px_per_mm)
        columns, rows = self._grid = (round(self._size[0] / cell_px) or 1, round(self._size[1] / cell_px) or 1)
        self._t_ns = 0
        self._rest_ns = self._moving_ns = -_GAP_NS  # when parts at rest, and moving ones, were read last
        self._unread: list[Box] = []  # changed parts of the last picture that were not read
        self.still = False
        self._moves: Cells = np.zeros((rows, columns), bool)
        # Each cell at the start, in the last picture, when it was read, and when `sweep` came there.
        self._first = self._before = self._small(first_bgr)
        self._read, self._swept = self._first.copy(), self._first.copy()
        self.cards, outlines = reader.read_all(first_bgr, table)
        # Where cards of this deck were at the start, and outlines of others, not of the pile beneath a card.
        self._own = self._cells_at([card.corners_px for card in self.cards])
        self._odd = self._cells_at([quad for quad in outlines if self._is_unknown(quad)])

    @property
    def cells_mm(self) -> Floats:
        """Return the middle (rows, columns, 2) of each cell, in mm on the table."""
        columns, rows = self._grid
        x, y = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
        middles_px = np.stack([x * self._size[0], y * self._size[1]], axis=-1)
        return np.asarray(self._table.to_mm(middles_px.reshape(-1, 2)).reshape(middles_px.shape))

    def look(self, image_bgr: Image, t_ns: int, wanted: Cells) -> None:
        """Take the picture (h, w, 3) of an instant: read the changes in the wanted cells (rows, columns).

        Where something moves, the last picture within `_GAP_NS` is read; `look_closely` reads the rest.
        """
        now = self._small(image_bgr)
        step_ns, self._t_ns = t_ns - self._t_ns, t_ns
        self._moves = moves = _changed(self._before, now)
        self.still = int(moves.sum()) < _LEAST_CELLS
        self._before = now
        self._unread.clear()
        for part, box in self._parts(_changed(self._read, now) & wanted):
            if (part & moves).any() or t_ns - self._rest_ns < SLOW_NS:
                # Mostly an arm: the only question is whether a new card is visible.
                self._unread.append(box)
            else:
                self._read[part], self._rest_ns = now[part], t_ns
                self._merge(image_bgr, self._wider(box, _CORE_MM), _CARD_MM)
        if self._unread and t_ns + step_ns - self._moving_ns > _GAP_NS:
            self._moving_ns = t_ns
            self.look_closely(image_bgr, moves=True)

    def moves_in(self, cells: Cells) -> bool:
        """Return whether something moved in some of the cells (rows, columns) since the picture before."""
        return int((self._moves & cells).sum()) >= _LEAST_CELLS

    def things_in(self, cells: Cells) -> int | None:
        """Count the things in some cells (rows, columns) beside the known cards; None if one is larger than a card.

        Candidates are pixels that changed since the start, and outlines of a card's size at the start.
        """
        if veiled(self._first, self._before)[cells].mean() > _VEILED:
            return None
        other = (_changed(self._first, self._before) & ~self._own) | self._odd
        other &= ~self._cells_at([card.corners_px for card in self.cards])
        count, labels, stats, _ = cv2.connectedComponentsWithStats(other.astype(np.uint8))
        sizes = _CELL_MM * stats[:, cv2.CC_STAT_WIDTH : cv2.CC_STAT_HEIGHT + 1].max(axis=1)
        here = [n for n in range(1, count) if int(((labels == n) & cells).sum()) >= _A_CARD_CELLS]
        return None if any(sizes[number] > _A_CARD_MM for number in here) else len(here)

    def _is_unknown(self, outline_px: Floats) -> bool:
        """Return whether an outline (4, 2) is not at a known card, nor at the pile beneath one."""
        return all(shared_area(outline_px, card.corners_px) < _OF_A_PILE for card in self.cards)

    def _cells_at(self, outlines_px: list[Floats]) -> Cells:
        return cells_at([outline / self._size for outline in outlines_px], self._moves.shape)

    def look_closely(self, image_bgr: Image, *, moves: bool = False) -> None:
        """Read the parts left out in the last picture, which must be the same one; moves: see `read_part`."""
        for box in self._unread:
            self._merge(image_bgr, box, _EDGE_MM, moves=moves)
        self._unread.clear()

    def search(self, image_bgr: Image, cells: Cells) -> None:
        """Read new cards in some cells (rows, columns) since the start, also partly hidden ones.

        The picture must be the last one of `look`. It takes several times as long as `look`.
        """
        rows, columns = np.nonzero(_changed(self._first, self._before) & cells)
        if len(rows) >= _LEAST_CELLS:
            box = self._in_px(columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
            self._merge(image_bgr, box, _EDGE_MM)

    def sweep(self, image_bgr: Image) -> bool:
        """Read a part that changed since it was swept last, while nothing moves; return whether none was left."""
        for part, box in self._parts(_changed(self._swept, self._before)):
            self._swept[part] = self._before[part]
            self._merge(image_bgr, self._wider(box, _CORE_MM), _CARD_MM)
            return False
        return True

    def _parts(self, changed: Cells) -> Iterator[tuple[Cells, Box]]:
        """Yield the changed cells (rows, columns) by patches, with the box of each in px."""
        joined = cv2.dilate(changed.astype(np.uint8), np.ones((3, 3), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
        for number in range(1, count):
            part = (labels == number) & changed
            if int(part.sum()) >= _LEAST_CELLS:
                left, top, width, height = (int(value) for value in stats[number, : cv2.CC_STAT_HEIGHT + 1])
                yield part, self._in_px(left, top, left + width, top + height)

    def _small(self, image_bgr: Image) -> Singles:
        return shrunk(image_bgr, self._grid).astype(np.float32)

    def _in_px(self, left: int, top: int, right: int, bottom: int) -> Box:
        """Return a rectangle of cells in px."""
        x, y = (size / cells for size, cells in zip(self._size, self._grid, strict=True))
        return round(left * x), round(top * y), round(right * x), round(bottom * y)

    def _wider(self, box: Box, by_mm: float) -> Box:
        return wider(box, round(by_mm * self._px_per_mm), self._size)

    def _merge(self, image_bgr: Image, core: Box, round_mm: float, *, moves: bool = False) -> None:
        """Read a part again, with `round_mm` round it, and replace the cards with their middle in it."""
        found = self._reader.read_part(image_bgr, self._table, self._wider(core, round_mm), moves=moves)
        others = [card for card in self.cards if not _within(card, core)]
        self.cards = (*others, *(card for card in found if _within(card, core)))


def _within(card: Card, box: Box) -> bool:
    x, y = card.corners_px.mean(axis=0)
    return bool(box[0] <= x < box[2] and box[1] <= y < box[3])


def _changed(before: Singles, now: Singles) -> Cells:
    """Return which cells changed by more than the light as a whole did."""
    return np.asarray(change_of(before, now, gain_between(before, now)) > _CHANGED)
