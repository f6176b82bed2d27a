"""What a picture shows of cards whose edges hardly differ from the table: faint lines, and what is printed on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.quads import hold_any
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_proposals import MIN_SEGMENT_PX, at_corners, at_segments, distinct, fair_share
from vision.unknown.faint_edges import faint_segments, without_print
from vision.unknown.line_segments import SegmentMap, find_corners
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.view import View

Floats = NDArray[np.float32]

_MOST_OF_SIZE = 80


@dataclass(frozen=True, eq=False)
class FaintHints:
    """What a picture `lab`, (h, w, 3) 8-bit Lab, shows of faint cards.

    `lines` (n, 4) are straight edges that are not those of print, `seen` answers where they run; `marks` (k, 2) is what
    may be printed on cards; `markers` (l, 4, 2) are no cards.
    """

    lab: NDArray[np.uint8]
    lines: Floats
    seen: SegmentMap
    marks: Floats
    markers: Floats

    def of_size(self, plane: CardPlane) -> Floats:
        """Quadrilaterals of the card's size (n, 4, 2) about marks, some from everywhere."""
        corners = at_corners(plane, find_corners(self.lines, 0.7 * MIN_SEGMENT_PX))
        quads = np.concatenate([corners, at_segments(plane, self.lines)])
        coverage = self.seen.coverage(quads)
        keep = (coverage.mean(axis=1) > 0.3) & (np.sort(coverage, axis=1)[:, 2] > 0.3)
        keep &= ~holds_marker(quads, self.markers)
        quads, coverage = quads[keep], coverage[keep]
        holding = hold_any(quads, self.marks)
        return fair_share(distinct(quads[holding], coverage[holding].mean(axis=1)), _MOST_OF_SIZE)


def faint_hints(view: View, marks: Floats) -> FaintHints:
    """Look for faint lines besides the segments of a view, in which `marks` (k, 2) may be printed on cards."""
    faint = faint_segments(view.grey, view.segments, MIN_SEGMENT_PX)
    lines = without_print(view.lab, np.concatenate([view.segments, faint]))
    return FaintHints(view.lab, lines, SegmentMap(lines, view.size_wh[::-1]), marks, view.markers)
