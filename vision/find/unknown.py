"""Finds cards whose size, or whose picture's scale, is not known: tries sizes, keeps the one that cards agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import TableView
from vision.find.finder import CardFinder, CardHypotheses, FinderLook
from vision.find.scale import FINE, SHORT_PX

Floats = NDArray[np.float64]

_FIRST_ASPECT, _MOST_ASPECT = 1.35, 1.9  # long side by short side: while the size is searched for; at most
_GOOD = 0.5  # share in sight from which a card says something about the size
_ALIKE, _EQUAL = 0.03, 0.02  # logarithm of sizes that may be one; of sizes that were measured and are one
_FINALISTS = 5  # sizes between which edges of the picture decide
_LEAST_SCORE = 0.4  # of cards whose outlines count
_HALF_STRENGTH = 12.0  # levels a px: a change that counts half as much as an endless one
_ASLANT = 0.9  # weight of views at other tilts: of cards seen from above they explain as much
_EVERY = 2  # other tilts are searched at every second size
_BEST, _SMALL = 2, 0.1  # sizes of which smaller ones are tried, too: their smallest tenth
_ROUNDS = 3  # of measuring the size and looking again


@dataclass(frozen=True)
class KnownSize:
    """Known size of the cards: `card`, their sides in units of the view, or `aspect`, long by short, or nothing."""

    card: tuple[float, float] | None = None
    aspect: float | None = None


@dataclass(frozen=True, eq=False)
class UnknownCards:
    """Cards of one size: `card` (short, long) in units of the `view` in which they were found."""

    card: tuple[float, float]
    view: TableView
    hypotheses: CardHypotheses


def find_unknown(
    finder: CardFinder, view: TableView, known: Sequence[Floats] = (), wanted: KnownSize | None = None
) -> UnknownCards:
    """Cards of the one size that explains the picture best, with corners where each side is.

    `known` are corners (4, 2), in px of the picture, of what is no such card: marker cards.
    """
    wanted = wanted or KnownSize()
    if wanted.card is not None and view.is_surveyed:
        return UnknownCards(wanted.card, view, finder.find(view, wanted.card, known))
    if wanted.card is not None:
        look = finder.look(view, wanted.card, known)
        return UnknownCards(wanted.card, view, look.hypotheses(look.cards.quads))

    def measured(seen: TableView, size: tuple[float, float]) -> tuple[float, tuple[float, float], FinderLook]:
        for _ in range(_ROUNDS):
            look = finder.look(seen, size, known)
            size = _measured(look, size, wanted.aspect)
        return _explained(look) * (1.0 if seen is view else _ASLANT), size, look

    aspect = wanted.aspect or _FIRST_ASPECT
    first: list[tuple[float, TableView, tuple[float, float]]] = []
    for seen in (view, *view.tilted()):
        sides = seen.short_sides()[:: 1 if seen is view else _EVERY]
        looks = [finder.look(seen, (short, short * aspect), known) for short in sides]
        first += [(agreement, seen, size) for agreement, size in _likely(looks)]
    first = sorted(first, key=lambda one: -one[0])[:_FINALISTS]
    tried = sorted((measured(seen, size) for _, seen, size in first), key=lambda one: -one[0])
    # Sides that took the edge of the next card make a size too large; few cards have no side that is free.
    smaller = [(look, np.quantile(_sizes(look), _SMALL, 0)) for _, _, look in tried[:_BEST] if len(look.cards)]
    tried += [measured(look.above.view, (float(short), float(long))) for look, (short, long) in smaller]
    _, size, look = max(tried, key=lambda one: one[0])
    return UnknownCards(size, look.above.view, look.hypotheses(look.cards.quads))


def _likely(looks: list[FinderLook]) -> list[tuple[float, tuple[float, float]]]:
    """The sizes (short, long) on which most cards of looks at all scales agree, and how much, the best first."""
    size = np.concatenate([np.log(_sizes(look)) for look in looks])
    good = [look.cards.scores * look.cards.edges**3 * (look.cards.in_sight >= _GOOD) for look in looks]
    # Half by area, so that four quarters of a card do not beat the card.
    weight = np.concatenate(good) * np.exp(size.sum(1) / 2)
    likely: list[tuple[float, tuple[float, float]]] = []
    while len(likely) < _FINALISTS and weight.max(initial=0) > 0:
        agreement = np.exp(-0.5 * ((size[:, None] - size[None]) ** 2).sum(-1) / _ALIKE**2) @ weight
        near = np.abs(size - size[agreement.argmax()]).max(1) < 2 * _ALIKE
        short, long = np.exp(np.average(size[near], 0, weight[near] + 1e-9))
        likely.append((float(agreement.max()), (float(short), float(long))))
        weight[near] = 0
    short = SHORT_PX / looks[0].above.per_unit
    return likely or [(0.0, (short, short * _FIRST_ASPECT))]


def _explained(look: FinderLook) -> float:
    """How well cards explain the picture: agreement, length of outlines, strength of edges, little overlap.

    Where cards are 3 mm apart, sizes that reach over the gap take the edge of the next card, and overlap in the gap.
    """
    cards = look.cards[(look.cards.in_sight >= _GOOD) & (look.cards.scores >= _LEAST_SCORE)]
    if not len(cards) or np.median(_sizes(look)[:, 1] / _sizes(look)[:, 0]) > _MOST_ASPECT:
        return 0.0
    grey = cv2.GaussianBlur(cv2.cvtColor(look.above.fine, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    change = cv2.magnitude(cv2.Scharr(grey, cv2.CV_32F, 1, 0), cv2.Scharr(grey, cv2.CV_32F, 0, 1)) / 16
    strength = change**2 / (change**2 + _HALF_STRENGTH**2)
    outlines = np.zeros(grey.shape, np.uint8)
    corners = np.round((cards.quads * FINE - 0.5) * 16).astype(np.int32)
    cv2.polylines(outlines, list(corners), True, (1,), 2, cv2.LINE_8, 4)
    length = max(1, int(outlines.sum())) / look.above.per_unit
    alike = _alike(cards.poses[:, 3:]).mean(1).max()
    agreement = (cards.scores * cards.edges * cards.in_sight).mean() * np.sqrt(alike)
    covered = np.zeros(grey.shape, np.uint8)
    for corner in corners:
        cv2.fillConvexPoly(covered, corner, (1,), cv2.LINE_8, 4)
    apart = min(1.0, float(covered.sum()) / (cards.poses[:, 3:].prod(1).sum() * FINE**2))
    return float(agreement * length * strength[outlines > 0].mean() ** 2 * apart**2)


def _sizes(look: FinderLook) -> Floats:
    """(n, 2) short and long sides in units of the view."""
    return np.sort(look.cards.poses[:, 3:], 1) / look.above.per_unit


def _measured(look: FinderLook, size: tuple[float, float], aspect: float | None) -> tuple[float, float]:
    """Short and long side on which most cards agree that are mostly in sight, or the size so far; `aspect` is kept."""
    own = _sizes(look)[(look.cards.in_sight > _GOOD) & (look.cards.edges > _GOOD)]
    if not len(own):
        return size
    alike = _alike(own)
    short, long = np.median(own[alike[np.argmax(alike.sum(1))]], 0)
    scale = 1.0 if aspect is None else np.sqrt(aspect * short / long)
    return float(short / scale), float(long * scale)


def _alike(sizes: Floats) -> NDArray[np.bool_]:
    """(n, n) which sizes (n, 2) are alike within 2 %."""
    return np.asarray(np.abs(np.log(sizes[:, None] / sizes[None])).max(-1) < _EQUAL)
