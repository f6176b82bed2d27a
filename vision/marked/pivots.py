"""Cards of which one mark is seen as a whole and others in part: turned about the one until the print of others fits.

A hand or another card may leave of a card's marks no second one whole, and no edge; but what shows of the others still
lies where its face has them, in their colours, and beside it shows no ground where print should be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.marked.contours import SIDE, Contours
from vision.marked.evidence import Sampler, like_ground
from vision.marked.layouts import Hypotheses, Layouts, concatenated, no_cards
from vision.marked.traces import OUTSIDE_MM, coloured
from vision.quads import within_quads
from vision.table import turned

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_TURNS = np.radians(np.arange(0, 360, 3.0))
_EVERY = 2  # of a rim's points
_SPARSE = 2  # of those, for a first try
_TRIES = 120  # about one mark
_DEEP_MM = -1.5
_BARE_WEIGHT = 0.5
_LEAST_SCORE = 0.1
_MOST = 12  # about one mark


@dataclass(frozen=True, eq=False)
class Anchors:
    """Marks about which cards may be turned.

    `centres_mm` (k, 2); `numbers` (k,): which found marks they are; `allowed` (k, faces, 3): whether each may be the
    face's mark of that size; `grounds` (k, 3): RGB levels round them.
    """

    centres_mm: Floats
    numbers: NDArray[np.intp]
    allowed: Bools
    grounds: Floats


def pivoted_cards(
    sampler: Sampler,
    layouts: Layouts,
    contours: Contours,
    anchors: Anchors,
    mask: NDArray[np.uint8],
    hues_deg: Floats,
    known_mm: Floats,
) -> Hypotheses:
    """Turn all faces that each anchor may belong to about it, and give the poses where other print fits.

    `mask` (h, w): 0/1, what stands out from the ground in the work image; `hues_deg` (faces, 3): of every face's marks;
    `known_mm` (n, 4, 2): the cards that are known, which may cover print.
    """
    rims = slice(4 * SIDE, None, _EVERY)
    rim, normal = (v[:, rims].reshape(len(v), 3, -1, 2) for v in (contours.points_mm, contours.normals))
    pairs = np.stack([rim + _DEEP_MM * normal, rim + OUTSIDE_MM[layouts.side] * normal], axis=2)
    parts = [no_cards()]
    for k in range(len(anchors.numbers)):
        faces, size = np.nonzero(anchors.allowed[k])
        others = (size[:, None] + (1, 2)) % 3
        arms = pairs[faces[:, None], others] - layouts.centres_mm[faces, size][:, None, None, None]
        hues, ground = hues_deg[faces[:, None], others], anchors.grounds[k]
        middle = anchors.centres_mm[k]
        which, step = _worth_a_try(sampler, layouts.side, mask, arms[:, :, :, ::_SPARSE], middle, hues, ground)
        if not len(which):
            continue
        places = middle + _turned(arms[which], _TURNS[step].reshape(-1, 1, 1, 1))
        score = _scores(sampler, layouts.side, places, hues[which], ground, known_mm)
        best = _peaks(which, step, score, len(faces))
        turn, faces, size = _TURNS[step[best]], faces[which[best]], size[which[best]]
        seen = np.full((len(best), 3), -1, np.intp)
        seen[np.arange(len(best)), size] = anchors.numbers[k]
        shift = middle - turned(layouts.centres_mm[faces, size], turn)
        parts.append(Hypotheses(faces, seen, turn, shift, np.zeros(len(best))))
    return concatenated(parts)


def _turned(arms: Floats, turn: Floats) -> Floats:
    """Vectors (..., 2) turned by the angles (...) in rad."""
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = arms[..., 0], arms[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def _worth_a_try(
    sampler: Sampler,
    side: str,
    mask: NDArray[np.uint8],
    arms: Floats,
    middle_mm: Floats,
    hues: Floats,
    ground: Floats,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of the faces (n,), and at which step of turning, show the most of their other marks' rims.

    `arms` (n, 2, 2, p, 2) lead from the middle to a few points within and outside those; `hues` (n, 2) in degrees.
    """
    within = middle_mm + _turned(arms[:, None, :, 0], _TURNS.reshape(-1, 1, 1))
    rows, columns, _ = sampler.pixels(within)
    face, step, mark, point = np.nonzero(mask[rows, columns])
    levels = sampler.levels(within[face, step, mark, point])[0].astype(np.float64)
    print_like = coloured(levels[None], np.broadcast_to(ground, (1, *levels.shape)), side, hues[face, mark][None])[0]
    face, step, mark, point = (index[print_like] for index in (face, step, mark, point))
    outside = middle_mm + _turned(arms[face, mark, 1, point], _TURNS[step])
    seen = like_ground(sampler.levels(outside)[0].astype(np.float64), ground, side)
    count = np.bincount((face * len(_TURNS) + step)[seen], minlength=len(arms) * len(_TURNS))
    best = np.argsort(-count, kind="stable")[:_TRIES]
    which, step = np.divmod(best[count[best] > 0], len(_TURNS))
    return which, step


def _scores(sampler: Sampler, side: str, places: Floats, hues: Floats, ground: Floats, known_mm: Floats) -> Floats:
    """(m,) how much of the rims of two marks shows, less what of them is bare.

    `places` (m, 2, 2, p, 2): of two marks, points just within and just outside the rim; `hues` (m, 2) in degrees.
    """
    levels = sampler.levels(places)[0].astype(np.float64)
    plain = like_ground(levels, ground, side) & ~within_quads(places, known_mm)
    within, beside = levels[:, :, 0], plain[:, :, 1]
    expected = np.broadcast_to(hues[:, :, None], within.shape[:-1])
    print_like = coloured(within, np.broadcast_to(ground, within.shape), side, expected) & ~plain[:, :, 0]
    seen, bare = (print_like & beside).mean(-1), (plain[:, :, 0] & beside).mean(-1)
    return np.asarray((seen - _BARE_WEIGHT * bare).sum(-1))


def _peaks(which: NDArray[np.intp], step: NDArray[np.intp], score: Floats, faces: int) -> NDArray[np.intp]:
    """The best of the tries (m,) that are better than those a step to either side, the best first."""
    grid = np.full((faces, len(_TURNS)), -1.0)
    grid[which, step] = score
    peak = (grid > np.roll(grid, 1, axis=1)) & (grid >= np.roll(grid, -1, axis=1)) & (grid > _LEAST_SCORE)
    chosen = np.flatnonzero(peak[which, step])
    return np.asarray(chosen[np.argsort(-score[chosen], kind="stable")[:_MOST]])
