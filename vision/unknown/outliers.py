"""Which of the things that have a card's size are cards: those that look like most of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import outward_of, within_quads
from vision.unknown.card_corners import are_missing, are_rounder, corner_cuts
from vision.unknown.card_edges import SideFit
from vision.unknown.card_grounds import BARE, SAME_STOCK, printed_share
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_sizes import Stock
from vision.unknown.edge_ends import end_at_corners, faint_run_on, run_on
from vision.unknown.paper import darker_all_round
from vision.unknown.weighted_lab import LIGHTNESS_WEIGHT

STANDS_OUT = 14.0  # weighted 8-bit Lab: more than a pale card differs from a pale table
_SEEN = 0.55  # the share of a side along which its edge is seen, at least
_SURE = 0.8
_WHOLLY = 0.9  # of each side of a card with plain edges
_PLAIN = 12.0  # weighted 8-bit Lab
_MAX_ODDNESS = 0.45
_LEAST_CONTRAST = 1.0  # weighted 8-bit Lab
_HARDLY = 0.25  # of the usual contrast, or of certainty
_UNSURE, _BEYOND_DOUBT = 0.6, 0.9
_REACH_PX, _REACH = 4.0, 0.03  # off its place a card's edges may lie, the latter by its shorter side: bent ones do
# From here, weighted 8-bit Lab is in proportion to the cube root of light.
_NO_LIGHT = np.array([-16 * 2.55 * LIGHTNESS_WEIGHT, 128, 128], np.float32)
_DEEPEST, _SAME_TABLE = 0.35, 10.0  # shadow, by that root; weighted 8-bit Lab, of tint
_SPREAD = 3.0
_NEARER = 0.5  # to the other cards' ground than to what lies beyond its own edges
_ODDER = 0.12  # than the others, times a spread
_LARGER = 0.015  # of a side, or smaller
_PLAINER = 2.5  # times the usual contrast
_NEAR_PX = 6.0  # contrast is looked for as far out
_SAME_WAY, _SEVERAL = 0.8, 3  # cosine; sides that tell what is usual
_ROUNDS = 3
_TOO_MANY = 2  # flaws: one side may lie on another object, or in its shadow


def clear_cut(fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) have an edge in plain sight all along each side, beyond which it is clearly darker.

    Ink only takes light away, so that is no frame printed on bare paper: the card ends there, or a thick frame begins.
    """
    return np.asarray(_in_plain_sight(fit) & darker_all_round(fit.beyond, fit.inside))


def _in_plain_sight(fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) have an edge in plain sight all along each side, beyond which the colour is clearly another."""
    return np.asarray((fit.support.min(axis=1) > _WHOLLY) & (fit.contrast_beyond().min(axis=1) > _PLAIN))


def stands_out(lab: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) end where their corners are, and have another colour outside on two sides at least."""
    ends = end_at_corners(fit.quads, *run_on(lab, fit.quads), np.median(fit.inside, axis=1))
    return np.asarray(ends & ((fit.contrast_beyond() > _LEAST_CONTRAST).sum(axis=1) >= 2))


