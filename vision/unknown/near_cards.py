"""A card or two seen from near: large in the picture, on a table whose grain breaks up their edges."""

from __future__ import annotations

from dataclasses import fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import apart, enlarged, within_quads
from vision.unknown.card_corners import corner_cuts
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_grounds import grounds_near_corners, printed_share
from vision.unknown.card_plane import CardPlane, shape_of
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.gaps import are_divided
from vision.unknown.large_outlines import LEAST, areas, by_lines, share_of
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.outliers import stands_out
from vision.unknown.paper import is_darker
from vision.unknown.print_middles import IN_MIDDLE, off_middles
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.view import View
from vision.unknown.weighted_lab import as_bgr

Floats = NDArray[np.float32]

_REACH_PX = 8.0
_WHOLLY, _PLAIN = 0.9, 3.0  # of each side; weighted 8-bit Lab
_TINTED, _PARTLY = 4.0, 0.65  # times the noise of tints; share of a side
_ONE_GROUND = 0.45  # oddness
_DARKER, _BARE = 3, 0.012  # sides; share of its area that is printed
_ROUNDED, _ROUNDEST = 0.004, 0.045  # by its width: a radius of a seventh of it is much for a card
_MOST_OF_IT, _WHOLE = 0.7, 0.95  # of a side
_CUT, _CUT_ALIKE, _CORNERS, _MISSING = 0.01, 0.01, 3, 0.07  # by the card's width
_INK = 0.85  # of the light of paper: less is print, and no shadow
_MOSTLY = 0.5  # of what was found, or of a thing's sides
_WITHIN = 0.9  # of what was found: sides on a frame and sides on the edge may mix
_SAME_PLACE = 0.15  # by the width of a card
_AS_LARGE = 0.1  # of a side: one card alone hardly tells how the table is tilted
_SAMPLES = 48


def near_cards(view: View, found: tuple[SideFit, CardPlane | None]) -> tuple[SideFit, CardPlane | None]:
    """The cards `found` and their plane, or those that stand out as large areas if the former do not stand out.

    On a grained table lines as straight as a card's edges meet them everywhere. Then nothing is found of a card that
    lies there alone, or frames and marks that are printed on it, or what agrees on a size by chance in the grain.
    """
    (cards, plane), lab = found, view.lab
    rounded = np.zeros(len(cards.quads), bool) if plane is None else _rounded(lab, cards, plane)
    in_sight = _plain(lab, cards)
    plain = in_sight & rounded
    large = len(plain) > 1 and share_of(view, cards.quads).max() > LEAST
    doubtful = not in_sight.any() and rounded.sum() <= _MOSTLY * len(rounded)
    if len(plain) > 1 and (plain.mean() > _MOSTLY or (large and not doubtful)):
        return found
    fit = _fitted(view, np.concatenate([by_lines(view, view.segments), *(quad[None] for quad in areas(view))]))
    fit = _whole_first(fit.take(_plain(lab, fit) | _of_another_tint(view, fit) | _cut_as_cards(lab, fit)))
    if plane is not None and len(plain) == 1 and plain[0]:
        return _with_others(lab, _short_first(cards).joined(fit), plane)
    if len(fit.quads) == 0:
        # Faint lines make outlines on any pattern.
        fit = _fitted(view, by_lines(view, view.faint_lines))
        fit = _whole_first(fit.take((fit.support > _WHOLE).all(axis=1) & _cut_as_cards(lab, fit)))
    # What is rounded, with print on it, is no print, on whatever it lies.
    bare = ~rounded | (printed_share(lab, cards.quads) <= _BARE)
    on = _on(fit, cards)
    printed = on & _prints(fit, cards, bare)
    # Keys in their blocks agree on a size, as large as a card beside them. What lies on large things is their ground.
    beside = ~on.any(axis=1) | (not large)
    for k in np.flatnonzero(_instead(fit, cards, on & ~printed) & beside):
        planes = agree_on_planes(fit.quads[k : k + 1], np.ones(1, np.float32), view.size_wh)
        # Home-made cards have sharp corners, as a sheet has, on which lies more than print.
        sharp = len(cards.quads) > 1 and on[k].all() and printed[k].mean() >= _MOSTLY
        if planes and (sharp or _is_card(view, fit.take(np.array([k])), planes[0])):
            near = _with_others(lab, fit.take(np.arange(k, len(fit.quads))), planes[0])
            # Where more stand out, a block of them may look like one.
            return near if len(plain) == 1 or plain.sum() < len(near[0].quads) else found
    return found


