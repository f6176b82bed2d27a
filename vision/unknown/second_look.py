"""Looks again for cards whose edges hardly differ from the table: about what is printed on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.quads import apart, hold_any, lie_on, within_quads
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_proposals import distinct, fair_share
from vision.unknown.card_sizes import Stock, agreed_size, common_step
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.closed_lines import closed_lines
from vision.unknown.edge_ends import are_ruled_round
from vision.unknown.faint_edges import FaintHints, faint_hints, moved_onto_edges, quads_about
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.outliers import like_the_others, stand_out
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.view import View

Floats = NDArray[np.float32]

_BESIDE = 2.0  # times as many things that may be print beside plain cards as on them
_TOO_FEW = 2  # a single card tells no size
_ENOUGH = 6  # cards tell the plane well
_SEVERAL = 3  # cards must be found if all of them are faint
_MOST_QUADS = 300
_REACH_PX = 6.0  # how far off a line may lie that stands for a faint edge
_LIKELY, _CERTAINLY = 4.0, 10.0  # how often a change along a side is as large as what changes there anyway
_HALF_SEEN = 0.6
_BETTER, _SAME_SIZE = 1.05, 0.0125  # times what agrees on the size; of the logarithm of a side
_ABOUT, _ROUGHLY = 0.12, 0.2  # of a side: by how much quadrilaterals of the size may differ from it
_AGREED = 0.06
_SAME_PLANE = 0.03  # by which the cards known may differ from the size on another plane
_FROM_FAR = (0.3, 0.2, 0.12, 0.08, 0.05, 0.03)  # spreads for a plane that is far off at the picture's other end
_REACH = 0.09  # of a card's shorter side
_SURE, _IN_ALL = 0.6, 2.6  # how certain three sides are, and all four together
_ALL_ROUND = 0.4  # how certain each of the four is
_CERTAIN = 10.0  # the same for all sides of all cards, if nothing else speaks for the size
_FAINT = 0.25  # of the usual contrast
_SAME_WAY, _MOST = 0.5, 0.7  # cosine; share of the cards


@dataclass(frozen=True, eq=False)
class _Outlines:
    """Quadrilaterals `quads` (m, 4, 2) of lines about marks.

    `plain` (m, 4) says how plain their sides are, 0 to 1, the faintest first, and `step` (m, 3) which way the colour
    changes outward.
    """

    quads: Floats
    plain: Floats
    step: Floats


def second_look(view: View, stock: Stock | None, chosen: SideFit) -> tuple[Stock | None, SideFit]:
    """The cards `chosen` with those like them whose edges are faint, or faint ones alone; and their stock.

    Where the cards stand out plainly from the table none can be faint, unless far more that may be print lies beside
    them than on them; nor where all of it lies on cards already.
    """
    few = len(chosen.quads) < _TOO_FEW
    plain = not few and stand_out(chosen)
    marks = view.marks
    on_cards = within_quads(marks, chosen.quads)
    if on_cards.all() or (plain and (~on_cards).sum() <= _BESIDE * on_cards.sum()):
        return stock, chosen
    closed = closed_lines(view.grey)
    closed = closed[hold_any(closed, marks) & ~holds_marker(closed, view.markers)]
    if plain and len(closed) < _TOO_FEW:
        return stock, chosen
    hints = faint_hints(view, marks)
    if few or stock is None:
        stock, chosen = _faint_alone(hints, stock, chosen)
    elif not plain:
        stock, chosen = _with_faint_ones(hints, stock, chosen)
    return _closed_in(hints, closed, stock, chosen)


def _closed_in(hints: FaintHints, closed: Floats, stock: Stock | None, chosen: SideFit) -> tuple[Stock | None, SideFit]:
    """The cards chosen, or those about which thin dark lines (n, 4, 2) close if they are more.

    Of two sizes that with more cards counts. Frames printed on cards close as well, but there are no more of them.
    """
    nothing = chosen.take(np.zeros(len(chosen.quads), bool))
    best = (stock, chosen)
    for plane in agree_on_planes(closed, np.ones(len(closed), np.float32), (hints.lab.shape[1], hints.lab.shape[0])):
        agreeing = closed[plane.deviation(closed) < _AGREED]
        agreeing = agreeing[apart(agreeing)]
        several = len(chosen.quads) >= _SEVERAL
        if len(agreeing) < _TOO_FEW or (several and are_ruled_round(hints.lab, chosen.quads, agreeing)):
            continue
        other = Stock(plane.refitted(agreeing, np.ones(len(agreeing))), np.zeros(3))
        found = _found(hints, other, nothing)
        if len(found.quads) >= max(_SEVERAL, len(best[1].quads) + 1):
            best = _agreeing(hints.lab, other, found, _REACH_PX / 2)
    return best


def _outlines(hints: FaintHints) -> _Outlines:
    """What lines about marks make, put right, where they are plausible and the colour changes along the sides."""
    quads = quads_about(hints.lines, hints.marks)
    coverage = hints.seen.coverage(quads)
    keep = (np.sort(coverage, axis=1)[:, 1] > 0.3) & (coverage.mean(axis=1) > 0.4) & ~holds_marker(quads, hints.markers)
    quads = fair_share(distinct(quads[keep], coverage[keep].mean(axis=1)), _MOST_QUADS)
    if len(quads) == 0:
        return _Outlines(quads, np.zeros((0, 4), np.float32), np.zeros((0, 3), np.float32))
    quads, change, floor = moved_onto_edges(hints.lab, quads, _REACH_PX)
    # All round a card the colour changes the same way, while noise does as it likes.
    usual = change.sum(axis=1, keepdims=True)
    usual /= np.maximum(np.linalg.norm(usual, axis=2, keepdims=True), 1e-6)
    times = np.sort((change * usual).sum(axis=2) / floor, axis=1)
    good = (times[:, 1] > _LIKELY) & (times[:, 0] > 0)
    return _Outlines(quads[good], np.minimum(times[good] / _CERTAINLY, 1), usual[good, 0])


def _with_faint_ones(hints: FaintHints, stock: Stock, chosen: SideFit) -> tuple[Stock, SideFit]:
    """The cards chosen and faint ones of the same stock."""
    if len(chosen.quads) >= _ENOUGH:
        stock, chosen = _on_a_better_tilt(hints.lab, stock, chosen)
        return stock, _found(hints, stock, chosen)
    # A few cards in one corner of the picture hardly tell how the table is tilted.
    about, known = _outlines(hints), np.ones((len(chosen.quads), 4), np.float32)
    both = replace(about, quads=np.concatenate([chosen.quads, about.quads]), plain=np.concatenate([known, about.plain]))
    tilted = replace(stock, plane=_better_plane(both, stock.plane, chosen.quads))
    found = _found(hints, tilted, chosen)
    if len(found.quads) == len(chosen.quads):
        return stock, chosen
    better, found = _agreeing(hints.lab, tilted, found, _REACH_PX / 2)
    before, now = (float(np.median(each.plane.deviation(chosen.quads))) for each in (stock, better))
    # What does not agree with the cards that are plain to see is no card.
    return (better, found) if now < max(1.5 * before, _SAME_PLANE / 2) else (stock, chosen)


def _faint_alone(hints: FaintHints, stock: Stock | None, chosen: SideFit) -> tuple[Stock | None, SideFit]:
    """Cards all of which are faint, if several agree on a size; else what was chosen."""
    nothing = chosen.take(np.zeros(len(chosen.quads), bool))
    best, most = (stock, chosen), 0.0
    about = _outlines(hints)
    for guess in _stocks(hints.lab, about):
        other = replace(guess, plane=_better_plane(about, guess.plane, nothing.quads))
        found = _found(hints, other, nothing)
        if len(found.quads) < _SEVERAL:
            continue
        _, certainty = settled(hints.lab, other.plane, poses_of(other.plane, found.quads), 2.0, other.step)
        contrast = found.contrast_beyond()
        whole = (contrast > _FAINT * np.median(contrast)).all(axis=1)
        sure = float(certainty.sum())
        if sure > max(most, _CERTAIN) and whole.mean() >= 0.5:
            best, most = _agreeing(hints.lab, other, found, _REACH_PX), sure
    return best


def _stocks(lab: NDArray[np.uint8], about: _Outlines) -> list[Stock]:
    """The sizes of cards that quadrilaterals about marks agree on."""
    quads, faintest = about.quads, np.minimum(about.plain[:, 0] / _HALF_SEEN, 1)
    quality = np.asarray(about.plain.mean(axis=1) * (0.3 + 0.7 * faintest), np.float32)
    stocks = []
    for plane in agree_on_planes(quads, quality, (lab.shape[1], lab.shape[0])):
        right = plane.deviation(quads) < _ABOUT
        order = np.flatnonzero(right)[np.argsort(-quality[right], kind="stable")]
        order = order[apart(quads[order])]
        if len(order) == 0:
            continue
        stock = agreed_size(lab, plane, quads[order])
        stocks.append(
            stock if stock.step.any() else replace(stock, step=common_step(about.step[order], _SAME_WAY, _MOST))
        )
    return stocks


def _better_plane(about: _Outlines, plane: CardPlane, known: Floats) -> CardPlane:
    """The plane, or one near it on which more quadrilaterals agree, and most cards that are `known` (n, 4, 2)."""
    deviation = plane.deviation(about.quads)
    order = np.argsort(4 * deviation - about.plain.mean(axis=1) - about.plain[:, 0], kind="stable")
    order = order[deviation[order] < _ROUGHLY]
    order = order[apart(about.quads[order])]
    quads, weight = about.quads[order], about.plain[order, :2].mean(axis=1).astype(np.float64)
    other = plane.refitted(quads, weight, _FROM_FAR)
    agree = [_agreement(each, quads, weight) for each in (plane, other)]
    fits = len(known) == 0 or np.median(other.deviation(known)) < _SAME_PLANE
    return other if fits and agree[1] > agree[0] else plane


def _on_a_better_tilt(lab: NDArray[np.uint8], stock: Stock, chosen: SideFit) -> tuple[Stock, SideFit]:
    """The stock and the cards on the plane that their own edges agree on, where that is a better one of their size.

    Outlines that happened to be found first vote for a plane; on it other cards are some per cent too large or too
    small, so that their edges are missed. Where the size would change as well these may be frames, or shadows.
    """
    moved, weight = _at_own_edges(lab, chosen.quads, _REACH_PX)
    before, plane = stock.plane, stock.plane.refitted(moved, weight, _FROM_FAR)
    if np.abs(np.log(np.divide(plane.size, before.size))).max() > _SAME_SIZE:
        return stock, chosen
    if _agreement(plane, moved, weight) < _BETTER * _agreement(before, moved, weight):
        return stock, chosen
    return _put_on(lab, plane, moved, stock, chosen, _REACH_PX / 2)


def _put_on(
    lab: NDArray[np.uint8], plane: CardPlane, quads: Floats, stock: Stock, chosen: SideFit, reach_px: float
) -> tuple[Stock, SideFit]:
    """The stock with another plane, and the cards where most speaks for them on it, near `quads` (n, 4, 2)."""
    poses, _ = settled(lab, plane, poses_of(plane, quads), reach_px, stock.step)
    return replace(stock, plane=plane), replace(chosen, quads=poses.quads(plane))


def _agreement(plane: CardPlane, quads: Floats, weight: NDArray[np.float64]) -> float:
    """How much of quadrilaterals (n, 4, 2) that weigh so much (n,) agrees on the size on a plane."""
    return float((weight * np.clip(1 - (plane.deviation(quads) / _AGREED) ** 2, 0, 1)).sum())


def _at_own_edges(lab: NDArray[np.uint8], quads: Floats, reach_px: float) -> tuple[Floats, NDArray[np.float64]]:
    """Quadrilaterals (n, 4, 2) with each side at its edge, and how plain these are (n,), 0 to 1."""
    moved, change, floor = moved_onto_edges(lab, quads, reach_px)
    plain = np.clip(np.linalg.norm(change, axis=2) / floor / _REACH_PX, 0.05, 1).mean(axis=1)
    return moved, plain.astype(np.float64)


def _agreeing(lab: NDArray[np.uint8], stock: Stock, chosen: SideFit, reach_px: float) -> tuple[Stock, SideFit]:
    """The stock with the plane on which the edges of all cards agree best, and the cards as they lie on it."""
    for reach in (reach_px, _REACH_PX / 2):
        moved, weight = _at_own_edges(lab, chosen.quads, reach)
        stock, chosen = _put_on(lab, stock.plane.refitted(moved, weight, _FROM_FAR), moved, stock, chosen, reach)
    return stock, chosen


def _found(hints: FaintHints, stock: Stock, chosen: SideFit) -> SideFit:
    """The cards chosen, and others of their size where they lie when moved to where most speaks for them."""
    lab, plane = hints.lab, stock.plane
    quads = hints.of_size(plane)
    quads = quads[~lie_on(quads, chosen.quads)]
    poses, certainty = settled(lab, plane, poses_of(plane, quads), _REACH * plane.size[0], stock.step)
    sides = np.sort(certainty, axis=1)
    three_sides = (sides[:, 1] > _SURE) & (sides.sum(axis=1) > _IN_ALL)
    good = three_sides | (sides[:, 0] > _ALL_ROUND)
    best = np.flatnonzero(good)[np.argsort(-sides[good].sum(axis=1), kind="stable")]
    quads = poses.take(best).quads(plane)
    quads = quads[~lie_on(quads, chosen.quads)]
    quads = quads[apart(quads)]
    if len(quads) == 0:
        return chosen
    # Where a faint edge runs all of it tells, and hardly its parts.
    fits = chosen.joined(replace(fit_sides(lab, quads, 2.0), quads=quads))
    keep = like_the_others(lab, stock, fits, len(chosen.quads) or None) & ~are_ruled(lab, fits.quads)
    keep[: len(chosen.quads)] = True
    return fits.take(keep)
