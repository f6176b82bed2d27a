"""Fits the table from cards alone: all cards of a deck have one size, so any of them shows the plane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.errors import BadTableError
from vision.find.any_deck import CERTAIN, WHOLE, cards_without_size
from vision.find.finder import CardHypotheses
from vision.find.unknown import KnownSize
from vision.marked.outline import corners_of
from vision.markers import Marker
from vision.table import Table
from vision.table_fit import FlatShape, fit_table

_SIGMA_PX = 0.8
_MOST_PIECES = 24
_MOST_ERROR = 0.05  # of the card's size on the table
_SAMPLED, _SAMPLE = 7, 3
_FEWEST = 2
_LONE = 3  # outlines that are tried one by one


@dataclass(frozen=True, eq=False)
class CardTable:
    """A table fitted to the outlines of cards, `pieces`: several that agree, or a single one."""

    table: Table
    pieces: tuple[FlatShape, ...]


def tables_from_cards(image_bgr: NDArray[np.uint8], deck: Deck, markers: Sequence[Marker]) -> Iterator[CardTable]:
    """Find card-shaped outlines and yield tables on which they have the deck's size, the likeliest first.

    Then yield one for each of the most certain outlines. Any outline fits a table of some scale, so the caller accepts
    such a table only if a card is read there.
    """
    size_px = (image_bgr.shape[1], image_bgr.shape[0])
    lone: list[FlatShape] = []
    # Bent cards and cards seen steeply are found better without a fixed aspect ratio.
    for aspect in (max(deck.card_mm) / min(deck.card_mm), None):
        found = cards_without_size(image_bgr, None, markers, KnownSize(aspect=aspect)).hypotheses
        pieces = _pieces(found, deck)
        agreed = agreed_table(pieces, size_px)
        if agreed is not None:
            yield agreed
        lone += pieces[:_LONE]
    for piece in lone:
        with suppress(BadTableError):
            yield CardTable(_fitted([piece], size_px), (piece,))


def _pieces(found: CardHypotheses, deck: Deck) -> list[FlatShape]:
    """Return the cards found that are fully visible, the most certain first."""
    good = np.flatnonzero((found.scores >= CERTAIN) & (found.in_sight >= WHOLE))[:_MOST_PIECES]
    return [FlatShape(corners_of(deck), found.corners_px[k], _SIGMA_PX) for k in good]


def agreed_table(pieces: list[FlatShape], size_px: tuple[int, int]) -> CardTable | None:
    """Fit a table on which outlines have the size of a card.

    Return None where fewer than two, or fewer than half of them, agree on a table.
    """
    enough = max(_FEWEST, len(pieces) / 2)
    if len(pieces) < _FEWEST:
        return None
    try:
        table = _fitted(pieces, size_px)
        # Books and phones are not cards: fit again without outlines of another size on this table.
        kept = _of_size(pieces, table)
        if len(kept) < enough:
            # A card partly under another has a short outline; a few such outlines drag the fit away from all others.
            kept = _agreeing(pieces, size_px)
        if len(kept) < enough:
            return None
        return CardTable(_fitted(kept, size_px) if len(kept) < len(pieces) else table, tuple(kept))
    except BadTableError:
        return None


def _of_size(pieces: list[FlatShape], table: Table) -> list[FlatShape]:
    return [piece for piece in pieces if _error(table, piece) < _MOST_ERROR]


def _agreeing(pieces: list[FlatShape], size_px: tuple[int, int]) -> list[FlatShape]:
    """Return the pieces that have their size on the best table, fitted to three of the first seven pieces."""
    tables = []
    for few in combinations(pieces[:_SAMPLED], _SAMPLE):
        with suppress(BadTableError):
            tables.append(_fitted(list(few), size_px))
    # Many may agree a little on a table that is tilted too far, so the quality of each fit counts.
    fits = [sum(max(0.0, 1 - _error(table, piece) / _MOST_ERROR) for piece in pieces) for table in tables]
    return _of_size(pieces, tables[int(np.argmax(fits))]) if tables else []


def _fitted(pieces: list[FlatShape], size_px: tuple[int, int]) -> Table:
    table, places = fit_table(pieces, size_px)
    return table.moved(places[0, :2])


def _error(table: Table, piece: FlatShape) -> float:
    seen, model = table.to_mm(piece.points_px), piece.shape_mm
    found = np.linalg.norm(seen - np.roll(seen, 1, axis=0), axis=1)
    known = np.linalg.norm(model - np.roll(model, 1, axis=0), axis=1)
    return float(np.abs(found / known - 1).max())
