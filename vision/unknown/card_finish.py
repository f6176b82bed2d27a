"""Puts the cards that were found where their corners are: known size first, then the edge of each side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of, settled
from vision.unknown.card_sizes import Stock
from vision.unknown.line_segments import meet_sides
from vision.unknown.outliers import clear_cut
from vision.unknown.view import View

_SEEN = 0.55  # the share of a side along which its edge is seen, at least
_WHOLLY, _PLAIN = 0.9, 4.0  # of each side of a card with plain edges: the share seen, and `rise`
_AS_LARGE = 0.1  # how far a card with plain edges may be from the others' size, as a lens shows it
_FEWEST = 4  # such cards tell the plane better
_SAME_SIZE = 0.02  # of the logarithm of a side
_LOOSE = 0.022  # how far a side may lie from where the size wants it, by the card's width
_OWN_SEEN, _OWN_SIZE = 0.85, 0.035  # of each side of a card with edges of its own; how far it may be from the size
_PLAINER = 0.1  # of the logarithm of how plain the edges are
_UNLIKE, _AS_OTHER = 0.1, 0.5  # more `oddness`; as another colour beyond
_TOLD = 1.0  # weighted 8-bit Lab between a card and the table: means along a side show so much
_NEAR_PX = 1.25  # of the copy: an edge lies no farther off
_NEARLY_THE_SIZE = 0.03  # of the logarithm of a side


def finished(view: View, quads: Singles, stock: Stock, unevenness: float = 1.0) -> tuple[SideFit, CardPlane]:
    """Cards where most speaks for a card of their size, each side on its edge where that is plain; and their plane.

    `quads` (n, 4, 2), clockwise, are roughly right, and differ in size `unevenness` times more than usual.
    """
    image_lab, plane = view.lab, stock.plane
    found = fit_sides(image_lab, quads, 2.0)
    if len(quads) == 0:
        return found, plane
    clear = clear_cut(found) & (plane.deviation(found.quads) < _AS_LARGE * unevenness)
    poses, _ = settled(image_lab, plane, poses_of(plane, quads), max(3.0, 0.06 * plane.size[0]), stock.step)
    poses, _ = settled(image_lab, plane, poses, 2.0, stock.step)
    # Edges in plain sight need no help, and a lens or a bent card may make them differ from the rest.
    rigid = poses.quads(plane)
    own = _turned_like(found.quads, rigid)
    rigid = np.where(clear[:, None, None], own, rigid)
    final = _fitted(view, rigid)
    if not clear.all():
        rest = np.flatnonzero(~clear)
        at_own = _fitted(view, own[rest])
        plainer = np.flatnonzero(_plainer(at_own, final.take(rest), plane))
        clear[rest[plainer]], rigid[rest[plainer]] = True, own[rest[plainer]]
        order = np.arange(len(quads))
        order[rest[plainer]] = len(quads) + plainer
        final = final.joined(at_own).take(order)
    plain = _plain(final)
    if plain.sum() >= _FEWEST:
        # Plain edges tell more than the means along sides do, but frames are plainer than edges.
        better = plane.refitted(final.quads[plain], np.ones(int(plain.sum())))
        agrees = bool(np.abs(np.log(np.divide(better.size, plane.size))).max() < _SAME_SIZE)
        if agrees and np.median(better.deviation(final.quads[plain])) < np.median(plane.deviation(final.quads[plain])):
            rigid = np.where(clear[:, None, None], rigid, poses_of(better, rigid).quads(better))
            final, plane = _fitted(view, rigid), better
    return replace(final, quads=_where_seen(final, rigid, _LOOSE * plane.size[0])), plane


def _turned_like(quads: Singles, others: Singles) -> Singles:
    """The same quadrilaterals (n, 4, 2), each beginning with the corner next to that with which the other one does."""
    turns = np.stack([np.roll(quads, k, axis=1) for k in range(4)])
    nearest = np.linalg.norm(turns - others, axis=3).sum(axis=2).argmin(axis=0)
    return np.asarray(turns[nearest, np.arange(len(quads))])


def _plainer(own: SideFit, sized: SideFit, plane: CardPlane) -> NDArray[np.bool_]:
    """Which cards (n,) are seen plainer, all round, at edges of their `own` than where the size wants them, `sized`.

    On a patterned table a rigid card may come to lie with a side on the pattern. But frames are often plainer than the
    cards' edges; then the cards differ from the size by more than cards do, or all by as much.
    """
    likelier = np.mean(np.log(own.rise * own.support + 1e-3) - np.log(sized.rise * sized.support + 1e-3), axis=1)
    seen = own.support.min(axis=1)
    again = plane.refitted(own.quads, seen)
    if np.abs(np.log(np.divide(again.size, plane.size))).max() > _NEARLY_THE_SIZE:
        return np.zeros(len(seen), bool)
    # Edges of a pattern may have told the plane wrong, too.
    off = np.minimum(plane.deviation(own.quads), again.deviation(own.quads))
    right = (seen > _OWN_SEEN) & (off < _OWN_SIZE)
    # Beyond a frame lies the card's own paper; where the table looks just like it, any line may be one.
    beyond = own.contrast_beyond().min(axis=1)
    right &= (beyond > _AS_OTHER * sized.contrast_beyond().min(axis=1)) & (beyond > _TOLD)
    return np.asarray(right & (likelier > _PLAINER) & (own.oddness() < sized.oddness() + _UNLIKE))


def _plain(fit: SideFit) -> NDArray[np.bool_]:
    """Which cards (n,) have an edge in plain sight all along each side."""
    return np.asarray((fit.support.min(axis=1) > _WHOLLY) & (fit.rise.min(axis=1) > _PLAIN))


def _fitted(view: View, quads: Singles) -> SideFit:
    """Each side on its own edge, as seen in the picture itself, close by."""
    fit = fit_sides(view.image_bgr, to_full(quads, view.scale), max(2.0, _NEAR_PX / view.scale), 48, is_lab=False)
    return replace(fit, quads=_to_small(fit.quads, view.scale))


def _where_seen(fit: SideFit, rigid: Singles, most: float) -> Singles:
    """Sides as fitted where an edge was seen close by, the others as the card's size wants them.

    Where the edge is faint a side is put between the two.
    """
    sides = [np.stack([quads, np.roll(quads, -1, axis=1)], axis=2) for quads in (fit.quads, rigid)]
    along = np.roll(rigid, -1, axis=1) - rigid
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1) / np.linalg.norm(along, axis=2, keepdims=True)
    moved = np.einsum("nsec,nsc->nse", sides[0] - sides[1], outward)
    middle = moved.mean(axis=2)
    across = np.roll(middle, 2, axis=1)
    # Of two opposite sides that make the card too large or too small, the one that moved farther is wrong.
    fits = (np.abs(middle + across) <= most) | (np.abs(middle) < np.abs(across))
    seen = (fit.support > _SEEN) & (np.abs(moved).max(axis=2) <= 1.5 * most) & fits
    # Where a faint edge lies is known no better than the size is.
    share = np.where(seen, np.where(fit.rise < _PLAIN, 0.5, 1.0), 0.0)[..., None, None].astype(np.float32)
    return meet_sides(share * sides[0] + (1 - share) * sides[1], rigid, 2.0)


def _to_small(points: Singles, scale: float) -> Singles:
    return np.asarray((points + 0.5) * scale - 0.5, np.float32)


def to_full(points: Singles, scale: float | Singles) -> Singles:
    """Points (..., 2) of a copy at a scale, or at two, in the picture itself; pixel centres are at whole numbers."""
    return np.asarray((points + 0.5) / scale - 0.5, np.float32)
