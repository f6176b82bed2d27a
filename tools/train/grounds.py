"""Table tops: wood, cloth, stone, paper, tiles, prints and clutter, seen from above."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from tools.train.draw import (
    Floats,
    Image,
    Random,
    chosen,
    colour,
    filled,
    lines_of_text,
    noise,
    pattern,
    picture,
    shape,
)

SIDE = 640  # px of a ground; the canvas shows a part of it


def _even(g: Random, n: int) -> Floats:
    """Return paint, felt or paper of one colour; half are pale, from which white cards hardly differ."""
    fill = colour(g, str(g.choice(["", "", "white", "light"])))
    image = filled(n, n, fill) + noise(g, n, n, g.integers(2, 30)) * np.float32(g.uniform(0, 12))
    return image + g.standard_normal((n, n, 1), np.float32) * np.float32(g.choice([0, g.uniform(0, 8)]))


def _wood(g: Random, n: int) -> Floats:
    brown = np.float32(g.uniform((20, 40, 60), (150, 190, 230)) if g.random() < 0.8 else colour(g))
    grain = noise(g, n, n, g.integers(8, 40), 1, 4, 0.7, g.uniform(6, 30))
    if g.random() < 0.5:
        grain = np.sin(grain * g.uniform(3, 12) + noise(g, n, n, 3, 1, 2))
    image = brown * (1 + grain * np.float32(g.uniform(0.03, 0.35)))
    board = int(g.integers(40, 200))
    for y in range(0, n, board) if g.random() < 0.6 else ():
        image[y : y + board] = np.roll(image[y : y + board], g.integers(0, n), 1) * np.float32(g.uniform(0.8, 1.15))
        image[y : y + g.integers(1, 4)] *= np.float32(g.uniform(0.3, 0.9))
        x = g.integers(0, n)
        image[y : y + board, x : x + g.integers(0, 3)] *= np.float32(0.5)
    return image if g.random() < 0.5 else image.transpose(1, 0, 2)


def _woven(g: Random, n: int) -> Floats:
    return pattern(g, n, n, g.uniform(3, 90))


def _printed(g: Random, n: int) -> Floats:
    """Cloth with figures that repeat, or figures of all sizes side by side."""
    repeats, side = g.random() < 0.6, n
    if repeats:
        side = int(g.integers(40, 200))
    tile = filled(side, side, colour(g))
    for _ in range(g.integers(1, 12) if repeats else g.integers(20, 160)):
        radius = g.uniform(0.04, 0.3) * side if repeats else g.uniform(4, 90)
        shape(g, tile, g.uniform(0, side, 2), radius, colour(g), int(g.choice([-1, -1, 1, 2])))
    return np.tile(tile, (n // side + 1, n // side + 1, 1))[:n, :n]


def _marble(g: Random, n: int) -> Floats:
    base, vein = np.float32(colour(g, "light" if g.random() < 0.6 else "")), np.float32(colour(g))
    lines = np.exp(-np.abs(noise(g, n, n, g.integers(2, 8), 1, 5, 0.6)) * np.float32(g.uniform(8, 40)))
    return np.asarray(base + (vein - base) * lines * np.float32(g.uniform(0.1, 0.8)))


def _speckled(g: Random, n: int) -> Floats:
    """Granite or carpet."""
    return np.float32(colour(g)) + noise(g, n, n, g.integers(2, 60), 3, 5, 0.75) * np.float32(g.uniform(10, 80))


def _painted(g: Random, n: int) -> Floats:
    return picture(g, n, n)


def _turned(g: Random, image: Floats) -> Floats:
    """Return the same, turned, in half of all cases."""
    n = image.shape[0]
    turn = cv2.getRotationMatrix2D((n / 2, n / 2), g.choice([0, g.uniform(0, 90)]), 1.3)
    return cv2.warpAffine(image, turn, (n, n), borderMode=cv2.BORDER_REFLECT)


def _tiles(g: Random, n: int) -> Floats:
    """Tiles or bricks of 25–260 px with joints; each may have a shade of its own."""
    image = filled(n, n, colour(g)) + noise(g, n, n, 30) * np.float32(g.uniform(2, 30))
    wide, joint, fill = int(g.integers(25, 260)), int(g.integers(1, 6)), colour(g)
    high = wide if g.random() < 0.5 else int(wide * g.uniform(0.4, 1))
    shades = g.normal(1, g.choice([0, 0.08]), (n // high + 1, n // wide + 1, 1)).astype(np.float32)
    image *= shades.repeat(high, 0).repeat(wide, 1)[:n, :n]
    row, x = np.arange(n) // high, np.arange(n)
    image[np.arange(n) % high < joint] = fill
    image[(x + g.choice([0, wide // 2]) * (row[:, None] % 2)) % wide < joint] = fill
    return _turned(g, image)


def _ruled(g: Random, n: int) -> Floats:
    """Lined or squared paper, newspaper."""
    image = filled(n, n, colour(g, "white" if g.random() < 0.6 else "light"))
    step, ink = int(g.integers(6, 30)), colour(g)
    if g.random() < 0.3:
        for x in range(0, n, 160):
            lines_of_text(g, image, (x + 8, 8, x + 150, n), ink, step)
    else:
        image[::step] = ink
        image[:, :: int(g.choice([step, n]))] = ink
    return _turned(g, image)


_KINDS: tuple[tuple[Callable[[Random, int], Floats], float], ...] = (
    (_even, 4), (_wood, 3), (_woven, 2), (_printed, 1.7), (_marble, 1), (_speckled, 1.3), (_painted, 1), (_tiles, 1),
    (_ruled, 0.7),
)  # fmt: skip


def make_ground(g: Random) -> Image:
    """Return a random table top (SIDE, SIDE, 3) BGR."""
    image = chosen(g, _KINDS)(g, SIDE)
    if g.random() < 0.25:  # a weave
        image = image * (1 + np.float32(0.12 / 255) * pattern(g, SIDE, SIDE, g.uniform(2, 5)))
    return np.clip(image, 0, 255).astype(np.uint8)


def some_part(g: Random, grounds: list[Image], n: int) -> Image:
    """Return a part (n, n, 3) of a ground: shifted, scaled, recoloured, in half of all cases turned by any angle."""
    ground, middle = grounds[g.integers(0, len(grounds))], SIDE / 2
    turn, scale = (g.uniform(0, 360), g.uniform(0.75, 1.6)) if g.random() < 0.5 else (90 * g.integers(0, 4), 1)
    place = np.asarray(cv2.getRotationMatrix2D((middle, middle), float(turn), scale), np.float64)
    place[:, 2] += n / 2 - middle + g.integers(-60, 61, 2)
    part = cv2.warpAffine(ground, place, (n, n), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    part = part[..., g.permutation(3)] if g.random() < 0.5 else part
    return part if g.random() < 0.5 else cv2.convertScaleAbs(part, alpha=g.uniform(0.5, 1.3), beta=g.uniform(0, 20))
