"""Moves the sides of dark quadrilaterals in white to where the white ends, to a fraction of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats

_PLACES = np.linspace(0.14, 0.86, 19)  # along a side, clear of round corners
_SEARCH = 0.055  # to either side of an edge, by the quad's shorter side
_STEPS = 21
_ROUNDS = 2
_LEAST_RISE = 4.0  # grey levels, or as much of linear light
_WHITE = 255.0
_DARKEST_WHITE = 12.0


def moved_to_white(
    grey: NDArray[np.uint8] | NDArray[np.float32], quads: Floats, *, linear: bool = False
) -> tuple[Floats, Floats]:
    """Give quads (n, 4, 2) with their sides on the edge of the white, and how straight each is seen to be, (n,) 0 to 1.

    `grey` (h, w) from 0 to 255. With `linear` the edge is looked for in the light itself, of which a camera's grey
    levels are about the root: lenses blur light, and by grey levels black would look smaller than it is.
    """
    straight = np.zeros(len(quads))
    for _ in range(_ROUNDS):
        offsets, straight = _edge_offsets(grey, quads, linear)
        quads = _shifted(quads, offsets)
    return quads, straight


def crossings(lines: Floats) -> Floats:
    """Corners (n, 4, 2) of quads by their sides' lines (n, 4, 3); corner k is where side k begins."""
    before = lines[:, [3, 0, 1, 2]]
    det = before[..., 0] * lines[..., 1] - before[..., 1] * lines[..., 0]
    det = np.where(np.abs(det) < 1e-9, 1e-9, det)
    x = (before[..., 2] * lines[..., 1] - before[..., 1] * lines[..., 2]) / det
    y = (before[..., 0] * lines[..., 2] - before[..., 2] * lines[..., 0]) / det
    return np.stack([x, y], axis=-1)


def _edge_offsets(grey: NDArray[np.uint8] | NDArray[np.float32], quads: Floats, linear: bool) -> tuple[Floats, Floats]:
    """Where the white ends, (n, 4, places) in px outwards of each side (NaN: nowhere), and how many places agree."""
    start, end = quads, quads[:, [1, 2, 3, 0]]
    along = end - start
    length = np.linalg.norm(along, axis=2)
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1) / length[..., None]
    reach = np.clip(length.min(axis=1) * _SEARCH, 2.0, 8.0)
    steps = np.linspace(-1, 1, _STEPS)[None] * reach[:, None]
    foot = start[:, :, None] + along[:, :, None] * _PLACES[None, None, :, None]
    places = foot[:, :, :, None] + normal[:, :, None, None] * steps[:, None, None, :, None]
    flat = places.reshape(len(quads), -1, 2).astype(np.float32)
    seen = cv2.remap(grey, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.asarray(seen, np.float64).reshape(places.shape[:-1])
    if linear:
        # By the brightest about each quad, so that dim light is as good as any.
        brightest = np.maximum(profile.max(axis=(1, 2, 3), keepdims=True), _DARKEST_WHITE)
        profile = (profile / brightest) ** 2 * _WHITE
    rise = np.maximum(np.gradient(profile, axis=-1), 0)
    peak = rise.argmax(axis=-1)
    near = np.abs(np.arange(_STEPS) - peak[..., None]) <= 3
    weight = rise * near
    total = weight.sum(axis=-1)
    offset = (weight * steps[:, None, None, :]).sum(axis=-1) / np.maximum(total, 1e-9)
    offset[total < _LEAST_RISE] = np.nan
    centre = np.median(np.where(np.isnan(offset), 1e3, offset), axis=-1, keepdims=True)
    agree = np.abs(offset - centre) < 0.35 * reach[:, None, None]
    return np.where(agree, offset, np.nan), np.asarray(agree.mean(axis=(1, 2)))


def _shifted(quads: Floats, offsets: Floats) -> Floats:
    """Quads with their sides fitted to offsets (n, 4, places) from them."""
    start, end = quads, quads[:, [1, 2, 3, 0]]
    along = end - start
    length = np.linalg.norm(along, axis=2)
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1) / length[..., None]
    known = ~np.isnan(offsets)
    weight = known.astype(np.float64)
    t = _PLACES - 0.5
    value = np.where(known, offsets, 0.0)
    # A line's height and slope by least squares; a side that nobody saw stays where it is.
    s0, s1, s2 = weight.sum(-1), (weight * t).sum(-1), (weight * t * t).sum(-1)
    b0, b1 = value.sum(-1), (value * t).sum(-1)
    det = s0 * s2 - s1 * s1
    fine = (s0 >= 5) & (det > 0.05)
    det = np.where(fine, det, 1.0)
    height = np.where(fine, (s2 * b0 - s1 * b1) / det, 0.0)
    slope = np.where(fine, (s0 * b1 - s1 * b0) / det, 0.0)
    first = start + normal * (height - slope / 2)[..., None]
    second = end + normal * (height + slope / 2)[..., None]
    direction = second - first
    a, b = -direction[..., 1], direction[..., 0]
    return crossings(np.stack([a, b, a * first[..., 0] + b * first[..., 1]], axis=-1))
