"""In a Debian system for arm64: loads what the referee loads and reads cards; exit status 1 if none or a wrong one."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import sys
import tempfile

LIBRARIES = ("fastapi", "gpiozero", "lgpio", "mcap", "reportlab", "svglib.svglib", "uvicorn", "referee.cli")
TOLD = ("numpy", "opencv-python-headless", "lgpio")


def main() -> int:
    """Load, read, and print what came of it."""
    # lgpio leaves a pipe in the folder where it is loaded.
    os.chdir(tempfile.mkdtemp())
    for name in LIBRARIES:
        importlib.import_module(name)
    from simulation.still import table_picture
    from vision.deck import load_deck
    from vision.reader import read_picture

    deck = load_deck("confetti")
    picture, truth = table_picture(deck, 4, seed=3, size=(1280, 720))
    read = {card.face.id for card in read_picture(picture, deck)[0].cards}
    there = {card["id"] for card in truth["cards"]}
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in TOLD)
    print(
        f"{platform.machine()}, Python {platform.python_version()}, {versions};"
        f" cards read {len(read & there)} of {len(there)}, wrongly {len(read - there)}"
    )
    return 0 if read and read <= there else 1


if __name__ == "__main__":
    sys.exit(main())
