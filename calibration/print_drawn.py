"""A drawn deck as a PDF, true to size, the backs in register behind the fronts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from reportlab.lib.utils import ImageReader

from calibration.sheet import PAPERS_MM, Box, Grid, Sheet, grid_for
from vision.errors import BadDeckError
from vision.prints.print_deck import PrintDeck, attributes_told

_CROP_MM = (2.5, 6.0)
_SIDES = ("front", "back")


PRINT_PX_PER_MM = 12.0  # 305 dots an inch
BEHIND = "behind.json"


@dataclass(frozen=True)
class PrintedCard:
    """A card to be printed: its face and what that means, and the pictures of both sides."""

    face: str
    attributes: Mapping[str, Any]
    sides: tuple[ImageReader, ImageReader]


def is_drawn(name: str) -> bool:
    """Whether a deck is one that we draw, so that it can be printed."""
    return _pictures_of(name).is_file()


def drawn_deck_pdf(deck: PrintDeck, paper: str) -> tuple[bytes, dict[str, Any]]:
    """Lay out every card of a deck that we draw; see `cards_pdf`.

    Raises:
        BadDeckError: the cards are larger than the paper.
    """
    with _pictures_of(deck.name).open("rb") as file, ZipFile(file) as packed:
        behind = json.loads(packed.read(BEHIND))
        pictures = {face.id: ImageReader(BytesIO(packed.read(f"{face.id}.png"))) for face in deck.faces}
    cards = [
        PrintedCard(face.id, attributes_told(face.attributes), (pictures[face.id], pictures[behind[face.id]]))
        for face in deck.faces
        for _ in range(face.count or 0)
    ]
    return cards_pdf(deck.name, deck.card_mm, cards, paper)


def _pictures_of(name: str) -> Traversable:
    """Where the pictures of a deck's faces are, as `tools.art` renders them."""
    return resources.files("calibration").joinpath("decks", f"{name}.zip")


def cards_pdf(
    name: str, card_mm: tuple[float, float], cards: Sequence[PrintedCard], paper: str
) -> tuple[bytes, dict[str, Any]]:
    """Lay out cards; gives the PDF and the manifest.

    Fronts and backs lie on successive pages, the backs mirrored for a sheet that is flipped on its long edge. The
    manifest's `cards` have `page` (from 1), `box_mm` [x, y, width, height] from the page's top-left, `face`, `side`
    ("front" or "back"), `attributes` of the face, and `card`, the card's number from 0.

    Raises:
        BadDeckError: the cards are larger than the paper.
    """
    grid = grid_for(card_mm, paper)
    if grid is None:
        raise BadDeckError(f"the cards of {name} do not fit on the paper")
    sheet = Sheet(PAPERS_MM[paper], f"Ringmaster: {name}", two_sided=True)
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


def _draw_drawings(sheet: Sheet, grid: Grid, placed: list[tuple[ImageReader, Box]], note: str) -> None:
    boxes = [box for _, box in placed]
    for picture, box in placed:
        sheet.picture(picture, box)
    sheet.cutting_lines(boxes)
    sheet.crop_marks(boxes, *_CROP_MM)
    sheet.note_and_ruler(grid.block_mm, f"{note}, both sides, flip on the long edge.")
    sheet.next_page()
