"""Reads all cards of a known deck in one picture, on a table fitted to markers or to the cards themselves.

Marks come first. The finder's detections beside the read cards are then matched against faces as prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Image
from vision.deck import Deck
from vision.effort import counted
from vision.errors import BadTableError
from vision.marked.assign import looked_closer, settled, sure_corners
from vision.marked.colour import lamp_of
from vision.marked.marks import Sampler, work_image
from vision.marked.proposals import common_stretch
from vision.marked.side_reader import SideReader
from vision.marked.verdicts import Verdicts
from vision.markers import SQUARE_MM, Marker, markers_in, table_if_shown, white_of, whites_of
from vision.quads import enlarged, shared_area, stacked
from vision.read.places import same_place
from vision.read.reader import CardReader
from vision.reading import Card, Reading, doubt_at
from vision.render_face import drawn
from vision.table import Table
from vision.table_fit import FlatShape, fit_table

_VAGUE = 0.008  # relative scale error above which the cards refine the table, too
# Fewer fit a table in any picture. In a cropped one lengths far from them are off by a tenth.
_ENOUGH_MARKERS = 3
# Log-odds taken off covered cards on a table from few or no markers, before and after whole cards confirmed it.
_UNPROVEN, _VAGUE_DOUBT = 20.0, 2.0
_LEAST_SIDE_PX = 40  # a smaller picture shows no card
_MOST_FITS = 5
# Relative difference from the printed size that a card may measure: on a good table, on a vague one, and there in
# standard errors of its scale.
_LEAST_REACH, _MOST_REACH, _SURE_REACH = 0.05, 0.15, 3.0
_MARKER_SIGMA_PX = 1.0  # beside the marks, which bloom does not move
_CARD_SIGMA_PX = 0.8
_SHEET = 1.25  # a marker card by its square
# Shared area of a finder's place with a read card: the least of a card partly under it, and the least of that same
# card. 21 of 24 such places on 27 tables were a card.
_UNDER, _THE_SAME = 0.2, 0.9


@dataclass(frozen=True, eq=False)
class _Overview:
    """A picture with verdicts, one a side, on the cards with three whole marks.

    `table` is in the cards' own scale; `pieces` are the marks of the most certain cards, which can refine the table;
    `markers_px` (n, 4, 2): the sheets of the markers.
    """

    table: Table
    readers: list[SideReader]
    verdicts: list[Verdicts]
    pieces: list[FlatShape]
    markers_px: Floats


class MarkReader:
    """Reads the cards of one deck of marks."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck

    def read(self, image_bgr: Image, table: Table | None = None, markers: Sequence[Marker] | None = None) -> Reading:
        """Read a picture, see `vision.reading.Reader`."""
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return Reading((), (), table)
        with counted():
            return _read(image_bgr, self.deck, table, markers_in(image_bgr) if markers is None else markers)


def _read(image_bgr: Image, deck: Deck, table: Table | None, markers: Sequence[Marker]) -> Reading:
    if table is not None:
        return _read_on(image_bgr, deck, table, markers)
    table = table_if_shown(tuple(markers), (image_bgr.shape[1], image_bgr.shape[0]))
    if table is None:
        return _read_unmarked(image_bgr, deck)
    if table.scale_error < _VAGUE and len(markers) >= _ENOUGH_MARKERS:
        return _read_on(image_bgr, deck, table, markers)
    squares = [FlatShape(SQUARE_MM, marker.corners_px, _MARKER_SIGMA_PX) for marker in markers]
    return _read_vaguely(image_bgr, deck, table, markers, squares)


def _read_unmarked(image_bgr: Image, deck: Deck) -> Reading:
    """Read a picture without markers, on a table fitted to the cards that are identified as prints."""
    printed = print_reader(deck).read_open(image_bgr, None, None, np.zeros((0, 4, 2)), None).reading
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * deck.card_mm
    pieces = [FlatShape(corners, card.corners_px, _CARD_SIGMA_PX) for card in printed.cards]
    try:
        table, places = fit_table(pieces, (image_bgr.shape[1], image_bgr.shape[0]))
    except BadTableError:
        return Reading((), ())
    return _read_vaguely(image_bgr, deck, table.moved(places[0, :2]), (), pieces).placeless()


def _read_vaguely(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], known: Sequence[FlatShape]
) -> Reading:
    """Read a picture on a table of vague scale, fitted to the `known` pieces and to the whole cards beside them.

    Where the picture is cropped, lengths far from the markers are off by a tenth, and only the last cards reach the
    next.
    """
    doubt, count = _UNPROVEN, 0
    with suppress(BadTableError):
        for _ in range(_MOST_FITS):
            reach = min(max(_SURE_REACH * table.scale_error, _LEAST_REACH), _MOST_REACH)
            marks = _look_over(image_bgr, deck, table, markers, reach).pieces
            if len(marks) <= count:
                break
            count = len(marks)
            fitted, places = fit_table([*known, *marks], (image_bgr.shape[1], image_bgr.shape[0]))
            table, doubt = fitted.moved(places[0, :2]), _VAGUE_DOUBT
    return _read_on(image_bgr, deck, table, markers, doubt)


