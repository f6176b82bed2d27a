"""Reads all cards of a known deck in one picture, on the table that markers or the cards themselves show."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.errors import BadTableError
from vision.marked.blank_cards import blank_cards, places_of
from vision.marked.card_table import tables_from_cards
from vision.marked.colour import lamp_of
from vision.marked.judge import Verdicts
from vision.marked.layouts import common_stretch
from vision.marked.marks import WorkImage, work_image
from vision.marked.peeking import Hint, Print, one_a_card, peeking_cards
from vision.marked.peeking_ground import peeking_ground
from vision.marked.rounds import looked_closer
from vision.marked.sampler import Sampler
from vision.marked.settle import also_unclear, left_open, settled, sure_corners, told_of
from vision.marked.side_model import side_models
from vision.marked.side_reader import SideReader
from vision.marked.table_pattern import TablePattern
from vision.marked.wiped_cards import wiped_cards
from vision.markers import SQUARE_MM, Marker, markers_in, table_from_markers, table_if_shown, whites_of
from vision.quads import enlarged
from vision.reading import CardReading, Reading, UnclearCard
from vision.table import Table
from vision.table_fit import Piece, fit_table

Image = NDArray[np.uint8]

_VAGUE = 0.008  # relative scale error of a table from which the cards are asked, too
# Fewer fit a table in any picture, also in one that was cut, where lengths far from them are off by a tenth.
_ENOUGH_MARKERS = 3
# Log-odds taken off covered cards on a table that few markers or none show, before and after whole cards proved it.
_UNPROVEN, _VAGUE_DOUBT = 20.0, 2.0
# The same where the table has a pattern. On 1,600 drawn cloths none was told wrongly even without, but for rims alone.
_PATTERN_DOUBT = 4.0
_LEAST_SIDE_PX = 40  # a smaller picture shows no card
_SHEET = 1.25  # a marker card by its square
_SAME = 0.1  # of a card's width: its corners are found so well at least
_AGREEING = 2  # outlines: a lone one fits any table
_MOST_FITS = 5
# How much larger or smaller than printed a card may measure, and the same in standard errors of a vague table's scale.
_LEAST_REACH, _MOST_REACH, _SURE_REACH = 0.05, 0.15, 3.0
_MARKER_SIGMA_PX = 1.0  # beside the marks, which bloom does not move


def table_in(image_bgr: Image) -> tuple[Table, tuple[Marker, ...]]:
    """Find the table that the marker cards in this picture show.

    Raises:
        BadTableError: no marker card is in sight, or mirrored ones are, or they do not lie on one table.
    """
    markers = markers_in(image_bgr)
    if not markers:
        raise BadTableError("no marker card is in sight")
    return table_from_markers(markers, (image_bgr.shape[1], image_bgr.shape[0])), markers


def read_picture(
    image_bgr: Image, deck: Deck, table: Table | None = None, markers: tuple[Marker, ...] | None = None
) -> tuple[Reading, Table | None]:
    """Read a picture (h, w, 3) uint8 BGR; without a table its markers give one, without markers its cards.

    `markers` are those in the picture where they have been found already, None where they are to be found. Gives the
    table that the places in mm are on, too: the one given or shown, with its scale put right by the cards; it is None,
    and no card has a place in mm, where no marker says where the table's origin is.

    Raises:
        MirroredError: the picture is mirrored, as its markers show.
    """
    size = (image_bgr.shape[1], image_bgr.shape[0])
    if min(size) < _LEAST_SIDE_PX:
        return Reading((), ()), table
    if markers is None:
        markers = markers_in(image_bgr)
    if table is not None:
        return _read(image_bgr, deck, table, markers, 0.0)
    table = table_if_shown(markers, size)
    if table is not None and table.scale_error < _VAGUE and len(markers) >= _ENOUGH_MARKERS:
        return _read(image_bgr, deck, table, markers, 0.0)
    if table is None:
        return _read_unmarked(image_bgr, deck), None
    return _read_by_few(image_bgr, deck, table, markers)


def _read_by_few(image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker]) -> tuple[Reading, Table]:
    """Read a picture on a table of vague scale that few markers show, and by outlines where that leaves doubts."""
    reading, on_table = _read_vaguely(image_bgr, deck, table, markers)
    if reading.cards and not reading.unclear:
        return reading, on_table
    squares = _squares(markers)
    for shown in tables_from_cards(image_bgr, deck):
        if len(shown.pieces) < _AGREEING:
            break
        with suppress(BadTableError):
            also, places = fit_table([*squares, *shown.pieces], (image_bgr.shape[1], image_bgr.shape[0]))
            other = _read_vaguely(image_bgr, deck, also.moved(places[0, :2]), markers, shown.pieces)
            if len(other[0].cards) > len(reading.cards):
                return other
    return reading, on_table


def _squares(markers: Sequence[Marker]) -> list[Piece]:
    return [Piece(SQUARE_MM, marker.corners_px, _MARKER_SIGMA_PX) for marker in markers]


def _read_unmarked(image_bgr: Image, deck: Deck) -> Reading:
    """Read a picture without markers, on the table that its cards show."""
    doubtful: Reading | None = None
    for shown in tables_from_cards(image_bgr, deck):
        reading, _ = _read_vaguely(image_bgr, deck, shown.table, (), shown.pieces)
        # Any outline fits a table of some scale, but a face in the midst of it only one of its own size.
        agreed = len(shown.pieces) >= _AGREEING
        if _borne_out(shown.pieces, reading) or (agreed and reading.cards):
            return _placeless(reading)
        if doubtful is None and agreed:
            doubtful = reading
    return _placeless(doubtful) if doubtful is not None else Reading((), ())


def _read_vaguely(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], outlines: Sequence[Piece] = ()
) -> tuple[Reading, Table]:
    """Read a picture on a table of vague scale, shown by markers or `outlines`, with what whole cards add to it."""
    known = _squares(markers)
    if outlines:
        known += _borne_out(outlines, _read(image_bgr, deck, table, markers, _UNPROVEN)[0])
    better = _grown_table(image_bgr, deck, table, markers, known)
    doubt = _UNPROVEN if better is None else _VAGUE_DOUBT
    return _read(image_bgr, deck, better or table, markers, doubt)


def _grown_table(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], known: Sequence[Piece]
) -> Table | None:
    """Fit a table of vague scale to whole cards beside what is known, and to those found on the better one, and so on.

    Where the picture was cut, lengths far from the markers are off by a tenth, and the next cards lie within reach of
    the last ones only. None if no whole card is found.
    """
    better, count = None, 0
    for _ in range(_MOST_FITS):
        reach = min(max(_SURE_REACH * table.scale_error, _LEAST_REACH), _MOST_REACH)
        marks = _look_over(image_bgr, deck, table, markers, reach).pieces
        if len(marks) <= count:
            break
        count = len(marks)
        try:
            table, places = fit_table([*known, *marks], (image_bgr.shape[1], image_bgr.shape[0]))
        except BadTableError:
            break
        better = table = table.moved(places[0, :2])
    return better


def _borne_out(outlines: Sequence[Piece], reading: Reading) -> list[Piece]:
    """Those outlines in which a card was read."""
    return [o for o in outlines if any(_same_outline(card.corners_px, o.points_px) for card in reading.cards)]


def _same_outline(corners_px: NDArray[np.float64], outline_px: NDArray[np.float64]) -> bool:
    """Whether a card (4, 2) lies in an outline, either way up."""
    width = np.linalg.norm(np.diff(outline_px, axis=0, append=outline_px[:1]), axis=1).min()
    off = [np.linalg.norm(np.roll(corners_px, turn, axis=0) - outline_px, axis=1).max() for turn in range(4)]
    return bool(min(off) < _SAME * width)


def _placeless(reading: Reading) -> Reading:
    return Reading(
        tuple(replace(card, centre_mm=None) for card in reading.cards),
        tuple(replace(card, centre_mm=None) for card in reading.unclear),
    )


def read(image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker] = ()) -> Reading:
    """Read every card of `deck` in a picture (h, w, 3) uint8 BGR of `table`; nothing on a marker is taken for one."""
    return _read(image_bgr, deck, table, markers, 0.0)[0]


@dataclass(frozen=True, eq=False)
class _Overview:
    """A picture of which the cards with three whole marks have been judged.

    `sampler`: on the table in the cards' own scale; `verdicts`: a side each, like the readers; `pieces`: the marks of the surest
    cards, which can tell more of the table; `markers_px` (n, 4, 2): the sheets of the markers.
    """

    work: WorkImage
    sampler: Sampler
    readers: list[SideReader]
    verdicts: list[Verdicts]
    pieces: list[Piece]
    markers_px: NDArray[np.float64]


def _look_over(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], reach: float = _LEAST_REACH
) -> _Overview:
    """Find the cards with three whole marks; each may measure larger or smaller than printed by `reach`."""
    height, width = image_bgr.shape[:2]
    places = np.array([[0, 0], [width, 0], [width, height], [0, height], [width / 2, height / 2]], np.float64)
    scales = table.px_per_mm(places)
    work = work_image(image_bgr, float(scales[-1]))
    sampler = Sampler(work, table)
    most = float(scales.max()) * work.scale
    squares = np.array([marker.corners_px for marker in markers]).reshape(-1, 4, 2)
    keep_out = enlarged(squares, _SHEET)
    readers = [SideReader(work, sampler, deck, model, most, keep_out) for model in side_models(deck).values()]
    whole = [reader.whole_cards(reach) for reader in readers]
    stretch = common_stretch(
        np.concatenate([stretches for _, stretches in whole]), np.concatenate([found.residual_mm for found, _ in whole])
    )
    sampler = Sampler(work, table.stretched(stretch))
    lamp = lamp_of(whites_of(image_bgr, markers))
    verdicts = [
        reader.judge_whole(sampler, found, stretches / stretch, lamp)
        for reader, (found, stretches) in zip(readers, whole, strict=True)
    ]
    pieces = [piece for reader, found in zip(readers, verdicts, strict=True) for piece in reader.pieces(found)]
    return _Overview(work, sampler, readers, verdicts, pieces, keep_out)


def _read(image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], doubt: float) -> tuple[Reading, Table]:
    """Read a picture; gives the table in the cards' own scale, too.

    `doubt`: see `settled`.
    """
    over = _look_over(image_bgr, deck, table, markers)
    work, table, readers, verdicts = over.work, over.sampler.table, over.readers, over.verdicts
    verdicts += [reader.judge_part(sure_corners(verdicts, deck)) for reader in readers]
    verdicts += [reader.judge_lone(sure_corners(verdicts, deck)) for reader in readers]
    patterned = any(reader.sees_pattern for reader in readers)
    if patterned:
        # Pieces of a chequered cloth agree with some card here or there.
        doubt = max(doubt, _PATTERN_DOUBT)
    verdicts, doubtful = looked_closer(work, table, readers, verdicts, deck, doubt)
    scene = _Scene(work, over.sampler, readers, deck, doubt, over.markers_px)
    reading = scene.said(verdicts, doubtful)
    opened = [] if patterned else scene.opened(reading)
    if any(verdict.sure.any() for verdict in opened):
        opened = told_of(left_open(opened, told_of(verdicts, deck, doubt), deck), deck, 0.0)
        verdicts, doubtful = ([*left_open(some, opened, deck), *opened] for some in (verdicts, doubtful))
        reading = scene.said(verdicts, doubtful)
    return reading, table


@dataclass(frozen=True, eq=False)
class _Scene:
    """A picture whose cards have been judged, and what may still be said of it.

    `doubt`: see `settled`; `markers_px` (n, 4, 2): the sheets of the markers.
    """

    work: WorkImage
    sampler: Sampler
    readers: Sequence[SideReader]
    deck: Deck
    doubt: float
    markers_px: NDArray[np.float64]

    @property
    def table(self) -> Table:
        return self.sampler.table

    def said(self, verdicts: list[Verdicts], doubtful: list[Verdicts]) -> Reading:
        """Say what the verdicts tell and leave unclear, and what else shows that a card lies there."""
        sure, doubted = (settled(some, self.deck, self.table, self.doubt) for some in (verdicts, doubtful))
        reading = also_unclear(sure, doubted)
        said = [card.corners_px for card in reading.cards] + [card.corners_px for card in reading.unclear]
        said_mm = self.table.to_mm(np.concatenate(said)).reshape(-1, 4, 2) if said else np.zeros((0, 4, 2))
        prints = [mark for reader in self.readers for mark in reader.unexplained(said_mm)]
        known_px = np.concatenate([_corners(reading.cards), _corners(reading.unclear), self.markers_px])
        pattern = TablePattern(self.work, self.table, known_px)
        beside = peeking_cards(self.sampler, prints, said_mm, pattern)
        hints = one_a_card([*beside, *self._peeking_ground(reading, prints, pattern)])
        hidden = [self._unclear(np.zeros((0, 2)), hint.centre_mm, "covered", hint.side) for hint in hints]
        reading = replace(reading, unclear=(*reading.unclear, *hidden))
        return replace(reading, unclear=(*reading.unclear, *self._blank_cards(reading)))

    def opened(self, reading: Reading) -> list[Verdicts]:
        """Give the cards beside those that are told that may lie open, by the rims of their marks."""
        shown = [self.table.to_mm(card.corners_px) for card in reading.unclear if len(card.corners_px)]
        places = (places_of(outline, self.deck.card_mm) for outline in shown)
        known_mm = self.table.to_mm(_corners(reading.cards).reshape(-1, 2)).reshape(-1, 4, 2)
        outlines = np.concatenate([np.zeros((0, 4, 2)), *places])
        return [reader.judge_open(outlines, known_mm) for reader in self.readers]

    def _peeking_ground(self, reading: Reading, prints: Sequence[Print], pattern: TablePattern) -> list[Hint]:
        """Give places where a card shows of which too few marks are in sight to make it out."""
        others = np.concatenate([_corners(reading.unclear), self.markers_px])
        sides = [card.face.side for card in reading.cards]
        where = self.work, self.table, self.deck.card_mm
        return peeking_ground(*where, _corners(reading.cards), sides, others, prints, pattern)

    def _blank_cards(self, reading: Reading) -> list[UnclearCard]:
        """Give the cards that show no more than an outline."""
        known_px = np.concatenate([_corners(reading.cards), _corners(reading.unclear), self.markers_px])
        doubtful_mm = np.array([card.centre_mm for card in reading.unclear]).reshape(-1, 2)
        where = self.work, self.table, self.deck.card_mm
        found = blank_cards(*where, known_px, doubtful_mm)
        found += wiped_cards(*where, known_px, found, doubtful_mm)
        return [self._unclear(blank.outline_px, blank.centre_mm, "glare", None) for blank in found]

    def _unclear(
        self, outline_px: NDArray[np.float64], place_mm: NDArray[np.float64], reason: str, side: str | None
    ) -> UnclearCard:
        """Give a card of which nothing names a face; `place_mm` (2,) lies on it."""
        (px,) = self.table.to_px(place_mm[None])
        x, y = place_mm
        return UnclearCard(outline_px, (float(px[0]), float(px[1])), (float(x), float(y)), reason, None, side)


def _corners(cards: Sequence[CardReading | UnclearCard]) -> NDArray[np.float64]:
    """(n, 4, 2) corners of those of the cards that show all four, in picture px."""
    return np.array([card.corners_px for card in cards if len(card.corners_px) == 4]).reshape(-1, 4, 2)
