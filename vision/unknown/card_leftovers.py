"""Another look at what was left over: cards that were found a little off, by a frame or a shadow beside their edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import apart, lie_on
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_kin import like_the_others, stands_out
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_sizes import Stock

Floats = NDArray[np.float32]

_MOST = 40
_REACH = 0.09  # of the card's shorter side
_SURE = 0.8  # three sides at least
_HARDLY = 0.3


def with_leftovers(lab: NDArray[np.uint8], stock: Stock, chosen: SideFit, others: Floats) -> SideFit:
    """The cards chosen, and those of `others` (n, 4, 2) that are cards when moved to where most speaks for them.

    `lab` is (h, w, 3) 8-bit Lab. What was chosen stays as it is.
    """
    others = others[~lie_on(others, chosen.quads)][:_MOST]
    reach = _REACH * stock.plane.size[0]
    poses, certainty = settled(lab, stock.plane, poses_of(stock.plane, others), reach, stock.step)
    sides = np.sort(certainty, axis=1)
    good = (sides[:, 0] > _HARDLY) & (sides[:, 1] > _SURE)
    best = np.flatnonzero(good)[np.argsort(-sides[good].sum(axis=1), kind="stable")]
    quads = poses.take(best).quads(stock.plane)
    quads = quads[~lie_on(quads, chosen.quads)]
    more = fit_sides(lab, quads[apart(quads)], 2.0)
    if len(more.quads) == 0:
        return chosen
    all_fits = chosen.joined(more)
    keep = stands_out(lab, all_fits) & like_the_others(lab, stock, all_fits, len(chosen.quads))
    keep[: len(chosen.quads)] = True
    return all_fits.take(keep)
