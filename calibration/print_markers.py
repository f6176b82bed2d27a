"""Marker cards as a PDF: printed, cut and laid near the table's edge, they give the table's place and scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2

from calibration.sheet import PAPERS_MM, Box, Grid, Sheet

MARKER_IDS = range(16)
MARKER_MM = 50.0
_CELLS = 6
# A quiet zone of one cell (8.33 mm) all round; the wider sides hold the number outside of it.
_CARD_MM = (90.0, 66.8)
_MARKER_CROP_MM = (1.0, 4.5)
_ADVICE = (
    "Ringmaster markers. Print at 100 %, cut, and lay four or more flat near the table's edge, "
    "far apart, at any angle; no number twice."
)


def markers_pdf(paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out marker cards 0 to 15, eight a page; gives the PDF and the manifest.

    The manifest's `cards` have `page` (from 1), `box_mm` [x, y, width, height] of the black square from the page's
    top-left, `cut_mm` likewise of the card to cut out, `marker` (the number), `face` and `side`.
    """
    grid = Grid(2, 4, _CARD_MM, PAPERS_MM[paper])
    sheet = Sheet(grid.page_mm, "Ringmaster: markers", two_sided=False)
    cards: list[dict[str, Any]] = []
    pages = -(-len(MARKER_IDS) // grid.per_page)
    for page in range(pages):
        ids = MARKER_IDS[page * grid.per_page : (page + 1) * grid.per_page]
        cuts = [grid.box_mm(place) for place in range(len(ids))]
        for number, cut in zip(ids, cuts, strict=True):
            square = _square(cut)
            _draw_marker(sheet, number, square)
            sheet.text((cut[0] + cut[2] - 7.5, cut[1] + cut[3] - 4), str(number), 12)
            cards.append(
                {
                    "page": page + 1,
                    "box_mm": [round(value, 3) for value in square],
                    "cut_mm": [round(value, 3) for value in cut],
                    "marker": number,
                    "face": f"marker-{number}",
                    "side": "front",
                }
            )
        sheet.cutting_lines(cuts)
        sheet.crop_marks(cuts, *_MARKER_CROP_MM)
        sheet.note_and_ruler(grid.block_mm, _ADVICE)
        sheet.next_page()
    manifest = {"what": "markers", "paper": paper, "page_mm": list(grid.page_mm), "pages": pages, "cards": cards}
    return sheet.pdf(), manifest


def _square(cut: Box) -> Box:
    return cut[0] + (cut[2] - MARKER_MM) / 2, cut[1] + (cut[3] - MARKER_MM) / 2, MARKER_MM, MARKER_MM


def marker_svg(number: int) -> str:
    """Draw a marker for a screen: 7 by 7 of its cells, as half a cell of white is round the black square."""
    boxes = "".join(
        f'<rect x="{column}" y="{row}" width="{width}" height="1"/>' for row, column, width in _white_runs(number)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-0.5 -0.5 {_CELLS + 1} {_CELLS + 1}" '
        f'shape-rendering="crispEdges"><rect x="-0.5" y="-0.5" width="{_CELLS + 1}" height="{_CELLS + 1}" fill="#fff"/>'
        f'<rect width="{_CELLS}" height="{_CELLS}"/><g fill="#fff">{boxes}</g></svg>'
    )


def _white_runs(number: int) -> Iterator[tuple[int, int, int]]:
    """Give the row, the first column and the width of the white cells that touch in one row."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    bits = cv2.aruco.generateImageMarker(dictionary, number, _CELLS)
    for row in range(_CELLS):
        column = 0
        while column < _CELLS:
            run = column
            while run < _CELLS and bits[row, run]:
                run += 1
            if run > column:
                yield row, column, run - column
            column = max(run, column + 1)


def _draw_marker(sheet: Sheet, number: int, square: Box) -> None:
    """Fill the black square and the marker's white runs, row by row."""
    cell = MARKER_MM / _CELLS
    sheet.rectangle(square, "#000000")
    for row, column, width in _white_runs(number):
        # White cells that touch in one row are one rectangle, so no hairline shows between them.
        sheet.rectangle((square[0] + column * cell, square[1] + row * cell, width * cell, cell), "#ffffff")
