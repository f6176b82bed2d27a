"""Writes the files of our own decks: `python -m tools.art.deck_art`, or `make art`.

`clown_art` and the other modules draw the SVGs. The readers compare cards with the rendered SVGs, and the printer
prints them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from PIL import Image

from calibration.print import BEHIND, PRINT_PX_PER_MM
from tools.art.clown_art import piccolino_deck
from tools.art.coloretto_art import coloretto_deck
from tools.art.drawn_deck import DrawnDeck, rendered
from tools.art.everdeck_art import everdeck
from vision.deck_file import SUFFIX, pack_deck


def drawn_decks() -> dict[str, Callable[[], DrawnDeck]]:
    """Return our own decks by name."""
    return {"piccolino": piccolino_deck, "coloretto": coloretto_deck, "everdeck": everdeck}


def write_decks() -> None:
    """Write each deck's file for the readers, and its pictures for the printer."""
    readers, printers = (Path(str(resources.files(name).joinpath("decks"))) for name in ("vision", "calibration"))
    for name, drawn in drawn_decks().items():
        deck = drawn()
        (readers / f"{name}{SUFFIX}").write_bytes(pack_deck(deck.as_prints()))
        write_pictures(deck, printers / f"{name}.zip")


def write_pictures(deck: DrawnDeck, path: Path) -> None:
    """Write a PNG of each face for `calibration.print`, and the face behind each."""
    # Invariant: the same art always gives the same file.
    with ZipFile(path, "w") as packed:
        behind = {face.id: face.behind for face in deck.faces if face.count}
        packed.writestr(ZipInfo(BEHIND), json.dumps(behind, indent=1))
        for face in deck.faces:
            picture = rendered(face.drawing(), deck.card_mm, PRINT_PX_PER_MM, 2)
            # Flat art has fewer than 256 colours, except at the edges of its shapes; this saves two thirds
            # of the bytes.
            few = Image.fromarray(picture[:, :, ::-1]).quantize(256, dither=Image.Dither.NONE)
            png = BytesIO()
            few.save(png, "PNG", optimize=True)
            packed.writestr(ZipInfo(f"{face.id}.png"), png.getvalue())


if __name__ == "__main__":
    write_decks()
