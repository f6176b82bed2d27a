"""What lies open in Piccolino: the top card of each discard pile, and what a ring would be at an instant (P3, P10)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import combinations

COVERED_UP_NS = 500_000_000
LUCKY_NS = 100_000_000


class Mood(Enum):
    """A clown's mood; sad ones wear no hat (P1)."""

    HAPPY = "happy"
    SAD = "sad"


class Reason(Enum):
    """Why a ring is not valid, or not ruled, and why a card is not taken or remarked on."""

    COVERED_UP = "covered_up"
    SAD = "sad"
    NO_PAIR = "no_pair"
    LUCKY_GUESS = "lucky_guess"
    UNCLEAR = "unclear"
    OUT = "out"
    ALSO_RANG = "also_rang"
    TABLE_CLEARED = "table_cleared"
    GAME_OVER = "game_over"
    NO_RING = "no_ring"
    NO_DRAW_PILE = "no_draw_pile"
    OUT_OF_TURN = "out_of_turn"
    TWO_AT_ONCE = "two_at_once"


@dataclass(frozen=True)
class Top:
    """The top card of a discard pile; None for what cannot be told."""

    colour: str | None
    mood: Mood | None


@dataclass(frozen=True)
class Verdict:
    """What a ring at one instant is: valid, wrong with its reason, or (None) unclear.

    `seats` show `colour`: all that show it happily where the ring is valid, all that did where that pair was covered
    up, all that show it where a sad one is among them, all that cannot be read where it is unclear.
    `since_ms` is how long the pair had been open, or had been covered.
    """

    valid: bool | None
    reason: Reason | None = None
    colour: str | None = None
    seats: tuple[int, ...] = ()
    since_ms: float | None = None
    lucky: bool = False


@dataclass(frozen=True)
class _Covered:
    t_ns: int
    colour: str
    seats: tuple[int, ...]


class Tops:
    """The open cards, and since when there are pairs of happy ones.

    `by_seat` holds the seats that have a discard pile. `missed_ns` lists how long each pair was open that was covered
    before anybody won the piles.
    """

    def __init__(self) -> None:
        self.by_seat: dict[int, Top] = {}
        self.missed_ns: list[int] = []
        self._since_ns: dict[str, int] = {}
        self._covered: _Covered | None = None

    def show(self, t_ns: int, seat: int, top: Top) -> None:
        """Put a card on a seat's discard pile."""
        before = self.pairs()
        self.by_seat[seat] = top
        after = self.pairs()
        for colour in [colour for colour in before if colour not in after]:
            self.missed_ns.append(t_ns - self._since_ns.pop(colour))
            self._covered = _Covered(t_ns, colour, before[colour])
        for colour in after:
            self._since_ns.setdefault(colour, t_ns)

    def clear(self) -> None:
        """Take all discard piles away."""
        self.by_seat = {}
        self.missed_ns = []
        self._since_ns = {}
        self._covered = None

    def pairs(self) -> dict[str, tuple[int, ...]]:
        """Give the seats for each colour that two or more show happily (P3), the lowest seat's colour first."""
        return _twice({seat: top for seat, top in self._in_order() if top.mood is Mood.HAPPY})

    def judge(self, t_ns: int) -> Verdict:
        """Give what a ring at `t_ns` is, on what lies open now; the first reason that fits.

        Of two colours that lie open happily in pairs, the one that the lowest seat shows is named.
        """
        for colour, seats in self.pairs().items():
            open_ns = t_ns - self._since_ns[colour]
            return Verdict(True, None, colour, seats, open_ns / 1e6, lucky=open_ns < LUCKY_NS)
        if unread := self._could_pair():
            return Verdict(None, Reason.UNCLEAR, seats=unread)
        if self._covered and t_ns - self._covered.t_ns <= COVERED_UP_NS:
            ago_ms = (t_ns - self._covered.t_ns) / 1e6
            return Verdict(False, Reason.COVERED_UP, self._covered.colour, self._covered.seats, ago_ms)
        for colour, seats in _twice(dict(self._in_order())).items():
            return Verdict(False, Reason.SAD, colour, seats)
        return Verdict(False, Reason.NO_PAIR)

    def _in_order(self) -> list[tuple[int, Top]]:
        return sorted(self.by_seat.items(), key=lambda item: item[0])

    def _could_pair(self) -> tuple[int, ...]:
        """Give the seats of cards that cannot be read and might make a happy pair, alone or with another."""
        might = [(seat, top) for seat, top in self._in_order() if top.mood is not Mood.SAD]
        unread = {
            seat
            for pair in combinations(might, 2)
            if len({top.colour for _, top in pair} - {None}) < 2
            for seat, top in pair
            if top.colour is None or top.mood is None
        }
        return tuple(sorted(unread))


def _twice(tops: dict[int, Top]) -> dict[str, tuple[int, ...]]:
    seats: dict[str, tuple[int, ...]] = {}
    for seat, top in tops.items():
        if top.colour is not None:
            seats[top.colour] = (*seats.get(top.colour, ()), seat)
    return {colour: those for colour, those in seats.items() if len(those) > 1}
