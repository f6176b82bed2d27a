"""Random colours, textures and figures, the raw material of synthetic pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]  # uint8; OpenCV's stubs do not say so
Floats = NDArray[Any]  # float32
Points = NDArray[np.float64]
Colour = NDArray[np.float64]
Place = Points | tuple[float, float]
Picture = Image | Floats  # drawing functions change it in place
Paint = Colour | Floats | float
Random = np.random.Generator
Kind = TypeVar("Kind")

_ROUND = np.linspace(0, 2 * np.pi, 40, endpoint=False)
_CIRCLE: Points = np.stack([np.cos(_ROUND), np.sin(_ROUND)], 1)
_HALF_HEART: Points = np.array([[0.0, -0.4], [0.2, -0.75], [0.5, -0.75], [0.9, -0.5], [0.95, -0.2], [0, 1]])
_HEART: Points = np.concatenate([_HALF_HEART, _HALF_HEART[::-1] * (-1, 1)])


def chosen(g: Random, kinds: Sequence[tuple[Kind, float]]) -> Kind:
    """Return one of the kinds, each as often as the weight beside it says."""
    weights = np.array([weight for _, weight in kinds])
    return kinds[g.choice(len(kinds), p=weights / weights.sum())][0]


def way(turn: float | Points) -> Points:
    """Return the unit vector (2,) of a turn in rad, or (2, n) of turns."""
    return np.array([np.cos(turn), np.sin(turn)])


def colour(g: Random, kind: str = "") -> Colour:
    """Return a random colour (3,) BGR: any, grey, dark, light, white, vivid; any kind by default."""
    kind = kind or str(g.choice(["any", "any", "grey", "dark", "light", "vivid"]))
    if kind == "any":
        return g.uniform(0, 255, 3)
    if kind == "vivid":
        hsv = np.array([[[g.integers(0, 180), g.integers(130, 256), g.integers(80, 256)]]], np.uint8)
        return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float64)
    low, high, spread = {"grey": (0, 255, 8), "dark": (5, 70, 8), "light": (180, 255, 7), "white": (232, 255, 3)}[kind]
    return np.clip(g.uniform(low, high) + g.normal(0, spread, 3), 0, 255)


def palette(g: Random, count: int) -> list[Colour]:
    """Return colours that occur together: half of them vary one colour."""
    base = colour(g)
    return [np.clip(base + g.normal(0, 50, 3), 0, 255) if g.random() < 0.5 else colour(g) for _ in range(count)]


def filled(height: int, width: int, fill: Colour) -> Floats:
    """Return an image (h, w, 3) of one colour."""
    return np.full((height, width, 3), fill, np.float32)


def noise(
    g: Random, height: int, width: int, cells: float | np.integer[Any], channels: int = 1, octaves: int = 3,
    fall: float = 0.5, stretch: float = 1.0,
) -> Floats:  # fmt: skip
    """Return smooth noise (h, w, channels) of about -1..1: `cells` blobs along the longer side, finer by octaves."""
    total = np.zeros((height, width, channels), np.float32)
    for octave in range(octaves):
        blobs = np.array([height, width / stretch]) * cells * 2**octave / max(height, width)
        rows, columns = np.maximum(blobs.astype(int), 2)
        if rows > height or columns > width:
            break
        coarse = g.standard_normal((rows, columns, channels), np.float32) * np.float32(0.5 * fall**octave)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).reshape(total.shape)
    return total


def fill_polygon(image: Picture, points: Points, fill: Paint, thickness: int = -1) -> None:
    """Draw an antialiased polygon (n, 2), filled or as a line of `thickness` px."""
    fixed, value = [np.round(points * 16).astype(np.int32)], tuple(float(v) for v in np.atleast_1d(fill))
    if thickness < 0:
        cv2.fillPoly(image, fixed, value, cv2.LINE_AA, 4)
    else:
        cv2.polylines(image, fixed, True, value, thickness, cv2.LINE_AA, 4)


def line(image: Picture, points: Points, fill: Paint, thickness: float | np.integer[Any]) -> None:
    """Draw an antialiased line through points (n, 2)."""
    value = tuple(float(v) for v in np.atleast_1d(fill))
    cv2.polylines(image, [np.round(points).astype(np.int32)], False, value, max(1, int(thickness)), cv2.LINE_AA)


def disc(image: Picture, at: Place, radius: float, fill: Paint, thickness: int = -1) -> None:
    """Draw an antialiased circle about `at`, (x, y)."""
    fill_polygon(image, _CIRCLE * radius + at, fill, thickness)


def shape(g: Random, image: Picture, at: Place, radius: float, fill: Paint, thickness: int = -1) -> None:
    """Draw a random figure about `at`: disc, ellipse, bar, heart, ring, star, regular or irregular polygon."""
    kind, turn, wide = g.integers(0, 8), g.choice([0, 45, g.uniform(0, 180)]), (1, g.uniform(0.3, 1))
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    known: list[Points] = [_CIRCLE, _CIRCLE * wide, box * wide, _HEART * (1, g.choice([-1, 1])), _CIRCLE]
    points = known[kind] if kind < len(known) else polygon(g)
    if kind in (1, 2):
        points = points @ cv2.getRotationMatrix2D((0, 0), turn, 1)[:, :2]
    if kind == 4:
        thickness = max(1, int(radius * g.uniform(0.15, 0.5)))
    fill_polygon(image, points * radius + at, fill, thickness)


def polygon(g: Random) -> Points:
    """Return the corners (n, 2) of a star, a regular or an irregular polygon about the origin."""
    count = int(g.integers(3, 10))
    turns = np.arange(count) * 2 * np.pi / count + g.uniform(0, 7)
    if g.random() < 0.4:
        turns = np.sort(g.uniform(0, 2 * np.pi, count))
    radii = g.uniform(0.5, 1, count) if g.random() < 0.5 else np.where(np.arange(count) % 2, 1, g.uniform(0.4, 1))
    return np.stack([radii * np.cos(turns), radii * np.sin(turns)], 1)


def picture(g: Random, height: int, width: int) -> Floats:
    """Return an image (h, w, 3) like a photograph or painting: a gradient, figures, texture."""
    colours = palette(g, 6)
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    image = filled(height, width, colours[0]) * (1 - down) + np.float32(colours[1]) * down
    for _ in range(g.integers(2, 24)):
        shape(g, image, g.uniform(0, 1, 2) * (width, height), g.uniform(0.03, 0.4) * width, colours[g.integers(0, 6)])
    if g.random() < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), g.uniform(0.5, 4))
    image += noise(g, height, width, g.integers(3, 20), int(g.choice([1, 3])), 4, 0.7) * np.float32(g.uniform(0, 50))
    return np.clip(image, 0, 255)


def pattern(g: Random, height: int, width: int, period: float) -> Floats:
    """Return an image (h, w, 3) with a pattern: stripes, chequers, dots, waves, bricks, diamonds, rings or rules."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    cos, sin = way(np.radians(g.choice([0, 0, 45, g.uniform(0, 180)])))
    u = (x * cos + y * sin) / period
    v = (y * cos - x * sin) / (period * g.choice([1, 1, g.uniform(0.4, 2.5)]))
    fu, fv, duty, count = u % 1, v % 1, g.uniform(0.15, 0.7), g.integers(1, 4)
    mix = (
        lambda: fu < duty,
        lambda: (fu < 0.5) ^ (fv < 0.5),
        lambda: (fu < duty) * 0.5 + (fv < duty) * 0.5,
        lambda: (fu - 0.5) ** 2 + (fv - 0.5) ** 2 < (duty * 0.6) ** 2,
        lambda: 0.5 + 0.5 * np.sin(2 * np.pi * u) * np.sin(2 * np.pi * v),
        lambda: (fu < 0.08) | ((v + 0.5 * (np.floor(u) % 2)) % 1 < 0.08),
        lambda: np.abs(fu - 0.5) + np.abs(fv - 0.5) < duty * 0.6,
        lambda: 0.5 + 0.5 * np.sin(4 * np.pi * np.hypot(fu - 0.5, fv - 0.5) * count),
    )[g.integers(0, 8)]()
    low = colour(g)
    high = low + g.normal(0, 25, 3) if g.random() < 0.4 else colour(g)
    image = np.float32(low) + np.float32(high - low) * np.asarray(mix, np.float32)[..., None]
    if g.random() < 0.2:
        image[(u * 0.5) % 1 < 0.06] = colour(g)
    return np.clip(cv2.GaussianBlur(image, (0, 0), g.uniform(0.4, 0.9)), 0, 255)


