"""Searches poses of cards with one whole mark and others in part: turns them about it until other print fits.

A hand or another card may leave neither a second whole mark nor an edge. The visible parts of the other marks are still
in place, in their colours, and no ground is visible where print should be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.marked.contour_traces import OUTSIDE_MM, coloured
from vision.marked.contours import SIDE, Contours
from vision.marked.evidence import like_ground
from vision.marked.layouts import Hypotheses, Layouts, concatenated, no_cards
from vision.marked.sampler import Sampler
from vision.quads import within_quads
from vision.table import turned

_TURNS = np.radians(np.arange(0, 360, 3.0))
_EVERY = 2  # of a rim's points
_SPARSE = 2  # of those, for a first try
_TRIES = 120  # about one mark
_AROUND, _CELL_MM = 240, 1.0  # cells of a first try: of a whole turn, and outwards
_GROUND, _PRINT = 0, 1  # flags of such a cell
_DEEP_MM = -1.5
_BARE_WEIGHT = 0.5
_LEAST_SCORE = 0.1
_MOST = 12  # about one mark


@dataclass(frozen=True, eq=False)
class Anchors:
    """Marks about which cards may be turned.

    `centres_mm` (k, 2); `numbers` (k,): indices of the found marks; `allowed` (k, faces, 3): whether each may be the
    face's mark of that size; `grounds` (k, 3): RGB levels round them.
    """

    centres_mm: Floats
    numbers: NDArray[np.intp]
    allowed: Flags
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
    """Turn all allowed faces about each anchor, and return the poses where other print fits.

    `mask` (h, w): 0/1, the foreground in the work image; `hues_deg` (faces, 3): of every face's marks; `known_mm`
    (n, 4, 2): the known cards, which may cover print.
    """
    rims = slice(4 * SIDE, None, _EVERY)
    rim, normal = (v[:, rims].reshape(len(v), 3, -1, 2) for v in (contours.points_mm, contours.normals))
    pairs = np.stack([rim + _DEEP_MM * normal, rim + OUTSIDE_MM[layouts.side] * normal], axis=2)
    palette, colours = np.unique(hues_deg, return_inverse=True)
    colours = colours.reshape(hues_deg.shape)
    wide_mm = np.linalg.norm(pairs - layouts.centres_mm[:, :, None, None], axis=-1).max()
    reach_mm = float(layouts.distances_mm.max() + wide_mm)
    parts = [no_cards()]
    for k in range(len(anchors.numbers)):
        faces, size = np.nonzero(anchors.allowed[k])
        others = (size[:, None] + (1, 2)) % 3
        arms = pairs[faces[:, None], others] - layouts.centres_mm[faces, size][:, None, None, None]
        middle, ground = anchors.centres_mm[k], anchors.grounds[k]
        view = _view(sampler, layouts.side, mask, middle, ground, palette, reach_mm)
        which, step = _worth_a_try(view, arms[:, :, :, ::_SPARSE], colours[faces[:, None], others])
        if not len(which):
            continue
        places = middle + _turned(arms[which], _TURNS[step].reshape(-1, 1, 1, 1))
        hues = hues_deg[faces[which][:, None], others[which]]
        score = _scores(sampler, layouts.side, places, hues, ground, known_mm)
        best = _peaks(which, step, score, len(faces))
        turn, faces, size = _TURNS[step[best]], faces[which[best]], size[which[best]]
        seen = np.full((len(best), 3), -1, np.intp)
        seen[np.arange(len(best)), size] = anchors.numbers[k]
        shift = middle - turned(layouts.centres_mm[faces, size], turn)
        parts.append(Hypotheses(faces, seen, turn, shift, np.zeros(len(best))))
    return concatenated(parts)


def _turned(arms: Floats, turn: Floats) -> Floats:
    """Return vectors (..., 2) turned by the angles (...) in rad."""
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = arms[..., 0], arms[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def _view(
    sampler: Sampler,
    side: str,
    mask: NDArray[np.uint8],
    middle_mm: Floats,
    ground: Floats,
    palette: Floats,
    reach_mm: float,
) -> NDArray[np.uint16]:
    """Return the table round a middle, in cells (radii, 2·_AROUND) of flags that go round it twice.

    `_GROUND`: the cell looks like the ground; `_PRINT` + k: print of the palette's hue k stands out.
    """
    angle = np.arange(_AROUND) * (2 * np.pi / _AROUND)
    radius = np.arange(_CELL_MM / 2, reach_mm + _CELL_MM, _CELL_MM)[:, None]
    places = middle_mm + np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    rows, columns, _ = sampler.pixels(places)
    levels = sampler.at(rows, columns).astype(np.float64)
    view = like_ground(levels, ground, side).astype(np.uint16) << _GROUND
    printed = np.nonzero(mask[rows, columns])
    hued = coloured(levels[printed][None], ground, side, palette[:, None])
    view[printed] |= (hued << np.arange(_PRINT, _PRINT + len(palette))[:, None]).sum(0).astype(np.uint16)
    return np.tile(view, 2)


def _worth_a_try(
    view: NDArray[np.uint16], arms: Floats, colours: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the faces (n,), and their steps of turning, with the most visible rims of their other marks.

    `arms` (n, 2, 2, p, 2) are from the middle to a few points within and outside those; `colours` (n, 2): index of each
    in
    the palette of the `view`, see `_view`.
    """
    radius = (np.hypot(arms[..., 0], arms[..., 1]) / _CELL_MM).astype(np.intp)
    angle = np.rint(np.arctan2(arms[..., 1], arms[..., 0]) * (_AROUND / (2 * np.pi))).astype(np.intp) % _AROUND
    steps = np.arange(0, _AROUND, _AROUND // len(_TURNS))
    seen = view.ravel()[(radius * view.shape[1] + angle)[..., None] + steps]
    printed = seen[:, :, 0] >> (_PRINT + colours[..., None, None]).astype(np.uint16)
    count = np.count_nonzero(printed & (seen[:, :, 1] >> _GROUND) & 1, axis=(1, 2)).ravel()
    best = np.argsort(-count, kind="stable")[:_TRIES]
    which, step = np.divmod(best[count[best] > 0], len(_TURNS))
    return which, step


def _scores(sampler: Sampler, side: str, places: Floats, hues: Floats, ground: Floats, known_mm: Floats) -> Floats:
    """Return the visible share (m,) of the rims of two marks, less their uncovered share without print.

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
    """Return the best of the tries (m,) that are better than those a step to either side, the best first."""
    grid = np.full((faces, len(_TURNS)), -1.0)
    grid[which, step] = score
    peak = (grid > np.roll(grid, 1, axis=1)) & (grid >= np.roll(grid, -1, axis=1)) & (grid > _LEAST_SCORE)
    chosen = np.flatnonzero(peak[which, step])
    return np.asarray(chosen[np.argsort(-score[chosen], kind="stable")[:_MOST]])
