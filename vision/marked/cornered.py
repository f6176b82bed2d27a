"""Cards of which a corner is seen: two straight edges and how they meet give the pose, and what print shows the face.

A hand may join all of a card's marks into one patch with itself, so that none has a mark's size or shape any more. But
whatever covers a card leaves a corner of it, mostly; from there it is known where each face of the deck has its rims,
and only one face has print of those colours there, and no bare ground where its print should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.deck import Deck
from vision.effort import spend
from vision.marked.colour import Palette, hue_gap, hues_on
from vision.marked.contours import SIDE
from vision.marked.corners import NEAR_MM, Corners, on_cards, turned_by
from vision.marked.evidence import like_ground
from vision.marked.layouts import Hypotheses, concatenated, no_cards
from vision.marked.outline import corners_of
from vision.marked.sampler import Sampler
from vision.marked.side_model import SideModel
from vision.marked.traces import OUTSIDE_MM, in_other_light
from vision.quads import within_quads
from vision.table import turned

_COARSE_MM, _CELL_MM = 4.0, 2.0
_LEAST_PLAIN, _LEAST_PRINTED = 0.12, 4  # of the coarse cells: a share, and how many
_MOST_VIEWS = 40  # of one side
_PLAIN, _LIT, _OWN, _PRINT = range(4)  # flags of a cell
_EVERY = 2  # of a rim's points
_WITHIN_MM = -1.5
_NEAR_DEG = 28.0
_LEAST_STEP, _STEP_OF_GROUND = 8.0, 0.06  # grey levels from one cell to the next, and a share of the ground's
_BARE_WEIGHT = 0.5
_LEAST_SCORE = 0.3  # of one rim: true cards of which half shows had 0.3 to 2.8
_MOST = 6  # in one corner


@dataclass(frozen=True, eq=False)
class Cornered:
    """Cards that may lie in corners: n `hypotheses`, none of whose marks was found.

    `grounds` (n, 3): RGB levels of the ground in the corner; `scores` (n,): how much print shows; `bare` (n, 3): the
    share of each mark's rim where the ground shows that goes on from the corner.
    """

    hypotheses: Hypotheses
    grounds: Floats
    scores: Floats
    bare: Floats


def cornered_cards(
    sampler: Sampler,
    deck: Deck,
    model: SideModel,
    corners: Corners,
    palette: Palette,
    white_rgb: Floats,
    known_mm: Floats,
    allowed: Flags,
) -> Cornered:
    """Give the faces, of the `allowed` (faces,), whose print fits best what shows of it in each corner.

    `palette`: of this picture; `white_rgb` (3,): linear, the tint that white cards have in it; `known_mm` (k, 4, 2):
    the cards that are known, which cover others.
    """
    own, side = corners_of(deck), model.layouts.side
    ahead = np.roll(own, -1, axis=0) - own
    leads = np.arctan2(ahead[:, 1], ahead[:, 0])
    parts, grounds, scores, bare = [no_cards()], [np.zeros((0, 3))], [np.zeros(0)], [np.zeros((0, 3))]
    corners, levels = on_cards(sampler, side, corners, white_rgb, known_mm)
    for k in _worth_a_view(sampler, side, deck, corners, levels, known_mm):
        place, turn, ground = corners.places_mm[k], float(corners.turn[k]), levels[k]
        view = _view(sampler, side, deck, place, turn, ground, palette, known_mm)
        looks = [_shown(view, cells, model.colours) for cells in _rims_from_corners(deck, model)]
        shown, missing = (np.stack(some) for some in zip(*looks, strict=True))
        score = np.where(allowed, shown, -np.inf).ravel()
        best = np.argsort(-score, kind="stable")[:_MOST]
        best = best[score[best] > _LEAST_SCORE]
        way, face = np.divmod(best, len(allowed))
        turns = turn - leads[way]
        shift = place - turned(own[way], turns)
        parts.append(Hypotheses(face, np.full((len(best), 3), -1), turns, shift, np.zeros(len(best))))
        grounds.append(np.repeat(ground[None], len(best), axis=0))
        scores.append(score[best])
        bare.append(missing.reshape(-1, 3)[best])
    return Cornered(concatenated(parts), np.concatenate(grounds), np.concatenate(scores), np.concatenate(bare))


@lru_cache(maxsize=4)
def _rims_from_corners(deck: Deck, model: SideModel) -> list[NDArray[np.intp]]:
    """Cells of a view just within and just outside the rims of all faces, (2, faces, 3·RIM), from each of its corners.

    See `_view`: as many rows on as the place lies along the side that follows clockwise, and columns along the other.
    """
    width, height = deck.card_mm
    rims = slice(4 * SIDE, None, _EVERY)
    points, normals = model.contours.points_mm[:, rims], model.contours.normals[:, rims]
    x, y = np.moveaxis(
        np.stack([points + _WITHIN_MM * normals, points + OUTSIDE_MM[model.layouts.side] * normals]), -1, 0
    )
    ways = [(x, y), (y, width - x), (width - x, height - y), (height - y, x)]
    last = len(_grid(deck, _CELL_MM)) - 1
    # Just outside a mark at the card's edge, or one that it cuts, there is no card.
    rows_and_columns = (np.clip(np.stack(way) / _CELL_MM, 0, last).astype(np.intp) for way in ways)
    return [rows * len(_grid(deck, _CELL_MM)) + columns for rows, columns in rows_and_columns]


def _shown(view: NDArray[np.uint16], cells: NDArray[np.intp], colours: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(faces,) how much shows of the rims of each face, less what of them is bare, and (faces, 3) how much is.

    `view`: see `_view`; `cells`: see `_rims_from_corners`; `colours` (faces, 3): palette index of every face's marks.
    """
    spend(15 + len(colours))
    size = (len(colours), 3, -1)
    within, beside = (view.ravel().take(some).reshape(size) for some in cells)
    printed = ((within >> (_PRINT + colours[..., None])) & (beside >> _LIT) & 1).mean(-1)
    both = within & beside
    missing, own = ((both >> flag & 1).mean(-1) for flag in (_PLAIN, _OWN))
    return (printed - _BARE_WEIGHT * missing).sum(-1), own


