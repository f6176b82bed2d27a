"""Rings that came too early: the card that would have made the pair was still turning (P9)."""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.piccolino.events import Bell, CardShown
from referee.games.piccolino.rulings import TooEarly

TOO_EARLY_NS = 1_000_000_000


class EarlyRing:
    """The last wrong ring, as long as a card that was in mid-turn then has not been read."""

    def __init__(self) -> None:
        self._ring: Bell | None = None

    def rang(self, bell: Bell, *, wrong: bool) -> None:
        """Note a ring that was ruled."""
        self._ring = bell if wrong and bell.turning else None

    def shown(self, card: CardShown, pairs: Mapping[str, tuple[int, ...]]) -> tuple[TooEarly, ...]:
        """Tell whether a card has made one of the happy pairs of now, for which somebody rang too early."""
        ring = self._ring
        if ring is None or card.seat not in ring.turning:
            return ()
        self._ring = None
        early_ns = card.t_ns - ring.t_ns
        made = [(colour, seats) for colour, seats in pairs.items() if card.seat in seats and early_ns <= TOO_EARLY_NS]
        return tuple(TooEarly(card.t_ns, ring.seat, colour, seats, early_ns / 1e6) for colour, seats in made)
