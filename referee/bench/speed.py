"""How fast Ringmaster is on this machine, against what is promised."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.children import peak_bytes, run_seconds
from referee.bench.measurement import Measurement
from referee.bench.photographed import measure_photographed, photographed
from referee.bench.readers import read_picture
from referee.bench.yardstick import in_yardsticks, one_thread
from referee.errors import RefereeError
from simulation.still import table_picture
from vision.deck import Deck, load_deck
from vision.image import load_picture
from vision.reading import Reading

# Drawn pictures and the yardsticks that reading them may take.
_DRAWN = ((12, 15.0), (63, 50.0))
_HANDS = 20_000
_HANDS_PER_S = 5_000.0
_START_S = 0.4
_PEAK_MB = 250.0

Image = NDArray[np.uint8]
CardReader = Callable[[Image, Deck], Reading]


def measure_all(images: Sequence[Path], runs: int, deck_name: str = "confetti") -> Iterator[Measurement]:
    """Measure everything, one value after the other; `images` replace the drawn and the photographed pictures.

    Raises:
        BadImageError: an image cannot be read.
    """
    deck = load_deck(deck_name)
    pictures: list[tuple[str, Image, float | None]] = [(path.name, load_picture(path).image, None) for path in images]
    if not pictures:
        pictures += [(f"{n} cards drawn", table_picture(deck, n, seed=n)[0], target) for n, target in _DRAWN]
    for name, image, target in pictures:
        yield from measure_read(name, image, deck, runs, target, read_picture)
    yield from measure_photographed(deck, [] if images else photographed(), runs)
    yield from measure_score(runs)
    yield _measured("read: peak memory", "MB", _PEAK_MB, lambda: _read_peak_mb(pictures[-1][1], deck_name))
    # Cards that nobody has described are looked for in more ways.
    yield _measured("read --deck none: peak memory", "MB", _PEAK_MB, lambda: _read_peak_mb(pictures[-1][1], "none"))


def measure_read(
    name: str, image: Image, deck: Deck, runs: int, target: float | None, reader: CardReader
) -> Iterator[Measurement]:
    """Time the reader on one picture, in yardsticks, after a first reading that is told apart."""
    with one_thread():
        start = perf_counter()
        reading = reader(image, deck)
        first_s = perf_counter() - start
        read_s, yardstick_s = in_yardsticks(lambda: reader(image, deck), image, runs)
    note = f"{len(reading.cards)} read, {len(reading.unclear)} unclear; {1000 * read_s:.0f} ms of processor"
    yield Measurement(f"read: {name}", read_s / yardstick_s, "yardsticks", target, note=note)
    yield Measurement(f"yardstick: {name}", 1000 * yardstick_s, "ms")
    yield Measurement(f"read for the first time: {name}", 1000 * first_s, "ms", note="with all that is loaded once")


def measure_score(runs: int) -> Iterator[Measurement]:
    """Time `ringmaster score confetti`: its start, and many hands on standard input."""
    arguments = ["score", "confetti", "--json"]

    def start() -> tuple[float, str]:
        spent = [run_seconds(arguments, hands(1)) for _ in range(runs)]
        return median(one.wall_s for one in spent), f"{median(one.processor_s for one in spent):.2f} s of processor"

    def rate() -> tuple[float, str]:
        spent = run_seconds(arguments, hands(_HANDS))
        return _HANDS / spent.wall_s, f"{_HANDS / spent.processor_s:,.0f} a second of processor"

    yield _measured("score: start to end, one hand", "s", _START_S, start)
    yield _measured(f"score: {_HANDS} nine-card hands, start included", "hands/s", _HANDS_PER_S, rate, True)


def hands(count: int) -> str:
    """Give nine-card hands as `ringmaster score confetti` reads them, one a line, always the same ones."""
    random = np.random.default_rng(9)
    colours = ("red", "orange", "yellow", "green", "blue", "purple")
    lines = []
    for _ in range(count):
        cards = [[colours[i] for i in random.permutation(len(colours))[:3]] for _ in range(9)]
        lines.append(json.dumps({"cards": cards, "limit": 9}))
    return "\n".join(lines) + "\n"


def _measured(
    name: str, unit: str, target: float, measure: Callable[[], tuple[float, str]], more_is_better: bool = False
) -> Measurement:
    """Measure; a command that fails is a result, too, and stops nothing else."""
    try:
        value, note = measure()
        return Measurement(name, value, unit, target, more_is_better, note)
    except RefereeError as error:
        return Measurement(name, None, unit, target, more_is_better, note=str(error))


def _read_peak_mb(image: Image, deck_name: str) -> tuple[float, str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.jpg"
        path.write_bytes(cv2.imencode(".jpg", image)[1].tobytes())
        return peak_bytes(["read", str(path), "--deck", deck_name, "--json"]) / 1e6, ""