def _fitted(view: View, quads: Floats) -> SideFit:
    """Large quadrilaterals (n, 4, 2) off markers, moved to their edges, each from a shorter side on."""
    quads = quads[~holds_marker(quads, view.markers)]
    return _short_first(fit_sides(view.lab, fit_sides(view.lab, quads, _REACH_PX, _SAMPLES).quads, 2.0, _SAMPLES))


def _whole_first(fit: SideFit) -> SideFit:
    """The same cards, the largest first, and of those at one place the one whose faintest side is plainest.

    What a shadow's edge cuts off a card is smaller than it; a line in the grain beside it is fainter than its edge.
    """
    if len(fit.quads) == 0:
        return fit
    area = np.array([cv2.contourArea(quad) for quad in fit.quads], np.float32)
    fit = fit.take(np.argsort(-area * (1 - fit.oddness()), kind="stable"))
    width = np.linalg.norm(fit.quads[:, 1] - fit.quads[:, 0], axis=1)
    turned = (np.roll(fit.quads, k, axis=1) for k in (0, 2))
    away = [np.abs(fit.quads[:, None] - each[None]).max(axis=(2, 3)) for each in turned]
    first = (np.minimum(*away) < _SAME_PLACE * width[:, None]).argmax(axis=1)
    return fit.take(np.lexsort((-fit.contrast_beyond().min(axis=1), first)))


