"""Finds cards whose size, or whose picture's scale, is not known: tries sizes, keeps the one that cards agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.find.above import View
from vision.find.finder import CardFinder, Hypotheses, Look

Floats = NDArray[np.float64]

_FIRST_ASPECT = 1.35  # long side by short side, while the size is searched for
_GOOD = 0.5  # share in sight from which a card says something about the size
_ALIKE = 0.06  # logarithm of sizes that may be one
_ROUNDS = 3  # of measuring the size and looking again


@dataclass(frozen=True)
class Wanted:
    """What is known of the cards: `card`, their sides in units of the view, or `aspect`, long by short, or nothing."""

    card: tuple[float, float] | None = None
    aspect: float | None = None


@dataclass(frozen=True, eq=False)
class UnknownCards:
    """Cards of one size: `card` (short, long) in mm of the table, or in px of a picture without a scale."""

    card: tuple[float, float]
    hypotheses: Hypotheses


def find_unknown(
    finder: CardFinder, view: View, known: Sequence[Floats] = (), wanted: Wanted | None = None
) -> UnknownCards:
    """Cards of the one size on which most cards agree, with corners where each side is.

    `known` are corners (4, 2), in px of the picture, of what is no such card: marker cards.
    """
    wanted = wanted or Wanted()
    size = wanted.card or _first_size(finder, view, known, wanted.aspect or _FIRST_ASPECT)
    for _ in range(_ROUNDS):
        look = finder.again(finder.look(view, size, known, size_known=False), size_known=False)
        size = wanted.card or _measured(look, size)
    return UnknownCards(size, look.hypotheses(look.cards.quads))


def _first_size(finder: CardFinder, view: View, known: Sequence[Floats], aspect: float) -> tuple[float, float]:
    """The size (short, long) with the most agreement over looks at all scales."""
    sizes, weights = [np.zeros((0, 2))], [np.zeros(0)]
    for short in view.short_sides():
        look = finder.again(finder.look(view, (short, short * aspect), known, size_known=False), size_known=False)
        good = look.cards.in_sight >= _GOOD
        own = _sizes(look)[good]
        sizes.append(np.log(own))
        # By area, so that four quarters of a card do not beat the card.
        weights.append((look.cards.scores * look.cards.in_sight)[good] * np.sqrt(own.prod(1)))
    size, weight = np.concatenate(sizes), np.concatenate(weights)
    if not len(size):
        return view.short_sides()[0], view.short_sides()[0] * aspect
    agreement = np.exp(-0.5 * ((size[:, None] - size[None]) ** 2).sum(-1) / _ALIKE**2) @ weight
    near = np.abs(size - size[agreement.argmax()]).max(1) < _ALIKE
    short, long = np.exp(np.average(size[near], 0, weight[near]))
    return float(short), float(long)


def _sizes(look: Look) -> Floats:
    """(n, 2) short and long sides in units of the view."""
    return np.sort(look.cards.poses[:, 3:], 1) / look.above.per_unit


def _measured(look: Look, size: tuple[float, float]) -> tuple[float, float]:
    """Short and long side: medians over cards that are mostly in sight, or the size so far."""
    good = look.cards.in_sight > _GOOD
    if not good.any():
        return size
    short, long = np.median(_sizes(look)[good], 0)
    return float(short), float(long)
