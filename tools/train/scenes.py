"""Synthetic tables with labels: the picture and, per cell, the card that is seen there."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.art import FACES, SHORT, TrainingDeck, make_deck
from tools.train.camera import taken
from tools.train.canvas import NOBODY, SceneCanvas, Shadow, placed
from tools.train.draw import Floats, Image, Random, colour, fill_polygon, frame, line, shape, way
from tools.train.grounds import make_ground, some_part
from tools.train.layouts import Poses, some_poses
from tools.train.things import Maker, put_hand
from vision.find.scale import FINE, SHORT_PX

SIDE_PX = 192  # of a view at the card network's scale; pictures are larger by FINE
OWNER_PX = 2  # of a picture, each place of `owners`
MOST_CARDS = 64
_PICTURES, _DECKS, _NEW_DECKS = 128, 40, 8  # a shard, drawn from 40 decks and grounds, 8 of which are new to it
_PALE = 0.3  # share of tables whose ground has the colour of the cards: the hardest kind


class Scene(NamedTuple):
    """A labelled picture.

    `image` (side, side, 3) BGR at FINE times the card network's scale; `owners` (side / 2, side / 2) is 0 or the number
    of the card seen there; `quads` (MOST_CARDS, 4, 2) corners in px of the card network's view, clockwise from a short
    side; `shares` (MOST_CARDS,) in sight. Card k is row k - 1, from the lowest to the top one. `aspect` is long side by
    short side; the short side is about SHORT_PX.
    """

    image: Image
    owners: Image
    quads: NDArray[np.float32]
    shares: NDArray[np.float32]
    aspect: NDArray[np.float32]


@lru_cache(maxsize=200)
def numbered_deck(seed: int, index: int) -> TrainingDeck:
    """Return deck number `index` of an endless supply; each has its own seed."""
    return make_deck(np.random.default_rng((seed, 1, index)))


@lru_cache(maxsize=200)
def numbered_ground(seed: int, index: int) -> Image:
    """Ground number `index`."""
    return make_ground(np.random.default_rng((seed, 2, index)))


def _half_plane(g: Random, near_rim: bool) -> Image:
    """Return a mask of one side of a random line."""
    n = SIDE_PX * FINE
    turn = g.integers(0, 4) * np.pi / 2 + g.normal(0, 0.12) if g.random() < 0.6 else g.uniform(0, 6.3)
    e, f = 900 * way(turn), 900 * way(turn + np.pi / 2)
    at, mask = n * g.uniform(0.1, 0.9, 2), np.zeros((n, n), np.uint8)
    if near_rim:
        at = n / 2 + f * n / 900 * g.uniform(0.3, 0.5)
    fill_polygon(mask, np.array([at - e, at + e, at + e + f, at - e + f]), 255)
    return mask


def _table_top(g: Random, deck: TrainingDeck, grounds: list[Image], pale: bool) -> Image:
    image = some_part(g, grounds, SIDE_PX * FINE)
    if pale:
        tint = deck.edge_colour(int(g.integers(0, FACES))) + g.normal(0, 8, 3) + g.normal(0, 8)
        relief = image.astype(np.float32) - image.mean((0, 1), dtype=np.float32)
        image = np.float32(tint) + relief * np.float32(g.choice([0, 0.1, 0.25, 0.5]))
    if g.random() < 0.3:  # the table's edge, or a mat
        image = np.where(_half_plane(g, False)[..., None] > 127, some_part(g, grounds, SIDE_PX * FINE), image)
    return np.clip(image, 0, 255).astype(np.uint8)


def _poses(g: Random, aspect: float) -> Poses:
    """Return poses in px of the view, from the lowest card to the top one; a tenth of all tables has no card."""
    kind = g.random()
    poses = np.concatenate([some_poses(g, SHORT_PX, aspect, SIDE_PX) for _ in range(g.integers(1, 4))])
    if kind < 0.35:
        poses = poses[np.sort(g.permutation(len(poses))[: g.integers(1, 6) if kind > 0.1 else 0])]
    return poses[(np.abs(poses[:, :2] - SIDE_PX / 2) < SIDE_PX / 2 + SHORT_PX).all(1)][: MOST_CARDS - 1]


def _lay_cards(
    g: Random, canvas: SceneCanvas, deck: TrainingDeck, poses: Poses, darkness: float
) -> NDArray[np.float32]:
    """Lay cards, and return their quads; sizes and shapes are off by about 2 %, most of it in common."""
    quads: NDArray[np.float32] = np.zeros((MOST_CARDS, 4, 2), np.float32)
    light, blur = g.uniform(-1, 1, 2) * g.choice([0, 1.5, 3]), int(g.choice([3, 5, 9]))
    faces = g.integers(0, FACES - 1, 2 if g.random() < 0.3 else FACES)
    backs, sleeved, glossy = g.choice([0, 0.15, 0.5]), g.random() < 0.12, g.choice([0, 0, 0.1, 0.3])
    scale, gain, slope = g.normal(1, 0.015), g.choice([0.01, 0.04, 0.08]), g.choice([0.01, 0.05, 0.15])
    for number, (x, y, turn) in enumerate(poses, 1):
        art = deck.faces[FACES - 1] if g.random() < backs else deck.faces[faces[g.integers(0, len(faces))]]
        h, w = art.shape[:2]
        if g.random() < glossy:
            art = _washed_out(g, art)
        if sleeved:
            art = _sleeved(g, art)
        wide, high = (w, h) * g.normal(scale, 0.01 * scale, 2)
        place = placed((wide, high), (w, h), np.array([x, y]) * FINE, turn)
        place[:, :2] += g.normal(0, 0.004, (2, 2))
        quads[number - 1] = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]]) @ place.T / FINE
        across, down = np.linspace(-1, 1, w) * g.normal(0, slope), np.linspace(-1, 1, h) * g.normal(0, slope)
        shade = (g.normal(1, gain) + across + down[:, None]).astype(np.float32)
        x, y = light * g.uniform(0.3, 1.5)
        canvas.lay(art, place, number, Shadow((x, y), blur, darkness), shade)
    return quads


def _washed_out(g: Random, art: Image) -> Image:
    """Return a layer (h, w, 4) of a card that mirrors a light: on all of it, or on a spot."""
    h, w = art.shape[:2]
    light: Floats = np.full((h, w), g.uniform(20, 230), np.float32)
    washed = art.copy()
    if g.random() < 0.5:
        light[:] = 0
        shape(g, light, g.uniform(0, 1, 2) * (w, h), g.uniform(0.2, 0.7) * w, g.uniform(60, 255))
        light = cv2.GaussianBlur(light, (0, 0), g.uniform(1, 8))
    washed[..., :3] = np.clip(art[..., :3] + light[..., None], 0, 255)
    return washed


def _sleeved(g: Random, art: Image) -> Image:
    """Return a layer (h, w, 4) of a card in a clear sleeve: a brighter or darker rim and streaks of light."""
    image, (h, w) = cv2.convertScaleAbs(art[..., :3], alpha=g.uniform(0.8, 1.0), beta=g.uniform(0, 40)), art.shape[:2]
    frame(image, 0, 1, colour(g, "grey"))
    streaks = np.zeros((h, w), np.float32)
    for _ in range(g.integers(0, 3)):
        line(streaks, g.uniform(0, 1, (2, 2)) * (w, h), g.uniform(30, 160), g.integers(1, 8))
    shine = np.clip(image + cv2.GaussianBlur(streaks, (0, 0), 1.5)[..., None], 0, 255)
    return np.dstack([shine.astype(np.uint8), art[..., 3]])


def make_scene(g: Random, decks: list[TrainingDeck], grounds: list[Image]) -> Scene:
    """Return a random table of one deck; other decks and grounds serve as textures of things."""
    deck, pale = decks[g.integers(0, len(decks))], g.random() < _PALE
    canvas = SceneCanvas(_table_top(g, deck, grounds, pale))
    things = Maker(g, canvas, deck.aspect, grounds, decks)
    poses = _poses(g, deck.aspect)
    things.put_some(g.poisson(1.0 if len(poses) else 4.0), on_cards=False)
    quads = _lay_cards(g, canvas, deck, poses, g.uniform(0.08, 0.5) if pale else g.uniform(0, 0.6))
    things.put_some(g.poisson(0.7), on_cards=True)
    for _ in range(g.choice([0, 0, 0, 0, 0, 0, 1, 1, 2])):
        put_hand(things)
    image = taken(g, canvas.image)
    for _ in range(g.choice([0, 0, 0, 1, 1, 2])):
        beyond = _half_plane(g, g.random() < 0.6) > 127  # what the camera does not see
        if beyond.mean() < 0.43:  # a picture that shows hardly any table teaches little
            canvas.owners[beyond] = NOBODY
            image[beyond] = 0
    owners = np.ascontiguousarray(canvas.owners[::OWNER_PX, ::OWNER_PX])
    shares = np.bincount(owners.ravel(), minlength=MOST_CARDS + 1)[1:] * OWNER_PX**2 / (SHORT**2 * deck.aspect)
    return Scene(image, owners, quads, shares.astype(np.float32), np.array(deck.aspect, np.float32))


def make_shard(seed: int, index: int, pictures: int = _PICTURES, decks: int = _DECKS) -> Scene:
    """Return scenes stacked along a new first axis, from so many decks and grounds.

    They depend on the world `seed` and the number `index` alone, so a training can go on anywhere.
    """
    cv2.setNumThreads(1)
    g, numbers = np.random.default_rng((seed, 3, index)), range(index * _NEW_DECKS, index * _NEW_DECKS + decks)
    world = [numbered_deck(seed, i) for i in numbers], [numbered_ground(seed, i) for i in numbers]
    return Scene(*map(np.stack, zip(*(make_scene(g, *world) for _ in range(pictures)), strict=True)))
