"""Random colours, textures and figures, the raw material of synthetic pictures."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]  # uint8; OpenCV's stubs do not say so
Floats = NDArray[Any]  # float32
Points = NDArray[np.float64]
Colour = NDArray[np.float64]
Picture = Image | Floats  # drawing functions change it in place
Paint = Colour | Floats | float
Random = np.random.Generator


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
    image = np.empty((height, width, 3), np.float32)
    image[:] = fill
    return image


def noise(
    g: Random, height: int, width: int, cells: float | np.integer[Any], channels: int = 1, octaves: int = 3,
    fall: float = 0.5, stretch: float = 1.0,
) -> Floats:  # fmt: skip
    """Return smooth noise (h, w, channels) of about -1..1.

    cells: blobs along the longer side, finer with each octave.
    """
    total = np.zeros((height, width, channels), np.float32)
    for octave in range(octaves):
        rows = max(2, int(cells * 2**octave * height / max(height, width)))
        columns = max(2, int(cells * 2**octave * width / max(height, width) / stretch))
        if rows > height or columns > width:
            break
        coarse = g.standard_normal((rows, columns, channels), np.float32) * np.float32(0.5 * fall**octave)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).reshape(total.shape)
    return total


def polygon(g: Random, x: float, y: float, radius: float) -> Points:
    """Return the corners (n, 2) of a star, a regular or an irregular polygon about (x, y)."""
    count = int(g.integers(3, 10))
    turns = np.arange(count) * 2 * np.pi / count + g.uniform(0, 7)
    if g.random() < 0.4:
        turns = np.sort(g.uniform(0, 2 * np.pi, count))
    radii = g.uniform(0.5, 1, count) if g.random() < 0.5 else np.where(np.arange(count) % 2, 1, g.uniform(0.4, 1))
    return np.stack([x + radius * radii * np.cos(turns), y + radius * radii * np.sin(turns)], 1)


def fill_polygon(image: Picture, points: Points, fill: Paint, thickness: int = -1) -> None:
    """Draw an antialiased polygon (n, 2), filled or as a line of `thickness` px."""
    fixed = [np.round(points * 16).astype(np.int32)]
    value = tuple(float(v) for v in np.atleast_1d(fill))
    if thickness < 0:
        cv2.fillPoly(image, fixed, value, cv2.LINE_AA, 4)
    else:
        cv2.polylines(image, fixed, True, value, thickness, cv2.LINE_AA, 4)


def disc(image: Picture, x: float, y: float, radius: float, fill: Paint, thickness: int = -1) -> None:
    """Draw an antialiased circle."""
    value = tuple(float(v) for v in np.atleast_1d(fill))
    cv2.circle(image, (int(x * 16), int(y * 16)), max(1, int(radius * 16)), value, thickness, cv2.LINE_AA, 4)


def shape(g: Random, image: Picture, x: float, y: float, radius: float, fill: Paint, thickness: int = -1) -> None:
    """Draw a random figure about (x, y): disc, ellipse, bar, polygon, star, heart or ring."""
    kind = g.integers(0, 8)
    if kind == 0:
        disc(image, x, y, radius, fill, thickness)
    elif kind == 1:
        axes = (max(1, int(radius * 16)), max(1, int(radius * g.uniform(5, 16))))
        value = tuple(float(v) for v in np.atleast_1d(fill))
        cv2.ellipse(
            image, (int(x * 16), int(y * 16)), axes, g.uniform(0, 180), 0, 360, value, thickness, cv2.LINE_AA, 4
        )
    elif kind == 2:
        box = cv2.boxPoints(((x, y), (2 * radius, 2 * radius * g.uniform(0.3, 1)), g.choice([0, 45, g.uniform(0, 90)])))
        fill_polygon(image, np.asarray(box, np.float64), fill, thickness)
    elif kind == 3:  # heart, spade upside down
        for side in (-0.45, 0.45):
            disc(image, x + side * radius, y - 0.3 * radius, 0.5 * radius, fill, thickness)
        low = np.array([[-0.92, -0.1], [0.92, -0.1], [0, 1]]) * radius
        fill_polygon(image, low * (1, g.choice([-1, 1])) + (x, y), fill, thickness)
    elif kind == 4:
        disc(image, x, y, radius, fill, max(1, int(radius * g.uniform(0.15, 0.5))))
    else:
        fill_polygon(image, polygon(g, x, y, radius), fill, thickness)


def picture(g: Random, height: int, width: int) -> Floats:
    """Return an image (h, w, 3) like a photograph or painting: a gradient, figures, texture."""
    colours = palette(g, 6)
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    image = filled(height, width, colours[0]) * (1 - down) + np.float32(colours[1]) * down
    for _ in range(g.integers(2, 24)):
        at = g.uniform(0, 1, 2) * (width, height)
        shape(g, image, at[0], at[1], g.uniform(0.03, 0.4) * width, colours[g.integers(0, 6)])
    if g.random() < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), g.uniform(0.5, 4))
    image += noise(g, height, width, g.integers(3, 20), int(g.choice([1, 3])), 4, 0.7) * np.float32(g.uniform(0, 50))
    return np.clip(image, 0, 255)


def pattern(g: Random, height: int, width: int, period: float) -> Floats:
    """Return an image (h, w, 3) with a pattern: stripes, chequers, dots, waves, bricks, diamonds, rings or rules."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    turn = np.radians(g.choice([0, 0, 45, g.uniform(0, 180)]))
    u = (x * np.cos(turn) + y * np.sin(turn)) / period
    v = (y * np.cos(turn) - x * np.sin(turn)) / (period * g.choice([1, 1, g.uniform(0.4, 2.5)]))
    fu, fv, duty = u % 1, v % 1, g.uniform(0.15, 0.7)
    kind = g.integers(0, 8)
    if kind == 0:
        mix = fu < duty
    elif kind == 1:
        mix = (fu < 0.5) ^ (fv < 0.5)
    elif kind == 2:
        mix = (fu < duty) * 0.5 + (fv < duty) * 0.5
    elif kind == 3:
        mix = (fu - 0.5) ** 2 + (fv - 0.5) ** 2 < (duty * 0.6) ** 2
    elif kind == 4:
        mix = 0.5 + 0.5 * np.sin(2 * np.pi * u) * np.sin(2 * np.pi * v)
    elif kind == 5:
        mix = (fu < 0.08) | ((v + 0.5 * (np.floor(u) % 2)) % 1 < 0.08)
    elif kind == 6:
        mix = np.abs(fu - 0.5) + np.abs(fv - 0.5) < duty * 0.6
    else:
        mix = 0.5 + 0.5 * np.sin(4 * np.pi * np.hypot(fu - 0.5, fv - 0.5) * g.integers(1, 4))
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
    y = y0
    while y + height * 0.7 < y1:
        x = x0
        while x < x1:
            end = min(x + g.uniform(0.6, 3) * height, x1)
            cv2.rectangle(image, (int(x), int(y)), (int(end), int(y + height * g.uniform(0.3, 0.6))), value, -1)
            x = end + height * 0.4
        y += height


def frame(image: Floats, near: float, width: float, fill: Colour) -> None:
    """Draw a frame of `width` px that starts `near` px from the edge of the image."""
    a, b = round(near), round(near) + max(1, round(width))
    for _ in range(4):
        image[a:b, a : image.shape[1] - a] = fill
        image = np.rot90(image)
