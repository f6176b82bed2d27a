"""The hands that were shown in one round of Confetti: in time and late (C4), and which of them count. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from referee.games.confetti.score import Card
from referee.games.confetti.setup import LateCards

Hand = tuple[Card, ...]


class RoundHands:
    """The last hand of each of `players` seats, in time and after it."""

    def __init__(self, players: int) -> None:
        self.players = players
        self._in_time: dict[int, Hand] = {}
        self._late: dict[int, Hand] = {}
        self._changed: dict[int, Counter[Card]] = {}
        self._swept: set[int] = set()
        self.gone: dict[int, Hand | None] = {}
        """Seats whose cards went before they were counted, with the hand seen last, None where none was complete."""

    @property
    def all_late(self) -> bool:
        """Whether every seat has shown a hand after time."""
        return len(self._late) == self.players

    def unseen(self) -> tuple[int, ...]:
        """Give the seats that have shown no hand at all, or whose hand went before it was counted."""
        shown = (self._in_time.keys() | self._late.keys()) - self.gone.keys()
        return tuple(seat for seat in range(self.players) if seat not in shown)

    def lose(self, hands: Mapping[int, Hand | None]) -> None:
        """Note that the cards of seats went before they were counted; hands: those seen last."""
        for seat, hand in hands.items():
            self._late.pop(seat, None)
            self._swept.add(seat)
            self.gone[seat] = self._in_time.get(seat) if hand is None else hand

    def show_in_time(self, seat: int, cards: Hand) -> None:
        """Note what a seat holds while the sand runs."""
        self._in_time[seat] = cards

    def show_late(self, seat: int, cards: Hand) -> tuple[Hand, Hand] | None:
        """Note what a seat holds after time, and give what it took and put back since its last hand in time.

        None where nothing changed, where no hand in time is known, for a change that was given already, and where the
        cards went before they were counted: what people lay or say then is a hand from memory, not a card taken.
        """
        self._late[seat] = cards
        self.gone.pop(seat, None)
        if seat in self._swept:
            return None
        before, now = Counter(self._in_time.get(seat, cards)), Counter(cards)
        if now in (before, self._changed.get(seat)):
            return None
        self._changed[seat] = now
        return tuple((now - before).elements()), tuple((before - now).elements())

    def to_count(self, seat: int, late_cards: LateCards) -> Hand | None:
        """Give the hand of a seat that counts: with COUNT its last, with VOID its last in time, if there is one."""
        in_time, late = self._in_time.get(seat), self._late.get(seat)
        void = late_cards is LateCards.VOID and seat not in self._swept
        first, second = (in_time, late) if void else (late, in_time)
        return second if first is None else first
