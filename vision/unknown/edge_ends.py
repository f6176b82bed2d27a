"""Where a card's edges end: at its corners, while ruled lines, checks, planks and tiles run on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import outward_of, within_quads
from vision.unknown.card_edges import frames, sample_lab

_PLACES = np.linspace(0.1, 0.35, 8, dtype=np.float32)  # beyond a corner, by the side's length
_CORNER = np.linspace(-0.03, 0.03, 5, dtype=np.float32)
_SIDE = np.linspace(0.2, 0.8, 9, dtype=np.float32)
_ACROSS_PX = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], np.float32)
_SIDE_CLOSELY = np.linspace(0.12, 0.88, 32, dtype=np.float32)
_PLACES_CLOSELY = np.linspace(0.08, 0.35, 16, dtype=np.float32)
_PROFILE_PX = np.arange(-3, 4, dtype=np.float32)
_AS_STRONG = 0.5  # of the edge itself
_RUNS_ON = 0.6  # of the places beyond a corner
_MAX_ENDS = 3  # of eight; by chance some edge lies in the continuation of a side
_NEXT = 0.3  # how far beyond a side a neighbouring card is looked for, by the length of the sides beside it
_ROWS = 8
_MORE_LINES = 1.0  # of eight ends: where so many more run on they are ruled on a sheet
_SAME_GROUND = 12.0  # weighted 8-bit Lab


def run_on(image_lab: NDArray[np.uint8], quads: Singles) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the edges of `quads` (n, 4, 2), clockwise, go on beyond the start and the end of a side: (n, 4, 2).

    And of those, which pass the corner without the notch that two rounded corners and a gap leave: (n, 4, 2).
    """
    if len(quads) == 0:
        return np.zeros((0, 4, 2), bool), np.zeros((0, 4, 2), bool)
    start, side, outward = frames(quads)
    own = _change(sample_lab(image_lab, start, side, outward, _SIDE, _ACROSS_PX, True))
    typical = np.median(own, axis=1)[:, None]
    beyond, through = [], []
    for end, way in ((0, -1), (1, 1)):
        away = _change(sample_lab(image_lab, start, side, outward, end + way * _PLACES, _ACROSS_PX, True))
        near = _change(sample_lab(image_lab, start, side, outward, end + way * _CORNER, _ACROSS_PX, True, smooth=False))
        beyond.append((away > _AS_STRONG * typical).mean(axis=1) > _RUNS_ON)
        through.append(beyond[-1] & (near > _AS_STRONG * typical).all(axis=1))
    return np.stack(beyond, axis=1).reshape(-1, 4, 2), np.stack(through, axis=1).reshape(-1, 4, 2)


def lines_beyond(image_lab: NDArray[np.uint8], quads: Singles) -> float:
    """How many of the eight ends of the edges of `quads` (n, 4, 2) run on, on average; those with a notch count half.

    Along cards in a row edges run on as well, but for the notch; lines ruled on a sheet have none.
    """
    runs_on, passes = run_on(image_lab, quads)
    return float((runs_on + passes.astype(np.float64)).sum(axis=(1, 2)).mean() / 2) if len(quads) else 0.0


def are_ruled_round(image_lab: NDArray[np.uint8], cards: Singles, cells: Singles) -> bool:
    """Whether `cells` (m, 4, 2) are ruled on what `cards` (n, 4, 2) lie on: their edges run on, and the cards' end."""
    return lines_beyond(image_lab, cells) > lines_beyond(image_lab, cards) + _MORE_LINES


def faint_run_on(image_lab: NDArray[np.uint8], quads: Singles) -> NDArray[np.bool_]:
    """Which edges of `quads` (n, 4, 2) go on beyond start and end of a side (n, 4, 2), as means along them tell.

    An edge as faint as the noise is not seen at single places, but a mean over many of them shows it.
    """
    if len(quads) == 0:
        return np.zeros((0, 4, 2), bool)
    start, side, outward = frames(quads)

    def profile(along: Singles) -> Singles:
        lab = sample_lab(image_lab, start, side, outward, along, _PROFILE_PX, True, smooth=False).mean(axis=1)
        return np.asarray(lab - lab.mean(axis=1, keepdims=True), np.float32)

    own = profile(_SIDE_CLOSELY)
    least = _AS_STRONG * (own * own).sum(axis=(1, 2))
    ends = [(profile(along) * own).sum(axis=(1, 2)) > least for along in (-_PLACES_CLOSELY, 1 + _PLACES_CLOSELY)]
    return np.stack(ends, axis=1).reshape(-1, 4, 2)


def end_at_corners(
    quads: Singles, runs_on: NDArray[np.bool_], passes: NDArray[np.bool_], grounds: Singles | None = None
) -> NDArray[np.bool_]:
    """Which of the cards (n,) have edges that end at their corners, or run on along the next card of a row.

    Where both edges beside a side pass its corners, that side cuts through a longer sheet; but for one to another card
    with the same ground, of `grounds` (n, 3), if these are given. `runs_on` and `passes` are what `run_on` gives.
    """
    if len(quads) == 0:
        return np.zeros(0, bool)
    beside = next_to(quads)
    cuts = np.roll(passes[..., 1], 1, axis=1) & np.roll(passes[..., 0], -1, axis=1)
    if grounds is not None:
        alike = np.linalg.norm(grounds[:, None] - grounds[None], axis=2) < _SAME_GROUND
        cuts &= ~(beside & alike[:, None]).any(axis=2)
    whole = ~cuts.any(axis=1)
    # Between cards in rows that were not found, like those cut off by the picture's edge, the notches are seen.
    counts = (runs_on + passes.astype(np.float32)) / 2
    chosen = whole & (counts.sum(axis=(1, 2)) <= _MAX_ENDS)
    for _ in range(_ROWS):
        along = in_rows(beside & chosen)
        before, chosen = chosen, whole & ((counts * ~along).sum(axis=(1, 2)) <= _MAX_ENDS)
        if (before == chosen).all():
            break
    return np.asarray(chosen)


def in_rows(beside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Beyond which ends of the sides of cards (n, 4, 2) another one lies; `beside` (n, 4, n) is from `next_to`."""
    there = beside.any(axis=2)
    return np.stack([np.roll(there, 1, axis=1), np.roll(there, -1, axis=1)], axis=2)


def next_to(quads: Singles) -> NDArray[np.bool_]:
    """Which card lies just beyond which side of which: (n, 4, n)."""
    points = ((quads + np.roll(quads, -1, axis=1)) / 2 + _NEXT * outward_of(quads)).reshape(-1, 2)
    found = np.stack([within_quads(points, quad[None]).reshape(-1, 4) for quad in quads], axis=2)
    own = np.arange(len(quads))
    found[own, :, own] = False
    return found


def _change(lab: Singles) -> Singles:
    """The strongest change of colour across a line, within a pixel of it: (lines, along)."""
    return np.asarray(np.linalg.norm(lab[:, :, 2:] - lab[:, :, :-2], axis=3).max(axis=2), np.float32)