def _look_over(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], reach: float = _LEAST_REACH
) -> _Overview:
    """Find the cards with three whole marks; each may measure larger or smaller than printed by `reach`."""
    height, width = image_bgr.shape[:2]
    places = np.array([[0, 0], [width, 0], [width, height], [0, height], [width / 2, height / 2]], np.float64)
    scales = table.px_per_mm(places)
    work = work_image(image_bgr, float(scales[-1]))
    most, lamp = float(scales.max()) * work.scale, lamp_of(whites_of(image_bgr, markers))
    squares = stacked(marker.corners_px for marker in markers)
    keep_out = enlarged(squares, _SHEET)
    readers = [SideReader(Sampler(work, table), deck, side, most, keep_out, lamp) for side in deck.background]
    whole = [reader.whole_cards(reach) for reader in readers]
    stretch = common_stretch(
        np.concatenate([stretches for _, stretches in whole]), np.concatenate([found.residual_mm for found, _ in whole])
    )
    table = table.stretched(stretch)
    sampler = Sampler(work, table)
    verdicts = [
        reader.judge_whole(sampler, found, stretches / stretch)
        for reader, (found, stretches) in zip(readers, whole, strict=True)
    ]
    pieces = [piece for reader, found in zip(readers, verdicts, strict=True) for piece in reader.pieces(found)]
    return _Overview(table, readers, verdicts, pieces, keep_out)


def _read_on(image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], doubt: float = 0.0) -> Reading:
    """Read the cards in a picture of `table`: by marks first, then by the finder and print beside them.

    Marker cards are left out. `doubt`: see `settled`. The reading's table is in the cards' own scale.
    """
    over = _look_over(image_bgr, deck, table, markers)
    table, readers, verdicts = over.table, over.readers, list(over.verdicts)
    verdicts += [reader.judge_part(sure_corners(verdicts)) for reader in readers]
    verdicts += [reader.judge_lone() for reader in readers]
    marked = settled(*looked_closer(readers, verdicts, doubt), table, doubt)
    reading = _beside(image_bgr, deck, table, white_of(image_bgr, markers), marked, over.markers_px)
    outlines = [card.corners_px for card in (*reading.cards, *reading.unclear)]
    known_mm = table.to_mm(stacked(quad for quad in outlines if len(quad) == 4))
    return reading.and_unclear(
        doubt_at(place, table, "covered", side=reader.layouts.side)
        for reader in readers
        for place in reader.peeking(known_mm)
    )


@lru_cache(maxsize=2)
def print_reader(deck: Deck) -> CardReader:
    """Return the reader of a deck's faces as prints."""
    return CardReader(drawn(deck))


def _beside(
    image_bgr: Image, deck: Deck, table: Table, white: Floats | None, marked: Reading, markers_px: Floats
) -> Reading:
    """Return the cards identified by marks, with those beside them and under them, certain or unclear.

    `white` (3,): BGR 0..1 of white paper; `markers_px` (n, 4, 2): marker cards.
    """
    known = np.concatenate([markers_px, *(card.corners_px[None] for card in marked.cards)])
    part = print_reader(deck).read_beside(image_bgr, table, white, known)
    cards, unclear = list(marked.cards), list(marked.unclear)
    named = {card.named.id for card in cards}
    doubted: list[Card] = []
    for card in part.reading.cards:
        if card.named.id in named:
            doubted.append(replace(card, reason="same card twice"))
        elif not any(same_place(card.corners_px, quad) for quad in part.open):
            # Print alone named three wrong faces from strips on 150 synthetic tables.
            doubted.append(_hidden(card.corners_px, table))
        else:
            named.add(card.named.id)
            cards.append(card)
    read = [card.corners_px for card in cards]
    # The finder may propose a sandtimer as a card. Glare wipes the print off a card, and off few other things.
    doubted += [card for card in part.reading.unclear if card.face is not None or card.reason == "glare"]
    for place in part.left:
        under = max((shared_area(place, quad) for quad in read), default=0.0)
        if _UNDER <= under <= _THE_SAME:
            doubted.append(_hidden(place, table))
    places = [one.corners_px for one in cards]
    unclear = [one for one in unclear if not _is_at(one, places)]
    for one in doubted:
        if not _is_at(one, [*places, *(other.corners_px for other in unclear)]):
            unclear.append(one)
    return replace(marked, cards=tuple(cards), unclear=tuple(unclear))


def _hidden(quad: Floats, table: Table) -> Card:
    return Card(None, 0.0, quad, table.centre_mm(quad), "covered")


def _is_at(card: Card, places_px: list[Floats]) -> bool:
    return any(len(other) == 4 and same_place(card.corners_px, other) for other in places_px)
