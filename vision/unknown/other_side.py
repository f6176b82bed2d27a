"""Cards that look otherwise than most: a deck has two sides, and what is as large as its cards and cut alike is one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_corners import corner_cuts
from vision.unknown.card_edges import SideFit
from vision.unknown.card_grounds import even_grounds
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_sizes import Stock
from vision.unknown.edge_ends import end_at_corners, faint_run_on, run_on

_FEWEST = 2  # one card alone does not tell how much those of its deck differ
_AS_LARGE = 0.02  # of a side, and twice as much as the others differ
_SEEN, _NEARLY = 0.9, 0.8  # of three sides, and of the fourth
_PLAIN, _OPEN = 4.0, 2  # weighted 8-bit Lab, beyond so many sides if it lies on another card, else beyond all
_SAME_GROUND, _SURE, _REACH_PX = 12.0, 0.8, 4.0
_ROUNDED, _CUT_ALIKE = 0.012, 0.015  # by the card's width
_CORNERS = 2  # seen and cut like the others' at least
_MAX_ENDS = 1  # of the eight of its edges that run on
_CALM, _MOSTLY = 12.0, 70  # weighted 8-bit Lab, from the ground along the border; per cent of it


def look_otherwise(
    image_lab: NDArray[np.uint8], stock: Stock, fit: SideFit, alike: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the things (n,) that are not `alike` are cards all the same: those that show the other side of the deck.

    `image_lab` is (h, w, 3) 8-bit Lab. Such a card is as large as those that are alike, to within what these agree, cut
    like them at its corners, in plain sight on all sides or among its like, and its ground runs all round inside of its
    edges.
    """
    odd = ~alike
    if alike.sum() < _FEWEST or not odd.any():
        return np.zeros(len(odd), bool)
    deviation = stock.plane.deviation(fit.quads)
    odd &= deviation < _AS_LARGE + 2 * np.median(deviation[alike])
    ground = np.median(fit.inside, axis=1)
    plain = fit.contrast_beyond() > _PLAIN
    in_sight = plain.all(axis=1) & (fit.support > _NEARLY).all(axis=1) & (np.sort(fit.support, axis=1)[:, 1] > _SEEN)
    # A card on another one like it shows there by no more than its shadow.
    same_ground = np.linalg.norm(ground - np.median(ground[alike], axis=0), axis=1) < _SAME_GROUND
    hidden = odd & ~in_sight & same_ground & (plain.sum(axis=1) >= _OPEN)
    sure = np.zeros((len(odd), 4))
    if hidden.any():
        poses = poses_of(stock.plane, fit.quads[hidden])
        sure[hidden] = np.sort(settled(image_lab, stock.plane, poses, _REACH_PX, stock.step)[1], axis=1)
    on_another, three_sides = sure[:, 0] > _SURE, sure[:, 1] > _SURE
    odd &= in_sight | three_sides
    if not odd.any():
        return odd
    goes_on = faint_run_on(image_lab, fit.quads)
    ends = end_at_corners(fit.quads, goes_on, goes_on, ground) & (goes_on.sum(axis=(1, 2)) <= _MAX_ENDS)
    ends &= end_at_corners(fit.quads, *run_on(image_lab, fit.quads), ground)
    aspect = stock.plane.size[1] / stock.plane.size[0]
    away, grounds = even_grounds(image_lab, fit.quads, aspect)
    cuts = corner_cuts(image_lab, fit, aspect, grounds)
    usual = float(np.median(cuts[alike][np.isfinite(cuts[alike])])) if np.isfinite(cuts[alike]).any() else 0.0
    if usual < _ROUNDED:
        return np.zeros(len(odd), bool)
    # Print or another card may lie at one corner; but of a sheet as white as the cards two may look like theirs.
    seen, off = np.isfinite(cuts), np.abs(cuts - usual)
    as_cut = seen & (off < _CUT_ALIKE)
    whole = ends & (as_cut.sum(axis=1) >= _CORNERS) & (in_sight | (on_another & ~(seen & ~as_cut).any(axis=1)))
    # A side in the open with a card's corners at both ends, and two that begin there, can be nothing else's.
    open_side = (as_cut & np.roll(as_cut, -1, axis=1) & plain).any(axis=1)
    odd &= whole | (three_sides & open_side)
    return np.asarray(odd & (np.percentile(away, _MOSTLY, axis=1) < _CALM))
