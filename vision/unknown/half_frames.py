"""Outlines two sides of which are a card's edges, and the other two those of a frame that is printed on it.

Beside each other card it may be another two, and all are as far apart: so more outlines agree on that size than on the
card's own, as there are four ways to choose them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_poses import poses_of, settled, sides_of
from vision.unknown.card_sizes import Stock

Floats = NDArray[np.float32]

_FEWEST = 4
_NEARBY_PX, _AGAIN_PX = 4.0, 3.0  # off its outline, a card's edge is looked for
_TRIED = ((0, 0), (-1, -1), (1, -1), (1, 1), (-1, 1))  # the same middle, and the same corner
_MOSTLY = 0.6  # of the outlines
_MOST_AT_ONE = 0.7  # what lies at the same corner of most was there before the cards


def but_half_frames(
    image_lab: NDArray[np.uint8], stock: Stock, quads: Floats, stocks: list[Stock]
) -> tuple[Stock, Floats]:
    """The stock, or one of the others whose cards' edges and frames its outlines (n, 4, 2) mix.

    And those cards (m, 4, 2), if so. `image_lab` is (h, w, 3) 8-bit Lab.
    """
    for larger in stocks:
        if len(quads) >= _FEWEST and (np.array(larger.plane.size) > stock.plane.size).all():
            cards = _about(image_lab, stock, quads, larger)
            if len(cards):
                return larger, cards
    return stock, quads[:0]


def _about(image_lab: NDArray[np.uint8], smaller: Stock, quads: Floats, larger: Stock) -> Floats:
    """The larger cards (m, 4, 2) about outlines (n, 4, 2) of the smaller size, if these are mixtures.

    Then as much or more speaks for a larger one that shares a corner with most of them, now this one, now that.
    """
    inner, sure = settled(image_lab, smaller.plane, poses_of(smaller.plane, quads), _NEARBY_PX)
    about = poses_of(larger.plane, inner.quads(smaller.plane))
    outward, *_ = sides_of(larger.plane, about)
    wider, longer = np.subtract(larger.plane.size, smaller.plane.size) / 2
    reach = min(_AGAIN_PX, wider / 2, longer / 2)
    outlines, tried = [], []
    for x, y in _TRIED:
        poses = replace(about, centre=about.centre + x * wider * outward[:, 1] + y * longer * outward[:, 2])
        poses, certainty = settled(image_lab, larger.plane, poses, reach, larger.step)
        outlines.append(poses.quads(larger.plane))
        tried.append(certainty.sum(axis=1))
    certainty = np.stack(tried, axis=1)
    best = certainty.argmax(axis=1)
    mixed = (best > 0) & (certainty.max(axis=1) >= sure.sum(axis=1))
    at = np.bincount(best[mixed], minlength=len(_TRIED))
    if mixed.mean() < _MOSTLY or at.max() > _MOST_AT_ONE * mixed.sum():
        return quads[:0]
    return np.asarray(np.stack(outlines, axis=1)[mixed, best[mixed]], np.float32)