def _beside_others(quads: Singles, others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Beside which sides (n, 4) one of the `others` (n,) among the cards (n, 4, 2) lies close by."""
    middles = (quads + np.roll(quads, -1, axis=1)) / 2
    outward = middles - quads.mean(axis=1, keepdims=True)
    beyond = middles + _NEAR_PX * outward / np.linalg.norm(outward, axis=2, keepdims=True)
    rest = others & ~np.eye(len(quads), dtype=bool)
    found = [within_quads(points, quads[some]) for points, some in zip(beyond, rest, strict=True)]
    return np.asarray(found, bool).reshape(-1, 4)


def _usual_there(contrast: Singles, facing: Singles, others: NDArray[np.bool_]) -> Singles:
    """What contrast is usual beyond each side (n, 4), if it is less beyond sides of the `others` that face that way.

    Light comes from one side: white cards on white cast a shadow beyond the others, and show by no more than a rim
    there. `facing` (n, 4, 2) are unit vectors.
    """
    usual = np.full(contrast.shape, np.median(contrast[others]), np.float32)
    for k, ways in enumerate(facing):
        rest = others & (np.arange(len(others)) != k)
        along = np.einsum("ni,jsi->njs", ways, facing[rest]) > _SAME_WAY
        for side, same in enumerate(along):
            if same.sum() >= _SEVERAL:
                usual[k, side] = min(usual[k, side], float(np.median(contrast[rest][same])))
    return usual


def _unlike(ground: Singles, table: Singles, ends: NDArray[np.bool_], others: NDArray[np.bool_]) -> Singles:
    """How far the ground of each card (n,) is from that of the `others`, in the light that falls on it.

    `ground` and `table` (n, 3) are weighted 8-bit Lab colours. A shadow dims the table beside a card as it dims that;
    a card then stands out from it in the same way, which a shadow alone does not, and `ends` (n,) on all sides.
    """
    ground, table = ground - _NO_LIGHT, table - _NO_LIGHT
    usual, usual_table = (np.median(colour[others], axis=0) for colour in (ground, table))
    light = np.clip(table[:, :1] / usual_table[0], _DEEPEST, 1.0)
    away, dimmed = (np.linalg.norm(ground - each * usual, axis=1) for each in (1.0, light))
    step = usual - usual_table
    in_shadow = ends & ((ground - table) @ step > _HARDLY * light[:, 0] * (step @ step))
    in_shadow &= np.linalg.norm(table - light * usual_table, axis=1) < _SAME_TABLE
    return np.asarray(np.where(in_shadow, np.minimum(away, dimmed), away), np.float32)


def kin(fit: SideFit, deviation: Singles, order: Singles) -> tuple[SideFit, Singles, Singles]:
    """Leave out what does not look like one card, and what lacks a side unless its ground is that of a whole card."""
    odd, ground = fit.oddness(), np.median(fit.inside, axis=1)
    whole = (order[:, 0] > _SURE) & (odd < 0.2) & (fit.steps().mean(axis=1) > 0.7)
    known = np.linalg.norm(ground[:, None] - ground[None, whole], axis=2).min(axis=1, initial=np.inf) < SAME_STOCK
    several = whole.sum() > 1
    keep = (odd < _MAX_ODDNESS) & ((order[:, 0] > _SEEN) | (known & several & (odd < 0.25)))
    return fit.take(keep), deviation[keep], order[keep]


def like_the_others(lab: NDArray[np.uint8], stock: Stock, fit: SideFit, known: int | None = None) -> NDArray[np.bool_]:
    """Which cards (n,) are like the others: in ground, size, how their sides agree, and contrast on the open sides.

    A part of a sheet, between lines of text, has the sheet's own colour beyond some of its sides. The others are the
    first `known` cards, which the rest must equal also where they lie beside one another, or all that are alike.
    """
    alike = np.ones(len(fit.quads), bool)
    # Blank rectangles alone are sheets of paper.
    if known == 0 or not (printed_share(lab, fit.quads) >= BARE).any():
        return ~alike
    poses = poses_of(stock.plane, fit.quads)
    reach = max(_REACH_PX, _REACH * stock.plane.size[0])
    certainty = np.sort(settled(lab, stock.plane, poses, reach, stock.step)[1], axis=1)
    deviation = np.asarray(stock.plane.deviation(fit.quads), np.float32)
    contrast, ground, table = fit.contrast_beyond(), np.median(fit.inside, axis=1), np.median(fit.beyond, axis=1)
    # Where no edge was found it is not known what lies on either side.
    odd = fit.oddness() * fit.support.min(axis=1)
    # Of small cards, seen from afar, what is beside the sides is not known well enough to be certain.
    plain = _in_plain_sight(fit)
    goes_on = faint_run_on(lab, fit.quads)
    # A card that curls casts a deep shadow beyond one side; but a part of a sheet has edges that run on.
    ends = (certainty[:, 0] > _BEYOND_DOUBT) & ~goes_on.any(axis=(1, 2))
    # Sides that one of the edges beside them passes: lines on something longer, if they have no contrast.
    passed = np.roll(goes_on[..., 1], 1, axis=1) | np.roll(goes_on[..., 0], -1, axis=1)
    cuts = None if known is not None else corner_cuts(lab, fit, stock.plane.size[1] / stock.plane.size[0])
    facing = outward_of(fit.quads)
    facing /= np.linalg.norm(facing, axis=2, keepdims=True)
    # What is left out may have stood beside others, or made them look usual.
    for _ in range(_ROUNDS):
        others = alike if known is None else np.arange(len(alike)) < known
        faint = contrast < np.minimum(_HARDLY * _usual_there(contrast, facing, others), _PLAIN)
        if known is None:
            faint &= ~_beside_others(fit.quads, others)
        away = _unlike(ground, table, ends, others)
        uneven = odd > _ODDER + _SPREAD * np.median(odd[others])
        plainer = max(_PLAINER * float(np.median(contrast[others])), STANDS_OUT)
        lopsided = uneven & (contrast > plainer).any(axis=1) & ~ends
        flaws = faint.sum(axis=1) + (faint & passed).any(axis=1) + uneven + lopsided
        if cuts is not None:
            flaws += deviation > _LARGER + 2 * np.median(deviation[others])
            flaws += _TOO_MANY * are_rounder(cuts, others)
        # Cards printed all over have many grounds; and where the light falls off, a card still is unlike the table.
        kept = away < np.maximum(SAME_STOCK + _SPREAD * np.median(away[others]), _NEARER * np.median(contrast, axis=1))
        seen = (certainty[:, 1] > _HARDLY) & ~(faint.any(axis=1) & (certainty[:, 0] < _UNSURE))
        kept &= (flaws < _TOO_MANY) & (seen | plain)
        if cuts is None:
            return np.asarray(kept, np.bool_)
        if (kept == alike).all():
            # For a thing alone nothing else speaks.
            return np.asarray(kept & (flaws == 0) & ~are_missing(cuts) if kept.sum() == 1 else kept, np.bool_)
        alike = alike & kept
        if not alike.any():
            break
    return alike
