"""Makes the art of the decks that Ringmaster draws itself: `python -m calibration.deck_art`, or `make art`.

The SVGs are drawn by `clown_art` and its like; the pictures, with which the readers compare cards, are the SVGs as they
are printed. Piccolino's lie in a folder, those of decks of prints in a deck file each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.clown_art import back_svg, clown_svg
from calibration.coloretto_art import coloretto_deck
from calibration.drawn_deck import DrawnDeck, rendered
from calibration.everdeck_art import everdeck
from calibration.print_pictures import load_svg
from vision.pictured.picture_deck import PictureDeck, load_picture_deck
from vision.taught.deck_file import SUFFIX, pack_deck

PX_PER_MM = 4.0


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
    return rendered(load_svg(deck.folder / f"{name}.svg"), deck.card_mm, px_per_mm)


def drawn_decks() -> dict[str, Callable[[], DrawnDeck]]:
    """The decks of prints that are drawn here, by name."""
    return {"coloretto": coloretto_deck, "everdeck": everdeck}


def write_decks(folder: Path) -> None:
    """Write a deck file of every deck of prints into a folder."""
    for name, drawn in drawn_decks().items():
        (folder / f"{name}{SUFFIX}").write_bytes(pack_deck(drawn().as_prints()))


if __name__ == "__main__":
    art = load_picture_deck("piccolino")
    write_art(art, art.folder)
    write_decks(art.folder.parent)