@lru_cache(maxsize=8)
def _grid(deck: Deck, cell_mm: float) -> Floats:
    """(n, n, 2) the middles of cells along and across from a corner, as far as a card may reach either way."""
    axis = np.arange(cell_mm / 2, max(deck.card_mm), cell_mm)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)


def _worth_a_view(
    sampler: Sampler, side: str, deck: Deck, corners: Corners, grounds: Floats, known_mm: Floats
) -> NDArray[np.intp]:
    """In which corners (k,) some more of the ground shows, and some print."""
    on_table = corners.places_mm[:, None] + turned_by(_grid(deck, _COARSE_MM).reshape(-1, 2), corners.turn)
    levels, inside = sampler.levels(on_table)
    open_to_view = inside & ~within_quads(on_table, known_mm)
    plain = like_ground(levels, grounds[:, None], side) & open_to_view
    worth = plain.mean(1) > _LEAST_PLAIN
    card, cell = np.nonzero(open_to_view & ~plain & worth[:, None])
    printed = np.isfinite(hues_on(levels[card, cell], grounds[card], side))
    worth &= np.bincount(card[printed], minlength=len(worth)) >= _LEAST_PRINTED
    return np.flatnonzero(worth)[:_MOST_VIEWS]


def _view(
    sampler: Sampler,
    side: str,
    deck: Deck,
    place: Floats,
    turn: float,
    ground: Floats,
    palette: Palette,
    known_mm: Floats,
) -> NDArray[np.uint16]:
    """Look at the area from a corner, in cells (n, n), of which each has flags.

    `_PLAIN`: the ground shows; `_LIT`: it may show, in another light; `_OWN`: it goes on from the corner without a
    step; `_PRINT` + k: print of the palette's colour k shows. What a known card covers has none but `_LIT`.
    """
    spend(350)
    grid = _grid(deck, _CELL_MM)
    on_table = place + turned_by(grid.reshape(-1, 2), np.array([turn]))[0].reshape(grid.shape)
    levels, inside = sampler.levels(on_table)
    open_to_view = inside & ~within_quads(on_table, known_mm)
    plain = like_ground(levels, ground, side) & open_to_view
    view = plain.astype(np.uint16) * (1 << _PLAIN | 1 << _LIT)
    view[_going_on(plain, levels, ground)] |= 1 << _OWN
    rest = np.nonzero(open_to_view & ~plain)
    left = levels[rest].astype(np.float64)
    hues = hues_on(left, ground, side)[:, None]
    near = np.abs(hue_gap(hues, palette.hues_deg)) < _NEAR_DEG
    flags = (near << np.arange(_PRINT, _PRINT + near.shape[1])).sum(1)
    view[rest] = flags | in_other_light(left, ground, side) << _LIT
    return view


def _going_on(plain: Flags, levels: NDArray[np.uint8], ground: Floats) -> Flags:
    """(n, n) which of the `plain` cells are reached from the corner without a step in their levels (n, n, 3).

    A sleeve or another card may look like the card that it covers, but has an edge.
    """
    least = max(_LEAST_STEP, _STEP_OF_GROUND * float(ground.max()))
    fine = levels.astype(np.int16)
    # Cells and, between them, whether one may pass.
    passes = np.zeros((2 * len(plain) - 1,) * 2, np.uint8)
    passes[::2, ::2] = plain
    passes[1::2, ::2] = plain[1:] & plain[:-1] & (np.abs(fine[1:] - fine[:-1]) < least).all(-1)
    passes[::2, 1::2] = plain[:, 1:] & plain[:, :-1] & (np.abs(fine[:, 1:] - fine[:, :-1]) < least).all(-1)
    labels = cv2.connectedComponents(passes, connectivity=4)[1][::2, ::2]
    near = (NEAR_MM / _CELL_MM).astype(np.intp)
    first = np.bincount(labels[near[:, 0], near[:, 1]], minlength=1)
    first[0] = 0
    return np.asarray(plain & (labels == first.argmax()) & (first.max() > 0))
