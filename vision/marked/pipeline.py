"""Reads all cards of a known deck in one picture of a known table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.deck import Deck
from vision.effort import at_most
from vision.marked.assign import also_unclear, settled, sure_corners
from vision.marked.colour import lamp_of
from vision.marked.layouts import common_stretch
from vision.marked.left_over import beside
from vision.marked.marks import WorkImage, work_image
from vision.marked.refine import looked_closer
from vision.marked.sampler import Sampler
from vision.marked.scoring import Verdicts
from vision.marked.side_model import side_models
from vision.marked.side_reader import SideReader
from vision.markers import Marker, white_of, whites_of
from vision.quads import enlarged, stacked
from vision.reading import Reading, doubt_at
from vision.table import Table
from vision.table_fit import FlatShape

# Log-odds taken off covered cards where the table has a pattern. On 1,600 drawn cloths none was read wrongly even
# without, except for rims alone.
_PATTERN_DOUBT = 4.0
_SHEET = 1.25  # a marker card by its square
_BESIDE = 0.9  # of the steps of a reading
LEAST_REACH = 0.05  # relative difference from the printed size that a card may measure


@dataclass(frozen=True, eq=False)
class Overview:
    """A picture with verdicts on the cards with three whole marks.

    `sampler` is on the table in the cards' own scale; `verdicts`, one a side, are those of the `readers`; `pieces` are
    the marks of the most certain cards, which can refine the table; `markers_px` (n, 4, 2): the sheets of the markers.
    """

    work: WorkImage
    sampler: Sampler
    readers: list[SideReader]
    verdicts: list[Verdicts]
    pieces: list[FlatShape]
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
    squares = stacked(marker.corners_px for marker in markers)
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


def read_marks(
    image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker] = (), doubt: float = 0.0
) -> tuple[Reading, Overview]:
    """Read the cards of `deck` by their marks, in a picture (h, w, 3) uint8 BGR of `table`.

    Marker cards are left out. `doubt`: see `settled`.
    """
    over = look_over(image_bgr, deck, table, markers)
    table, readers, verdicts = over.sampler.table, over.readers, list(over.verdicts)
    verdicts += [reader.judge_part(sure_corners(verdicts, deck)) for reader in readers]
    verdicts += [reader.judge_lone(sure_corners(verdicts, deck)) for reader in readers]
    if any(reader.sees_pattern for reader in readers):
        # Pieces of a chequered cloth agree with some card here or there.
        doubt = max(doubt, _PATTERN_DOUBT)
    verdicts, doubtful = looked_closer(readers, verdicts, deck, doubt)
    sure, doubted = (settled(some, deck, table, doubt) for some in (verdicts, doubtful))
    return also_unclear(sure, doubted), over


def read_on(image_bgr: Image, deck: Deck, table: Table, markers: Sequence[Marker] = (), doubt: float = 0.0) -> Reading:
    """Read every card of `deck` in a picture of `table`: by marks first, then by the finder and print beside them.

    The reading's table is in the cards' own scale. Parameters as for `read_marks`.
    """
    marked, over = read_marks(image_bgr, deck, table, markers, doubt)
    table, readers = over.sampler.table, over.readers
    reading = marked
    with at_most(_BESIDE):
        reading = beside(image_bgr, deck, table, white_of(image_bgr, markers), marked, over.markers_px)
    quads = [card.corners_px for card in reading.cards] + [card.corners_px for card in reading.unclear]
    said = [quad for quad in quads if len(quad) == 4]
    said_mm = table.to_mm(stacked(said))
    return reading.and_unclear(
        doubt_at(place, table, "covered", side=reader.side) for reader in readers for place in reader.peeking(said_mm)
    )
