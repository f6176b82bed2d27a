"""Damaged pictures: drawn tables in every kind of file that can be read, given to the commands that read pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.mutations import mutated
from referee.bench.torn_trial import Trial
from simulation.still import table_picture
from vision.deck import load_deck

_SIZE = (960, 540)
_CARDS = 6
_JPEG = [
    [cv2.IMWRITE_JPEG_QUALITY, 90],
    [cv2.IMWRITE_JPEG_PROGRESSIVE, 1],
    [cv2.IMWRITE_JPEG_RST_INTERVAL, 4],
    [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444],
]
_KINDS = [(".jpg", options) for options in _JPEG] + [(".png", list[int]()), (".webp", [cv2.IMWRITE_WEBP_QUALITY, 85])]


@dataclass(frozen=True, eq=False)
class _Source:
    """A whole file, and the faces that lie on its table."""

    name: str
    data: bytes
    faces: frozenset[str]


def trials(folder: Path, seed: int, count: int) -> Iterator[Trial]:
    """Give so many damaged pictures, one after the other in `folder`."""
    random = Random(seed)
    sources = _sources(seed)
    drawn: list[_Source] = []
    for number in range(count):
        drawn += [next(sources)] if number < len(_KINDS) else []
        source = drawn[number % len(_KINDS)]
        data, done = mutated(source.data, random)
        path = folder / f"table{Path(source.name).suffix}"
        path.write_bytes(data)
        yield Trial(f"{source.name}: {done}", (_command(number, path),), partial(_made_up, source.faces))


def _sources(seed: int) -> Iterator[_Source]:
    deck = load_deck("confetti")
    for number, (kind, options) in enumerate(_KINDS):
        image, truth = table_picture(deck, _CARDS, seed + number, _SIZE)
        yield _Source(f"drawn{kind}", _encoded(kind, image, options), frozenset(card["id"] for card in truth["cards"]))


def _encoded(kind: str, image: NDArray[np.uint8], options: Sequence[int]) -> bytes:
    return bytes(cv2.imencode(kind, image, list(options))[1].tobytes())


def _command(number: int, path: Path) -> tuple[str, ...]:
    match number % 5:
        case 0:
            return "score", "confetti", "--image", str(path), "--players", "3", "--limit", "6", "--json"
        case 1:
            return "read", str(path), "--deck", "none", "--json"
        case _:
            return "read", str(path), "--deck", "confetti", "--json"


def _made_up(faces: frozenset[str], answers: Sequence[str]) -> str | None:
    """Name a card that was read for certain, and does not lie on the table."""
    for line in answers[0].splitlines():
        answer = json.loads(line)
        read = [card.get("face") for card in answer.get("cards", [])] + answer.get("faces", [])
        wrong = [face for face in read if face is not None and face not in faces]
        if wrong:
            return f"read {wrong[0]}, which does not lie there"
    return None
