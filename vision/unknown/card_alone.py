"""A card that lies alone in plain sight: what is printed on it agrees on a size as cards do, and is none."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import lie_on, within_quads
from vision.unknown.card_corners import corner_cuts
from vision.unknown.card_edges import SideFit
from vision.unknown.card_grounds import BARE, printed_share
from vision.unknown.outliers import clear_cut

_ONE_GROUND = 0.2  # oddness
_ROUNDED, _CORNERS = (0.004, 0.045), 3  # by its width: a radius of a seventh of it is much for a card; so many at least


def print_on_it(image_lab: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
    """Which outlines (n,) are print on the one card among them that is in plain sight; of none if there are several.

    `image_lab` is (h, w, 3) 8-bit Lab. A card lies on a darker table all round, has round corners and print on it: so
    a sheet of paper or a tray with cards on it is none.
    """
    nothing = np.zeros(len(fit.quads), bool)
    clear = np.flatnonzero(clear_cut(fit) & (fit.oddness() < _ONE_GROUND))
    if len(clear) == 0:
        return nothing
    largest = clear[np.argmax([cv2.contourArea(quad) for quad in fit.quads[clear]])]
    one = fit.take(np.array([largest]))
    if not lie_on(fit.quads[clear], one.quads).all() or printed_share(image_lab, one.quads)[0] <= BARE:
        return nothing
    sides = np.linalg.norm(one.quads[0] - np.roll(one.quads[0], -1, axis=0), axis=1)
    across, along = sides[::2].sum(), sides[1::2].sum()
    cuts = corner_cuts(image_lab, one, along / across)[0] * max(1.0, across / along)
    as_cards = (cuts > _ROUNDED[0]) & (cuts < _ROUNDED[1])
    if as_cards.sum() < _CORNERS:
        return nothing
    on_it = within_quads(fit.quads.mean(axis=1), one.quads)
    on_it[largest] = False
    return on_it
