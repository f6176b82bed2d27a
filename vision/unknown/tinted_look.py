"""A look at the tint of what lies on the table, where cards may have been missed that are as light as it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import lie_on, within_quads
from vision.unknown.card_edges import SideFit
from vision.unknown.card_finish import finished
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_sizes import Stock
from vision.unknown.closed_lines import dark_lines
from vision.unknown.outliers import stand_out
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.tinted_cards import TintedCards, more_of_size, tinted_cards
from vision.unknown.view import View

Floats = NDArray[np.float32]

_SEVERAL = 3  # cards tell a size
_MOSTLY = 0.5  # of the cards found before
_SAME_PLACE = 0.06  # by the width of a card
_AS_LARGE = 0.1  # of a side


def tinted_look(view: View, found: tuple[SideFit, CardPlane | None]) -> tuple[SideFit, CardPlane | None]:
    """The cards `found` and their plane, or those that the tint of paper and table shows if these are more.

    Where the cards stand out plainly from the table none can be missed for being as light as it, nor where all that may
    be print lies on cards.
    """
    cards, plane = found
    marks = view.marks_off_sheets
    several = plane is not None and len(cards.quads) >= _SEVERAL
    if several and stand_out(cards):
        return found
    if within_quads(marks, cards.quads).all():
        return found
    tinted = _tinted(view, marks, cards.quads, plane if several else None)
    if tinted is None or len(tinted.quads) <= len(cards.quads):
        return found
    if len(cards.quads) and lie_on(cards.quads, tinted.quads).mean() < _MOSTLY:
        return found
    middles = [quads.mean(axis=1) for quads in (cards.quads, tinted.quads)]
    same = np.linalg.norm(middles[0][:, None] - middles[1][None], axis=2) < _SAME_PLACE * tinted.plane.size[0]
    # A mark may have been found that lies amid a card.
    same &= (tinted.plane.deviation(cards.quads) < _AS_LARGE)[:, None]
    # What both looks found was found by plainer edges before.
    kept = cards.take(same.any(axis=1))
    stock = Stock(tinted.plane, np.zeros(3))
    more, whole = finished(view, tinted.quads[~same.any(axis=0)], stock)
    more = more.take(~are_ruled(view.lab, more.quads))
    return kept.joined(more), plane if len(kept.quads) >= _SEVERAL else whole


def _tinted(view: View, marks: Floats, known: Floats, plane: CardPlane | None) -> TintedCards | None:
    """Cards of the size of the `known` ones (n, 4, 2) if a plane tells it, and are more; else of the size of most."""
    if plane is not None:
        return more_of_size(view.smooth_lab, view.tints, view.segments, marks, plane, known)
    return tinted_cards(view.smooth_lab, view.tints, dark_lines(view.grey), view.segments, marks)
