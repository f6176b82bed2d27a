"""How long reading takes on what people photograph: path-traced tables and photographs, not drawn ones.

The pictures are those whose truth the tests know; they lie beside the sources of a clone, an installed Ringmaster has
none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from referee.bench.measurement import Measurement
from referee.bench.readers import read_picture
from referee.bench.yardstick import in_yardsticks, one_thread
from vision.deck import Deck
from vision.image import load_image
from vision.unknown.find_cards import find_cards

Image = NDArray[np.uint8]

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
_FOLDERS = ("scenes", "tables", "photos")
# Yardsticks that half of the pictures, nine of ten, and all may take.
_KNOWN = (25.0, 50.0, 150.0)
_UNKNOWN = (None, None, 150.0)


def photographed(data: Path = _DATA) -> list[Path]:
    """Give the pictures, by their names; none where Ringmaster is installed without its tests."""
    return sorted(path for folder in _FOLDERS for path in (data / folder).glob("*.jpg"))


def measure_photographed(deck: Deck, paths: Sequence[Path], runs: int) -> Iterator[Measurement]:
    """Time reading by a deck, and finding cards of any, on all pictures: median, nine of ten and the worst.

    Raises:
        BadImageError: a picture cannot be read.
    """
    images = [(path.stem, load_image(path)) for path in paths]
    ways: tuple[tuple[str, Callable[[Image], object], Sequence[float | None]], ...] = (
        (f"read --deck {deck.name}", partial(read_picture, deck=deck), _KNOWN),
        ("read --deck none", find_cards, _UNKNOWN),
    )
    for name, read, targets in ways if images else ():
        ratios = []
        with one_thread():
            read(images[0][1])  # what is loaded once is no picture's
            for _, image in images:
                read_s, yardstick_s = in_yardsticks(partial(read, image), image, runs)
                ratios.append(read_s / yardstick_s)
        worst = images[int(np.argmax(ratios))][0]
        figures = np.median(ratios), np.quantile(ratios, 0.9), max(ratios)
        words = ("the median of", "nine of ten of", "the worst of")
        for word, figure, target in zip(words, figures, targets, strict=True):
            title, is_worst = f"{name}: {word} {len(images)} photographed", word == words[-1]
            note = worst if is_worst else ""
            yield Measurement(title, float(figure), "yardsticks", target, note=note, is_bound=is_worst)
