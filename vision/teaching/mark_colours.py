"""The colours of a deck of marks: all discs of a lesson by what they look like, under the game's names for colours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import load_deck
from vision.errors import BadLessonError
from vision.render_face import bgr
from vision.teaching.colour_names import lab_of_linear, linear_of_bgr

_SAME = 16.0  # what two colours of one deck differ by at least, see `_by_hue`
_LIGHTNESS, _FULL, _BEYOND = 0.3, 40.0, 0.25
_ROUNDS = 10
_FEW = 0.03


def colours_of(labs: Floats, side: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which colour (n,) each disc (n, 3) in Lab has, and the names of all colours.

    Raises:
        BadLessonError: they have more colours than Confetti.
    """
    seen = _by_hue(labs)
    middles = _starts(seen)
    of = np.zeros(len(seen), np.intp)
    for _ in range(_ROUNDS):
        of = np.linalg.norm(seen[:, None] - middles[None], axis=2).argmin(axis=1)
        middles = np.array(
            [np.median(seen[of == k], axis=0) if (of == k).any() else middles[k] for k in range(len(middles))]
        )
    return of, _named(middles, side)


def _by_hue(labs: Floats) -> Floats:
    """Colours (n, 3) in Lab with hue counting most: a lamp makes one ink paler or darker, but hardly another hue."""
    chroma = np.linalg.norm(labs[:, 1:], axis=1, keepdims=True)
    counted = np.where(chroma > _FULL, _FULL + _BEYOND * (chroma - _FULL), chroma)
    return np.concatenate([labs[:, :1] * _LIGHTNESS, labs[:, 1:] * counted / np.maximum(chroma, 1e-6)], axis=1)


def _starts(seen: Floats) -> Floats:
    """Discs that differ from one another, by how many others are like them."""
    near = np.linalg.norm(seen[:, None] - seen[None], axis=2) < _SAME / 2
    starts: list[int] = []
    for k in np.argsort(-near.sum(axis=1), kind="stable"):
        if all(np.linalg.norm(seen[k] - seen[other]) > _SAME for other in starts):
            starts.append(int(k))
    # Some discs were seen in a bad light: no colour of a deck is on so few of its cards.
    few = max(1, round(_FEW * len(seen)))
    many = [k for k in starts if near[k].sum() > few] or starts
    return seen[many]


def _named(middles: Floats, side: str) -> tuple[str, ...]:
    """The names that suit the colours best as a whole: one edition's violet is another's purple."""
    palette = load_deck("confetti").palette[side]
    names = sorted(palette)
    if len(middles) > len(names):
        raise BadLessonError(
            "error.lesson.these_cards_have_marks_of",
            "these cards have marks of more than {number} colours: Confetti has {list}",
            number=len(names),
            list=", ".join(names),
        )
    blue_green_red = np.array([bgr(palette[name]) for name in names], np.uint8)
    known = _by_hue(lab_of_linear(linear_of_bgr(blue_green_red)))
    gaps = np.linalg.norm(middles[:, None] - known[None], axis=2)
    best: Sequence[int] = min(
        permutations(range(len(names)), len(middles)), key=lambda order: sum(gaps[k, n] for k, n in enumerate(order))
    )
    return tuple(names[n] for n in best)
