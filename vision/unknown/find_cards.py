"""Finds cards of any deck in a picture: no face, no marker and no size is known beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import apart, within_quads
from vision.unknown.card_alone import print_on_it
from vision.unknown.card_choice import best_of, with_leftovers
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_finish import to_full
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_proofs import proved
from vision.unknown.card_proposals import MIN_SEGMENT_PX, at_corners, at_segments, distinct, fair_share
from vision.unknown.card_sizes import Stock, size_of_cards, unevenness_of
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.cards_off_plane import with_those_off_plane
from vision.unknown.free_candidates import FEW, MAX_CANDIDATES, free_candidates, quality_of
from vision.unknown.line_segments import Corners, find_corners
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.outliers import clear_cut
from vision.unknown.panels import are_marks, are_panels
from vision.unknown.segment_map import SegmentMap
from vision.unknown.view import View, view_of

_SLACK = 0.03  # how far off a guessed side may be, by the card's width
_SEEN = 0.55  # the share of a side along which its edge is seen, at least
_ABOUT = 0.12
_ALIKE = 0.05  # how far a card in plain sight may be from the size that it speaks for
_NEARBY_PX = 3.0  # off its outline, an edge is looked for
_ABOUT_AS_LARGE = 0.09  # of the logarithm of a side; a frame and an edge differ by more
_ASPECT_SLACK = 1.1  # few cards on a steep table hardly tell their aspect from its tilt


@dataclass(frozen=True, eq=False)
class FoundCards:
    """Cards of one deck in a picture.

    `corners_px` (n, 4, 2) clockwise, the first side one of the cards' shorter ones, however aslant they are seen;
    `support` (n, 4) the share of each side where an edge was seen; `confidence` (n,) 0 to 1; `reasons` (n) is "" for a
    card that lies open, else "covered" or "edge of picture"; `aspect` is the cards' length by their width.
    """

    corners_px: Singles
    support: Singles
    confidence: Singles
    reasons: tuple[str, ...]
    aspect: float


def find_cards(image_bgr: NDArray[np.uint8], aspect: float | None = None) -> FoundCards:
    """Find the cards in an (h, w, 3) picture; `aspect`: their length by their width, where it is known."""
    return _found(_edges_in(view_of(image_bgr)), aspect)


@dataclass(frozen=True, eq=False)
class _Edges:
    """What is seen before any size is known; `candidates` may be cards of any size."""

    view: View
    covered: SegmentMap
    corners: Corners
    candidates: SideFit


def _edges_in(view: View) -> _Edges:
    covered = SegmentMap(view.segments, (view.size_wh[1], view.size_wh[0]))
    corners = find_corners(view.segments, MIN_SEGMENT_PX * 0.7)
    return _Edges(view, covered, corners, free_candidates(view, corners, covered))


def _found(edges: _Edges, aspect: float | None) -> FoundCards:
    """The cards that agree on one size."""
    view, lab = edges.view, edges.view.lab
    candidates = edges.candidates.take(~print_on_it(lab, edges.candidates))
    quality = quality_of(lab, candidates)
    planes = _agreeing(candidates, quality, view.size_wh, aspect)
    if not planes:
        return _nothing()
    stocks = [size_of_cards(lab, plane, _apart(candidates.quads, quality, plane)) for plane in planes]
    stock = _best_seen(lab, stocks, candidates, quality)
    unevenness = unevenness_of(stock.plane, candidates.quads[clear_cut(candidates)])
    fitted = _of_known_size(view, stock.plane, edges.corners, edges.covered, candidates.quads, unevenness)
    chosen = best_of(lab, fitted, stock.plane, unevenness)
    if len(chosen.quads):
        near = stock.plane.deviation(candidates.quads) < _ABOUT * unevenness
        chosen = with_leftovers(lab, stock, chosen, np.concatenate([candidates.quads[near], fitted.quads]))
    if are_panels(lab, chosen) or are_marks(lab, chosen):
        return _nothing()
    final, plane = proved(view, stock, chosen, unevenness)
    final = with_those_off_plane(lab, final, plane, candidates, quality)
    return _reported(final, plane, view)


def _agreeing(candidates: SideFit, quality: Singles, size_wh: tuple[int, int], aspect: float | None) -> list[CardPlane]:
    """The planes on which candidates agree, each of which counts so much (n,)."""
    planes: list[CardPlane] = []
    if aspect is not None:
        # Two cards side by side are as large as all others side by side, but hardly of a card's shape.
        aspects = aspect / _ASPECT_SLACK, aspect * _ASPECT_SLACK
        planes = agree_on_planes(candidates.quads, quality, size_wh, aspects)
    return planes or agree_on_planes(candidates.quads, quality, size_wh)


def _nothing() -> FoundCards:
    nothing = [np.zeros(shape, np.float32) for shape in ((0, 4, 2), (0, 4), (0,))]
    return FoundCards(nothing[0], nothing[1], nothing[2], (), 1.4)


def _reported(final: SideFit, plane: CardPlane, view: View) -> FoundCards:
    """What was found in the view's copy, as it lies in the picture itself."""
    confidence = np.clip(final.support.mean(axis=1) - 2 * plane.deviation(final.quads), 0, 1)
    reasons = tuple(_reason(k, final, view.size_wh) for k in range(len(final.quads)))
    aspect = plane.size[1] / plane.size[0]
    corners = to_full(final.quads, view.scale)
    return FoundCards(corners, final.support, np.asarray(confidence, np.float32), reasons, aspect)


