"""Batches for training: views and crops of synthetic tables, marks of known cards, and the networks' right answers."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.draw import Random
from tools.train.scenes import OWNER_PX, SIDE_PX, Scene
from vision.find.crops import crop_maps, cut, near
from vision.find.scale import ASPECT_ZERO, CELL_PX, CROP_CELL_PX, CROP_PX, FINE, SHORT_PX
from vision.find.votes import SQUARE

Floats = NDArray[np.float32]
VIEW_TARGETS = 9  # on, dx, dy, cos 2t, sin 2t, cos 4t, sin 4t, weight, whether half a turn differs from a quarter
CROP_TARGETS = 4  # on, dx, dy, weight of the distances
_REACH_PX, _REACH_TURN = 0.4 * SHORT_PX, np.radians(20)  # a hypothesis that is off by more is false
_ANYWHERE = 0.15  # share of hypotheses at random places


class Batch(NamedTuple):
    """Examples of both networks; BGR and marks are 0..1.

    `views` (b, n, n, 4), `aspects` (b, 1), `cells` (b, n / 4, n / 4, 4, VIEW_TARGETS) for the card network; `crops`
    (c, CROP_PX, CROP_PX, 4), `crop_cells` (c, CROP_PX / 2, CROP_PX / 2, CROP_TARGETS) for the crop network.
    """

    views: Floats
    aspects: Floats
    cells: Floats
    crops: Floats
    crop_cells: Floats


def poses_of(quads: Floats) -> Floats:
    """Return x, y, turn of the first side, width and height (n, 5) of quads (n, 4, 2)."""
    centre, across, along = quads.mean(1), quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    turn = np.arctan2(across[:, 1], across[:, 0])
    sizes = np.hypot(*across.T), np.hypot(*along.T)
    return np.stack([*centre.T, turn, *sizes], 1).astype(np.float32)


def drawn(g: Random, shard: Scene) -> Scene:
    """Return a random picture of a shard, mirrored, transposed and with its colours exchanged at random."""
    image, owners, quads, shares, aspect = (values[i] for i in [g.integers(0, len(shard.aspect))] for values in shard)
    if g.random() < 0.5:
        image, owners, quads = image[:, ::-1], owners[:, ::-1], quads[:, [1, 0, 3, 2]] * (-1, 1) + (SIDE_PX, 0)
    if g.random() < 0.5:
        image, owners, quads = image.transpose(1, 0, 2), owners.T, quads[:, [1, 0, 3, 2], ::-1]
    if g.random() < 0.5:
        image = image[..., g.permutation(3)]
    return Scene(np.ascontiguousarray(image), owners, quads.astype(np.float32), shares, aspect)


def marked(g: Random, scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return marks (SIDE_PX, SIDE_PX) 0 or 255 of cards that are given as known, and the owners without them.

    In 40 % of pictures some cards from the top are known, as after earlier passes; their poses are off by 1 px.
    """
    owners, marks, shares = scene.owners, np.zeros((SIDE_PX, SIDE_PX), np.uint8), scene.shares
    seen = np.nonzero(shares > 0.05)[0]
    if len(seen) < 2 or g.random() > 0.4:
        return marks, owners
    lowest = g.integers(seen.min(), seen.max() + 1)
    known = seen[((seen > lowest) & (g.random(len(seen)) < 0.9)) | (shares[seen] > 0.9) & (g.random(len(seen)) < 0.3)]
    for quad in scene.quads[known]:
        off = quad + g.normal(0, 0.7, 2) + g.normal(0, 0.3, (4, 2))
        cv2.fillConvexPoly(marks, np.round(off * 16).astype(np.int32), 255.0, cv2.LINE_8, 4)
    gone = np.zeros(256, bool)
    gone[known + 1] = True
    return marks, np.where(gone[owners], 0, owners).astype(np.uint8)


def answers(owners: NDArray[np.uint8], scene: Scene) -> Floats:
    """Return targets (cells, cells, VIEW_TARGETS) of the card network; weight 0 where a card shows less than 3 %."""
    on, share = owners > 0, scene.shares
    x, y, turn = poses_of(scene.quads).T[:3]
    # Small parts count more: their cells are few.
    weight = np.where(share > 0.03, np.clip(0.3 / np.sqrt(np.maximum(share, 0.02)), 0.3, 1.6), 0)
    turns = np.cos(2 * turn), np.sin(2 * turn), np.cos(4 * turn), np.sin(4 * turn)
    features = np.stack([x, y, *turns, weight], -1).astype(np.float32)
    x, y, *turns, weight = np.moveaxis(features[np.maximum(owners, 1) - 1], -1, 0)
    centres = np.arange(owners.shape[0], dtype=np.float32) * CELL_PX + CELL_PX / 2
    dx, dy = x - centres[None], y - centres[:, None]
    weight, oblong = np.where(on, weight, 1), np.full(on.shape, scene.aspect > SQUARE)
    return np.stack([on, dx / SHORT_PX, dy / SHORT_PX, *turns, weight, oblong], -1).astype(np.float32)


