"""Light and camera: uneven light, shadows, mirrored lamps, colour casts, contrast, blur, noise, JPEG."""

from __future__ import annotations

import cv2
import numpy as np

from tools.train.draw import Floats, Image, Random, fill_polygon, line, polygon, shape, way


def _uneven(g: Random, n: int) -> Floats:
    """Return factors (n, n) of light that varies smoothly and falls off to a side."""
    coarse = cv2.resize(g.standard_normal((4, 4), np.float32), (n, n), interpolation=cv2.INTER_CUBIC)
    ramp = np.linspace(-1, 1, n, dtype=np.float32)
    across, down = g.normal(0, 0.2, 2).astype(np.float32)
    return np.asarray(np.exp(coarse * np.float32(g.uniform(0, 0.3)) + ramp * across + ramp[:, None] * down))


def _shadow(g: Random, n: int) -> Floats:
    """Return factors (n, n) of a shadow with a hard or soft edge: a polygon, or stripes as of a window's frame."""
    at = g.uniform(0, n, 2)
    mask: Floats = np.zeros((n, n), np.float32)
    if g.random() < 0.7:
        fill_polygon(mask, polygon(g) * g.uniform(40, 320) + at, 1.0)
    else:
        turn, width, period = g.uniform(0, 6.3), g.uniform(6, 80), g.uniform(40, 240)
        for i in range(-4, 5):
            along = 800 * way(turn + np.pi / 2)
            line(mask, at + i * period * way(turn) + [along, -along], 1.0, width)
    mask = cv2.GaussianBlur(mask, (0, 0), g.choice([1.2, 4, 16]))
    return 1 - np.float32(g.uniform(0.1, 0.75)) * mask


def _glare(g: Random, n: int) -> Floats:
    """Return the light (n, n, 3) of a lamp or window that the table mirrors."""
    mask: Floats = np.zeros((n, n), np.float32)
    shape(g, mask, g.uniform(0, n, 2), g.uniform(12, 120), 1.0)
    mask = cv2.GaussianBlur(mask, (0, 0), g.choice([3, 10, 28]))
    return (mask * np.float32(g.uniform(40, 350)))[..., None] * g.uniform(0.8, 1, 3).astype(np.float32)


def _blurred(g: Random, image: Floats) -> Floats:
    across, down = g.choice([0, 0.7, 1.5, 3.0], 2) * g.uniform(0.5, 1, 2)
    if g.random() < 0.7:
        down = across
    if max(across, down) > 0.25:
        image = cv2.GaussianBlur(image, (0, 0), sigmaX=max(across, 0.1), sigmaY=max(down, 0.1))
    if g.random() < 0.07:  # motion
        kernel = np.zeros((17, 17), np.uint8)
        line(kernel, 8 + np.outer([-1, 1], g.uniform(2, 8) * way(g.uniform(0, 6.3))), 255, 1)
        image = cv2.filter2D(image, -1, kernel / np.float32(kernel.sum()))
    if g.random() < 0.3:  # sharpened by the camera
        soft = cv2.GaussianBlur(image, (0, 0), g.choice([1.0, 2.0]))
        image = image + (image - soft) * np.float32(g.uniform(0.2, 1.2))
    return image


def _exposed(g: Random, image: Floats) -> Floats:
    """Scale to an exposure from dark to overexposed, with a colour cast, less or more colour, and a gamma."""
    image = image * np.exp(g.normal(0, 0.13, 3)).astype(np.float32)
    if g.random() < 0.4:
        grey = image.mean(2, keepdims=True)
        image = grey + (image - grey) * np.float32(g.uniform(0.2, 1.5))
    bright = max(8.0, float(np.percentile(image[::4, ::4], 95)))
    goal = np.exp(g.uniform(np.log(60 if g.random() < 0.25 else 140), np.log(310)))
    return 255 * np.clip(image * np.float32(goal / bright / 255), 0, 1) ** np.float32(g.uniform(0.6, 1.3))


def taken(g: Random, canvas: Image) -> Image:
    """Return the canvas (n, n, 3) BGR as a camera shows it."""
    n, image = canvas.shape[0], canvas.astype(np.float32)
    if g.random() < 0.85:
        image *= _uneven(g, n)[..., None]
    for _ in range(g.choice([0, 0, 1, 2])):
        image *= _shadow(g, n)[..., None]
    for _ in range(g.choice([0, 0, 0, 1, 2])):
        image += _glare(g, n)
    image = _blurred(g, _exposed(g, image))
    if g.random() < 0.7:
        grain = g.standard_normal((n, n, 3), np.float32) * np.float32(g.uniform(0, 12))
        image = image + (grain if g.random() < 0.5 else cv2.blur(grain, (2, 2)))
    final: Image = np.clip(image, 0, 255).astype(np.uint8)
    if g.random() < 0.2:
        coded = cv2.imencode(".jpg", final, [cv2.IMWRITE_JPEG_QUALITY, int(g.integers(40, 96))])[1]
        final = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return final
