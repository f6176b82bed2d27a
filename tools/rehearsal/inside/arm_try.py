"""In a Debian system for arm64: loads the referee's libraries, reads cards and finds hands.

Exit status 1 if no card is read, one is wrong, or a hand is missed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import sys
import tempfile
from pathlib import Path

LIBRARIES = ("fastapi", "gpiozero", "lgpio", "mcap", "reportlab", "uvicorn", "referee.commands")
HANDS = 2  # in the scene
REPORTED = ("numpy", "opencv-python-headless", "lgpio")


def main() -> int:
    """Load, read, and print the result."""
    # lgpio leaves a pipe in the working directory on import.
    os.chdir(tempfile.mkdtemp())
    for name in LIBRARIES:
        importlib.import_module(name)
    import numpy as np

    from simulation.still import table_picture
    from vision.deck import load_deck
    from vision.image import load_picture
    from vision.markers import markers_in, table_from_markers
    from vision.people_hands import HandFinder
    from vision.reading import reader_of

    deck = load_deck("confetti")
    picture, truth = table_picture(deck, 4, seed=3, size=(1280, 720))
    read = {card.named.id for card in reader_of(deck).read(picture).cards}
    there = {card["id"] for card in truth["cards"]}
    scene = load_picture(Path("/project/hands.jpg")).image
    height, width = scene.shape[:2]
    table = table_from_markers(markers_in(scene), (width, height))
    whole_mm = table.to_mm(np.array([(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]))
    hands = len(HandFinder().find(scene, table, whole_mm))
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in REPORTED)
    print(
        f"{platform.machine()}, Python {platform.python_version()}, {versions};"
        f" cards read {len(read & there)} of {len(there)}, wrongly {len(read - there)}; hands found {hands} of {HANDS}"
    )
    return 0 if read and read <= there and hands == HANDS else 1


if __name__ == "__main__":
    sys.exit(main())
