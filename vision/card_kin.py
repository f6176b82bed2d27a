"""Which of the things that have a card's size are cards: those that look like most of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.card_borders import printed_share
from vision.card_edges import SideFit
from vision.card_poses import poses_of, settled
from vision.card_sizes import Stock
from vision.edge_ends import end_at_corners, run_on
from vision.marker_sheets import inside_quad
from vision.paper import as_bgr, is_darker

Floats = NDArray[np.float32]

_SEEN = 0.55  # the share of a side along which its edge is seen, at least
_SURE = 0.8
_WHOLLY = 0.9  # of each side of a card with plain edges
_PLAIN = 12.0  # weighted 8-bit Lab
_MAX_ODDNESS = 0.45
_LEAST_CONTRAST = 1.0  # weighted 8-bit Lab
_BARE = 0.012
_AS_USUAL = 0.5
_HARDLY = 0.25  # of the usual contrast, or of certainty
_UNSURE = 0.6
_SAME_STOCK = 20.0  # how far the grounds of two cards may differ, in weighted 8-bit Lab
_REACH_PX = 4.0
_SPREAD = 3.0
_NEARER = 0.5


def clear_cut(fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) have an edge in plain sight all along each side, beyond which it is clearly darker.

    Ink only takes light away, so that is no frame printed on bare paper: it is where the card ends.
    """
    darker = is_darker(as_bgr(fit.beyond), as_bgr(fit.inside)).all(axis=1)
    return np.asarray((fit.support.min(axis=1) > _WHOLLY) & (fit.contrast_beyond().min(axis=1) > _PLAIN) & darker)


def stands_out(lab: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
    """Which cards end where their corners are, and have another colour outside on two sides at least.

    A bare rectangle, like the table between four cards, must stand out as much as the cards that show something.
    """
    contrast = fit.contrast_beyond()
    chosen = end_at_corners(fit.quads, *run_on(lab, fit.quads), np.median(fit.inside, axis=1))
    chosen &= (contrast > _LEAST_CONTRAST).sum(axis=1) >= 2
    bare = printed_share(lab, fit.quads) < _BARE
    usual = float(np.median(contrast[chosen & ~bare])) if (chosen & ~bare).any() else 0.0
    # A side beside another card shows no contrast of its own.
    open_contrast = np.where(_beside_others(fit), 0, contrast)
    return np.asarray(chosen & (~bare | (np.median(open_contrast, axis=1) > _AS_USUAL * usual)))


def _beside_others(fit: SideFit) -> NDArray[np.bool_]:
    """Beside which sides (n, 4) another card lies close by."""
    middles = (fit.quads + np.roll(fit.quads, -1, axis=1)) / 2
    beyond = middles + 0.12 * (middles - fit.quads.mean(axis=1, keepdims=True))
    found = np.zeros(beyond.shape[:2], bool)
    for other in range(len(fit.quads)):
        taken = inside_quad(fit.quads[other], beyond.reshape(-1, 2)).reshape(-1, 4)
        taken[other] = False
        found |= taken
    return found


def kin(fit: SideFit, deviation: Floats, order: Floats) -> tuple[SideFit, Floats, Floats]:
    """Leave out what does not look like one card, and what lacks a side unless its ground is that of a whole card."""
    odd, ground = fit.oddness(), np.median(fit.inside, axis=1)
    whole = (order[:, 0] > _SURE) & (odd < 0.2) & (fit.steps().mean(axis=1) > 0.7)
    known = np.linalg.norm(ground[:, None] - ground[None, whole], axis=2).min(axis=1, initial=np.inf) < _SAME_STOCK
    several = whole.sum() > 1
    keep = (odd < _MAX_ODDNESS) & ((order[:, 0] > _SEEN) | (known & several & (odd < 0.25)))
    return fit.take(keep), deviation[keep], order[keep]


def like_the_others(lab: NDArray[np.uint8], stock: Stock, fit: SideFit, known: int | None = None) -> NDArray[np.bool_]:
    """Which cards (n,) have about the ground of the others, and their contrast on all open sides but at most one.

    A part of a sheet, between lines of text, has the sheet's own colour beyond some of its sides. The others are the
    first `known` cards, which the rest must equal also where they lie beside one another, or all.
    """
    if len(fit.quads) == 0 or known == 0:
        return np.zeros(len(fit.quads), bool)
    contrast = fit.contrast_beyond()
    faint = contrast < _HARDLY * np.median(contrast[:known])
    if known is None:
        faint &= ~_beside_others(fit)
    certainty = np.sort(settled(lab, stock.plane, poses_of(stock.plane, fit.quads), _REACH_PX, stock.step)[1], axis=1)
    ground = np.median(fit.inside, axis=1)
    away = np.linalg.norm(ground - np.median(ground[:known], axis=0), axis=1)
    # Cards printed all over have many grounds; and where the light falls off, a card still is unlike the table.
    alike = (away < _SAME_STOCK + _SPREAD * np.median(away[:known])) | (away < _NEARER * np.median(contrast, axis=1))
    seen = (certainty[:, 1] > _HARDLY) & ~(faint.any(axis=1) & (certainty[:, 0] < _UNSURE))
    return np.asarray((((faint.sum(axis=1) < 2) & seen) | clear_cut(fit)) & alike)
