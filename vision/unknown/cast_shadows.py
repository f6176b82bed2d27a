"""Thin shadows beside cards: on a table as pale as the cards, a side may have been put where its shadow ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import frames, sample_lab
from vision.unknown.line_segments import meet_sides

Floats = NDArray[np.float32]

_STEP = 0.5
_OFFSETS = np.arange(-10, 10 + _STEP / 2, _STEP, dtype=np.float32)  # outward of a side, in pixels
_ALONG = np.linspace(0.15, 0.85, 32, dtype=np.float32)
_WITHIN, _BEYOND = _OFFSETS <= -6, (_OFFSETS >= 2) & (_OFFSETS <= 5)  # the card, and the table
_BEYOND_SHADOW = _OFFSETS >= 6  # the same for a side that was put right
_WIDEST_PX, _NARROWEST_PX = 4.0, 0.5  # how far off the side its shadow is darkest
_INSIDE = (_OFFSETS >= -_WIDEST_PX) & (_OFFSETS <= -_NARROWEST_PX)
_OUTSIDE = (_OFFSETS >= _NARROWEST_PX) & (_OFFSETS <= _WIDEST_PX)
_DARKER, _ALIKE = 4.0, 12.0  # weighted 8-bit Lab: than both card and table, which hardly differ
_FEWEST, _MOSTLY = 3, 0.5  # cards, and of them
_ONE_WAY = 0.9  # of the shadows


def moved_off_shadows(image_lab: NDArray[np.uint8], quads: Floats) -> Floats:
    """Cards (n, 4, 2), clockwise, with sides that lie where thin shadows end moved to where these begin.

    `image_lab` is (h, w, 3) 8-bit Lab. A line printed on cards is there on sides that face any way; shadows are there
    only on sides that face away from the light, and then on most cards, beyond the sides that were put right.
    """
    if len(quads) < _FEWEST:
        return quads
    start, side, outward = frames(quads)
    colours = np.median(sample_lab(image_lab, start, side, outward, _ALONG, _OFFSETS, True, smooth=False), axis=1)
    within, darkest = _shaded(colours, _INSIDE, _BEYOND)
    beyond, _ = _shaded(colours, _OUTSIDE, _BEYOND_SHADOW)
    shaded = within | beyond
    on_cards = shaded.reshape(-1, 4).any(axis=1)
    away = outward[shaded].mean(axis=0) if shaded.any() else np.zeros(2, np.float32)
    if on_cards.sum() < max(_FEWEST, _MOSTLY * len(quads)) or np.mean(outward[shaded] @ away > 0) < _ONE_WAY:
        return quads
    light = colours[..., 0]
    least = light[np.arange(len(light)), darkest]
    half = np.asarray((np.median(light[:, _WITHIN], axis=1) + least) / 2, np.float32)
    moved = np.where(within, _begin(light, half, darkest), 0)[:, None, None] * outward[:, None]
    ends = np.asarray(np.stack([start, start + side], axis=1) + moved, np.float32)
    return meet_sides(ends.reshape(-1, 4, 2, 2), quads, _WIDEST_PX)


def _shaded(
    colours: Floats, near: NDArray[np.bool_], beyond: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Beside which sides (n,) it is darkest at one of the offsets `near` them, darker than the card and what is beyond.

    And at which offset. `colours` (n, k, 3) are those at all offsets, in weighted 8-bit Lab.
    """
    light = colours[..., 0]
    darkest = np.where(near, light, np.inf).argmin(axis=1)
    rows = np.arange(len(light))
    least = light[rows, darkest]
    card, table = (np.median(colours[:, where], axis=1) for where in (_WITHIN, beyond))
    shaded = np.minimum(card[:, 0], table[:, 0]) - least > _DARKER
    shaded &= (np.linalg.norm(card - table, axis=1) < _ALIKE) & (light[rows, darkest + 1] >= least)
    return np.asarray(shaded, np.bool_), darkest


def _begin(light: Floats, half: Floats, darkest: NDArray[np.intp]) -> Floats:
    """Where, going inward from the `darkest` place, the light (n, k) has come back to `half` (n,) of what it lacks."""
    inward = np.arange(light.shape[1]) < darkest[:, None]
    bright = inward & (light > half[:, None])
    last = np.where(bright, np.arange(light.shape[1]), 0).max(axis=1)
    rows = np.arange(len(light))
    above, below = light[rows, last], light[rows, np.minimum(last + 1, light.shape[1] - 1)]
    share = np.clip((above - half) / np.maximum(above - below, 1e-3), 0, 1)
    return np.asarray(_OFFSETS[last] + share * _STEP, np.float32)
