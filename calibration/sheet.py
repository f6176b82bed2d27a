"""Pages to print and cut: all positions in mm from the page's top-left corner, true to size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Box = tuple[float, float, float, float]

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
# Area that both papers and printers can hold: a layout for it is the same on either.
_COMMON_MM = (210.0 - 2 * 8, 279.4 - 2 * 5.5)
RULER_MM = 100.0
_FONT = "Helvetica"
_INK = "#000000"
_CUT_INK = "#9a9a9a"


@dataclass(frozen=True)
class Grid:
    """Cells of one size, edge to edge, in the middle of the page.

    `cell_mm` and `page_mm` are (width, height).
    """

    columns: int
    rows: int
    cell_mm: tuple[float, float]
    page_mm: tuple[float, float]

    @property
    def per_page(self) -> int:
        """Number of cells on a page."""
        return self.columns * self.rows

    @property
    def block_mm(self) -> Box:
        """Box (x, y, width, height) around all cells."""
        width, height = self.columns * self.cell_mm[0], self.rows * self.cell_mm[1]
        return (self.page_mm[0] - width) / 2, (self.page_mm[1] - height) / 2, width, height

    def box_mm(self, place: int) -> Box:
        """Return the box (x, y, width, height) of a cell, counted by rows from the top-left one."""
        row, column = divmod(place, self.columns)
        x, y, _, _ = self.block_mm
        return x + column * self.cell_mm[0], y + row * self.cell_mm[1], *self.cell_mm

    def mirrored(self, box: Box) -> Box:
        """Return the box behind `box` on the sheet's other side, flipped on the long edge."""
        return self.page_mm[0] - box[0] - box[2], *box[1:]


