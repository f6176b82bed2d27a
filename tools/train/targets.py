"""Batches for training: pictures, marks of known cards and what the network should answer."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.draw import Random
from tools.train.shards import Shard
from vision.find.scale import ASPECT_ZERO, CELL_PX, SHORT_PX
from vision.find.sides import corners_of

Floats = NDArray[np.float32]
TARGETS = 9  # on, dx, dy, cos 2t, sin 2t, cos 4t, sin 4t, edge, weight
_EDGE_PX = 2.0  # cells whose centre is that near to a side of their card are its edge


class Batch(NamedTuple):
    """`views` (b, n, n, 4): BGR and marks, 0..1; `aspects` (b, 1); `targets` (b, n / 4, n / 4, 4, TARGETS)."""

    views: Floats
    aspects: Floats
    targets: Floats


class Example(NamedTuple):
    """One picture with its labels; as in `Scene`."""

    image: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    cards: Floats
    aspect: float


def drawn(g: Random, shard: Shard) -> Example:
    """A random picture of a shard, mirrored, transposed and with its colours exchanged at random."""
    i = g.integers(0, len(shard.aspects))
    image, owners, cards = shard.images[i], shard.owners[i], shard.cards[i].copy()
    if g.random() < 0.5:
        image, owners = image[:, ::-1], owners[:, ::-1]
        cards[:, 0], cards[:, 2] = image.shape[1] - cards[:, 0], -cards[:, 2]
    if g.random() < 0.5:
        image, owners = image.transpose(1, 0, 2), owners.T
        cards[:, :2], cards[:, 2] = cards[:, 1::-1], np.pi / 2 - cards[:, 2]
    if g.random() < 0.5:
        image = image[..., g.permutation(3)]
    return Example(image, owners, cards, float(shard.aspects[i]))


def marked(g: Random, example: Example) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Marks (n, n) 0 or 1 of cards that are given as known, and the owners (cells, cells) without them.

    In 40 % of pictures some cards from the top are known, as after earlier passes; their poses are off by 1 px.
    """
    owners, marks = example.owners, np.zeros(example.image.shape[:2], np.uint8)
    seen = np.nonzero(example.cards[:, 3] > 0.05)[0]
    if len(seen) < 2 or g.random() > 0.4:
        return marks, owners
    lowest = g.integers(seen.min(), seen.max() + 1)
    known = seen[
        ((seen > lowest) & (g.random(len(seen)) < 0.9)) | (example.cards[seen, 3] > 0.9) & (g.random(len(seen)) < 0.3)
    ]
    if not len(known):
        return marks, owners
    poses = example.cards[known].astype(np.float64)
    poses[:, :3] += g.normal(0, (0.7, 0.7, 0.02), (len(known), 3))
    for corners in corners_of(poses, SHORT_PX, SHORT_PX * example.aspect):
        cv2.fillConvexPoly(marks, np.round(corners * 16).astype(np.int32), 1.0, cv2.LINE_8, 4)
    gone = np.zeros(256, bool)
    gone[known + 1] = True
    return marks, np.where(gone[owners], 0, owners).astype(np.uint8)


def answers(owners: NDArray[np.uint8], cards: Floats, aspect: float) -> Floats:
    """(cells, cells, TARGETS) that the network should answer; weight 0 where a card shows less than 3 %."""
    on = owners > 0
    x, y, turn, share = cards.T
    # Small parts count more: their cells are few.
    weight = np.where(share > 0.03, np.clip(0.3 / np.sqrt(np.maximum(share, 0.02)), 0.3, 1.6), 0)
    cos, sin = np.cos(turn), np.sin(turn)
    features = np.stack(
        [x, y, cos, sin, cos**2 - sin**2, 2 * sin * cos, np.cos(4 * turn), np.sin(4 * turn), weight], -1
    )
    x, y, cos, sin, *turns, weight = np.moveaxis(features.astype(np.float32)[np.maximum(owners, 1) - 1], -1, 0)
    centres = np.arange(owners.shape[0], dtype=np.float32) * CELL_PX + CELL_PX / 2
    dx, dy = x - centres[None], y - centres[:, None]
    inside = np.minimum(SHORT_PX / 2 - np.abs(cos * dx + sin * dy), SHORT_PX * aspect / 2 - np.abs(cos * dy - sin * dx))
    edge = on & (inside < _EDGE_PX)
    return np.stack([on, dx / SHORT_PX, dy / SHORT_PX, *turns, edge, np.where(on, weight, 1)], -1).astype(np.float32)


def batch_of(g: Random, shards: list[Shard], size: int) -> Batch:
    """A random batch."""
    n, cells = shards[0].images.shape[1], shards[0].owners.shape[1]
    views, aspects = np.empty((size, n, n, 4), np.float32), np.empty((size, 1), np.float32)
    targets = np.empty((size, cells, cells, TARGETS), np.float32)
    for i in range(size):
        example = drawn(g, shards[g.integers(0, len(shards))])
        marks, owners = marked(g, example)
        gain = np.exp(g.normal(0, 0.2)) * np.exp(g.normal(0, 0.06, 3))
        np.multiply(example.image, (gain / 255).astype(np.float32), out=views[i, ..., :3])
        views[i, ..., 3] = marks
        aspects[i] = example.aspect - ASPECT_ZERO
        targets[i] = answers(owners, example.cards, example.aspect)
    return Batch(np.minimum(views, 1), aspects, folded(targets))


def folded(cells: Floats) -> Floats:
    """(b, 2h, 2w, c) of cells to (b, h, w, 4, c): four cells for each place of the network's output."""
    b, h, w, c = cells.shape
    return cells.reshape(b, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(b, h // 2, w // 2, 4, c)
