"""Printed decks and marker cards as PDF, true to size, with cutting lines and a manifest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import cv2
from reportlab.lib.utils import ImageReader

from calibration.sheet import PAPERS_MM, Box, Grid, SheetPages, grid_for
from vision.deck import Deck, Face, program_attributes
from vision.errors import BadDeckError
from vision.render_face import mark_outline_mm

_CROP_MM = (2.5, 6.0)
_SIDES = ("front", "back")


PRINT_PX_PER_MM = 12.0  # 305 dots an inch
BEHIND = "behind.json"


@dataclass(frozen=True)
class CardToPrint:
    """A card to print: its face with attributes, and the pictures of both sides."""

    face: str
    attributes: Mapping[str, Any]
    sides: tuple[ImageReader, ImageReader]


def is_drawn(name: str) -> bool:
    """Return whether a deck comes with printable pictures."""
    return _pictures_of(name).is_file()


def drawn_deck_pdf(deck: Deck, paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out every card of a deck with printable pictures; see `cards_pdf`.

    Raises:
        BadDeckError: the cards are larger than the paper.
    """
    with _pictures_of(deck.name).open("rb") as file, ZipFile(file) as packed:
        behind = json.loads(packed.read(BEHIND))
        pictures = {face.id: ImageReader(BytesIO(packed.read(f"{face.id}.png"))) for face in deck.faces}
    cards = [
        CardToPrint(face.id, program_attributes(face.attributes), (pictures[face.id], pictures[behind[face.id]]))
        for face in deck.faces
        for _ in range(face.count or 0)
    ]
    return cards_pdf(deck.name, deck.card_mm, cards, paper)


def _pictures_of(name: str) -> Traversable:
    """Return the file with the pictures of a deck's faces, as `tools.art` renders them."""
    return resources.files("calibration").joinpath("decks", f"{name}.zip")


