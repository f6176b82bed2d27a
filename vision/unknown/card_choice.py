"""Which of many quadrilaterals of a card's size that overlap are the cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.quads import apart
from vision.unknown.card_edges import SideFit
from vision.unknown.card_kin import kin, stands_out
from vision.unknown.card_plane import CardPlane
from vision.unknown.ruled_sheets import are_ruled

_SEEN = 0.55  # the share of a side along which its edge is seen, at least
_SURE = 0.8  # the same for the other three sides, if one side is not seen
_ONE_GROUND = 0.2  # oddness
_ROUNDS = 3


def completed(fit: SideFit, plane: CardPlane) -> SideFit:
    """Where three sides were seen and one was not, it is put where the card's size wants it."""
    order = np.sort(fit.support, axis=1)
    rows = np.flatnonzero((order[:, 0] < _SEEN) & (order[:, 1] > _SURE))
    quads = fit.quads.copy()
    quads[rows] = plane.completed(quads[rows], fit.support[rows].argmin(axis=1))
    return replace(fit, quads=quads)


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
        cards = stands_out(lab, chosen) & ~are_ruled(lab, chosen.quads)
        if cards.all():
            break
        whole[best] = cards
        fit, whole = fit.take(whole), whole[whole]
    return chosen.take(cards)
