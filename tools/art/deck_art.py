"""Makes the files of the decks that Ringmaster draws itself: `python -m tools.art.deck_art`, or `make art`.

The SVGs are drawn by `clown_art` and its like. The pictures with which the readers compare cards, and those that are
printed, are the SVGs as they are rendered.
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
    """Return the decks that are drawn here, by name."""
    return {"piccolino": piccolino_deck, "coloretto": coloretto_deck, "everdeck": everdeck}


def write_decks() -> None:
    """Write each deck's file for the readers, and its pictures for the printer."""
    readers, printers = (Path(str(resources.files(name).joinpath("decks"))) for name in ("vision", "calibration"))
    for name, drawn in drawn_decks().items():
        deck = drawn()
        (readers / f"{name}{SUFFIX}").write_bytes(pack_deck(deck.as_prints()))
        write_pictures(deck, printers / f"{name}.zip")


def write_pictures(deck: DrawnDeck, path: Path) -> None:
    """Write a PNG of each face as `calibration.print` prints it, and which is behind which."""
    # Invariant: the same art always gives the same file.
    with ZipFile(path, "w") as packed:
        behind = {face.id: face.behind for face in deck.faces if face.count}
        packed.writestr(ZipInfo(BEHIND), json.dumps(behind, indent=1))
        for face in deck.faces:
            picture = rendered(face.drawing(), deck.card_mm, PRINT_PX_PER_MM, 2)
            # 256 colours are more than flat art has, but for the rims of its shapes, and make a third of the bytes.
            few = Image.fromarray(picture[:, :, ::-1]).quantize(256, dither=Image.Dither.NONE)
            png = BytesIO()
            few.save(png, "PNG", optimize=True)
            packed.writestr(ZipInfo(f"{face.id}.png"), png.getvalue())


if __name__ == "__main__":
    write_decks()
