"""Cards off the table's plane: bent or propped up ones, or any that a wide lens shows near the picture's border."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import apart, lie_on
from vision.unknown.card_corners import corner_cuts
from vision.unknown.card_edges import SideFit
from vision.unknown.card_grounds import SAME_STOCK
from vision.unknown.card_plane import CardPlane
from vision.unknown.outliers import clear_cut, stands_out
from vision.unknown.ruled_sheets import are_ruled

_SEVERAL = 3  # cards tell what their paper and their corners look like
_OFF = 0.2  # from the size that they have on the plane, at most
_CUT_ALIKE, _EACH_ALIKE = 0.01, 0.02  # by the card's width: the middle one of four corners, and each of them
_INSIDE_PX = 2.0  # of the picture's border


def with_those_off_plane(
    lab: NDArray[np.uint8], cards: SideFit, plane: CardPlane, candidates: SideFit, quality: Singles
) -> SideFit:
    """The cards found on a plane, with those `candidates` that are of about their size in an (h, w, 3) Lab picture.

    Of these each side is in plain sight, the paper is the others', and all four corners are cut as theirs are: what
    else lies on a table is cut otherwise, if it is of that size and colour at all. `quality` (n,) is the candidates'.
    """
    if len(cards.quads) < _SEVERAL:
        return cards
    quads, sure = candidates.quads, clear_cut(cards)
    inside = (quads > _INSIDE_PX) & (quads < np.array(lab.shape[1::-1], np.float32) - 1 - _INSIDE_PX)
    paper = np.median(cards.inside, axis=(0, 1))
    same_paper = np.linalg.norm(np.median(candidates.inside, axis=1) - paper, axis=1) < SAME_STOCK
    good = clear_cut(candidates) & inside.all(axis=(1, 2)) & same_paper & (plane.deviation(quads) < _OFF)
    good &= ~lie_on(quads, cards.quads[sure])
    if not good.any():
        return cards
    best_first = np.flatnonzero(good)[np.argsort(-quality[good], kind="stable")]
    more = candidates.take(best_first)
    more = more.take(stands_out(lab, more) & ~are_ruled(lab, more.quads))
    more = more.take(_are_cut_alike(lab, more, cards, plane))
    more = more.take(np.asarray(apart(more.quads), np.intp))
    # What was put on the plane by force, off some of its edges.
    instead = np.array([lie_on(cards.quads, quad[None]) for quad in more.quads], bool).reshape(-1, len(cards.quads))
    one = instead.sum(axis=1) <= 1
    return cards.take(~instead[one].any(axis=0)).joined(more.take(one))


def _are_cut_alike(lab: NDArray[np.uint8], things: SideFit, cards: SideFit, plane: CardPlane) -> NDArray[np.bool_]:
    """Which things (n,) have four corners in sight that are as round, or as sharp, as those of the cards."""
    aspect = plane.size[1] / plane.size[0]
    usual = corner_cuts(lab, cards, aspect)
    if not np.isfinite(usual).any():
        return np.zeros(len(things.quads), bool)
    off = corner_cuts(lab, things, aspect) - np.nanmedian(usual)
    # A corner that is not to be seen is not a number, and alike to none.
    return np.asarray((np.abs(np.median(off, axis=1)) < _CUT_ALIKE) & (np.abs(off) < _EACH_ALIKE).all(axis=1))
