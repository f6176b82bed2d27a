"""What speaks against the cards that were chosen once they lie where their edges are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import SideFit
from vision.unknown.card_finish import finished
from vision.unknown.card_grounds import even_grounds
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_sizes import Stock
from vision.unknown.other_side import look_otherwise
from vision.unknown.outliers import STANDS_OUT, like_the_others
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.view import View

_TOO_FEW, _PLAIN_SHARE = 2, 25  # cards that tell a size; per cent of the sides that may be faint

_HARDLY_MORE = 1.5  # times: cards of white on white in photographs differ from their table by three times that and more


def proved(view: View, stock: Stock, chosen: SideFit, unevenness: float) -> tuple[SideFit, CardPlane]:
    """The cards `chosen` put where their edges are, without those that are none; and their plane.

    They differ in size `unevenness` times more than usual.
    """
    final, plane = finished(view, chosen.quads, stock, unevenness)
    final = final.take(~are_ruled(view.lab, final.quads))
    stock = replace(stock, plane=plane)
    alike = like_the_others(view.lab, stock, final)
    cards = alike | look_otherwise(view.lab, stock, final, alike)
    return final.take(cards & (not agree_by_chance(view.lab, final, cards, stock))), plane


def agree_by_chance(lab: NDArray[np.uint8], things: SideFit, cards: NDArray[np.bool_], stock: Stock) -> bool:
    """Whether faint things agreed on a size, of which so few are cards (n,) that it was that of shadows and print.

    Or they are a table's grain: what is next to them differs from them hardly more than their own ground from itself.
    """
    if not cards.any() or np.percentile(things.contrast_beyond(), _PLAIN_SHARE) >= STANDS_OUT:
        return False
    alike = things.take(cards)
    away, _ = even_grounds(lab, alike.quads, stock.plane.size[1] / stock.plane.size[0])
    step = np.median(np.linalg.norm(alike.outside - alike.inside, axis=2), axis=1)
    grain = np.median(step - _HARDLY_MORE * np.median(away, axis=1)) < 0
    return bool(grain or (cards.sum() <= _TOO_FEW and 2 * cards.sum() < len(cards)))
