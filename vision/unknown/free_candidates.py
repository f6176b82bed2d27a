"""What may be cards of any size: quadrilaterals with edges along all four sides, and how much each counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import enlarged
from vision.unknown.card_edges import SideFit, fit_sides, glance
from vision.unknown.card_proposals import distinct, fair_share
from vision.unknown.edge_ends import run_on
from vision.unknown.gaps import are_divided
from vision.unknown.line_segments import Corners, quads_from_corners, within_another
from vision.unknown.lone_areas import lone_areas
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.paper import darker_all_round
from vision.unknown.segment_map import SegmentMap
from vision.unknown.view import View

_MIN_SIDE_PX, _MAX_SIDE_SHARE = 24.0, 0.75  # of a card; its longer side by the picture's
_LARGEST_SHARE, _FARTHER = 0.92, 1.05  # the same where all round it is darker, and how far off, by its size
_MAX_OUTLINES, _MAX_IN_ROWS, _MAX_LARGE = 1000, 3000, 200
_MAX_ODDNESS = 0.45
_RUNS_ON = 0.6
_MAX_RUN_ON = 4  # of eight: cards side by side in a row share edges
MAX_CANDIDATES = 300
FEW = 16  # places along a side that are looked at first


def free_candidates(view: View, corners: Corners, covered: SegmentMap) -> SideFit:
    """Quadrilaterals of any size with edges along all four sides."""
    lab = view.lab
    quads = quads_from_corners(corners, _MIN_SIDE_PX, _LARGEST_SHARE * max(view.size_wh))
    coverage = covered.coverage(quads)
    keep = (coverage.min(axis=1) > 0.3) & (coverage.mean(axis=1) > 0.55)
    quads, coverage = quads[keep], coverage[keep]
    keep = ~holds_marker(quads, view.markers)
    quads, coverage = quads[keep], coverage[keep]
    run_on_at = _run_on(covered, quads)
    ends = run_on_at <= _MAX_RUN_ON
    # Lines ruled beneath the cards make quadrilaterals by the thousand, seen all along, that end nowhere.
    score = np.asarray(coverage.mean(axis=1) * (1 - run_on_at / 8), np.float32)
    # What nearly fills the picture is at most one card; but there are as many such things as all others.
    large = _longest(quads) > _MAX_SIDE_SHARE * max(view.size_wh)
    outlines = [
        distinct(quads[some], score[some])[:most]
        for some, most in ((ends & ~large, _MAX_OUTLINES), (ends & large, _MAX_LARGE))
    ]
    seen = glance(lab, np.concatenate(outlines))
    # In rows close together all edges run on along the neighbours; but for darker gaps, such things are patterns.
    rows = ~ends & ~large
    in_rows = glance(lab, distinct(quads[rows], coverage[rows].mean(axis=1))[:_MAX_IN_ROWS])
    gaps = darker_all_round(in_rows.outside, in_rows.inside)
    seen = seen.joined(in_rows.take(gaps))
    seen = seen.take(seen.oddness() < _MAX_ODDNESS)
    outer = ~within_another(seen.quads, seen.inside, seen.outside, _run_on(covered, seen.quads))
    seen = seen.take(outer)
    seen = seen.take(~are_divided(lab, seen))
    seen = seen.take(np.argsort(seen.oddness(), kind="stable"))
    lone = lone_areas(view)
    lone = lone[~holds_marker(lone, view.markers)]
    fit = fit_sides(lab, np.concatenate([fair_share(seen.quads, MAX_CANDIDATES), lone]), 2.5, FEW)
    # One side may be next to invisible: white on white, or bleached by a reflection.
    fit = fit.take((np.sort(fit.support, axis=1)[:, 1] > 0.6) & (fit.support.mean(axis=1) > 0.7))
    # What nearly fills the picture may be a frame on a card whose edges are not in view: it ends at no darker table.
    large = _longest(fit.quads) > _MAX_SIDE_SHARE * max(view.size_wh)
    about = np.asarray(enlarged(fit.quads[large], _FARTHER), np.float32)
    large[large] = ~darker_all_round(glance(lab, about).outside, fit.inside[large])
    return fit.take(~large)


def quality_of(lab: NDArray[np.uint8], fit: SideFit) -> Singles:
    """How much each candidate counts in the vote on size."""
    beyond, through = (ends.sum(axis=(1, 2)) for ends in run_on(lab, fit.quads))
    # Edges of cards in a row run on as well, but for a notch between them.
    ends = (beyond + through) / 2
    quality = (
        fit.support.mean(axis=1) * (0.3 + 0.7 * fit.support.min(axis=1)) * (0.4 + 0.6 * fit.sharpness.mean(axis=1))
    )
    return np.asarray(quality * np.clip(1 - ends / 5, 0, 1) ** 2 * np.clip(1 - fit.oddness(), 0.05, 1) ** 2, np.float32)


def _longest(quads: Singles) -> Singles:
    """The longest side of each quadrilateral (n,)."""
    return np.asarray(np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2).max(axis=1), np.float32)


def _run_on(covered: SegmentMap, quads: Singles) -> NDArray[np.intp]:
    """How many of the eight ends of a card's sides (n,) have an edge that runs on beyond the corner."""
    return np.asarray((covered.overrun(quads) > _RUNS_ON).sum(axis=(1, 2)), np.intp)
