"""A deck of cards as a PDF, true to size, front and back registered for printing on both sides of the paper."""

from __future__ import annotations

from typing import Any

from calibration.sheet import PAPERS_MM, Box, Grid, Sheet, grid_for
from vision.deck import Deck, Face
from vision.errors import BadDeckError
from vision.render_face import mark_outline_mm

BLEED_MM = 2.0
_CROP_MM = (2.5, 6.0)
_WHITE = "#ffffff"


def deck_pdf(deck: Deck, paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out all cards of a deck; gives the PDF and the manifest.

    The sides of a card lie on successive pages, the second mirrored for a sheet that is flipped on its long edge. The
    manifest's `cards` have `page` (from 1), `box_mm` [x, y, width, height] from the page's top-left, `face` and `side`.

    Raises:
        BadDeckError: the cards are larger than the paper.
    """
    grid = grid_for(deck.card_mm, paper)
    if grid is None:
        raise BadDeckError(f"the cards of {deck.name} do not fit on the paper")
    sides = list(deck.background)
    ids = [face.id for face in deck.side(sides[0])]
    sheet = Sheet(PAPERS_MM[paper], f"Ringmaster: {deck.name}", two_sided=len(sides) > 1)
    cards: list[dict[str, Any]] = []
    n_sheets = -(-len(ids) // grid.per_page)
    page = 0
    for number in range(n_sheets):
        shown = ids[number * grid.per_page : (number + 1) * grid.per_page]
        for turned, side in enumerate(sides):
            page += 1
            fronts = [grid.box_mm(place) for place in range(len(shown))]
            boxes = [grid.mirrored(box) for box in fronts] if turned % 2 else fronts
            faces = [deck.by_id[side, card] for card in shown]
            note = f"Ringmaster {deck.name}, sheet {number + 1} of {n_sheets}, {side} side. Print at 100 %"
            note += ", both sides, flip on the long edge." if len(sides) > 1 else "."
            _draw_faces(sheet, deck, grid, list(zip(faces, boxes, strict=True)), note, front=turned == 0)
            cards += [
                {"page": page, "box_mm": [round(value, 3) for value in box], "face": face.id, "side": side}
                for face, box in zip(faces, boxes, strict=True)
            ]
    manifest = {"what": deck.name, "paper": paper, "page_mm": list(grid.page_mm), "pages": page, "cards": cards}
    return sheet.pdf(), manifest


def _draw_faces(sheet: Sheet, deck: Deck, grid: Grid, placed: list[tuple[Face, Box]], note: str, front: bool) -> None:
    boxes = [box for _, box in placed]
    background = deck.background[placed[0][0].side]
    if background.lower() != _WHITE:
        # The ground reaches beyond the cuts, so that a cut a little off leaves no white edge.
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


def _draw_face(sheet: Sheet, deck: Deck, face: Face, box: Box) -> None:
    for mark in face.marks:
        colour = deck.palette[face.side][mark.colour]
        if mark.shape in deck.outlines:
            sheet.polygon(mark_outline_mm(deck, mark) + box[:2], colour)
        else:
            sheet.circle((box[0] + mark.x_mm, box[1] + mark.y_mm), mark.diameter_mm, colour)
