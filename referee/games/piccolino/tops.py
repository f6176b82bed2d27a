"""Open cards of Piccolino: the top of each discard pile, and the verdict of a ring at an instant (P3, P10)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

COVERED_UP_NS = 500_000_000
LUCKY_NS = 100_000_000


class Mood(Enum):
    """A clown's mood; sad ones wear no hat (P1)."""

    HAPPY = "happy"
    SAD = "sad"


class PiccolinoReason(Enum):
    """Reason why a ring is not valid or not ruled, and why a card is not taken or is remarked on."""

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
    NO_PILE = "no_pile"
    NO_DRAW_PILE = "no_draw_pile"
    OUT_OF_TURN = "out_of_turn"
    TWO_AT_ONCE = "two_at_once"


@dataclass(frozen=True)
class Top:
    """The top card of a discard pile; None for an attribute that cannot be identified."""

    colour: str | None
    mood: Mood | None


UNREAD = Top(None, None)


@dataclass(frozen=True)
class RingVerdict:
    """Verdict of a ring at one instant: valid, wrong with its reason, or (None) unclear.

    `seats` show `colour`. Valid: all seats that show it happily. Covered up: the seats of that pair. Sad: all seats
    that show it. Unclear: all seats with an unreadable card that matters. `since_ms`: time since the pair opened, or
    was covered; None if a hand hid its opening. `lucky`: certainly shorter than anybody's reaction.
    """

    valid: bool | None
    reason: PiccolinoReason | None = None
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
    """The open cards, and the time since which each happy pair is open.

    `by_seat` holds the seats with a discard pile. `missed_ns` lists for how long each pair was open that was covered
    before anybody won the piles.
    """

    def __init__(self) -> None:
        self.by_seat: dict[int, Top] = {}
        self.missed_ns: list[int] = []
        self._shown_ns: dict[int, int] = {}
        self._hidden_ns: dict[int, int] = {}  # time for which the card may have been there unseen
        self._since_ns: dict[str, int] = {}
        self._covered: _Covered | None = None

    def show(self, t_ns: int, seat: int, top: Top, hidden_ns: int = 0) -> None:
        """Put a card on a seat's discard pile; it may have been there unseen for `hidden_ns`."""
        before = self.pairs()
        self.by_seat[seat] = top
        self._shown_ns[seat], self._hidden_ns[seat] = t_ns, hidden_ns
        self._follow(t_ns, before)

    def take_away(self, t_ns: int, seat: int) -> None:
        """Remove a seat's discard pile, if it has one."""
        before = self.pairs()
        self.by_seat.pop(seat, None)
        self._follow(t_ns, before)

    def read_again(self, seat: int, top: Top) -> None:
        """Replace the reading of a seat's top card, which may be better or worse than before.

        A pair that appears only now has been open since its second card was shown; a misread pair never was.
        """
        self.by_seat[seat] = top
        self._since_ns = {
            colour: self._since_ns.get(colour, sorted(self._shown_ns.get(seat, 0) for seat in seats)[1])
            for colour, seats in self.pairs().items()
        }

    def _follow(self, t_ns: int, before: dict[str, tuple[int, ...]]) -> None:
        after = self.pairs()
        for colour in [colour for colour in before if colour not in after]:
            self.missed_ns.append(t_ns - self._since_ns.pop(colour))
            self._covered = _Covered(t_ns, colour, before[colour])
        for colour in after:
            self._since_ns.setdefault(colour, t_ns)

    def clear(self) -> None:
        """Remove all discard piles."""
        self.by_seat = {}
        self._shown_ns, self._hidden_ns = {}, {}
        self.missed_ns = []
        self._since_ns = {}
        self._covered = None

    def pairs(self) -> dict[str, tuple[int, ...]]:
        """Return the seats of each colour that two or more show happily (P3), the lowest seat's colour first."""
        return _happy_twice(self.by_seat)

    def judge(self, t_ns: int, unseen: Collection[int] = ()) -> RingVerdict:
        """Return the verdict of a ring at `t_ns` on the cards that are open now; the first reason that fits.

        Of two happy pairs the verdict names the lowest seat's colour. The cards of `unseen` seats are unknown then.
        """
        tops = {**self.by_seat, **dict.fromkeys(unseen, UNREAD)}
        for colour, seats in _happy_twice(tops).items():
            open_ns = t_ns - self._since_ns[colour]
            came_ns = sorted(self._shown_ns.get(seat, 0) - self._hidden_ns.get(seat, 0) for seat in seats)[1]
            lucky = max(open_ns, t_ns - came_ns) < LUCKY_NS
            since_ms = open_ns / 1e6 if lucky or open_ns >= LUCKY_NS else None
            return RingVerdict(True, None, colour, seats, since_ms, lucky)
        if unread := _could_pair(tops):
            return RingVerdict(None, PiccolinoReason.UNCLEAR, seats=unread)
        if self._covered and t_ns - self._covered.t_ns <= COVERED_UP_NS:
            ago_ms = (t_ns - self._covered.t_ns) / 1e6
            return RingVerdict(False, PiccolinoReason.COVERED_UP, self._covered.colour, self._covered.seats, ago_ms)
        for colour, seats in _twice(self.by_seat).items():
            return RingVerdict(False, PiccolinoReason.SAD, colour, seats)
        return RingVerdict(False, PiccolinoReason.NO_PAIR)


def _in_order(tops: dict[int, Top]) -> list[tuple[int, Top]]:
    return sorted(tops.items(), key=lambda item: item[0])


def _could_pair(tops: dict[int, Top]) -> tuple[int, ...]:
    """Return the seats of unreadable cards that may belong to a happy pair, alone or with another one."""
    might = [(seat, top) for seat, top in _in_order(tops) if top.mood is not Mood.SAD]
    unread = {
        seat
        for pair in combinations(might, 2)
        if len({top.colour for _, top in pair} - {None}) < 2
        for seat, top in pair
        if top.colour is None or top.mood is None
    }
    return tuple(sorted(unread))


def _happy_twice(tops: dict[int, Top]) -> dict[str, tuple[int, ...]]:
    return _twice({seat: top for seat, top in tops.items() if top.mood is Mood.HAPPY})


def _twice(tops: dict[int, Top]) -> dict[str, tuple[int, ...]]:
    seats: dict[str, tuple[int, ...]] = {}
    for seat, top in _in_order(tops):
        if top.colour is not None:
            seats[top.colour] = (*seats.get(top.colour, ()), seat)
    return {colour: those for colour, those in seats.items() if len(those) > 1}
