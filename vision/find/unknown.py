"""Finds cards whose size, or whose picture's scale, is not known: tries sizes, keeps the one that cards agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import FlatView, TableView
from vision.find.crops import Settled
from vision.find.finder import CardFinder, CardHypotheses, FinderLook

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SizeParams:
    """Parameters of the search for one size; sizes are compared by their logarithms."""

    # long side by short side: while the size is searched for; at most
    first_aspect: float = 1.35
    most_aspect: float = 1.9
    seeds: int = 8  # cards a view whose sizes are measured first
    # Of the largest probability by votes: at the right size cards of 68 of 69 photographs have 0.93.
    standing_out: float = 0.8
    # share in sight and score from which a card counts
    in_sight: float = 0.5
    score: float = 0.4
    # sizes that may be one; that differ; so near to the one tried that there is no further look
    alike: float = 0.03
    other: float = 0.13
    finalists: int = 3  # sizes that are looked at closely
    rival: float = 0.7  # of the agreement on the likeliest size
    aslant: float = 0.9  # weight of views at other tilts: of cards seen from above they explain as much
    # a view is from above where the sizes of most cards differ by less
    flat: float = 0.06
    most: float = 0.75
    one_way: float = 0.7  # of the changes of colour at the sides of cards: their sum by their number


SIZE = SizeParams()


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
    if wanted.card is not None and not isinstance(view, FlatView):
        return UnknownCards(wanted.card, view, finder.find(view, wanted.card, known))

    def close(seen: TableView, size: tuple[float, float]) -> FinderLook:
        # Edges of the picture lead to halves of cards at first.
        look = finder.again(finder.again(finder.voted(seen, size, known), on_edges=False))
        return finder.again(look, _way(look))

    if wanted.card is not None:
        look = close(view, wanted.card)
        return UnknownCards(wanted.card, view, look.hypotheses(look.cards.quads))
    aspect = wanted.aspect or SIZE.first_aspect
    tried: list[tuple[float, TableView, FinderLook]] = []
    sizes = [(short, short * aspect) for short in view.short_sides()]
    for views in ([view], view.tilted()):
        coarse: list[tuple[float, TableView, tuple[float, float]]] = []
        for seen in views:
            looks = _seeds(finder, seen, sizes, known, 2 if seen is view else 1)
            coarse += [(agreement, seen, size) for agreement, size in _likely(looks, wanted.aspect)]
        coarse = sorted(coarse, key=lambda one: -one[0])[: SIZE.finalists]
        coarse = [one for one in coarse if one[0] >= SIZE.rival * coarse[0][0]]
        for _, seen, size in coarse:
            look = close(seen, size)
            tried.append((_explained(look) * (1.0 if seen is view else SIZE.aslant), seen, look))
        tried.sort(key=lambda one: -one[0])
        if _agreed(tried[0][2]) > SIZE.most:
            break
        # The size in the middle of the picture is nearly the same at any tilt.
        sizes = [size for _, _, size in coarse]
    _, seen, look = tried[0]
    size = _likely([look], wanted.aspect)[0][1]
    if np.abs(np.log(np.divide(size, look.card))).max() > SIZE.alike:
        look = close(seen, size)
    return UnknownCards(_likely([look], wanted.aspect)[0][1], seen, look.hypotheses(look.cards.quads))


def _seeds(
    finder: CardFinder, view: TableView, sizes: list[tuple[float, float]], known: Sequence[Floats], every: int
) -> list[FinderLook]:
    """Looks at cards that stand out: at every second size, say, and at those beside the ones at which cards do."""
    looks: dict[int, FinderLook] = {}
    due = set(range(min(every, len(sizes)) - 1, len(sizes), every))
    for _ in range(every):
        looks |= {k: finder.voted(view, sizes[k], known, SIZE.seeds) for k in due - looks.keys()}
        votes = {k: look.cards.votes.max(initial=0) for k, look in looks.items()}
        best = [k for k, most in votes.items() if most >= SIZE.standing_out * max(votes.values())]
        due = {k + step for k in best for step in (-1, 1)} & set(range(len(sizes)))
    return [finder.again(looks[k]) for k in best]


def _likely(looks: list[FinderLook], aspect: float | None) -> list[tuple[float, tuple[float, float]]]:
    """The sizes (short, long) on which most cards of looks agree, and how much, the best first; `aspect` is kept."""
    size = np.concatenate([np.log(_sizes(look)) for look in looks])
    good = [
        look.cards.scores * look.cards.edges**3 * (look.cards.in_sight >= SIZE.in_sight) * _coherence(look.cards) ** 2
        for look in looks
    ]
    # Half by area, so that four quarters of a card do not beat the card.
    weight = np.concatenate(good) * np.exp(size.sum(1) / 2)
    likely: list[tuple[float, tuple[float, float]]] = []
    while len(likely) < SIZE.finalists and weight.max(initial=0) > 0:
        agreement = np.exp(-0.5 * ((size[:, None] - size[None]) ** 2).sum(-1) / SIZE.alike**2) @ weight
        apart = np.abs(size - size[agreement.argmax()]).max(1)
        near = apart < SIZE.alike
        short, long = np.exp(np.average(size[near], 0, weight[near] + 1e-9))
        scale = 1.0 if aspect is None else np.sqrt(aspect * short / long)
        likely.append((float(agreement.max()), (float(short / scale), float(long * scale))))
        weight[apart < SIZE.other] = 0
    return likely or [(0.0, looks[0].card)]


def _explained(look: FinderLook) -> float:
    """How well cards of one size explain the picture: their outlines by their length; overlaps count against them."""
    cards, sizes = look.cards[_good(look)], _sizes(look)[_good(look)]
    if not len(cards) or np.median(sizes[:, 1] / sizes[:, 0]) > SIZE.most_aspect:
        return 0.0
    covered = np.zeros(look.above.image.shape[:2], np.uint8)
    for quad in cards.quads:
        cv2.fillConvexPoly(covered, np.round((quad - 0.5) * 16).astype(np.int32), (1,), cv2.LINE_8, 4)
    apart = min(1.0, float(covered.sum()) / float(cards.poses[:, 3:].prod(1).sum()))
    quality = cards.scores * cards.edges * cards.in_sight * _coherence(cards)
    return float(quality @ sizes.sum(1) * np.sqrt(_agreed(look)) * apart**2)


def _coherence(cards: Settled) -> Floats:
    """(n,) how alike colours change at a card's four sides, 0..1; at a next card's edge they change the other way."""
    change = cards.changes
    return np.asarray(np.linalg.norm(change.sum(1), axis=1) / np.maximum(np.linalg.norm(change, axis=2).sum(1), 1))


def _way(look: FinderLook) -> Floats | None:
    """(3,) direction in which colours change at the sides of most cards, or None where it differs."""
    weight = _coherence(look.cards) ** 2 * look.cards.scores * look.cards.in_sight
    change = look.cards.changes.sum(1)
    change /= np.maximum(np.linalg.norm(change, axis=1), 1)[:, None]
    way = weight @ change
    length = float(np.linalg.norm(way))
    return np.asarray(way / length) if length > SIZE.one_way * weight.sum() else None


def _sizes(look: FinderLook) -> Floats:
    """(n, 2) short and long sides in units of the view."""
    return np.sort(look.cards.poses[:, 3:], 1) / look.above.per_unit


def _agreed(look: FinderLook) -> float:
    """Share of the good cards that have the size of most, as they have in a view from straight above."""
    sizes = np.log(_sizes(look)[_good(look)])
    return float((np.abs(sizes[:, None] - sizes[None]).max(-1) < SIZE.flat).sum(1).max(initial=0) / max(1, len(sizes)))


def _good(look: FinderLook) -> NDArray[np.bool_]:
    return np.asarray((look.cards.in_sight >= SIZE.in_sight) & (look.cards.scores >= SIZE.score))
