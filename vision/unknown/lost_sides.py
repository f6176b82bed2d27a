"""Sides of cards that were put where hardly an edge is to be seen are looked for farther off.

A card that is bent a little, or lies on a slope, differs from the others' size: three of its sides are where they
should be, and the fourth lies where the table goes on, or the card does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import SideFit
from vision.unknown.card_plane import CardPlane
from vision.unknown.faint_edges import moved_onto_edges
from vision.unknown.line_segments import meet_sides

Floats = NDArray[np.float32]

_FAR = 0.1  # by a card's width
_SEEN, _PLAIN = 0.9, 4.0  # the share of a side along which its edge is seen, and its `rise`: less is faint
_HARDLY = 0.33  # of the usual contrast
_LEAST = 3.0  # weighted 8-bit Lab: where cards hardly differ from the table, grain is as plain as they are
_AS_PLAIN, _TWICE = 0.5, 2.0  # as is usual; as where the side was put
_MOSTLY = 0.75  # the share of a side along which its edge is seen there
_HERE_PX = 1.0
_PLAINER = 1.15  # times the change, along all of a side, where it was put
_NEARLY, _LIKELY = 0.8, 4.0  # of the largest such change near by, which is so many times what changes there anyway
_AS_LARGE = 0.08  # how far the card may be from the others' size


def look_farther(
    image_lab: NDArray[np.uint8],
    fitted: Callable[[Floats, float], SideFit],
    found: SideFit,
    plane: CardPlane,
    unevenness: float,
) -> SideFit:
    """The cards `found`, of which those with a faint side have it where an edge near by is plainer, if any.

    `image_lab` is the (h, w, 3) picture, 8-bit Lab, in which they lie; `fitted` moves the sides of quadrilaterals
    (n, 4, 2) onto edges at most so many pixels away. Cards differ from the size on the `plane` `unevenness` times more
    than usual. Where places along a side find an edge, and the mean along all of it changes most as well, it is one.
    """
    contrast = found.contrast_beyond()
    lost = contrast < _HARDLY * np.median(contrast)
    faint = lost | (found.support < _SEEN) | (found.rise < _PLAIN)
    rows = np.flatnonzero(faint.any(axis=1))
    if len(rows) == 0:
        return found
    before, reach = found.take(rows), _FAR * plane.size[0]
    again = fitted(before.quads, reach)
    better = _plainer_edges(image_lab, before.quads, again.quads, reach)
    if np.median(contrast) > _LEAST:
        beyond = np.maximum(_AS_PLAIN * np.median(contrast), _TWICE * contrast[rows])
        better |= lost[rows] & (again.contrast_beyond() > beyond)
    better &= faint[rows] & (again.support > _MOSTLY)
    again = _with_sides(before, again, better, reach)
    changed = better.any(axis=1) & (plane.deviation(again.quads) < _AS_LARGE * unevenness)
    order = np.arange(len(found.quads))
    order[rows[changed]] = len(order) + np.flatnonzero(changed)
    return found.joined(again).take(order)


def _plainer_edges(image_lab: NDArray[np.uint8], here: Floats, there: Floats, reach_px: float) -> NDArray[np.bool_]:
    """Which sides (n, 4) of quadrilaterals (n, 4, 2) have a plainer edge `there` than `here`, by means along them.

    It is about as plain as any `reach_px` away at most.
    """
    _, most, floor = moved_onto_edges(image_lab, here, reach_px)
    at_most = np.linalg.norm(most, axis=2)
    before, after = (np.linalg.norm(moved_onto_edges(image_lab, q, _HERE_PX)[1], axis=2) for q in (here, there))
    return np.asarray((after > np.maximum(_PLAINER * before, _NEARLY * at_most)) & (at_most > _LIKELY * floor))


def _with_sides(cards: SideFit, others: SideFit, which: NDArray[np.bool_], reach_px: float) -> SideFit:
    """The cards with those of their sides, `which` (n, 4), as the others have them."""
    sides = [np.stack([fit.quads, np.roll(fit.quads, -1, axis=1)], axis=2) for fit in (others, cards)]
    quads = meet_sides(np.where(which[..., None, None], *sides), cards.quads, reach_px)
    parts = {part.name: (getattr(others, part.name), getattr(cards, part.name)) for part in fields(cards)}
    del parts["quads"]
    chosen = {
        name: np.where(which if one.ndim == 2 else which[..., None], one, other) for name, (one, other) in parts.items()
    }
    return replace(cards, quads=quads, **chosen)
