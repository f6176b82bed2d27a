"""The cards that are known to lie on a table: read once, covered by others since, or gone from under something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.prints.card_search import FoundCard
from vision.quads import shared_area

Floats = NDArray[np.float64]

_COVERS = 0.04  # of a card's area: what lies on it
_SAME, _THE_SAME = 0.6, 0.8  # of a card's area that is another's; at which it is that card


@dataclass(frozen=True, eq=False)
class KnownCard:
    """A card that was found, and whether another one was laid over it since."""

    card: FoundCard
    under: bool = False


class KnownCards:
    """Cards that were read, and places (centre in mm, quad (4, 2) in px) where something lies that nobody has read."""

    def __init__(self) -> None:
        self._cards: list[KnownCard] = []
        self.vanished: list[tuple[tuple[float, float], Floats]] = []

    def __iter__(self) -> Iterator[KnownCard]:
        return iter(self._cards)

    def forget(self, cards: Sequence[KnownCard]) -> None:
        """Take it that some are to be read anew."""
        self._cards = [known for known in self._cards if known not in cards]

    def forget_all(self) -> None:
        """Take it that the table is another; what vanished from it did so all the same."""
        self._cards = []

    def take(self, touched: Sequence[KnownCard], found: Sequence[FoundCard]) -> None:
        """Put new findings in the place of what was known where something changed."""
        taken = [known.card.corners_px for known in self._cards if not known.under]
        new: list[FoundCard] = []
        for card in sorted(found, key=lambda one: one.reason is not None):
            if all(shared_area(card.corners_px, quad) < _SAME for quad in taken) and not self._lies_under(card):
                new.append(card)
                taken.append(card.corners_px)
        sure = [card.corners_px for card in new if card.reason is None]
        self.vanished = [one for one in self.vanished if not is_among(one[1], sure)]
        for known in touched:
            quad = known.card.corners_px
            if known.card.reason is not None or is_among(quad, sure):
                continue
            if is_covered(quad, sure):
                self._cards.append(KnownCard(known.card, under=True))
            elif not known.under:
                self.vanished.append((known.card.centre_mm, quad))
        self._cards += [KnownCard(card) for card in new]

    def _lies_under(self, card: FoundCard) -> bool:
        """Whether a card was known before another one was laid over it; what shows of it may be read once more."""
        under = [known.card for known in self._cards if known.under and known.card.print.id == card.print.id]
        return is_among(card.corners_px, [other.corners_px for other in under])


def is_among(quad: Floats, quads: Sequence[Floats]) -> bool:
    """Whether the card on a quad (4, 2) is one of those on others."""
    return any(shared_area(quad, other) > _THE_SAME for other in quads)


def is_covered(quad: Floats, quads: Sequence[Floats]) -> bool:
    """Whether one of the cards on other quads lies over the card on a quad (4, 2)."""
    return any(shared_area(quad, other) > _COVERS for other in quads)


def covered_share(quad: Floats, quads: Sequence[Floats]) -> float:
    """How much of the card on a quad (4, 2) lies under those on others, if these lie apart."""
    return sum(shared_area(quad, other) for other in quads)
