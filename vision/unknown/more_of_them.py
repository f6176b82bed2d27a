"""Cards that lie among those found, in a heap on a table as pale as they are, with a side that is not to be seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import apart, lie_on, within_quads
from vision.unknown.card_edges import SideFit
from vision.unknown.card_finish import finished
from vision.unknown.card_grounds import SAME_STOCK, clean_grounds
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import best_corner, poses_of, settled
from vision.unknown.card_sizes import Stock
from vision.unknown.faint_edges import FaintHints, faint_hints
from vision.unknown.outliers import stand_out
from vision.unknown.print_middles import IN_MIDDLE, off_middles
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.view import View

Floats = NDArray[np.float32]

_ENOUGH = 6  # cards tell the plane, and what a card looks like
_ROUNDS = 3
_REACH = 0.09  # of a card's shorter side
_BEYOND_DOUBT, _IN_ALL = 0.9, 3.05  # how certain three sides are, and all four together
_MOST = 0.7  # of the cards have it there, if it tells anything
_INSIDE_PX = 4.0  # of the picture's border


def more_of_them(view: View, found: tuple[SideFit, CardPlane | None]) -> tuple[SideFit, CardPlane | None]:
    """The cards `found` and their plane, with those of the same size that three certain sides show, or two and print.

    Where the table is known from several cards, these sides tell where the others are. Where the cards stand out
    plainly from the table none can be missed, nor where all that may be print lies on cards.
    """
    cards, plane = found
    if plane is None or len(cards.quads) < _ENOUGH:
        return found
    if stand_out(cards):
        return found
    marks = view.marks_off_sheets[~within_quads(view.marks_off_sheets, cards.quads)]
    if len(marks) == 0:
        return found
    hints = faint_hints(view, marks)
    for _ in range(_ROUNDS):
        better = plane.refitted(cards.quads, np.ones(len(cards.quads)))
        quads = _among(hints, view.smooth_lab, better, cards)
        if len(quads) == 0:
            break
        both, _ = finished(view, np.concatenate([cards.quads, quads]), Stock(better, np.zeros(3)))
        more = both.take(np.arange(len(cards.quads), len(both.quads)))
        more = more.take(~are_ruled(view.lab, more.quads))
        if len(more.quads) == 0:
            break
        cards, plane = cards.joined(more), better
    return cards, plane


def _among(hints: FaintHints, smooth_lab: NDArray[np.uint8], plane: CardPlane, cards: SideFit) -> Floats:
    """Outlines (n, 4, 2) of the size on a plane with the ground of the `cards`, off these.

    Three of their sides are certain, or two that meet if print lies in their middle as it does on the cards.
    """
    quads = hints.of_size(plane)
    quads = quads[~lie_on(quads, cards.quads)]
    if len(quads) == 0:
        return quads
    # Where the picture ends there seems to be an edge, beyond doubt.
    least, most = _INSIDE_PX, np.array(plane.size_wh, np.float32) - 1 - _INSIDE_PX
    poses, certainty = settled(hints.lab, plane, poses_of(plane, quads), _REACH * plane.size[0])
    order = np.sort(certainty, axis=1)
    quads = poses.quads(plane)
    certain = (order[:, 1] > _BEYOND_DOUBT) & (order.sum(axis=1) > _IN_ALL)
    inside = ((quads > least) & (quads < most)).all(axis=(1, 2))
    aspect = plane.size[1] / plane.size[0]
    if (off_middles(smooth_lab, cards.quads, aspect) < IN_MIDDLE).mean() > _MOST:
        # Two sides that meet tell where a card of the size lies, and print in its middle that it is one.
        two_sides = np.flatnonzero((best_corner(certainty) > _BEYOND_DOUBT) & ~certain)
        certain[two_sides] = off_middles(smooth_lab, quads[two_sides], aspect) < IN_MIDDLE
    good = np.flatnonzero(certain & inside & ~lie_on(quads, cards.quads))
    clean, grounds = clean_grounds(smooth_lab, quads[good], aspect)
    good = good[clean & (np.linalg.norm(grounds - np.median(cards.inside, axis=(0, 1)), axis=1) < SAME_STOCK)]
    good = good[np.argsort(-order[good].sum(axis=1), kind="stable")]
    quads = quads[good]
    return np.asarray(quads[apart(quads)], np.float32)