def _instead(fit: SideFit, found: SideFit, lie_there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which outlines (n,) may be cards instead of what was found: few things (n, m) lie there and are no print on them.

    A single thing must lie within them, but for a side that may be theirs.
    """
    if len(found.quads) == 1:
        inner = np.asarray(enlarged(found.quads, _WITHIN), np.float32)[0]
        return np.array([within_quads(inner, quad[None]).all() for quad in fit.quads], bool)
    return np.asarray(lie_there.sum(axis=1) <= _MOSTLY * len(found.quads), np.bool_)


def _prints(fit: SideFit, found: SideFit, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What was found that may be print on which outlines (n, m).

    Print is `bare` (m,), with sharp corners or no print on it, and darker than what lies round it, or than the paper
    along the card's own sides.
    """
    ink = is_darker(as_bgr(found.inside), as_bgr(found.beyond)).mean(axis=1) > _MOSTLY
    colour, paper = as_bgr(np.median(found.inside, axis=1)), as_bgr(np.median(fit.inside, axis=1))
    return np.asarray(bare & (ink | is_darker(colour[None], _INK * paper[:, None])), np.bool_)


def _on(fit: SideFit, found: SideFit) -> NDArray[np.bool_]:
    """Which things found have their middle on which outlines (n, m)."""
    middle = found.quads.mean(axis=1)
    return np.array([within_quads(middle, quad[None]) for quad in fit.quads], bool).reshape(len(fit.quads), len(middle))


def _with_others(lab: NDArray[np.uint8], fit: SideFit, plane: CardPlane) -> tuple[SideFit, CardPlane]:
    """The first of some cards and those as large as it on its plane; and the plane on which all agree."""
    alike = (plane.deviation(fit.quads) < _AS_LARGE) & _rounded(lab, fit, plane)
    alike[0] = True
    cards = fit.take(alike)
    cards = cards.take(np.asarray(apart(cards.quads), np.intp))
    return cards, plane.refitted(cards.quads, np.ones(len(cards.quads))) if len(cards.quads) > 1 else plane


def _rounded(lab: NDArray[np.uint8], fit: SideFit, plane: CardPlane) -> NDArray[np.bool_]:
    """Which cards (n,) are rounded as cards are at three corners or four, but for those that are not seen.

    Where a reflection or print lies at a corner it looks rounder than it is, and where grain lies there, sharper.
    """
    return _as_round_as_cards(_cuts(lab, fit, plane.size[1] / plane.size[0]))


def _as_round_as_cards(cuts: Floats) -> NDArray[np.bool_]:
    """The same by how much is missing at the corners (n, 4)."""
    as_cards = ~np.isfinite(cuts) | ((cuts > _ROUNDED) & (cuts < _ROUNDEST))
    return np.asarray(as_cards.sum(axis=1) >= _CORNERS)


def _is_card(view: View, one: SideFit, plane: CardPlane) -> bool:
    """Whether a large thing is rounded as cards are; where it hardly is, its print must lie about its middle."""
    cuts = _cuts(view.lab, one, plane.size[1] / plane.size[0])
    return bool(_as_round_as_cards(cuts).all() and ((_usual(cuts) > _CUT) | _print_amid(view, one)).all())


def _cuts(lab: NDArray[np.uint8], fit: SideFit, aspect: float) -> Floats:
    """How much is missing at the corners (n, 4) of cards: see `corner_cuts`. A shadow may lie across a card alone."""
    return corner_cuts(lab, fit, aspect, grounds_near_corners(lab, fit.quads, aspect))


def _undivided(share: Floats) -> NDArray[np.bool_]:
    """Which things (n,) show most of each side, and all of one of two opposite ones; `share` (n, 4): of what shows.

    Of cards that lie in a block both of them have gaps.
    """
    whole = share > _WHOLE
    return np.asarray(((share > _MOST_OF_IT) & (whole | np.roll(whole, 2, axis=1))).all(axis=1), np.bool_)


def _usual(cuts: Floats) -> Floats:
    """How much is missing at the corners of things in the middle (n,) of four (n, 4); nothing if none is seen."""
    none = ~np.asarray(np.isfinite(cuts).any(axis=1))
    return np.asarray(np.nanmedian(np.where(none[:, None], 0, cuts), axis=1), np.float32)


def _plain(lab: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) are seen all round, of one ground with print on it that ends at the corners.

    It is darker beyond three sides, or all; on the fourth a lamp's reflection may lie.
    """
    plain = (fit.support > _WHOLLY).all(axis=1) & (fit.contrast_beyond() > _PLAIN).all(axis=1)
    darker = is_darker(as_bgr(fit.beyond), as_bgr(fit.inside)).sum(axis=1)
    return _printed_whole(lab, fit, plain & (darker >= _DARKER))


def _of_another_tint(view: View, fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) are bluer, or yellower, than what lies beyond each side, all along it, with print on one ground.

    White on white shows by no more than its tint on a side that faces the light.
    """
    steps = view.tints.steps(fit.quads)
    usual = np.median(steps, axis=2)
    tinted = (np.abs(usual) > _TINTED).all(axis=1) & (np.abs(usual.sum(axis=1)) == np.abs(usual).sum(axis=1))
    tinted &= (fit.support > _PARTLY).all(axis=1)
    along = (steps * np.sign(usual)[..., None] > _TINTED / 2).mean(axis=2)
    amid = np.zeros(len(tinted), bool)
    amid[tinted] = _print_amid(view, fit.take(tinted))
    tinted &= (along == 1).all(axis=1) | (amid & _undivided(along) & _undivided(fit.support))
    return _printed_whole(view.lab, fit, tinted)


def _print_amid(view: View, fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,), each from a shorter side on, have all that is printed on them about their middle."""
    if len(fit.quads) == 0:
        return np.zeros(0, bool)
    return np.asarray(off_middles(view.smooth_lab, fit.quads, _aspect(fit)) < IN_MIDDLE, np.bool_)


def _aspect(fit: SideFit) -> float:
    """The length of cards, each from a shorter side on, by their width."""
    sides = np.linalg.norm(fit.quads - np.roll(fit.quads, -1, axis=1), axis=2)
    return float(np.median(sides[:, 1::2].sum(axis=1) / sides[:, ::2].sum(axis=1)))


def _cut_as_cards(lab: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,), each from a shorter side on, are seen nearly all round and cut alike at three corners or four.

    So cut is nothing but a card, on whatever table. A shadow's edge across it is not in focus.
    """
    seen = _undivided(fit.sharpness) & np.asarray((fit.contrast_beyond() > _PLAIN).all(axis=1), np.bool_)
    if not seen.any():
        return seen
    few = fit.take(seen)
    cuts = _cuts(lab, few, _aspect(few))
    usual = _usual(cuts)
    alike = (np.abs(cuts - usual[:, None]) < _CUT_ALIKE).sum(axis=1) >= _CORNERS
    seen[seen] = alike & (usual > _CUT) & (usual < _ROUNDEST) & ~(cuts > _MISSING).any(axis=1)
    return _printed_whole(lab, fit, seen)


def _printed_whole(lab: NDArray[np.uint8], fit: SideFit, some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of some cards (n,) are of one ground with print on it that ends at the corners."""
    some = some & (fit.oddness() < _ONE_GROUND)
    few = fit.take(some)
    some[some] = (printed_share(lab, few.quads) > _BARE) & stands_out(lab, few) & ~are_ruled(lab, few.quads)
    some[some] = ~are_divided(lab, fit.take(some))
    return np.asarray(some, np.bool_)


def _short_first(fit: SideFit) -> SideFit:
    """The same cards, each from a shorter side on."""
    long_first = ~shape_of(np.asarray(fit.quads, np.float64))[1]
    parts = {part.name: getattr(fit, part.name) for part in fields(fit)}
    turned = {name: np.where(_as(long_first, part), np.roll(part, -1, axis=1), part) for name, part in parts.items()}
    return SideFit(**turned)


def _as(which: NDArray[np.bool_], part: Floats) -> NDArray[np.bool_]:
    """The choice (n,) in the shape of a part (n, ...)."""
    return which.reshape(-1, *(1,) * (part.ndim - 1))
