"""Finds cards whose size, or whose picture's scale, is not known: tries sizes and shapes, then measures the sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import View
from vision.find.finder import CardFinder, Hypotheses, Look, closer
from vision.find.scale import SHORT_PX

Floats = NDArray[np.float64]

_FIRST_ASPECT = 1.35  # long side by short side
_ASPECTS = (1.0, 1.2, 1.5, 1.65)  # tried next, at the best sizes alone
_MOST_ASPECT, _BEST = 1.9, 3
_GOOD = 0.5  # share in sight from which a card says something about the size
_WHOLE, _SHARP = 0.7, 0.3  # in sight, and evidence of edges, from which its sides are measured
_FINALISTS, _ALIKE = 6, 0.015  # sizes between which edges decide; closer ones are the same
_LEAST_SCORE, _CLOSER = 0.25, 3  # of cards whose outlines count; times the network's scale at which they are compared
_HALF_STRENGTH = 12.0  # levels a px: a change that counts half as much as an endless one
_NEARLY = 0.6  # of the best quality: of smaller ones, outlines of half a card may be as strong
_ROUNDS = 2  # of measuring the size and looking again


@dataclass(frozen=True)
class Wanted:
    """What is known of the cards: `card`, their sides in units of the view, or `aspect`, long by short, or nothing."""

    card: tuple[float, float] | None = None
    aspect: float | None = None


@dataclass(frozen=True)
class _Rated:
    """A size (short, long) that was tried in a view, and what its cards measure: short side and aspect."""

    quality: float
    view: View
    size: tuple[float, float]
    measured: tuple[float, float]

    def is_like(self, other: _Rated) -> bool:
        """Whether both are nearly one size in one view."""
        apart = max(abs(np.log(self.size[0] / other.size[0])), abs(np.log(self.size[1] / other.size[1])))
        return self.view is other.view and bool(apart <= _ALIKE)


@dataclass(frozen=True, eq=False)
class UnknownCards:
    """Cards of one size: `card` (short, long) in mm of the table, or in px of a picture without a scale."""

    card: tuple[float, float]
    hypotheses: Hypotheses


def find_unknown(
    finder: CardFinder, view: View, known: Sequence[Floats] = (), wanted: Wanted | None = None
) -> UnknownCards:
    """Cards of the one size that explains the picture best, with corners where each side is on an edge.

    `known` are corners (4, 2), in px of the picture, of what is no such card: marker cards.
    """
    wanted = wanted or Wanted()
    if wanted.card is not None:
        look = closer(finder.look(view, wanted.card, known), _CLOSER)
    else:
        look = _best_look(finder, view, known, wanted.aspect)
    short, aspect = _measured(look)
    return UnknownCards(wanted.card or (short, short * aspect), look.hypotheses(look.own_corners_px))


def _best_look(finder: CardFinder, view: View, known: Sequence[Floats], aspect: float | None) -> Look:
    """The look at the best size: over all sizes, then over shapes, then as the sides measure, then by outlines."""

    def rated(view: View, short: float, shape: float) -> _Rated:
        look = finder.look(view, (short, short * shape), known)
        return _Rated(_quality(look), view, (short, short * shape), _measured(look))

    def best_of(tried: list[_Rated]) -> list[_Rated]:
        return sorted(tried, key=lambda one: (-one.quality, one.size))

    tried = [
        rated(one, short, aspect or _FIRST_ASPECT) for one in (view, *view.tilted()) for short in one.short_sides()
    ]
    for one in best_of(tried)[:_BEST] if aspect is None else ():
        tried += [rated(one.view, one.size[0], shape) for shape in _ASPECTS]
    for one in best_of(tried)[:_BEST]:
        for _ in range(_ROUNDS):
            short, shape = one.measured
            tried.append(one := rated(one.view, short, aspect or shape))
    best = best_of(tried)
    finalists = [
        one
        for k, one in enumerate(best)
        if one.quality >= _NEARLY * best[0].quality and not any(one.is_like(other) for other in best[:k])
    ]
    looks = (closer(finder.look(one.view, one.size, known), _CLOSER) for one in finalists[:_FINALISTS])
    return max(looks, key=_explained)


def _explained(look: Look) -> float:
    """How well outlines explain the edges of the picture: their length times the square of their mean strength.

    Each edge counts once: where cards are 3 mm apart, sizes that reach from one to the next take the same edge twice.
    """
    good = (look.in_sight >= _GOOD) & (look.scores >= _LEAST_SCORE)
    image = look.above.view.from_above(SHORT_PX / look.above.per_unit / _CLOSER).image
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    change = cv2.magnitude(cv2.Scharr(grey, cv2.CV_32F, 1, 0), cv2.Scharr(grey, cv2.CV_32F, 0, 1)) / 16
    strength = change**2 / (change**2 + _HALF_STRENGTH**2)
    outlines = np.zeros(grey.shape, np.uint8)
    corners = np.round((look.refined.corners[good] * _CLOSER - 0.5) * 16).astype(np.int32)
    cv2.polylines(outlines, list(corners), True, (1,), 2, cv2.LINE_8, 4)
    energy = float(strength[outlines > 0].sum())
    return energy**2 / max(1, int(outlines.sum()))


def _quality(look: Look) -> float:
    """How much of the picture cards of this size explain: visible cards whose four sides are all on edges."""
    good = look.in_sight >= _GOOD
    area = (SHORT_PX**2 * look.aspect) / (look.above.per_unit**2)
    values = (look.scores * look.in_sight**2 * look.refined.evidence**3)[good]
    # Half of the weight goes by area, so that four quarters of a card do not beat the card.
    return float(values.sum() * np.sqrt(area)) if len(values) else 0.0


def _measured(look: Look) -> tuple[float, float]:
    """Short side, in units of the view, and aspect: medians over cards in full sight, each side where its edge is."""
    good = (look.in_sight > _WHOLE) & (look.refined.evidence > _SHARP)
    if not good.any():
        good = np.ones(len(look.in_sight), bool)
    if not good.any():
        return SHORT_PX / look.above.per_unit, look.aspect
    corners = look.refined.corners[good]
    sides = np.linalg.norm(np.roll(corners, -1, 1) - corners, axis=2)  # the first one is short
    across, along = float(np.median(sides[:, ::2])), float(np.median(sides[:, 1::2]))
    short, long = sorted((across, along))
    return short / look.above.per_unit, min(long / short, _MOST_ASPECT)
