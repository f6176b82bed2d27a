"""Measures the time of reading cards in yardsticks, which compares between machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

import cv2

from simulation.still import table_picture
from vision.arrays import Image
from vision.deck import load_deck
from vision.image import load_picture
from vision.reading import reader_of

# Drawn pictures (cards), and the yardsticks that reading one may take.
_DRAWN = ((12, 15.0), (63, 50.0))


@dataclass(frozen=True)
class Measurement:
    """A measured value and its limit, None without a promise."""

    name: str
    value: float
    unit: str
    target: float | None = None
    note: str = ""


def measure_reading(images: Sequence[Path], runs: int) -> Iterator[Measurement]:
    """Time the reader of Confetti on some pictures, or on drawn ones.

    Raises:
        BadImageError: a picture cannot be read.
    """
    cv2.setNumThreads(1)
    deck = load_deck("confetti")
    reader = reader_of(deck)
    pictures: list[tuple[str, Image, float | None]] = [(path.name, load_picture(path).image, None) for path in images]
    if not pictures:
        pictures += [(f"{n} cards drawn", table_picture(deck, n, seed=n)[0], target) for n, target in _DRAWN]
    for name, image, target in pictures:
        reading = reader.read(image)  # the first time loads the deck's model
        work_s, unit_s = in_yardsticks(partial(reader.read, image), image, runs)
        note = f"{len(reading.cards)} read, {len(reading.unclear)} unclear; {1000 * work_s:.0f} ms of processor"
        yield Measurement(f"read: {name}", work_s / unit_s, "yardsticks", target, note)
        yield Measurement(f"yardstick: {name}", 1000 * unit_s, "ms")


def yardstick(image: Image) -> int:
    """Run the yardstick: grey, Otsu's threshold and contours; return their number."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    _, split = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(split, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return len(contours)


def in_yardsticks(work: Callable[[], object], image: Image, runs: int) -> tuple[float, float]:
    """Return the median seconds of `work` and of the yardstick, alternating on one picture.

    The clock is this process's own: a busy machine does not stretch it.
    """
    work_s, yardstick_s = [], [_timed(lambda: yardstick(image))]
    for _ in range(runs):
        work_s.append(_timed(work))
        yardstick_s.append(_timed(lambda: yardstick(image)))
    return median(work_s), median(yardstick_s)


def _timed(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start
