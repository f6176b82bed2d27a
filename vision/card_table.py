"""The table from the cards alone: all of a deck's cards have one size, so any of them shows where the plane lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.errors import BadTableError
from vision.find_cards import find_cards
from vision.outline import corners_of
from vision.table import Piece, Table, fit_table

Floats = NDArray[np.float64]

_SIGMA_PX = 0.8
_MOST_PIECES = 24
_LEAST_SUPPORT = 0.6
_MOST_ERROR = 0.05  # of the card's size on the table
_FEWEST = 2  # one outline alone fits a table of any scale: it may be no card at all


def table_from_cards(image_bgr: NDArray[np.uint8], deck: Deck) -> Table | None:
    """Find card-shaped things and fit a table on which they have the deck's size.

    None where fewer than two, or fewer than half of them, agree on a table.
    """
    found = find_cards(image_bgr)
    ranked = np.argsort(-found.confidence, kind="stable")
    good = [k for k in ranked if found.confidence[k] > _LEAST_SUPPORT and not found.reasons[k]][:_MOST_PIECES]
    corners = corners_of(deck)
    pieces = [Piece(corners, np.asarray(found.corners_px[k], np.float64), _SIGMA_PX) for k in good]
    size = (image_bgr.shape[1], image_bgr.shape[0])
    if len(pieces) < _FEWEST:
        return None
    try:
        table = _fitted(pieces, size)
        # Books and phones are no cards: fit again without what has another size on this table.
        kept = [piece for piece in pieces if _error(table, piece) < _MOST_ERROR]
        if len(kept) < max(_FEWEST, len(pieces) / 2):
            return None
        return _fitted(kept, size) if len(kept) < len(pieces) else table
    except BadTableError:
        return None


def _fitted(pieces: list[Piece], size_px: tuple[int, int]) -> Table:
    table, places = fit_table(pieces, size_px)
    return table.moved(places[0, :2])


def _error(table: Table, piece: Piece) -> float:
    seen, model = table.to_mm(piece.points_px), piece.shape_mm
    found = np.linalg.norm(seen - np.roll(seen, 1, axis=0), axis=1)
    known = np.linalg.norm(model - np.roll(model, 1, axis=0), axis=1)
    return float(np.abs(found / known - 1).max())
