"""Where cards may lie: quadrilaterals of a known size at corners and edges, and which of many are worth a look."""

from __future__ import annotations

import numpy as np

from vision.arrays import Singles
from vision.unknown.card_plane import CardPlane
from vision.unknown.line_segments import Corners

MIN_SEGMENT_PX = 12.0
_FAIR_CELL_PX = 40.0


def at_corners(plane: CardPlane, corners: Corners) -> Singles:
    """Cards with a corner at each of `corners`, lying one way and the other."""
    short, long = plane.size
    origin = plane.to_plane(corners.point)
    u = plane.to_plane(corners.point + corners.u * 8) - origin
    v = plane.to_plane(corners.point + corners.v * 8) - origin
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    square = np.abs((u * v).sum(axis=1)) < 0.2
    origin, u, v = origin[square], u[square], v[square]
    # Make the two directions exactly perpendicular, turning each by half of what is missing.
    middle = u + v
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    turn = np.stack([middle[:, 1], -middle[:, 0]], axis=1)
    u, v = (middle + turn) / np.sqrt(2), (middle - turn) / np.sqrt(2)
    quads = []
    for a, b in ((short, long), (long, short)):
        quads.append(np.stack([origin, origin + a * u, origin + a * u + b * v, origin + b * v], axis=1))
    return np.asarray(plane.to_picture(np.concatenate(quads)), np.float32)


def at_segments(plane: CardPlane, segments: Singles) -> Singles:
    """Cards with a side along each of `segments`, beginning at one end of it or ending at the other, on either side."""
    short, long = plane.size
    a, b = plane.to_plane(segments[:, :2]), plane.to_plane(segments[:, 2:])
    length = np.linalg.norm(b - a, axis=1)
    keep = (length > 0.4 * short) & (length < 1.1 * long)
    a, b, d = a[keep], b[keep], (b - a)[keep] / length[keep, None]
    n = np.stack([-d[:, 1], d[:, 0]], axis=1)
    quads = []
    for along, across in ((short, long), (long, short)):
        for start in (a, b - along * d, (a + b - along * d) / 2):
            for sign in (1.0, -1.0):
                end, side = start + along * d, sign * across * n
                quad = np.stack([start, end, end + side, start + side], axis=1)
                quads.append(quad if sign > 0 else quad[:, ::-1])
    return np.asarray(plane.to_picture(np.concatenate(quads)), np.float32)


def distinct(quads: Singles, score: Singles) -> Singles:
    """The best of each bunch of nearly equal quadrilaterals, the best first."""
    quads = quads[np.argsort(-score, kind="stable")]
    key = np.rint(np.concatenate([np.sort(quads[..., 0], axis=1), np.sort(quads[..., 1], axis=1)], axis=1) / 4)
    _, first = np.unique(key.astype(np.int32), axis=0, return_index=True)
    return quads[np.sort(first)]


def fair_share(quads: Singles, most: int) -> Singles:
    """At most so many of the quadrilaterals, the first of each part of the picture first."""
    _, cell = np.unique(np.floor(quads.mean(axis=1) / _FAIR_CELL_PX), axis=0, return_inverse=True)
    cell = cell.ravel()
    by_cell = np.argsort(cell, kind="stable")
    rank = np.empty(len(quads), int)
    rank[by_cell] = np.arange(len(quads)) - np.searchsorted(cell[by_cell], cell[by_cell])
    return quads[np.argsort(rank, kind="stable")[:most]]
