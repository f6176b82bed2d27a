"""Reads all cards of a known deck in one picture of a table that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.deck import Deck
from vision.effort import at_most
from vision.marked.blank_cards import blank_cards, places_of
from vision.marked.colour import lamp_of
from vision.marked.layouts import common_stretch
from vision.marked.marks import WorkImage, work_image
from vision.marked.peeking import Hint, Print, one_a_card, peeking_cards
from vision.marked.peeking_ground import peeking_ground
from vision.marked.refinement import looked_closer
from vision.marked.sampler import Sampler
from vision.marked.scoring import Verdicts
from vision.marked.settle import also_unclear, left_open, settled, sure_corners, told_of
from vision.marked.side_model import side_models
from vision.marked.side_reader import SideReader
from vision.marked.table_pattern import TablePattern
from vision.marked.wiped_cards import wiped_cards
from vision.markers import Marker, whites_of
from vision.quads import enlarged
from vision.reading import CardReading, Reading, UnclearCard
from vision.table import Table
from vision.table_fit import Piece

# Log-odds taken off covered cards where the table has a pattern. On 1,600 drawn cloths none was told wrongly even
# without, but for rims alone.
_PATTERN_DOUBT = 4.0
_SHEET = 1.25  # a marker card by its square
_OPENED = 0.8  # of the steps of a reading
LEAST_REACH = 0.05  # how much larger or smaller than printed a card may measure


@dataclass(frozen=True, eq=False)
class Overview:
    """A picture of which the cards with three whole marks have been judged.

    `sampler` is on the table in the cards' own scale; `verdicts`, one a side, are those of the `readers`; `pieces` are
    the marks of the surest cards, which can tell more of the table; `markers_px` (n, 4, 2) the sheets of the markers.
    """

    work: WorkImage
    sampler: Sampler
    readers: list[SideReader]
    verdicts: list[Verdicts]
    pieces: list[Piece]
    markers_px: NDArray[np.float64]


def look_over(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker], reach: float = LEAST_REACH
) -> Overview:
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
    return Overview(work, sampler, readers, verdicts, pieces, keep_out)


def read_on(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker] = (), doubt: float = 0.0
) -> tuple[Reading, Table]:
    """Read every card of `deck` in a picture (h, w, 3) uint8 BGR of `table`; nothing on a marker is taken for one.

    Gives the table in the cards' own scale, too. `doubt`: see `settled`.
    """
    over = look_over(image_bgr, deck, table, markers)
    work, table, readers, verdicts = over.work, over.sampler.table, over.readers, list(over.verdicts)
    verdicts += [reader.judge_part(sure_corners(verdicts, deck)) for reader in readers]
    verdicts += [reader.judge_lone(sure_corners(verdicts, deck)) for reader in readers]
    patterned = any(reader.sees_pattern for reader in readers)
    if patterned:
        # Pieces of a chequered cloth agree with some card here or there.
        doubt = max(doubt, _PATTERN_DOUBT)
    verdicts, doubtful = looked_closer(work, table, readers, verdicts, deck, doubt)
    scene = _Scene(work, over.sampler, readers, deck, doubt, over.markers_px)
    reading = scene.said(verdicts, doubtful)
    opened: list[Verdicts] = []
    with at_most(_OPENED):
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
