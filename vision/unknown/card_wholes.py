"""Whether what agrees on one size is a card, a picture printed on a card, or a row of cards side by side."""

from __future__ import annotations

import numpy as np

from vision.arrays import Floats
from vision.quads import within_quads
from vision.unknown.card_plane import NARROW, apply_homography, rectifier, refined, shape_of

_TIE = 0.5  # of the votes of the best: edges are fainter than frames
_AS_PART = 0.5  # of the votes of the parts
_MOSTLY = 0.7  # of the parts lie in wholes, and about as many wholes there are
_LARGER = 1.03  # times the area of a part
_AS_PIECE = 0.35  # of the votes of the rows
_PIECE = 0.7  # of the area of a row, at most
_COVERED = 0.85  # of a row
_SEVERAL = 1.4  # pieces a row
_COUNTS = 0.15  # of the best piece's weight
_PART_SLACK_PX = 2.0


def whole_cards(agreed: list[tuple[float, Floats, Floats]], quads: Floats, overlap: Floats) -> tuple[Floats, Floats]:
    """The best of the planes `agreed` on, each with its votes and how well the quadrilaterals (n, 4, 2) agree (n,).

    Pictures printed on cards agree as well as the cards do: if most of what agrees lies in larger things of one size,
    each in one of its own, and these have a fair number of votes as well, then it is a part of them.
    """
    agreed = sorted(agreed, key=lambda plane: -plane[0])
    most, best, parts = agreed[0]
    for votes, x, wholes in agreed[1:]:
        if votes > _AS_PART * most and x[2] + x[3] > best[2] + best[3] and _is_part(parts, wholes, quads, overlap):
            most, best, parts = votes, x, wholes
    for votes, x, pieces in sorted(agreed, key=lambda plane: -float(plane[1][2:4].sum())):
        if votes > _AS_PIECE * most and x[2] + x[3] < best[2] + best[3] and _falls_into(parts, pieces, quads, overlap):
            best, parts = x, pieces
    return best, parts


def outermost(
    x: Floats, agreeing: Floats, quads: Floats, quality: Floats, overlap: Floats, size_wh: tuple[int, int]
) -> Floats:
    """Among sizes near that of `x` with about as many votes, the largest that holds what agrees on that of `x`.

    Frames printed on the cards, and mixtures of frame and edge, agree as well as the cards themselves.
    """
    shape, _ = shape_of(apply_homography(rectifier(x[:2], size_wh, float(x[4])), quads))
    size = np.stack([shape[:, :2].mean(axis=1), shape[:, 2:4].mean(axis=1)], axis=1)
    straight = np.clip(1 - np.abs(shape[:, 4:]).max(axis=1) / 0.15, 0, 1)
    apart = np.maximum(*(np.abs(size[:, None, k] - size[None, :, k]) for k in (0, 1))) / 0.045
    votes = shared_votes(np.clip(1 - apart**2, 0, 1) * quality * straight, overlap)
    votes[np.abs(size - x[2:4]).max(axis=1) > 0.3] = 0
    good = np.flatnonzero(votes > _TIE * votes.max())
    for k in good[np.argsort(-size[good].sum(axis=1), kind="stable")]:
        larger = np.clip(1 - apart[k] ** 2, 0, 1) * quality * straight
        if _about_the_same(agreeing, larger, quads):
            return refined(quads, quality, size_wh, np.concatenate([x[:2], size[k], x[4:]]), NARROW)
    return x


def _falls_into(wholes: Floats, pieces: Floats, quads: Floats, overlap: Floats) -> bool:
    """Whether what agrees on a larger size (n,) is made up of things that agree on a smaller one: cards in a row."""
    outer, inner = wholes > 0.5 * wholes.max(), pieces > _COUNTS * pieces.max()
    t = np.linspace(0.06, 0.94, 9)
    u, v = (each.ravel() for each in np.meshgrid(t, t))
    weight = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])
    points = np.einsum("nkc,km->nmc", quads[outer], weight)
    smaller = _areas(quads[inner]) < _PIECE * _areas(quads[outer]).min()
    covered = within_quads(points, quads[inner][smaller]).mean(axis=1)
    on, of = shared_votes(np.stack([inner, outer]).astype(np.float64), overlap)
    return bool((wholes[outer] * covered).sum() > _COVERED * wholes[outer].sum() and on > _SEVERAL * of)


def _about_the_same(some: Floats, larger: Floats, quads: Floats) -> bool:
    """Whether most of what agrees on a larger size (n,) lies about the middle of something that agrees on another."""
    inner, outer = some > 0.3 * some.max(), larger > 0.3 * larger.max()
    low, high = quads[outer].min(axis=1)[:, None], quads[outer].max(axis=1)[:, None]
    centres = quads[inner].mean(axis=1)
    holds = ((centres > low) & (centres < high)).all(axis=2).any(axis=1)
    return bool((larger[outer] * holds).sum() > 0.5 * larger[outer].sum())


def _is_part(parts: Floats, wholes: Floats, quads: Floats, overlap: Floats) -> bool:
    """Whether most of what agrees on one size (n,) lies in what agrees on another (n,), each in one of its own."""
    inner, outer = parts > 0.5 * parts.max(), wholes > 0.3 * wholes.max()
    start = quads[outer]
    side = np.roll(start, -1, axis=1) - start
    gap = quads[inner][:, None, :, None] - start[None, :, None]
    across = side[None, :, None, :, 0] * gap[..., 1] - side[None, :, None, :, 1] * gap[..., 0]
    within = (across > -_PART_SLACK_PX * np.linalg.norm(side, axis=2)[None, :, None]).all(axis=(2, 3))
    within &= _areas(quads[outer]) > _LARGER * _areas(quads[inner])[:, None]
    held, holding = np.zeros(len(quads)), np.zeros(len(quads))
    held[inner], holding[outer] = within.any(axis=1), within.any(axis=0)
    if (parts * held).sum() < _MOSTLY * (parts * inner).sum():
        return False
    of, held_by = shared_votes(np.stack([inner.astype(np.float64), holding]), overlap)
    return bool(held_by > _MOSTLY * of)


def _areas(quads: Floats) -> Floats:
    """The areas (n,) of quadrilaterals (n, 4, 2), clockwise."""
    x, y = quads[..., 0], quads[..., 1]
    return np.asarray((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1) / 2)


def shared_votes(agreeing: Floats, overlap: Floats) -> Floats:
    """Votes (m,) from how well (m, n) quadrilaterals agree with m guesses; those that overlap share theirs."""
    return np.asarray((agreeing**2 / np.maximum(agreeing @ overlap, 1e-9)).sum(axis=1))
