"""Cards of a column that stick out under others and that nobody could read: their edges show, and must not go unsaid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.prints.proposals import Edges
from vision.quads import shared_area

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_PIECES = 8  # of a side
_WITHIN = 0.04  # of the way to a card's middle: a rim lies beside the card above it, not under it
_OPEN, _HIDDEN = 0.85, 0.25  # of the far side, at least, and of the side under the column, at most
_SEEN_FAR, _SEEN_ENDS = 0.85, 0.6  # of what lies open of the far side, and of the two beside it
_SAME = 0.5  # of a place's area


def sticking_out(edges: Edges, places: Floats, known: Floats) -> Floats:
    """Places (n, 4, 2) px of which one whole side and the ends of the two beside it are seen, by their edges.

    The rest lies under cards that are known (m, 4, 2). Gives each spot once, (k, 4, 2).
    """
    if not len(known) or not len(places):
        return np.zeros((0, 4, 2))
    ends = np.linspace(0, 1, _PIECES + 1)[:, None]
    start, step = places[:, :, None], (np.roll(places, -1, axis=1) - places)[:, :, None]
    marks = start + step * ends
    lines = np.concatenate([marks[:, :, :-1], marks[:, :, 1:]], axis=3)
    seen = edges.coverage_of_lines(lines.reshape(-1, 4)).reshape(lines.shape[:3])
    middles = (marks[:, :, :-1] + marks[:, :, 1:]) / 2
    middles += _WITHIN * (places.mean(axis=1)[:, None, None] - middles)
    is_open = ~_inside(middles.reshape(-1, 2), known).reshape(lines.shape[:3])
    share = is_open.mean(axis=2)
    told = (seen * is_open).sum(axis=2) / np.maximum(is_open.sum(axis=2), 1)
    before, after = (np.roll(told * (share > 0), shift, axis=1) for shift in (1, -1))
    far = (share >= _OPEN) & (told >= _SEEN_FAR) & (np.roll(share, 2, axis=1) <= _HIDDEN)
    far &= (before >= _SEEN_ENDS) & (after >= _SEEN_ENDS)
    found: list[Floats] = []
    for k in np.argsort(-(told * share).sum(axis=1)):
        if far[k].any() and all(shared_area(places[k], other) < _SAME for other in found):
            found.append(places[k])
    return np.array(found).reshape(-1, 4, 2)


def _inside(points: Floats, quads: Floats) -> Flags:
    """(n,) which points (n, 2) lie within one of some quads (m, 4, 2), clockwise."""
    inside = np.zeros(len(points), bool)
    for quad in quads:
        side = np.roll(quad, -1, axis=0) - quad
        gap = points[:, None] - quad
        inside |= (side[:, 0] * gap[..., 1] - side[:, 1] * gap[..., 0] >= 0).all(axis=1)
    return inside
