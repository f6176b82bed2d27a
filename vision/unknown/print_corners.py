"""Cards of a heap that show little: two sides that meet, and print in the middle, tell where the other sides are.

Of white cards on white the light shows two sides; no size is known beforehand. So each corner is turned about the
middle of each print, and what agrees on one size is cards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import apart, within_quads
from vision.unknown.card_edges import SideFit
from vision.unknown.card_finish import finished
from vision.unknown.card_grounds import SAME_STOCK, clean_grounds
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import best_corner, poses_of, settled
from vision.unknown.card_proposals import MIN_SEGMENT_PX, distinct, fair_share
from vision.unknown.card_sizes import Stock
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.faint_edges import FaintHints, faint_hints
from vision.unknown.line_segments import Corners, find_corners
from vision.unknown.outliers import stand_out
from vision.unknown.print_middles import IN_MIDDLE, off_middles
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.view import View

Floats = NDArray[np.float32]

_ENOUGH = 6  # cards, if none of them is seen all round
_PAIR_PX = 150.0  # marks of one card lie no farther apart
_SIDES_PX = (24.0, 320.0)
_ASPECTS = (1.1, 2.2)
_USUAL_ASPECT = 1.5
_SQUARE_COS = 0.5
_BORDER_PX = 4.0  # of the picture
_SEEN = 0.45  # of two sides that meet
_MOST_QUADS = 600
_AGREE, _REACH, _BEYOND_DOUBT = 0.08, 0.05, 0.9


def cornered(view: View, found: tuple[SideFit, CardPlane | None]) -> tuple[SideFit, CardPlane | None]:
    """The cards `found` and their plane, or those that two sides and print show if these are more, and several.

    Where the cards stand out plainly from the table none shows so little.
    """
    cards, plane = found
    if len(cards.quads) >= _ENOUGH:
        return found
    if len(cards.quads) and stand_out(cards):
        return found
    marks = view.marks_off_sheets
    if (~within_quads(marks, cards.quads)).sum() < _ENOUGH:
        return found
    hints = faint_hints(view, marks)
    outlines = _about_print(hints, view.smooth_lab)
    for size in agree_on_planes(outlines, hints.seen.coverage(outlines).mean(axis=1), view.size_wh):
        quads = _of_size(view.lab, view.smooth_lab, size, outlines)
        if len(quads) >= max(_ENOUGH, len(cards.quads) + 1):
            final, plane = finished(view, quads, Stock(size, np.zeros(3)))
            cards = final.take(~are_ruled(view.lab, final.quads))
    return cards, plane


def _about_print(hints: FaintHints, smooth_lab: NDArray[np.uint8]) -> Floats:
    """Quadrilaterals (n, 4, 2) with a corner that was seen, and with print in their middle."""
    marks = hints.marks
    one, other = np.nonzero(np.triu(np.linalg.norm(marks[:, None] - marks[None], axis=2) < _PAIR_PX, 1))
    middles = np.concatenate([marks, (marks[one] + marks[other]) / 2])
    quads = _turned_about(find_corners(hints.lines, 0.7 * MIN_SEGMENT_PX), middles)
    most = np.array(hints.lab.shape[1::-1], np.float32) - 1 - _BORDER_PX
    quads = quads[((quads > _BORDER_PX) & (quads < most)).all(axis=(1, 2))]
    coverage = hints.seen.coverage(quads)
    seen = best_corner(coverage) > _SEEN
    quads = fair_share(distinct(quads[seen], coverage[seen].mean(axis=1)), _MOST_QUADS)
    return quads[off_middles(smooth_lab, quads, _USUAL_ASPECT) < IN_MIDDLE]


def _turned_about(corners: Corners, middles: Floats) -> Floats:
    """Quadrilaterals (n, 4, 2), clockwise from a shorter side, of corners and these turned about `middles` (k, 2)."""
    square = np.abs((corners.u * corners.v).sum(axis=1)) < _SQUARE_COS
    point, u, v = corners.point[square], corners.u[square], corners.v[square]
    away, area = middles[None] - point[:, None], (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])[:, None]
    along_u = 2 * (away[..., 0] * v[:, None, 1] - away[..., 1] * v[:, None, 0]) / area
    along_v = 2 * (u[:, None, 0] * away[..., 1] - u[:, None, 1] * away[..., 0]) / area
    short, long = np.minimum(along_u, along_v), np.maximum(along_u, along_v)
    fits = (short > _SIDES_PX[0]) & (long < _SIDES_PX[1]) & (long > _ASPECTS[0] * short) & (long < _ASPECTS[1] * short)
    at, about = np.nonzero(fits)
    point, u, v = point[at], along_u[at, about, None] * u[at], along_v[at, about, None] * v[at]
    quads = np.stack([point, point + u, point + u + v, point + v], axis=1)
    lies = (along_u > along_v)[at, about][:, None, None]
    return np.asarray(np.where(lies, np.roll(quads, -1, axis=1), quads), np.float32)


def _of_size(lab: NDArray[np.uint8], smooth_lab: NDArray[np.uint8], plane: CardPlane, outlines: Floats) -> Floats:
    """Those of the outlines (n, 4, 2) that are cards of the size on a plane, each once, as they lie on it."""
    agreeing = outlines[plane.deviation(outlines) < _AGREE]
    poses, certainty = settled(lab, plane, poses_of(plane, agreeing), _REACH * plane.size[0])
    quads, aspect = poses.quads(plane), plane.size[1] / plane.size[0]
    if len(quads) == 0:
        return quads
    clean, grounds = clean_grounds(smooth_lab, quads, aspect)
    good = clean & (best_corner(certainty) > _BEYOND_DOUBT) & (off_middles(smooth_lab, quads, aspect) < IN_MIDDLE)
    if not good.any():
        return np.asarray(quads[good], np.float32)
    good &= np.linalg.norm(grounds - np.median(grounds[good], axis=0), axis=1) < SAME_STOCK
    quads = quads[good][np.argsort(-certainty[good].sum(axis=1), kind="stable")]
    return np.asarray(quads[apart(quads)], np.float32)
