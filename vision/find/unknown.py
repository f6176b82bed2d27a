"""Finds cards whose size, or whose picture's scale, is not known: tries sizes and shapes, then measures the sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.find.above import FlatView, View
from vision.find.finder import CardFinder, Hypotheses, Look, closer
from vision.find.scale import SHORT_PX

Floats = NDArray[np.float64]

_FIRST_ASPECT = 1.35  # long side by short side
_ASPECTS = (1.0, 1.2, 1.5, 1.65)  # tried next, at the best sizes alone
_MOST_ASPECT, _BEST = 1.9, 3
_SHORT_MM = (40.0, 46.0, 53.0, 61.0, 70.0)
_SHORT_SHARES = 0.06 * 1.18 ** np.arange(14)  # of a picture's shorter side, where nothing measures it
_MOST_VIEW_PX = 520 * 520
_GOOD = 0.5  # share in sight, and evidence, from which a card says something about the size
_ROUNDS = 2  # of measuring the size and looking again


@dataclass(frozen=True, eq=False)
class UnknownCards:
    """Cards of one size: `card` (short, long) in mm of the table, or in px of a picture without a scale."""

    card: tuple[float, float]
    hypotheses: Hypotheses


def find_unknown(
    finder: CardFinder, picture: NDArray[np.uint8], view: View | None = None, known: Sequence[Floats] = ()
) -> UnknownCards:
    """Cards of the one size that explains the picture best; without `view` its scale is unknown as well.

    `known` are corners (4, 2), in px of the picture, of what is no such card: marker cards.
    """
    shorts: Floats = np.array(_SHORT_MM)
    if view is None:
        view = FlatView(picture)
        h, w = picture.shape[:2]
        shorts = _SHORT_SHARES * min(h, w)
        shorts = shorts[h * w * (SHORT_PX / shorts) ** 2 < _MOST_VIEW_PX]
    rated = [_rated(finder, view, known, float(short), _FIRST_ASPECT) for short in shorts]
    for _, (short, _) in sorted(rated, reverse=True)[:_BEST]:
        rated += [_rated(finder, view, known, short, aspect) for aspect in _ASPECTS]
    for _, size in sorted(rated, reverse=True)[:_BEST]:
        for _ in range(_ROUNDS):
            rated.append(_rated(finder, view, known, *_measured(finder.look(view, size, known))))
            size = rated[-1][1]
    card = max(rated)[1]
    look = closer(finder.look(view, card, known))
    return UnknownCards(card, look.hypotheses(look.own_corners_px))


def _rated(
    finder: CardFinder, view: View, known: Sequence[Floats], short: float, aspect: float
) -> tuple[float, tuple[float, float]]:
    size = (short, short * aspect)
    return _quality(finder.look(view, size, known)), size


def _quality(look: Look) -> float:
    """How much of the picture cards of this size explain: visible cards whose four sides are all on edges."""
    good = look.in_sight >= _GOOD
    area = (SHORT_PX**2 * look.aspect) / (look.above.per_unit**2)
    values = (look.scores * look.in_sight**2 * look.refined.evidence**3)[good]
    # Half of the weight goes by area, so that four quarters of a card do not beat the card.
    return float(values.sum() * np.sqrt(area)) if len(values) else 0.0


def _measured(look: Look) -> tuple[float, float]:
    """Short side, in units of the view, and aspect: medians over cards in full sight, each side where its edge is."""
    good = (look.in_sight > 0.7) & (look.refined.evidence > 0.3)
    if not good.any():
        good = np.ones(len(look.in_sight), bool)
    if not good.any():
        return SHORT_PX / look.above.per_unit, look.aspect
    corners = look.refined.corners[good]
    sides = np.linalg.norm(np.roll(corners, -1, 1) - corners, axis=2)  # the first one is short
    across, along = float(np.median(sides[:, ::2])), float(np.median(sides[:, 1::2]))
    short, long = sorted((across, along))
    return short / look.above.per_unit, min(long / short, _MOST_ASPECT)
