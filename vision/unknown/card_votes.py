"""Cards of one deck have one size: finds the tilt of the table and the card size that most quadrilaterals agree on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.unknown.card_plane import (
    TILT_PRIOR,
    WIDE,
    CardPlane,
    apply_homography,
    plane_of,
    rectifier,
    refined,
    shape_of,
)
from vision.unknown.card_wholes import outermost, shared_votes, whole_cards

_ASPECT = (1.18, 2.0)  # square sheets (markers, coasters) are no cards, nor are strips
_FORESHORTENED = 1.1  # by so much an aspect may be off before the tilt is known exactly
_ROUGH_SPREAD = 0.09  # of the logarithm of a side, before the tilt is known exactly
_GUESSES = 12
_SEEDS = 90
_DIRECTIONS = 8
_LARGER_COUNTS_MORE = 0.2  # power of the area: stripes in a mark are seldom outnumbered by cards
_LEAST_VOTES = 1.0  # a single poor quadrilateral is no card
_AGREE = 2.0  # things that agree, with nothing amiss, are so many votes
_SAME_SIZE = 0.01  # of the logarithm of a side
_FAR_MORE = 1.25  # times the votes
_AT_ONCE = 64  # quadrilaterals


def agree_on_planes(
    quads: NDArray[np.floating],
    quality: NDArray[np.floating],
    size_wh: tuple[int, int],
    aspects: tuple[float, float] = _ASPECT,
) -> list[CardPlane]:
    """The plane and card size that the most quadrilaterals (n, 4, 2) agree on; none if none can be a card.

    Where larger ones about the same things have nearly as many votes, as edges have beside frames, both are given.

    `quality` (n,) says how much each counts; of those that overlap and agree, all share one vote. The first ones
    should come from all over the picture, as sizes are guessed from them. `size_wh` is the size of the picture,
    `aspects` the least and most of a card's length by its width.
    """
    if len(quads) == 0:
        return []
    some = _SEEDS // 2
    best = np.argsort(-np.asarray(quality), kind="stable")[:some]
    order = np.concatenate([best, np.setdiff1d(np.arange(len(quads)), best)])
    outlines, weight = np.asarray(quads, np.float64)[order], np.asarray(quality, np.float64)[order]
    overlap = _overlap_along_sides(outlines)
    agreed: list[tuple[float, Floats, Floats]] = []
    for directions in (_DIRECTIONS, 2 * _DIRECTIONS):
        # Cards on a steep table may need a guess that is nearer; something small always agrees a little.
        if not _several(agreed):
            nearer = _agreed(outlines, weight, overlap, size_wh, aspects, _tilts(directions))
            agreed = nearer if _most(nearer) > _FAR_MORE * _most(agreed) else agreed
    if not agreed:
        return []
    x, agreeing = whole_cards(agreed, outlines, overlap)
    larger = outermost(x, agreeing, outlines, weight, _box_overlap(outlines), size_wh)
    found = [larger] if np.abs(larger - x)[2:4].max() < _SAME_SIZE else [larger, x]
    return [plane_of(each, size_wh) for each in found if _is_card_like(each, aspects)]


def _is_card_like(x: Floats, aspects: tuple[float, float]) -> bool:
    """Whether parameters x give a card's shape: squares may look like cards until the tilt has settled."""
    return bool(np.log(aspects[0]) < x[3] - x[2] < np.log(aspects[1]))


def _most(agreed: list[tuple[float, Floats, Floats]]) -> float:
    """The most votes that one of these planes has."""
    return max((votes for votes, _, _ in agreed), default=0.0)


def _several(agreed: list[tuple[float, Floats, Floats]]) -> bool:
    """Whether several things agree on one of these planes, each with its votes, whatever their size."""
    return any(votes / np.exp(_LARGER_COUNTS_MORE * x[2:4].sum()) > _AGREE for votes, x, _ in agreed)


