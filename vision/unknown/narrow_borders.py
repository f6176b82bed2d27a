"""Cards with narrow white borders: which of the sides found are the frame's, within the border, and where that ends.

A border of a few pixels is as wide as the rim that a camera's sharpening makes, and edge and frame lie so near to each
other that outlines mix them. Side by side they tell: paper is brighter than any print, and beyond a frame's side it
ends at the same distance everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import frames, sample_lab
from vision.unknown.card_plane import CardPlane, shape_of
from vision.unknown.line_segments import meet_sides
from vision.unknown.paper import is_darker
from vision.unknown.weighted_lab import as_bgr

Floats = NDArray[np.float32]

_ALONG = np.linspace(0.12, 0.88, 24, dtype=np.float32)
_STEP = 0.5
_OFFSETS = np.arange(-8.0, 17.0, _STEP, dtype=np.float32)  # outward, in pixels
_WIDEST_PX = 9.0
_GROUND_PX, _RIM_PX, _TABLE_PX = (4.0, 7.0), 3.0, (2.0, 6.0)  # inside a side, at it, and beyond the paper's end
_LEAST_FALL = 4.0  # weighted lightness
_SAME_PX = 1.25
_MOSTLY = 0.6  # of the frames' sides
_FEWEST_CARDS, _FEWEST_SIDES = 3, 6
_NOT_HALO = 2.0  # times as much brighter than the table as the rim inside a frame is darker than what it surrounds
_CLIPPED = 8.0  # weighted lightness: black, which no sharpening makes darker
_ALIKE = 0.04  # how far sides may be from the cards' size


@dataclass(frozen=True, eq=False)
class _Sides:
    """What lies beyond the sides of n things: `is_frame` (n, 4), `ends` (n, 4) where the paper ends, outward in px.

    `brighter` (n, 4) by how much the paper is than the table, `darker` the rim inside the frame than what it surrounds,
    `darkest` that rim itself; weighted lightness.
    """

    is_frame: NDArray[np.bool_]
    ends: Floats
    brighter: Floats
    darker: Floats
    darkest: Floats


def in_borders(image_lab: NDArray[np.uint8], plane: CardPlane, quads: Floats) -> tuple[CardPlane, Floats]:
    """The plane with the size of the cards that have borders about `quads` (n, 4, 2), and their outlines (m, 4, 2).

    The same plane and none where no border shows. `image_lab` is (h, w, 3) 8-bit Lab.
    """
    nothing = plane, quads[:0]
    if len(quads) < _FEWEST_CARDS:
        return nothing
    seen = _look(image_lab, quads)
    if seen.is_frame.sum() < _FEWEST_SIDES:
        return nothing
    width = float(np.median(seen.ends[seen.is_frame]))
    agreed = seen.is_frame & (np.abs(seen.ends - width) < _SAME_PX)
    often = agreed.sum() > max(_FEWEST_SIDES - 1, _MOSTLY * seen.is_frame.sum())
    if not often or agreed.any(axis=1).sum() < _FEWEST_CARDS or not _is_paper(seen, agreed):
        return nothing
    cards = _moved(quads, np.where(agreed, seen.ends, 0))
    shape, _ = shape_of(plane.to_plane(cards))
    decided = agreed.any(axis=1) & (agreed | ~seen.is_frame).all(axis=1)
    if decided.sum() < _FEWEST_CARDS:
        return nothing
    short, long = np.exp([np.median(shape[decided][:, k : k + 2]) for k in (0, 2)]).tolist()
    whole = plane.resized(short, long)
    cards = cards[whole.deviation(cards) < _ALIKE]
    if len(cards) < _FEWEST_CARDS:
        return nothing
    return whole, cards


def _look(image_lab: NDArray[np.uint8], quads: Floats) -> _Sides:
    """What lies beyond the sides of `quads` (n, 4, 2)."""
    colours = np.median(sample_lab(image_lab, *frames(quads), _ALONG, _OFFSETS, True), axis=1)
    light = colours[..., 0]
    rows = np.arange(len(light))
    out, ground = _between(0.5, _WIDEST_PX), np.median(colours[:, _between(-_GROUND_PX[1], -_GROUND_PX[0])], axis=1)
    fall = np.zeros_like(light)
    fall[:, 2:-2] = light[:, :-4] - light[:, 4:]
    first = np.flatnonzero(out)[0]
    # The paper is what is brightest within reach before it first ends.
    steep = (fall > _LEAST_FALL) & out & (fall >= np.roll(fall, 1, axis=1)) & (fall >= np.roll(fall, -1, axis=1))
    end = np.where(steep.any(axis=1), steep.argmax(axis=1), first)
    paper = np.array([first - 1 + light[k, first - 1 : end[k] + 1].argmax() for k in rows])
    is_frame = steep.any(axis=1) & ~is_darker(as_bgr(colours[rows, paper]), as_bgr(ground))
    is_frame &= light[rows, paper] > ground[:, 0] + _LEAST_FALL
    table = np.array(
        [np.median(light[k, _between(_OFFSETS[end[k]] + _TABLE_PX[0], _OFFSETS[end[k]] + _TABLE_PX[1])]) for k in rows]
    )
    rim = light[:, _between(-_RIM_PX, 0)].min(axis=1)
    parts = is_frame, _finely(fall, end), light[rows, paper] - table, ground[:, 0] - rim, rim
    return _Sides(*(np.asarray(part).reshape(-1, 4) for part in parts))


def _finely(fall: Floats, at: NDArray[np.intp]) -> Floats:
    """Where between the offsets `at` (n,) the light falls most, in pixels: the top of a parabola."""
    rows = np.arange(len(at))
    before, here, after = (fall[rows, at + k] for k in (-1, 0, 1))
    bend = np.maximum(2 * here - before - after, 1e-6)
    return np.asarray(_OFFSETS[at] + _STEP * np.clip((after - before) / (2 * bend), -0.5, 0.5), np.float32)


def _between(near: float, far: float) -> NDArray[np.bool_]:
    return (near <= _OFFSETS) & (far >= _OFFSETS)


def _is_paper(seen: _Sides, agreed: NDArray[np.bool_]) -> bool:
    """Whether what is beside frames is brighter than a camera's sharpening makes a table.

    That darkens the rim inside an edge as much as it brightens the one outside, unless black has clipped.
    """
    brighter, darker, darkest = (float(np.median(part[agreed])) for part in (seen.brighter, seen.darker, seen.darkest))
    return brighter > _NOT_HALO * max(1.0, darker) and darkest > _CLIPPED


def _moved(quads: Floats, outward_px: Floats) -> Floats:
    """Quadrilaterals (n, 4, 2) with each side moved `outward_px` (n, 4)."""
    start, side, outward = frames(quads)
    ends = np.stack([start, start + side], axis=1) + outward[:, None] * outward_px.reshape(-1, 1, 1)
    return meet_sides(np.asarray(ends.reshape(-1, 4, 2, 2), np.float32), quads, _WIDEST_PX)
