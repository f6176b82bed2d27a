"""Reads all cards of a known deck in one picture, on a table fitted to markers or to the cards themselves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from vision.arrays import Image
from vision.deck import Deck
from vision.effort import MOST_UNSIZED, at_most, counted
from vision.errors import BadTableError
from vision.marked.left_over import print_reader
from vision.marked.outline import corners_of
from vision.marked.pipeline import LEAST_REACH, look_over, read_on
from vision.markers import SQUARE_MM, Marker, markers_in, table_if_shown
from vision.reading import Reading
from vision.table import Table
from vision.table_fit import FlatShape, fit_table

_VAGUE = 0.008  # relative scale error above which the cards refine the table, too
# Fewer fit a table in any picture. In a cropped one lengths far from them are off by a tenth.
_ENOUGH_MARKERS = 3
# Log-odds taken off covered cards on a table from few or no markers, before and after whole cards confirmed it.
_UNPROVEN, _VAGUE_DOUBT = 20.0, 2.0
_LEAST_SIDE_PX = 40  # a smaller picture shows no card
_MOST_FITS = 5
# Of the steps of a reading: until then cards are identified as prints, and the table is refined.
_PRINTED, _GROWN = 0.6, 0.75
# Size range in which cards are searched on a vague table, see `look_over`; and the same in standard errors of its
# scale.
_MOST_REACH, _SURE_REACH = 0.15, 3.0
_MARKER_SIGMA_PX = 1.0  # beside the marks, which bloom does not move
_CARD_SIGMA_PX = 0.8


class MarkReader:
    """Reads the cards of one deck of marks."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck

    def read(self, image_bgr: Image, table: Table | None = None, markers: Sequence[Marker] | None = None) -> Reading:
        """Read a picture, see `vision.reading.Reader`."""
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return Reading((), (), table)
        with counted() as effort:
            if markers is None:
                markers = markers_in(image_bgr)
            if table is None and not markers:
                effort.most = max(effort.most, MOST_UNSIZED)
            return replace(_read(image_bgr, self.deck, table, markers), cut_short=effort.cut_short)


def _read(image_bgr: Image, deck: Deck, table: Table | None, markers: Sequence[Marker]) -> Reading:
    size = (image_bgr.shape[1], image_bgr.shape[0])
    if table is not None:
        return read_on(image_bgr, deck, table, markers)
    table = table_if_shown(tuple(markers), size)
    if table is None:
        return _read_unmarked(image_bgr, deck)
    if table.scale_error < _VAGUE and len(markers) >= _ENOUGH_MARKERS:
        return read_on(image_bgr, deck, table, markers)
    squares = [FlatShape(SQUARE_MM, marker.corners_px, _MARKER_SIGMA_PX) for marker in markers]
    return _read_vaguely(image_bgr, deck, table, markers, squares)


def _read_unmarked(image_bgr: Image, deck: Deck) -> Reading:
    """Read a picture without markers, on a table fitted to the cards that are identified as prints."""
    table: Table | None = None
    pieces: list[FlatShape] = []
    with at_most(_PRINTED), suppress(BadTableError):
        printed = print_reader(deck).read_open(image_bgr, None, None, np.zeros((0, 4, 2)), None)
        pieces = [FlatShape(corners_of(deck), card.corners_px, _CARD_SIGMA_PX) for card in printed.reading.cards]
        fitted, places = fit_table(pieces, (image_bgr.shape[1], image_bgr.shape[0]))
        table = fitted.moved(places[0, :2])
    if table is None:
        return Reading((), ())
    return _read_vaguely(image_bgr, deck, table, (), pieces).placeless()


def _read_vaguely(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], known: Sequence[FlatShape]
) -> Reading:
    """Read a picture on a table of vague scale, fitted to the `known` pieces and refined by whole cards."""
    better = _grown_table(image_bgr, deck, table, markers, known)
    doubt = _UNPROVEN if better is None else _VAGUE_DOUBT
    return read_on(image_bgr, deck, better or table, markers, doubt)


def _grown_table(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], known: Sequence[FlatShape]
) -> Table | None:
    """Fit a table of vague scale to whole cards beside the `known` pieces, then again with the cards found on it.

    Where the picture is cropped, lengths far from the markers are off by a tenth, and only the last cards reach the
    next. Return None if no whole card is found.
    """
    better, count = None, 0
    with at_most(_GROWN), suppress(BadTableError):
        for _ in range(_MOST_FITS):
            reach = min(max(_SURE_REACH * table.scale_error, LEAST_REACH), _MOST_REACH)
            marks = look_over(image_bgr, deck, table, markers, reach).pieces
            if len(marks) <= count:
                break
            count = len(marks)
            table, places = fit_table([*known, *marks], (image_bgr.shape[1], image_bgr.shape[0]))
            better = table = table.moved(places[0, :2])
    return better