def word(image: Floats, text: str, at: tuple[float, float], font: int, size_px: float, fill: Colour, bold: int) -> None:
    """Write `text` with its lower left at `at`; `size_px` is about the height of a capital."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.putText(mask, text, (int(at[0]), int(at[1])), font, size_px / 22, 255.0, bold, cv2.LINE_AA)
    image += (np.float32(fill) - image) * (mask[..., None] / np.float32(255))


def lines_of_text(
    g: Random, image: Picture, box: tuple[float, float, float, float], fill: Colour, height: float
) -> None:
    """Fill a box (x0, y0, x1, y1) with bars like words of text, `height` px a line."""
    x0, y0, x1, y1 = box
    value = tuple(float(v) for v in fill)
    for y in np.arange(y0, y1 - height * 0.7, height):
        x = x0
        while x < x1:
            end = min(x + g.uniform(0.6, 3) * height, x1)
            cv2.rectangle(image, (int(x), int(y)), (int(end), int(y + height * g.uniform(0.3, 0.6))), value, -1)
            x = end + height * 0.4


def frame(image: Floats, near: float, width: float, fill: Colour) -> None:
    """Draw a frame of `width` px that starts `near` px from the edge of the image."""
    a, b = round(near), round(near) + max(1, round(width))
    for _ in range(4):
        image[a:b, a : image.shape[1] - a] = fill
        image = np.rot90(image)