def hypotheses(g: Random, scene: Scene, owners: NDArray[np.uint8], count: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return poses (count, 5) near visible cards or anywhere, and the card (count,) that each means, or -1."""
    poses, fold = poses_of(scene.quads), 4 if scene.aspect < SQUARE else 2
    seen = np.unique(owners[owners > 0]).astype(np.intp) - 1
    seen = seen[scene.shares[seen] > 0.04]
    size = np.array([SHORT_PX, SHORT_PX * scene.aspect]) * np.exp(g.normal(0, g.choice([0.01, 0.04, 0.1]), (count, 2)))
    some = np.c_[g.uniform(0, SIDE_PX, (count, 2)), g.uniform(-np.pi, np.pi, count), size]
    if not len(seen):
        return some.astype(np.float32), np.full(count, -1)
    # Covered cards are drawn more often than their number says: their poses are the hard ones.
    near = g.random(count) > _ANYWHERE
    aim = seen[g.integers(0, len(seen), count)]
    spread = g.choice([0.03, 0.1, 0.2], count)[:, None]
    some[near, :2] = (poses[aim, :2] + g.normal(0, spread * SHORT_PX, (count, 2)))[near]
    some[near, 2] = (poses[aim, 2] + np.radians(g.normal(0, 60 * spread[:, 0])))[near]
    apart = some[:, None, :3] - poses[None, seen, :3]
    turned = (apart[..., 2] + np.pi / fold) % (2 * np.pi / fold) - np.pi / fold
    far = (apart[..., :2] ** 2).sum(-1) / _REACH_PX**2 + (turned / _REACH_TURN) ** 2
    return some.astype(np.float32), np.where(far.min(1) < 1, seen[far.argmin(1)], -1)


def crops_of(
    g: Random, scene: Scene, marks: NDArray[np.uint8], owners: NDArray[np.uint8], count: int
) -> tuple[NDArray[np.uint8], Floats]:
    """Return crops (count, CROP_PX, CROP_PX, 4) of hypotheses, and their cells (count, n, n, CROP_TARGETS)."""
    poses, meant = hypotheses(g, scene, owners, count)
    n = CROP_PX // CROP_CELL_PX
    maps, cells = crop_maps(poses), np.zeros((count, n, n, CROP_TARGETS), np.float32)
    centres = (np.arange(n, dtype=np.float32) + 0.5) * CROP_CELL_PX
    for i, (way, card) in enumerate(zip(maps, meant, strict=True)):
        if card < 0:
            continue
        scale = FINE / OWNER_PX * way.copy()
        scale[:, :2] *= CROP_CELL_PX
        scale[:, 2] += scale[:, :2].sum(1) / 2 - 0.5
        owner = cv2.warpAffine(owners, scale, (n, n), flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
        quad = np.linalg.solve(way[:, :2], (scene.quads[card] - way[:, 2]).T).T
        # The quad's turn may differ from the hypothesis' by multiples of 90 or 180 degrees.
        start = int(np.argmin((quad - CROP_PX / 2).sum(1)))
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = np.roll(quad, -start, 0)
        left, right = ax + (centres - ay) * (dx - ax) / (dy - ay), bx + (centres - by) * (cx - bx) / (cy - by)
        top, bottom = ay + (centres - ax) * (by - ay) / (bx - ax), dy + (centres - dx) * (cy - dy) / (cx - dx)
        cells[i, ..., 0] = owner == card + 1
        low = np.stack(np.broadcast_arrays(left[:, None] - centres, top - centres[:, None]), -1)
        high = np.stack(np.broadcast_arrays(right[:, None] - centres, bottom - centres[:, None]), -1)
        cells[i, ..., 1:3] = np.where(np.abs(low) < np.abs(high), low, high)
    cells[..., 3] = near(cells[..., 0])
    return cut(scene.image, marks, maps), cells


def batch_of(g: Random, shards: list[Scene], size: int, crops_a_view: int) -> Batch:
    """Return a random batch of `size` views and some crops from each of them."""
    examples = []
    for _ in range(size):
        scene = drawn(g, shards[g.integers(0, len(shards))])
        marks, owners = marked(g, scene)
        gain = np.append(np.exp(g.normal(0, 0.2)) * np.exp(g.normal(0, 0.06, 3)), 1).astype(np.float32) / 255
        small = cv2.resize(scene.image, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
        step = FINE * CELL_PX // OWNER_PX
        cells = answers(np.ascontiguousarray(owners[step // 2 :: step, step // 2 :: step]), scene)
        crops, crop_cells = crops_of(g, scene, marks, owners, crops_a_view)
        views = np.minimum(np.dstack([small, marks]) * gain, 1)
        examples.append((views, [scene.aspect - ASPECT_ZERO], cells, np.minimum(crops * gain, 1), crop_cells))
    views, aspects, cells, crops, crop_cells = map(np.array, zip(*examples, strict=True))
    return Batch(views, aspects.astype(np.float32), folded(cells), np.concatenate(crops), np.concatenate(crop_cells))


def folded(cells: Floats) -> Floats:
    """Return cells (b, 2h, 2w, c) as (b, h, w, 4, c): four cells for each place of a network's output."""
    b, h, w, c = cells.shape
    return cells.reshape(b, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(b, h // 2, w // 2, 4, c)
