"""Files of labelled pictures, written in order by one process and read by another.

Shard k depends on the seed and k alone, so a training can go on anywhere.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.scenes import make_scene, numbered_deck, numbered_ground

_PICTURES = 128  # a shard
_AHEAD = 12  # shards before the reader
_DECKS, _NEW_DECKS = 40, 8  # a shard draws from 40 decks and grounds, 8 of which are new to it


@dataclass(frozen=True, eq=False)
class Shard:
    """Fields of scenes as arrays whose first axis counts scenes."""

    image: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    quads: NDArray[np.float32]
    shares: NDArray[np.float32]
    aspect: NDArray[np.float32]


def make_shard(seed: int, index: int, pictures: int = _PICTURES, decks: int = _DECKS) -> Shard:
    """Shard number `index` of the world `seed`, with so many decks and grounds."""
    g = np.random.default_rng((seed, 3, index))
    numbers = range(index * _NEW_DECKS, index * _NEW_DECKS + decks)
    world = [numbered_deck(seed, i) for i in numbers], [numbered_ground(seed, i) for i in numbers]
    scenes = [make_scene(g, *world) for _ in range(pictures)]
    return Shard(*(np.stack([getattr(scene, field.name) for scene in scenes]) for field in fields(Shard)))


def shard_path(directory: Path, index: int) -> Path:
    """Path of shard number `index`."""
    return directory / f"{index:06d}.npz"


def read_shard(path: Path) -> Shard:
    """Read a shard."""
    with np.load(path) as arrays:
        return Shard(**arrays)


def write_shards(directory: Path, seed: int) -> None:
    """Write shards until stopped, a few in front of the number in the file `needed`; each appears whole."""
    cv2.setNumThreads(1)
    needed, index = directory / "needed", 0
    while True:
        reader_at = int(needed.read_text() or 0) if needed.exists() else 0
        path = shard_path(directory, index)
        if path.exists() or index < reader_at - _DECKS:
            index += 1
        elif index > reader_at + _AHEAD:
            time.sleep(1)
        else:
            unfinished = path.with_suffix(".part")
            with unfinished.open("wb") as file:
                np.savez(file, **asdict(make_shard(seed, index)))
            unfinished.rename(path)
            index += 1