def grid_for(cell_mm: tuple[float, float], paper: str) -> Grid | None:
    """Return a grid of as many cells as fit on both papers; None if no cell fits."""
    columns, rows = (int(room // side) for room, side in zip(_COMMON_MM, cell_mm, strict=True))
    return Grid(columns, rows, cell_mm, PAPERS_MM[paper]) if columns and rows else None


class SheetPages:
    """Pages of one paper size, drawn one after the other."""

    def __init__(self, page_mm: tuple[float, float], title: str, two_sided: bool) -> None:
        self._page_mm = page_mm
        self._buffer = BytesIO()
        size = (page_mm[0] * mm, page_mm[1] * mm)
        # Invariant: the same deck always gives the same file.
        self._canvas = Canvas(self._buffer, pagesize=size, invariant=1, pageCompression=1)
        self._canvas.setTitle(title)
        self._canvas.setViewerPreference("PrintScaling", "None")
        if two_sided:
            self._canvas.setViewerPreference("Duplex", "DuplexFlipLongEdge")

    def rectangle(self, box: Box, colour: str) -> None:
        """Fill a box (x, y, width, height)."""
        self._canvas.setFillColor(HexColor(colour))
        x, y, width, height = box
        self._canvas.rect(x * mm, self._up(y + height), width * mm, height * mm, stroke=0, fill=1)

    def circle(self, centre: tuple[float, float], diameter: float, colour: str) -> None:
        """Fill a circle."""
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.circle(centre[0] * mm, self._up(centre[1]), diameter / 2 * mm, stroke=0, fill=1)

    def polygon(self, points: NDArray[np.float64], colour: str) -> None:
        """Fill a polygon, (n, 2)."""
        path = self._canvas.beginPath()
        path.moveTo(points[0][0] * mm, self._up(points[0][1]))
        for x, y in points[1:]:
            path.lineTo(x * mm, self._up(y))
        path.close()
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.drawPath(path, stroke=0, fill=1)

    def picture(self, picture: ImageReader, box: Box) -> None:
        """Draw a picture that fills a box (x, y, width, height)."""
        x, y, width, height = box
        self._canvas.drawImage(picture, x * mm, self._up(y + height), width * mm, height * mm)

    def line(self, start: tuple[float, float], end: tuple[float, float], width: float, colour: str = _INK) -> None:
        """Draw a line, `width` mm thick."""
        self._canvas.setLineWidth(width * mm)
        self._canvas.setStrokeColor(HexColor(colour))
        self._canvas.line(start[0] * mm, self._up(start[1]), end[0] * mm, self._up(end[1]))

    def text(self, place: tuple[float, float], words: str, points: float, upright: bool = True) -> None:
        """Write words from a point on the base line; not `upright`: turned to read from the bottom up."""
        self._canvas.saveState()
        self._canvas.translate(place[0] * mm, self._up(place[1]))
        if not upright:
            self._canvas.rotate(90)
        self._canvas.setFillColor(HexColor(_INK))
        self._canvas.setFont(_FONT, points)
        self._canvas.drawString(0, 0, words)
        self._canvas.restoreState()

    def crop_marks(self, boxes: Sequence[Box], near: float, far: float) -> None:
        """Draw short lines at every cut, from `near` to `far` mm outside the box around all boxes."""
        x0, y0, x1, y1 = around(boxes)
        for x in sorted({round(edge, 4) for box in boxes for edge in (box[0], box[0] + box[2])}):
            self.line((x, y0 - far), (x, y0 - near), 0.15)
            self.line((x, y1 + near), (x, y1 + far), 0.15)
        for y in sorted({round(edge, 4) for box in boxes for edge in (box[1], box[1] + box[3])}):
            self.line((x0 - far, y), (x0 - near, y), 0.15)
            self.line((x1 + near, y), (x1 + far, y), 0.15)

    def cutting_lines(self, boxes: Sequence[Box]) -> None:
        """Draw the boxes' edges as grey hairlines, shared edges once."""
        edges = set()
        for box in boxes:
            left, top = round(box[0], 4), round(box[1], 4)
            right, bottom = round(box[0] + box[2], 4), round(box[1] + box[3], 4)
            edges |= {((left, y), (right, y)) for y in (top, bottom)} | {((x, top), (x, bottom)) for x in (left, right)}
        for start, end in sorted(edges):
            self.line(start, end, 0.1, _CUT_INK)

    def note_and_ruler(self, block: Box, note: str) -> None:
        """Write a note and draw a 100 mm ruler outside the block, on the side with more room."""
        x, y, width, height = block
        if y > x:
            self.text((x, y - 8.5), note, 7)
            self._ruler((x, y + height + 8.5), (1, 0))
        else:
            self.text((x + width + 9, y + height), note, 7, upright=False)
            self._ruler((x - 8.5, y + height), (0, -1))

    def _ruler(self, start: tuple[float, float], along: tuple[int, int]) -> None:
        """Draw a ruler from its zero, to the right or upwards, with ticks every 10 mm."""
        x, y = start
        self.line(start, (x + along[0] * RULER_MM, y + along[1] * RULER_MM), 0.2)
        for step in range(11):
            tick = 2.2 if step % 5 == 0 else 1.2
            at = (x + along[0] * step * 10, y + along[1] * step * 10)
            # Ticks point to the block: up for a ruler below it, right for one on its left.
            self.line(at, (at[0] - along[1] * tick, at[1] - along[0] * tick), 0.2)
        words = "100 mm: if yours is longer or shorter, print again at 100 %"
        beyond = RULER_MM + 2
        self.text((x + along[0] * beyond, y + along[1] * beyond), words, 6, upright=along == (1, 0))

    def next_page(self) -> None:
        """End the page."""
        self._canvas.showPage()

    def pdf(self) -> bytes:
        """Return the file; call it after the last `next_page`."""
        self._canvas.save()
        return self._buffer.getvalue()

    def _up(self, y: float) -> float:
        return float((self._page_mm[1] - y) * mm)


def around(boxes: Sequence[Box]) -> Box:
    """Return left, top, right and bottom of the box around all boxes."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[0] + box[2] for box in boxes),
        max(box[1] + box[3] for box in boxes),
    )
