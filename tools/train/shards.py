"""Files of labelled pictures, made in order by one process and read by another.

`python -m tools.train.shards DIRECTORY` writes shard after shard and stays at most `AHEAD` in front of the reader,
which deletes those it no longer needs. Shard k depends on the seed and k alone, so a run can go on anywhere.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.scenes import make_scene, numbered_deck, numbered_ground

PICTURES = 256  # a shard
AHEAD = 12  # shards
_DECKS, _NEW_DECKS = 40, 8  # a shard draws from 40 decks and grounds, 8 of which are new to it


@dataclass(frozen=True, eq=False)
class Shard:
    """Scenes as arrays: images (n, side, side, 3), owners (n, cells, cells), cards (n, most, 4), aspects (n,)."""

    images: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    cards: NDArray[np.float32]
    aspects: NDArray[np.float32]


def shard_path(directory: Path, index: int) -> Path:
    """Path of shard number `index`."""
    return directory / f"{index:06d}.npz"


def make_shard(seed: int, index: int, pictures: int = PICTURES, decks: int = _DECKS) -> Shard:
    """Shard number `index` of the world `seed`, with so many decks and grounds."""
    g = np.random.default_rng((seed, 3, index))
    numbers = range(index * _NEW_DECKS, index * _NEW_DECKS + decks)
    world = [numbered_deck(seed, i) for i in numbers], [numbered_ground(seed, i) for i in numbers]
    scenes = [make_scene(g, *world) for _ in range(pictures)]
    return Shard(
        np.stack([s.image for s in scenes]),
        np.stack([s.owners for s in scenes]),
        np.stack([s.cards for s in scenes]),
        np.array([s.aspect for s in scenes], np.float32),
    )


def write_shard(path: Path, shard: Shard) -> None:
    """Write a shard; a reader sees it whole or not at all."""
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez(file, images=shard.images, owners=shard.owners, cards=shard.cards, aspects=shard.aspects)
    unfinished.rename(path)


def read_shard(path: Path) -> Shard:
    """Read a shard."""
    with np.load(path) as arrays:
        return Shard(arrays["images"], arrays["owners"], arrays["cards"], arrays["aspects"])


def write_shards(directory: Path, seed: int) -> None:
    """Write shards, at most AHEAD in front of the number in the file `needed`, until stopped."""
    directory.mkdir(parents=True, exist_ok=True)
    needed = directory / "needed"
    index = 0
    while True:
        reader_at = int(needed.read_text() or 0) if needed.exists() else 0
        path = shard_path(directory, index)
        if path.exists() or index < reader_at - _DECKS:
            index += 1
        elif index > reader_at + AHEAD:
            time.sleep(1)
        else:
            started = time.process_time()
            write_shard(path, make_shard(seed, index))
            print(f"shard {index}: {(time.process_time() - started) / PICTURES * 1e3:.0f} ms a picture", flush=True)
            index += 1


def main() -> None:
    """Write shards until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    write_shards(options.directory, options.seed)


if __name__ == "__main__":
    main()