def _agreed(
    outlines: Floats,
    weight: Floats,
    overlap: Floats,
    size_wh: tuple[int, int],
    aspects: tuple[float, float],
    tilts: list[Floats],
) -> list[tuple[float, Floats, Floats]]:
    """Planes and sizes that quadrilaterals (n, 4, 2) with weights (n,) agree on, found from a list of tilts.

    For each its votes, its parameters, and how well each quadrilateral agrees (n,).
    """
    # Ruled lines make many poor quadrilaterals in one place.
    favoured = weight**2
    guesses: list[tuple[float, Floats, Floats]] = []
    for tilt in tilts:
        ranking, sizes = _votes_for_sizes(
            apply_homography(rectifier(tilt, size_wh), outlines), weight, overlap, aspects
        )
        level = float(np.exp(-(np.hypot(*tilt) ** 2) / (8 * TILT_PRIOR**2)))
        guesses += [(float(ranking[k]) * level, tilt, sizes[k]) for k in np.argsort(-ranking)[:6]]
    guesses.sort(key=lambda guess: -guess[0])
    tried: list[Floats] = []
    agreed: list[tuple[float, Floats, Floats]] = []
    for score, tilt, size in guesses:
        if score <= 0 or len(tried) >= _GUESSES:
            break
        if any(np.abs(size - other).max() < 0.08 for other in tried):
            continue
        tried.append(size)
        x = refined(outlines, favoured, size_wh, np.concatenate([tilt, size, [0.0]]), WIDE)
        if _is_card_like(x, aspects):
            agreeing = _agreeing(x, outlines, weight, size_wh)
            shared, things = shared_votes(np.stack([agreeing, agreeing > 0.3 * agreeing.max()]), overlap)
            # One thing alone agrees with nothing.
            votes = float(shared * np.clip(things / 2, 0.5, 1) * np.exp(_LARGER_COUNTS_MORE * (x[2] + x[3])))
            agreed.append((votes, x, agreeing))
    return [plane for plane in agreed if plane[0] > _LEAST_VOTES]


def _agreeing(x: Floats, quads: Floats, quality: Floats, size_wh: tuple[int, int]) -> Floats:
    """How much each quadrilateral (n,) speaks for a plane and size."""
    return np.asarray(quality * np.clip(1 - (plane_of(x, size_wh).deviation(quads) / 0.1) ** 2, 0, 1))


def _box_overlap(quads: Floats) -> Floats:
    """Shared area of the bounding boxes of each two quadrilaterals by the smaller one's, (n, n)."""
    low, high = quads.min(axis=1), quads.max(axis=1)
    shared = [
        np.minimum(high[:, None, k], high[None, :, k]) - np.maximum(low[:, None, k], low[None, :, k]) for k in (0, 1)
    ]
    box = np.prod(high - low, axis=1)
    return np.asarray(
        np.maximum(shared[0], 0) * np.maximum(shared[1], 0) / np.maximum(np.minimum(box[:, None], box[None]), 1e-6)
    )


def _overlap_along_sides(quads: Floats) -> Floats:
    """The same of boxes along the sides of either, whichever share less: cards in slanting rows share nothing."""
    side = np.roll(quads, -1, axis=1) - quads
    axes = np.stack([side[:, 0] - side[:, 2], side[:, 1] - side[:, 3]], axis=2) / 2
    inverse, centre = np.linalg.pinv(axes), quads.mean(axis=1)
    area = np.empty((len(quads), len(quads)))
    # Some at a time: on squared paper there are many.
    for start in range(0, len(quads), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        away = quads[None] - centre[rows, None, None]
        places = np.einsum("jab,jikb->jika", inverse[rows], away)
        low, high = places.min(axis=2), places.max(axis=2)
        shared = np.clip(np.minimum(high, 0.5) - np.maximum(low, -0.5), 0, None) / np.clip(high - low, 1e-6, 1)
        area[rows] = shared.prod(axis=2)
    return np.asarray(np.minimum(area, area.T))


def _votes_for_sizes(
    quads: Floats, quality: Floats, overlap: Floats, aspects: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Votes (m,) for the sizes of the first m quadrilaterals, and the logarithms of those sizes' sides (m, 2)."""
    shape, _ = shape_of(quads)
    size = np.stack([shape[:, :2].mean(axis=1), shape[:, 2:4].mean(axis=1)], axis=1)
    skew = np.abs(shape[:, 4:]).max(axis=1) + 0.5 * np.abs(shape[:, [0, 2]] - shape[:, [1, 3]]).max(axis=1)
    aspect = size[:, 1] - size[:, 0]
    least, most = max(aspects[0] / _FORESHORTENED, _ASPECT[0]), min(aspects[1] * _FORESHORTENED, _ASPECT[1])
    card_like = (aspect > np.log(least)) & (aspect < np.log(most))
    fit = quality * np.clip(1 - skew / 0.35, 0, 1) * card_like
    seed, live = size[:_SEEDS], np.flatnonzero(fit)
    voting = np.flatnonzero(card_like[:_SEEDS])
    apart = np.maximum(*(np.abs(size[voting][:, None, k] - size[None, live, k]) for k in (0, 1))) / _ROUGH_SPREAD
    votes = np.zeros(len(seed))
    votes[voting] = shared_votes(np.clip(1 - apart**2, 0, 1) * fit[live], overlap[np.ix_(live, live)])
    return np.asarray(votes * np.exp(_LARGER_COUNTS_MORE * seed.sum(axis=1))), seed


def _tilts(directions: int) -> list[Floats]:
    """A level table, and tables tilted in so many directions."""
    angles = np.arange(directions) * 2 * np.pi / directions
    return [np.zeros(2)] + [
        np.radians(angle) * np.array([np.cos(d), np.sin(d)]) for angle in (15, 30, 45, 60) for d in angles
    ]
