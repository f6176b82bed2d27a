"""Groups what was seen by what it shows, and makes one picture of all sightings of a face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.arrays import Image, Singles
from vision.teaching.same_print import best_turn, difference, laid_on, small

SAME = 0.16
"""Difference of the worst window up to which two sightings show one print."""
_LOOKED_AT = 4  # faces that are compared closely with a sighting
_MOST_AVERAGED = 12


@dataclass(frozen=True, eq=False)
class Sighting:
    """A card in a picture of the lesson: `card` (h, w, 3) levels 0 to 1 under white light, put straight."""

    picture: int
    place: int
    card: Singles


@dataclass(eq=False)
class FaceGroup:
    """Sightings of one face: `cards` lie on the first one, in its turn and its light; `off` is how far each was."""

    sightings: list[Sighting]
    turns: list[int]
    cards: list[Singles]
    off: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, sighting: Sighting) -> FaceGroup:
        """A face that was seen once."""
        return cls([sighting], [0], [sighting.card])

    @property
    def first(self) -> Singles:
        """The card on which the others are aligned."""
        return self.cards[0]

    def add(self, sighting: Sighting, turn: int, card: Singles, off: float) -> None:
        """Add a sighting: `card` is how it looks laid on the first."""
        self.sightings.append(sighting)
        self.turns.append(turn)
        self.off.append(off)
        if len(self.cards) < _MOST_AVERAGED:
            self.cards.append(card)

    def take(self, other: FaceGroup, turns: Sequence[int]) -> None:
        """Take all sightings of another group in, which shows the same face as somebody said."""
        for sighting in other.sightings:
            _, turn = best_turn(small(self.first), small(sighting.card), tuple(turns))
            card = laid_on(self.first, sighting.card, turn)
            self.add(sighting, turn, card, difference(self.first, card))

    def picture(self) -> Image:
        """One picture of the face, (h, w, 3) uint8 BGR: noise and glare of single sightings are gone."""
        return np.asarray(np.clip(np.rint(_averaged(self.cards) * 255), 0, 255), np.uint8)


def grouped(sightings: Sequence[Sighting], turns: tuple[int, ...], known: Sequence[FaceGroup] = ()) -> list[FaceGroup]:
    """The faces of all sightings, after those that are known, in the order in which they were first seen."""
    groups = list(known)
    sheets = [small(group.first) for group in groups]
    for sighting in sightings:
        sheet = small(sighting.card)
        near = sorted((*best_turn(known, sheet, turns), k) for k, known in enumerate(sheets))[:_LOOKED_AT]
        looks = []
        for _, turn, k in near:
            card = laid_on(groups[k].first, sighting.card, turn)
            looks.append((difference(groups[k].first, card), turn, k, card))
        looks.sort(key=lambda look: look[0])
        if looks and looks[0][0] < SAME:
            off, turn, k, card = looks[0]
            groups[k].add(sighting, turn, card, off)
        else:
            groups.append(FaceGroup.of(sighting))
            sheets.append(sheet)
    return groups


def _averaged(cards: Sequence[Singles]) -> Singles:
    """The mean of sightings, without what only some of them show: glare, a hair, a shadow's edge."""
    if len(cards) == 1:
        return cards[0]
    stack = np.stack(cards)
    if len(cards) == 2:
        # Of two that differ the one without glare is right, and glare is bright.
        off = np.abs(stack[0] - stack[1]).max(axis=2, keepdims=True) > 0.2
        return np.asarray(np.where(off, stack.min(axis=0), stack.mean(axis=0)), np.float32)
    middle = np.median(stack, axis=0)
    near = np.abs(stack - middle).max(axis=3, keepdims=True) < 0.1
    weight = np.maximum(near.astype(np.float32), 1e-4)
    return np.asarray((stack * weight).sum(axis=0) / weight.sum(axis=0), np.float32)
