"""How the players of Piccolino did: a pure function over a game's rulings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from referee.games.piccolino.rulings import AlsoRang, FalseRing, PilesWon, ValidRing


@dataclass(frozen=True)
class SeatStatistics:
    """What a seat rang, and how fast.

    `reactions_ms`: from a happy pair's last card to the seat's first ring for it, for the rings that won and for those
    that came later (P8), in the order they were rung. `won_cards`: of all piles it got, by its own ring or another's.
    """

    valid: int
    false: int
    too_late: int
    lucky: int
    won_cards: int
    reactions_ms: tuple[float, ...]

    @property
    def fastest_ms(self) -> float | None:
        """The shortest reaction; None without any."""
        return min(self.reactions_ms, default=None)

    @property
    def median_ms(self) -> float | None:
        """The middle reaction; None without any."""
        return median(self.reactions_ms) if self.reactions_ms else None


def statistics(rulings: Iterable[object], players: int) -> tuple[SeatStatistics, ...]:
    """Give the statistics of each seat over a game's rulings, in the order they were made.

    Rings whose ringer was never named count for nobody, and of a seat's rings for one pair only the first.
    """
    seats = [_Tally() for _ in range(players)]
    open_ms: float | None = None
    rang: set[int] = set()
    for ruling in rulings:
        match ruling:
            case ValidRing():
                open_ms, rang = ruling.reaction_ms, set()
                if ruling.seat is not None:
                    rang.add(ruling.seat)
                    seats[ruling.seat].rang(ruling)
            case FalseRing():
                open_ms = None
                if ruling.seat is not None:
                    seats[ruling.seat].false += 1
            case AlsoRang(seat=int(seat), lag_ms=lag_ms) if open_ms is not None and seat not in rang:
                rang.add(seat)
                seats[seat].too_late += 1
                seats[seat].reactions_ms.append(open_ms + lag_ms)
            case PilesWon(to=to, count=count):
                seats[to].won_cards += count
            case _:
                pass
    return tuple(tally.total() for tally in seats)


class _Tally:
    def __init__(self) -> None:
        self.valid = self.false = self.too_late = self.lucky = self.won_cards = 0
        self.reactions_ms: list[float] = []

    def rang(self, ring: ValidRing) -> None:
        self.valid += 1
        self.lucky += ring.lucky
        if ring.reaction_ms is not None:
            self.reactions_ms.append(ring.reaction_ms)

    def total(self) -> SeatStatistics:
        return SeatStatistics(
            self.valid, self.false, self.too_late, self.lucky, self.won_cards, tuple(self.reactions_ms)
        )
