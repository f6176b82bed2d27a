"""Finds the cards of any deck in a picture, with marker cards or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.find.above import FlatView, TableView, area_in_sight
from vision.find.finder import WHOLE, CardFinder
from vision.find.unknown import KnownSize, UnknownCards, find_unknown
from vision.markers import Marker, sight_markers, table_if_shown
from vision.quads import enlarged, stacked
from vision.reading import Card, Reading
from vision.table import Table

Floats = NDArray[np.float64]

CERTAIN = 0.5  # confidence from which a card is reported
_KNOWN_SCALE = 0.03  # of a table: its relative scale error
_ALL_ROUND = 4  # marker cards, which people lay round the table
_MARKER_CARD = 1.36  # a marker card with a millimetre round it, by its printed square
_ONE_SIZE = 0.1  # logarithm of sides: all of 58 cards are within it, bells and sandtimers are not
_BEYOND = 0.03  # of a card's width outside of the picture: no more than a rounded corner


class AnyDeckReader:
    """Reads pictures of cards of any deck: they have places, and no faces."""

    def read(self, image_bgr: Image, table: Table | None = None, markers: Sequence[Marker] | None = None) -> Reading:
        """Read a picture, see `vision.reading.Reader`; the picture's own marker cards give plane and scale."""
        cards = find_any_cards(image_bgr)
        certain, unclear = (tuple(card for card in cards if (card.reason is None) is one) for one in (True, False))
        return Reading(certain, unclear)


def find_any_cards(image_bgr: NDArray[np.uint8]) -> list[Card]:
    """Cards of any deck in a picture (h, w, 3); marker cards in it give the table's plane and scale.

    Their confidence is that a card is there; cards not fully visible are unclear, `covered` or `edge of picture`.
    """
    sight = sight_markers(image_bgr)
    size_px = (image_bgr.shape[1], image_bgr.shape[0])
    table = certain_table(sight.markers, size_px)
    cards = cards_without_size(image_bgr, table, [*sight.markers, *sight.copies])
    found = cards.hypotheses
    return [
        Card(None, float(confidence), quad, None, reason_of(quad, float(in_sight), size_px), _crossing(quad))
        for quad, confidence, in_sight in zip(found.corners_px, found.scores, found.in_sight, strict=True)
        if confidence >= CERTAIN and (table is None or _has_size(table.to_mm(quad), cards.card))
    ]


def _crossing(quad: Floats) -> tuple[float, float]:
    """Return where the diagonals cross: the card's middle, aslant as well."""
    a, b, c, d = np.c_[quad, np.ones(4)]
    x, y, w = np.cross(np.cross(a, c), np.cross(b, d)).tolist()
    return x / w, y / w


def certain_table(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table | None:
    """The table that marker cards show, or None where its scale is vague, as by one marker."""
    table = table_if_shown(markers, size_px)
    return table if table is not None and table.scale_error <= _KNOWN_SCALE else None


def _has_size(quad_mm: Floats, card_mm: tuple[float, float]) -> bool:
    sides = np.linalg.norm(np.roll(quad_mm, -1, 0) - quad_mm, axis=1)
    return bool(np.abs(np.log(sides / [*card_mm, *card_mm])).max() < _ONE_SIZE)


def cards_without_size(
    image_bgr: NDArray[np.uint8], table: Table | None, markers: Sequence[Marker], wanted: KnownSize | None = None
) -> UnknownCards:
    """Cards of one size on a table, or in a picture without one; marker cards are left out."""
    printed = stacked(marker.corners_px for marker in markers)
    view: TableView = FlatView(image_bgr)
    if table is not None:
        # Where few markers are in sight, cards are beyond them.
        near = printed.reshape(-1, 2) if len(markers) >= _ALL_ROUND else None
        view = TableView(image_bgr, table, area_in_sight(table, near))
    found = find_unknown(CardFinder(), view, list(enlarged(printed, _MARKER_CARD)), wanted)
    return replace(found, hypotheses=found.hypotheses.distinct())


def reason_of(quad: Floats, in_sight: float, size_px: tuple[int, int]) -> str | None:
    """Why a card (4, 2) in a picture of this width and height is not fully visible; None where it is."""
    beyond = max(float(-quad.min()), float((quad - size_px).max()) + 1)
    width = float(np.linalg.norm(quad[1] - quad[0]))
    if beyond > max(2.0, _BEYOND * width):
        return "edge of picture"
    return "covered" if in_sight < WHOLE else None
