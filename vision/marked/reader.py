"""Reads all cards of a known deck in one picture, on a table fitted to markers or to the cards themselves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.deck import Deck
from vision.effort import MOST_UNSIZED, at_most, counted
from vision.errors import BadTableError
from vision.marked.card_table import tables_from_cards
from vision.marked.pipeline import LEAST_REACH, look_over, read_marks, read_on
from vision.markers import SQUARE_MM, Marker, markers_in, table_from_markers, table_if_shown
from vision.reading import Reading
from vision.table import Table
from vision.table_fit import FlatShape, fit_table

_VAGUE = 0.008  # relative scale error above which the cards refine the table, too
# Fewer fit a table in any picture. In a cropped one lengths far from them are off by a tenth.
_ENOUGH_MARKERS = 3
# Log-odds taken off covered cards on a table from few or no markers, before and after whole cards confirmed it.
_UNPROVEN, _VAGUE_DOUBT = 20.0, 2.0
_LEAST_SIDE_PX = 40  # a smaller picture shows no card
_SAME = 0.1  # of a card's width: its corners are at least so accurate
_AGREEING = 2  # outlines: a single one fits any table
_MOST_FITS = 5
# Of the steps of a reading: until then tables are found and refined; reading on the best comes after.
_OUTLINES, _GROWN = 0.85, 0.5
# Size range in which cards are searched on a vague table, see `look_over`; and the same in standard errors of its
# scale.
_MOST_REACH, _SURE_REACH = 0.15, 3.0
_MARKER_SIGMA_PX = 1.0  # beside the marks, which bloom does not move


def table_in(image_bgr: Image) -> tuple[Table, tuple[Marker, ...]]:
    """Return the table and the marker cards in this picture that show it.

    Raises:
        BadTableError: no marker card is visible, or mirrored ones are, or they are not on one table.
    """
    markers = markers_in(image_bgr)
    if not markers:
        raise BadTableError("error.no_marker_card_is_in", "no marker card is in sight")
    return table_from_markers(markers, (image_bgr.shape[1], image_bgr.shape[0])), markers


def read_picture(
    image_bgr: Image, deck: Deck, table: Table | None = None, markers: tuple[Marker, ...] | None = None
) -> tuple[Reading, Table | None]:
    """Read a picture (h, w, 3) uint8 BGR; without `table` its markers give one, without markers its cards.

    `markers` are those already found in the picture, None to find them here. Also return the table of the places in mm:
    the
    one given or found, with its scale corrected by the cards. It is None, and no card has a place in mm, where no
    marker
    shows the table's origin.

    Raises:
        MirroredError: the picture is mirrored, as its markers show.
    """
    if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
        return Reading((), ()), table
    with counted() as effort:
        if markers is None:
            markers = markers_in(image_bgr)
        if table is None and not markers:
            effort.most = max(effort.most, MOST_UNSIZED)
        reading, table = _read(image_bgr, deck, table, markers)
        return replace(reading, cut_short=effort.cut_short), table


def _read(
    image_bgr: Image, deck: Deck, table: Table | None, markers: tuple[Marker, ...]
) -> tuple[Reading, Table | None]:
    size = (image_bgr.shape[1], image_bgr.shape[0])
    if table is not None:
        return read_on(image_bgr, deck, table, markers)
    table = table_if_shown(markers, size)
    if table is not None and table.scale_error < _VAGUE and len(markers) >= _ENOUGH_MARKERS:
        return read_on(image_bgr, deck, table, markers)
    if table is None:
        return _read_unmarked(image_bgr, deck), None
    return _read_by_few(image_bgr, deck, table, markers)


def _read_by_few(image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker]) -> tuple[Reading, Table]:
    """Read a picture on a table of vague scale from few markers, and by outlines where that leaves doubts."""
    reading, on_table = _read_vaguely(image_bgr, deck, table, markers)
    if reading.cards and not reading.unclear:
        return reading, on_table
    squares = _squares(markers)
    with at_most(_OUTLINES):
        for shown in tables_from_cards(image_bgr, deck, markers):
            if len(shown.pieces) < _AGREEING:
                break
            with suppress(BadTableError):
                also, places = fit_table([*squares, *shown.pieces], (image_bgr.shape[1], image_bgr.shape[0]))
                other = _read_vaguely(image_bgr, deck, also.moved(places[0, :2]), markers, shown.pieces)
                if len(other[0].cards) > len(reading.cards):
                    return other
    return reading, on_table


def _squares(markers: Sequence[Marker]) -> list[FlatShape]:
    return [FlatShape(SQUARE_MM, marker.corners_px, _MARKER_SIGMA_PX) for marker in markers]


def _read_unmarked(image_bgr: Image, deck: Deck) -> Reading:
    """Read a picture without markers, on a table fitted to its cards."""
    doubtful: Reading | None = None
    missed = False
    with counted() as effort, at_most(_OUTLINES):
        for shown in tables_from_cards(image_bgr, deck, ()):
            # Other outlines do not matter where this one's table identifies the cards.
            missed, effort.cut_short = missed or effort.cut_short, False
            reading, _ = _read_vaguely(image_bgr, deck, shown.table, (), shown.pieces)
            # Any outline fits a table of some scale, but a face inside it only one of its own size.
            agreed = len(shown.pieces) >= _AGREEING
            if _borne_out(shown.pieces, reading) or (agreed and reading.cards):
                return _placeless(reading)
            if doubtful is None and agreed:
                doubtful = reading
    effort.cut_short |= missed
    return _placeless(doubtful) if doubtful is not None else Reading((), ())


def _read_vaguely(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], outlines: Sequence[FlatShape] = ()
) -> tuple[Reading, Table]:
    """Read a picture on a table of vague scale, from markers or `outlines`, refined by whole cards."""
    known = _squares(markers)
    if outlines:
        known += _borne_out(outlines, read_marks(image_bgr, deck, table, markers, _UNPROVEN)[0])
    better = _grown_table(image_bgr, deck, table, markers, known)
    doubt = _UNPROVEN if better is None else _VAGUE_DOUBT
    return read_on(image_bgr, deck, better or table, markers, doubt)


def _grown_table(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], known: Sequence[FlatShape]
) -> Table | None:
    """Fit a table of vague scale to whole cards beside the `known` pieces, then again with the cards found on it.

    Where the picture is cropped, lengths far from the markers are off by a tenth, and only the last cards reach the
    next.
    Return None if no whole card is found.
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


def _borne_out(outlines: Sequence[FlatShape], reading: Reading) -> list[FlatShape]:
    """Return the outlines in which a card was read."""
    return [o for o in outlines if any(_same_outline(card.corners_px, o.points_px) for card in reading.cards)]


def _same_outline(corners_px: NDArray[np.float64], outline_px: NDArray[np.float64]) -> bool:
    """Return whether a card (4, 2) is in an outline, either way up."""
    width = np.linalg.norm(np.diff(outline_px, axis=0, append=outline_px[:1]), axis=1).min()
    off = [np.linalg.norm(np.roll(corners_px, turn, axis=0) - outline_px, axis=1).max() for turn in range(4)]
    return bool(min(off) < _SAME * width)


def _placeless(reading: Reading) -> Reading:
    return replace(
        reading,
        cards=tuple(replace(card, centre_mm=None) for card in reading.cards),
        unclear=tuple(replace(card, centre_mm=None) for card in reading.unclear),
    )
