"""Finds cards whose size, or whose picture's scale, is not known: tries sizes and shapes, then measures the sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.find.above import FlatView, View
from vision.find.finder import CardFinder, Hypotheses, Look
from vision.find.scale import SHORT_PX

Floats = NDArray[np.float64]

_ASPECTS = (1.0, 1.25, 1.45, 1.65)  # long side by short side; the network bears 8 % of error
_SHORT_MM = (40.0, 46.0, 53.0, 61.0, 70.0)
_SHORT_SHARES = 0.055 * 1.16 ** np.arange(16)  # of a picture's shorter side, where nothing measures it
_MOST_VIEW_PX = 600 * 600
_GOOD = 0.5  # share in sight, and evidence, from which a card says something about the size
_ROUNDS = 2  # of measuring the size and looking again


@dataclass(frozen=True, eq=False)
class UnknownCards:
    """Cards of one size: `card` (short, long) in mm of the table, or in px of a picture without a scale."""

    card: tuple[float, float]
    hypotheses: Hypotheses


def find_unknown(finder: CardFinder, picture: NDArray[np.uint8], view: View | None = None) -> UnknownCards:
    """Cards of the one size that explains the picture best; without `view` its scale is unknown as well."""
    shorts: Floats = np.array(_SHORT_MM)
    if view is None:
        view = FlatView(picture)
        h, w = picture.shape[:2]
        shorts = _SHORT_SHARES * min(h, w)
        shorts = shorts[h * w * (SHORT_PX / shorts) ** 2 < _MOST_VIEW_PX]
    sizes = [(short, short * aspect) for short in shorts for aspect in _ASPECTS]
    card, best = sizes[0], -1.0
    for size in sizes:
        quality = _quality(finder.look(view, size))
        if quality > best:
            card, best = size, quality
    for _ in range(_ROUNDS):
        measured = _measured(finder.look(view, card))
        quality = _quality(finder.look(view, measured))
        if quality < best:
            break
        card, best = measured, quality
    return UnknownCards((float(card[0]), float(card[1])), finder.find(view, card))


def _quality(look: Look) -> float:
    """How much of the picture cards of this size explain: visible cards whose four sides are all on edges."""
    good = look.in_sight >= _GOOD
    area = (SHORT_PX**2 * look.aspect) / (look.above.per_unit**2)
    values = (look.scores * look.refined.evidence)[good]
    # Half of the weight goes by area, so that four quarters of a card do not beat the card.
    return float(values.sum() * np.sqrt(area)) if len(values) else 0.0


def _measured(look: Look) -> tuple[float, float]:
    """Short and long side, in units of the view: medians over cards in full sight, each side where its edge is."""
    good = (look.in_sight > 0.7) & (look.refined.evidence > 0.3)
    if not good.any():
        good = np.ones(len(look.in_sight), bool)
    if not good.any():
        return SHORT_PX / look.above.per_unit, SHORT_PX * look.aspect / look.above.per_unit
    sides = look.refined.sides[good]
    across = SHORT_PX + np.median(sides[:, 0] + sides[:, 1])
    along = SHORT_PX * look.aspect + np.median(sides[:, 2] + sides[:, 3])
    short, long = sorted((float(across), float(along)))
    return short / look.above.per_unit, min(long, short * 1.9) / look.above.per_unit
