"""Who holds how many cards in Piccolino: piles won, penalty cards, and who is out (P2, P4–P7)."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.piccolino.rulings import CardGiven, PilesWon, PlayerOut


class Holdings:
    """The cards of each seat: `draw[seat]` and `discard[seat]` in its piles; `is_out[seat]` once it has none left."""

    def __init__(self, draw: Sequence[int]) -> None:
        self.draw = list(draw)
        self.discard = [0] * len(draw)
        self.is_out = [cards == 0 for cards in draw]

    def turn(self, seat: int) -> None:
        """Move a seat's next card onto its discard pile, if it has one."""
        if self.draw[seat]:
            self.draw[seat] -= 1
            self.discard[seat] += 1

    def win_piles(self, t_ns: int, seat: int) -> tuple[PilesWon, ...]:
        """Put all discard piles under a seat's draw pile (P4)."""
        count = sum(self.discard)
        self.discard[:] = [0] * len(self.discard)
        self.draw[seat] += count
        return (PilesWon(t_ns, seat, count),) if count else ()

    def pay(self, t_ns: int, giver: int) -> tuple[CardGiven, ...]:
        """Give a card to each of the others, clockwise, as far as they last (P5)."""
        receivers = self.others(giver)[: self.draw[giver]]
        for other in receivers:
            self.draw[giver] -= 1
            self.draw[other] += 1
        return tuple(CardGiven(t_ns, giver, other) for other in receivers)

    def others(self, seat: int) -> list[int]:
        """Give the other seats that are still in, clockwise."""
        seats = len(self.draw)
        return [other for step in range(1, seats) if not self.is_out[other := (seat + step) % seats]]

    def put_out(self, t_ns: int) -> tuple[PlayerOut, ...]:
        """Put out who has no cards left (P6), lowest seat first."""
        held = enumerate(self.totals())
        gone = [seat for seat, cards in held if not (self.is_out[seat] or cards)]
        for seat in gone:
            self.is_out[seat] = True
        return tuple(PlayerOut(t_ns, seat) for seat in gone)

    def totals(self) -> tuple[int, ...]:
        """Give each seat's cards, draw and discard pile together."""
        return tuple(draw + discard for draw, discard in zip(self.draw, self.discard, strict=True))