def _reason(k: int, fit: SideFit, size_wh: tuple[int, int]) -> str:
    """Why the k-th card is not wholly in view, or nothing."""
    quad = fit.quads[k]
    # Rounded corners may be all that sticks out.
    beyond = max(float(-quad.min()), float((quad - size_wh).max()) + 1)
    if beyond > max(2.0, _SLACK * float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).min())):
        return "edge of picture"
    hidden = fit.support[k] < _SEEN
    middles = ((quad + np.roll(quad, -1, axis=0)) / 2)[hidden]
    others = np.delete(fit.quads, k, axis=0)
    return "covered" if within_quads(middles, others).any() else ""


def _apart(quads: Singles, quality: Singles, plane: CardPlane) -> Singles:
    """Those of about the card's size, the best first, none on another."""
    right = plane.deviation(quads) < _ABOUT
    quads = quads[right][np.argsort(-quality[right], kind="stable")]
    return quads[apart(quads)]


def _best_seen(lab: NDArray[np.uint8], stocks: list[Stock], fit: SideFit, quality: Singles) -> Stock:
    """The stock with the most votes, or one of about its size that more of the cards in plain sight have.

    Of those with as many the one at whose outlines, about the candidates of its size, most edges are seen.
    """
    best = max(stocks, key=lambda stock: stock.votes)
    alike = [s for s in stocks if np.abs(np.log(np.divide(s.plane.size, best.plane.size))).max() < _ABOUT_AS_LARGE]
    if len(alike) == 1:
        return best
    plain = fit.quads[clear_cut(fit)]

    def seen(stock: Stock) -> tuple[int, float]:
        quads = _apart(fit.quads, quality, stock.plane)
        _, certainty = settled(lab, stock.plane, poses_of(stock.plane, quads), _NEARBY_PX)
        return len(apart(plain[stock.plane.deviation(plain) < _ALIKE])), float(certainty.sum())

    return max(alike, key=seen)


def _of_known_size(
    view: View, plane: CardPlane, corners: Corners, covered: SegmentMap, known: Singles, unevenness: float
) -> SideFit:
    """All quadrilaterals of the card's size that the edges suggest, and those `known` (n, 4, 2) before."""
    guesses = np.concatenate([at_corners(plane, corners), at_segments(plane, view.segments)])
    coverage = covered.coverage(guesses)
    keep = (coverage.mean(axis=1) > 0.4) & (np.sort(coverage, axis=1)[:, 1] > 0.3)
    keep &= ~holds_marker(guesses, view.markers)
    right = known[plane.deviation(known) < _ABOUT * unevenness]
    quads = np.concatenate([right, fair_share(distinct(guesses[keep], coverage[keep].mean(axis=1)), MAX_CANDIDATES)])
    fit = fit_sides(view.lab, quads, max(2.5, _SLACK * plane.size[0]), FEW)
    fit = fit.take(np.sort(fit.support, axis=1)[:, 1:].mean(axis=1) > 0.6)
    return fit_sides(view.lab, fit.quads, 2.0)
