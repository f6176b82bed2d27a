"""Makes the art folder of the Piccolino deck: `python -m calibration.deck_art`, or `make art`.

The SVGs are drawn by `clown_art`; the PNGs, with which the reader compares cards, are the SVGs as they are printed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray

from calibration.clown_art import back_svg, clown_svg
from calibration.print_pictures import load_svg
from calibration.sheet import Sheet
from vision.pictured.picture_deck import PictureDeck, load_picture_deck

PX_PER_MM = 4.0
_FINER = 4


def write_art(deck: PictureDeck, folder: Path) -> None:
    """Write ID.svg and ID.png of every face and the back into a folder."""
    folder.mkdir(exist_ok=True)
    there = replace(deck, folder=folder)
    drawings = {face.id: clown_svg(deck, face.attributes["colour"], face.attributes["mood"]) for face in deck.faces}
    for name, text in {**drawings, deck.back: back_svg(deck)}.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
        (folder / f"{name}.png").write_bytes(cv2.imencode(".png", svg_pixels(there, name))[1].tobytes())


def svg_pixels(deck: PictureDeck, name: str, px_per_mm: float = PX_PER_MM) -> NDArray[np.uint8]:
    """Render a face's SVG as it is printed, (h, w, 3) uint8 BGR."""
    sheet = Sheet(deck.card_mm, name, two_sided=False)
    sheet.drawing(load_svg(deck.folder / f"{name}.svg"), (0.0, 0.0, *deck.card_mm))
    sheet.next_page()
    document = pypdfium2.PdfDocument(sheet.pdf())
    try:
        fine = np.array(document[0].render(scale=_FINER * px_per_mm * 25.4 / 72).to_numpy()[:, :, :3])
    finally:
        document.close()
    # Rendered pages are a pixel larger than the card; shrinking brings the edges to the picture's edges.
    size = (round(deck.card_mm[0] * px_per_mm), round(deck.card_mm[1] * px_per_mm))
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), np.uint8)


if __name__ == "__main__":
    art = load_picture_deck("piccolino")
    write_art(art, art.folder)
