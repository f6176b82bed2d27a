"""Makes the files of the decks that Ringmaster draws itself: `python -m calibration.deck_art`, or `make art`.

The SVGs are drawn by `clown_art` and its like; the pictures, with which the readers compare cards, are the SVGs as they
are printed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

from calibration.clown_art import piccolino_deck
from calibration.coloretto_art import coloretto_deck
from calibration.drawn_deck import DrawnDeck
from calibration.everdeck_art import everdeck
from vision.taught.deck_file import SUFFIX, pack_deck


def drawn_decks() -> dict[str, Callable[[], DrawnDeck]]:
    """The decks that are drawn here, by name."""
    return {"piccolino": piccolino_deck, "coloretto": coloretto_deck, "everdeck": everdeck}


def write_decks(folder: Path) -> None:
    """Write a deck file of every deck into a folder."""
    for name, drawn in drawn_decks().items():
        (folder / f"{name}{SUFFIX}").write_bytes(pack_deck(drawn().as_prints()))


if __name__ == "__main__":
    write_decks(Path(str(resources.files("vision").joinpath("decks"))))
