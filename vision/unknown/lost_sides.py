"""Sides of cards that were put where nothing is to be seen are looked for farther off, where the card's edge is plain.

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
from vision.unknown.line_segments import meet_sides

Floats = NDArray[np.float32]

_FAR = 0.12  # by a card's width
_HARDLY = 0.33  # of the usual contrast
_LEAST = 3.0  # weighted 8-bit Lab: where cards hardly differ from the table, grain is as plain as they are
_MOST = 2  # sides: with more there is no card to go by
_SEEN = 0.8  # the share of a side along which its edge is seen
_AS_PLAIN = 0.5  # as is usual
_PLAINER = 2.0  # times as plain as where the side was put
_AS_LARGE = 0.08  # how far the card may be from the others' size
_UNLIKE = 0.1  # more `oddness`


def look_farther(
    fitted: Callable[[Floats, float], SideFit], found: SideFit, plane: CardPlane, unevenness: float
) -> SideFit:
    """The cards `found`, of which those with a lost side have it where an edge as plain as their others is, if any.

    `fitted` moves the sides of quadrilaterals (n, 4, 2) onto edges at most so many pixels away. Cards differ from the
    size on the `plane` `unevenness` times more than usual.
    """
    contrast = found.contrast_beyond()
    usual = float(np.median(contrast))
    lost = contrast < _HARDLY * usual
    rows = np.flatnonzero(lost.any(axis=1) & (lost.sum(axis=1) <= _MOST)) if usual > _LEAST else np.zeros(0, np.intp)
    if len(rows) == 0:
        return found
    lost, before = lost[rows], found.take(rows)
    reach = _FAR * plane.size[0]
    away = fitted(before.quads, reach)
    sides = [np.stack([quads, np.roll(quads, -1, axis=1)], axis=2) for quads in (away.quads, before.quads)]
    again = replace(away, quads=meet_sides(np.where(lost[..., None, None], *sides), before.quads, reach))
    for name in (part.name for part in fields(again) if part.name != "quads"):
        one, other = getattr(again, name), getattr(before, name)
        again = replace(again, **{name: np.where(lost if one.ndim == 2 else lost[..., None], one, other)})
    beyond = again.contrast_beyond()
    plain = (again.support > _SEEN) & (beyond > np.maximum(_AS_PLAIN * usual, _PLAINER * contrast[rows]))
    better = (plain | ~lost).all(axis=1) & (plane.deviation(again.quads) < _AS_LARGE * unevenness)
    better &= again.oddness() < before.oddness() + _UNLIKE
    order = np.arange(len(found.quads))
    order[rows[better]] = len(order) + np.flatnonzero(better)
    return found.joined(again).take(order)
