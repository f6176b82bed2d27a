"""Which of many quadrilaterals of a card's size that overlap are the cards, and which of those left over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import apart, lie_on
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_sizes import Stock
from vision.unknown.outliers import kin, like_the_others, stands_out

_SEEN = 0.55  # the share of a side along which its edge is seen, at least
_SURE = 0.8  # the same for the other three sides, if one side is not seen
_ONE_GROUND = 0.2  # oddness
_ROUNDS = 3
_MOST_LEFT = 40  # outlines over that are looked at again
_REACH = 0.09  # of the card's shorter side
_CERTAIN = 0.8  # three sides at least
_HARDLY = 0.3


def best_of(lab: NDArray[np.uint8], fit: SideFit, plane: CardPlane, unevenness: float) -> SideFit:
    """The best of the quadrilaterals that overlap, if they are cards at all.

    `lab` is (h, w, 3) 8-bit Lab. Cards have about the size that they have on the `plane`, and differ from it
    `unevenness` times more than usual.
    """
    deviation = np.asarray(plane.deviation(fit.quads) / unevenness, np.float32)
    order = np.sort(fit.support, axis=1)
    whole = (order[:, 0] > _SEEN) & (order.mean(axis=1) > 0.8) & (deviation < 0.08)
    nearly = (order[:, 0] <= _SEEN) & (order[:, 1] > _SURE) & (deviation < 0.05)
    fit, deviation, order = fit.take(whole | nearly), deviation[whole | nearly], order[whole | nearly]
    fit, deviation, order = kin(fit, deviation, order)
    score = order.mean(axis=1) + 0.5 * order[:, 0] - 3 * deviation - fit.oddness()
    fit = fit.take(np.argsort(-score, kind="stable"))
    # What proves to be none may have lain on a card, whole and of one ground, that scored a little less.
    whole = (fit.support.min(axis=1) > _SEEN) & (fit.oddness() < _ONE_GROUND)
    for _ in range(_ROUNDS):
        best = np.asarray(apart(fit.quads), np.intp)
        chosen = fit.take(best)
        cards = stands_out(lab, chosen)
        if cards.all():
            break
        whole[best] = cards
        fit, whole = fit.take(whole), whole[whole]
    return chosen.take(cards)


def with_leftovers(lab: NDArray[np.uint8], stock: Stock, chosen: SideFit, others: Singles) -> SideFit:
    """The cards chosen, and those of `others` (n, 4, 2) that are cards when moved to where most speaks for them.

    `lab` is (h, w, 3) 8-bit Lab. What was chosen stays as it is; others lie a little off, by a frame or a shadow beside
    their edge.
    """
    others = others[~lie_on(others, chosen.quads)][:_MOST_LEFT]
    reach = _REACH * stock.plane.size[0]
    poses, certainty = settled(lab, stock.plane, poses_of(stock.plane, others), reach, stock.step)
    sides = np.sort(certainty, axis=1)
    good = (sides[:, 0] > _HARDLY) & (sides[:, 1] > _CERTAIN)
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
