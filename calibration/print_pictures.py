"""A deck of pictures as a PDF, true to size, the backs in register behind the fronts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from reportlab.graphics.shapes import Drawing
from svglib.svglib import svg2rlg

from calibration.sheet import PAPERS_MM, Box, Grid, Sheet, grid_for
from vision.errors import BadDeckError
from vision.pictured.picture_deck import PictureDeck

_CROP_MM = (2.5, 6.0)
_SIDES = ("front", "back")


@cache
def load_svg(path: Path) -> Drawing:
    """Load a drawing.

    Raises:
        BadDeckError: it is missing or no SVG.
    """
    drawing = svg2rlg(str(path)) if path.is_file() else None
    if drawing is None:
        raise BadDeckError(f"the deck's drawing {path.name} is missing or broken")
    return drawing


def picture_deck_pdf(deck: PictureDeck, paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out every card of a deck; gives the PDF and the manifest.

    Fronts and backs lie on successive pages, the backs mirrored for a sheet that is flipped on its long edge. The
    manifest's `cards` have `page` (from 1), `box_mm` [x, y, width, height] from the page's top-left, `face`, `side`
    ("front" or "back"), `attributes` of the face, and `card`, the card's number from 0.

    Raises:
        BadDeckError: a drawing is missing, or the cards are larger than the paper.
    """
    grid = grid_for(deck.card_mm, paper)
    if grid is None:
        raise BadDeckError(f"the cards of {deck.name} do not fit on the paper")
    sheet = Sheet(PAPERS_MM[paper], f"Ringmaster: {deck.name}", two_sided=True)
    cards: list[dict[str, Any]] = []
    n_sheets = -(-len(deck.cards) // grid.per_page)
    for number in range(n_sheets):
        first = number * grid.per_page
        faces = deck.cards[first : first + grid.per_page]
        fronts = [grid.box_mm(place) for place in range(len(faces))]
        for turned, side in enumerate(_SIDES):
            boxes = [grid.mirrored(box) for box in fronts] if turned else fronts
            names = [deck.back if turned else face.id for face in faces]
            note = f"Ringmaster {deck.name}, sheet {number + 1} of {n_sheets}, {side}s. Print at 100 %"
            _draw_page(sheet, deck, grid, list(zip(names, boxes, strict=True)), note)
            cards += [
                {
                    "page": 2 * number + turned + 1,
                    "box_mm": [round(value, 3) for value in box],
                    "face": face.id,
                    "side": side,
                    "attributes": dict(face.attributes),
                    "card": first + place,
                }
                for place, (face, box) in enumerate(zip(faces, boxes, strict=True))
            ]
    pages = 2 * n_sheets
    manifest = {"what": deck.name, "paper": paper, "page_mm": list(grid.page_mm), "pages": pages, "cards": cards}
    return sheet.pdf(), manifest


def _draw_page(sheet: Sheet, deck: PictureDeck, grid: Grid, placed: list[tuple[str, Box]], note: str) -> None:
    boxes = [box for _, box in placed]
    for name, box in placed:
        sheet.drawing(load_svg(deck.folder / f"{name}.svg"), box)
    sheet.cutting_lines(boxes)
    sheet.crop_marks(boxes, *_CROP_MM)
    sheet.note_and_ruler(grid.block_mm, f"{note}, both sides, flip on the long edge.")
    sheet.next_page()
