"""Labelled pictures by the shard: shard k depends on the seed and k alone, so a training can go on anywhere."""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.scenes import make_scene, numbered_deck, numbered_ground

_PICTURES = 128  # a shard
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
    cv2.setNumThreads(1)
    g = np.random.default_rng((seed, 3, index))
    numbers = range(index * _NEW_DECKS, index * _NEW_DECKS + decks)
    world = [numbered_deck(seed, i) for i in numbers], [numbered_ground(seed, i) for i in numbers]
    scenes = [make_scene(g, *world) for _ in range(pictures)]
    return Shard(*(np.stack([getattr(scene, field.name) for scene in scenes]) for field in fields(Shard)))