def cards_pdf(
    name: str, card_mm: tuple[float, float], cards: Sequence[CardToPrint], paper: str
) -> tuple[bytes, dict[str, Any]]:
    """Lay out cards; return the PDF and the manifest.

    Fronts and backs are on successive pages. Backs are mirrored for a sheet that is flipped on its long edge.

    The manifest's `cards` have these keys. `page`: from 1. `box_mm`: [x, y, width, height] from the page's top-left.
    `face`, `side`: "front" or "back". `attributes`: of the face. `card`: the card's number from 0.

    Raises:
        BadDeckError: the cards are larger than the paper.
    """
    grid = grid_for(card_mm, paper)
    if grid is None:
        raise BadDeckError("error.deck.cards_of_do_not_fit", "the cards of {name} do not fit on the paper", name=name)
    sheet = SheetPages(PAPERS_MM[paper], f"Ringmaster: {name}", two_sided=True)
    listed: list[dict[str, Any]] = []
    n_sheets = -(-len(cards) // grid.per_page)
    for number in range(n_sheets):
        first = number * grid.per_page
        shown = cards[first : first + grid.per_page]
        fronts = [grid.box_mm(place) for place in range(len(shown))]
        for turned, side in enumerate(_SIDES):
            boxes = [grid.mirrored(box) for box in fronts] if turned else fronts
            note = f"Ringmaster {name}, sheet {number + 1} of {n_sheets}, {side}s. Print at 100 %"
            _draw_drawings(
                sheet, grid, [(card.sides[turned], box) for card, box in zip(shown, boxes, strict=True)], note
            )
            listed += [
                {
                    "page": 2 * number + turned + 1,
                    "box_mm": [round(value, 3) for value in box],
                    "face": card.face,
                    "side": side,
                    "attributes": dict(card.attributes),
                    "card": first + place,
                }
                for place, (card, box) in enumerate(zip(shown, boxes, strict=True))
            ]
    manifest = {"what": name, "paper": paper, "page_mm": list(grid.page_mm), "pages": 2 * n_sheets, "cards": listed}
    return sheet.pdf(), manifest


def _draw_drawings(sheet: SheetPages, grid: Grid, placed: list[tuple[ImageReader, Box]], note: str) -> None:
    boxes = [box for _, box in placed]
    for picture, box in placed:
        sheet.picture(picture, box)
    sheet.cutting_lines(boxes)
    sheet.crop_marks(boxes, *_CROP_MM)
    sheet.note_and_ruler(grid.block_mm, f"{note}, both sides, flip on the long edge.")
    sheet.next_page()


BLEED_MM = 2.0
_WHITE = "#ffffff"


def deck_pdf(deck: Deck, paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out all cards of a deck; return the PDF and the manifest.

    The sides of a card are on successive pages. The second is mirrored for a sheet that is flipped on its long edge.
    The manifest's `cards` have `page`, `box_mm`, `face` and `side` (see `cards_pdf`).

    Raises:
        BadDeckError: the cards are larger than the paper.
    """
    grid = grid_for(deck.card_mm, paper)
    if grid is None:
        raise BadDeckError(
            "error.deck.cards_of_do_not_fit", "the cards of {name} do not fit on the paper", name=deck.name
        )
    sides = list(deck.background)
    ids = [face.id for face in deck.side(sides[0])]
    sheet = SheetPages(PAPERS_MM[paper], f"Ringmaster: {deck.name}", two_sided=len(sides) > 1)
    cards: list[dict[str, Any]] = []
    n_sheets = -(-len(ids) // grid.per_page)
    page = 0
    for number in range(n_sheets):
        shown = ids[number * grid.per_page : (number + 1) * grid.per_page]
        for turned, side in enumerate(sides):
            page += 1
            fronts = [grid.box_mm(place) for place in range(len(shown))]
            boxes = [grid.mirrored(box) for box in fronts] if turned % 2 else fronts
            faces = [deck.face(card, side) for card in shown]
            note = f"Ringmaster {deck.name}, sheet {number + 1} of {n_sheets}, {side} side. Print at 100 %"
            note += ", both sides, flip on the long edge." if len(sides) > 1 else "."
            _draw_faces(sheet, deck, grid, list(zip(faces, boxes, strict=True)), note, front=turned == 0)
            cards += [
                {"page": page, "box_mm": [round(value, 3) for value in box], "face": face.id, "side": side}
                for face, box in zip(faces, boxes, strict=True)
            ]
    manifest = {"what": deck.name, "paper": paper, "page_mm": list(grid.page_mm), "pages": page, "cards": cards}
    return sheet.pdf(), manifest


def _draw_faces(
    sheet: SheetPages, deck: Deck, grid: Grid, placed: list[tuple[Face, Box]], note: str, front: bool
) -> None:
    boxes = [box for _, box in placed]
    background = deck.background[placed[0][0].side]
    if background.lower() != _WHITE:
        # The background extends beyond the cuts: a cut slightly off leaves no white edge.
        for x, y, width, height in boxes:
            box = (x - BLEED_MM, y - BLEED_MM, width + 2 * BLEED_MM, height + 2 * BLEED_MM)
            sheet.rectangle(box, background)
    for face, box in placed:
        _draw_face(sheet, deck, face, box)
    if front:
        sheet.cutting_lines(boxes)
    sheet.crop_marks(boxes, *_CROP_MM)
    sheet.note_and_ruler(grid.block_mm, note)
    sheet.next_page()


def _draw_face(sheet: SheetPages, deck: Deck, face: Face, box: Box) -> None:
    for mark in face.marks:
        colour = deck.palette[face.side][mark.colour]
        if mark.shape in deck.outlines:
            sheet.polygon(mark_outline_mm(deck, mark) + box[:2], colour)
        else:
            sheet.circle((box[0] + mark.x_mm, box[1] + mark.y_mm), mark.diameter_mm, colour)


MARKER_IDS = range(16)
MARKER_MM = 50.0
_CELLS = 6
# A quiet zone of one cell (8.33 mm) on all sides; the wider sides hold the number outside it.
_CARD_MM = (90.0, 66.8)
_MARKER_CROP_MM = (1.0, 4.5)
_ADVICE = (
    "Ringmaster markers. Print at 100 %, cut, and lay four or more flat near the table's edge, "
    "far apart, at any angle; no number twice."
)


def markers_pdf(paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out marker cards 0 to 15, eight a page; return the PDF and the manifest.

    The manifest's `cards` have these keys. `page`: from 1. `box_mm`: [x, y, width, height] of the black square from the
    page's top-left. `cut_mm`: the same of the card to cut out. `marker`: its number. `face`, `side`.
    """
    grid = Grid(2, 4, _CARD_MM, PAPERS_MM[paper])
    sheet = SheetPages(grid.page_mm, "Ringmaster: markers", two_sided=False)
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
    """Return a marker for a screen as SVG: 6 by 6 cells and a white border of half a cell."""
    boxes = "".join(
        f'<rect x="{column}" y="{row}" width="{width}" height="1"/>' for row, column, width in _white_runs(number)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-0.5 -0.5 {_CELLS + 1} {_CELLS + 1}" '
        f'shape-rendering="crispEdges"><rect x="-0.5" y="-0.5" width="{_CELLS + 1}" height="{_CELLS + 1}" fill="#fff"/>'
        f'<rect width="{_CELLS}" height="{_CELLS}"/><g fill="#fff">{boxes}</g></svg>'
    )


def _white_runs(number: int) -> Iterator[tuple[int, int, int]]:
    """Yield row, first column and width of each run of white cells."""
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


def _draw_marker(sheet: SheetPages, number: int, square: Box) -> None:
    """Draw the black square and the marker's white runs."""
    cell = MARKER_MM / _CELLS
    sheet.rectangle(square, "#000000")
    for row, column, width in _white_runs(number):
        # A run is one rectangle, which leaves no hairline between its cells.
        sheet.rectangle((square[0] + column * cell, square[1] + row * cell, width * cell, cell), "#ffffff")
