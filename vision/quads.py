"""Points and quadrilaterals: which lies in which, and how far off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def within_quads(points: Floats, quads: Floats) -> NDArray[np.bool_]:
    """(...,) whether each point (..., 2) lies within any of the quads (m, 4, 2), clockwise as seen (y down)."""
    found = np.zeros(points.shape[:-1], dtype=bool)
    for start, end in zip(quads, np.roll(quads, -1, axis=1), strict=True):
        along = end - start
        gap = points[..., None, :] - start
        found |= (along[:, 0] * gap[..., 1] - along[:, 1] * gap[..., 0] > 0).all(-1)
    return found


def distance_to_quads(points: Floats, quads: Floats) -> Floats:
    """(n, m) distance of points (n, 2) from the outlines of quads (m, 4, 2), 0 within them."""
    start, along = quads, np.roll(quads, -1, axis=1) - quads
    gap = points[:, None, None] - start[None]
    at = np.clip((gap * along).sum(-1) / np.maximum((along * along).sum(-1), 1e-12), 0, 1)
    distance = np.linalg.norm(gap - at[..., None] * along, axis=-1).min(-1)
    inside = (along[..., 0] * gap[..., 1] - along[..., 1] * gap[..., 0] > 0).all(-1)
    return np.asarray(np.where(inside, 0.0, distance))
