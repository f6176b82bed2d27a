"""Which cards a Confetti hand does not need for its sets (C6): the exact search behind the score.

A place is a size in a colour: 18 in all. A tally counts the marks at every place in one integer, a byte for each, so
that cards are added, compared and put away in single steps. 20 cards never reach a byte's top bit (`_GUARD`), which
is set for a subtraction to show where it went below nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

COLOURS_IN_DECK = 6
PLACES = 3 * COLOURS_IN_DECK

_LANE_BITS = 8 * COLOURS_IN_DECK
_LANE = (1 << _LANE_BITS) - 1
_ONES = int.from_bytes(b"\x01" * PLACES, "little")
_GUARD = _ONES << 7
_EACH_SIZE = 1 | 1 << _LANE_BITS | 1 << 2 * _LANE_BITS


def tally_of(places: Sequence[int]) -> int:
    """Give the tally of one card that has its marks at `places` (number of the colour, + 6 medium, + 12 big)."""
    return sum(1 << 8 * place for place in places)


def sets_wanted(total: int) -> int:
    """Give how many sets each colour makes, a byte for each: as many as its rarest size occurs in the tally (C5)."""
    small, medium, big = total & _LANE, total >> _LANE_BITS & _LANE, total >> 2 * _LANE_BITS
    return _lesser(_lesser(small, medium), big)


def _lesser(one: int, other: int) -> int:
    """Give the lesser of each two bytes of one lane."""
    guard = _GUARD & _LANE
    not_less = ((one | guard) - other) & guard
    take_other = not_less - (not_less >> 7)
    return other & take_other | one & ~take_other


def most_to_put_away(tallies: Sequence[int], wanted: int) -> int:
    """Give the most cards that can go while the others keep the sets `wanted`: bit n is set when card n goes.

    Exact. Cards that meet no crowded place, one that more cards could leave than may, go at once: they are in
    nobody's way. Of the others each is tried gone and kept, unless not enough can go to gain anything.
    """
    spare = sum(tallies) - wanted * _EACH_SIZE
    bare = ~((spare | _GUARD) - _ONES)
    cards = [(1 << number, tally) for number, tally in enumerate(tallies) if not tally << 7 & bare & _GUARD]
    return _Search().most(cards, spare | _GUARD, 0) if cards else 0


class _Search:
    """Branch and bound over cards as pairs of their bit and their tally; `best` is the best choice so far."""

    def __init__(self) -> None:
        self.best = 0
        self.size = 0
        self.seen: dict[tuple[int, int], int] = {}

    def most(self, cards: list[tuple[int, int]], room: int, gone: int) -> int:
        """Give the largest choice found, when `gone` are chosen and `cards` fit into `room` one by one."""
        total = sum([tally for _, tally in cards])
        crowded = ~(room - total) & _GUARD
        rivals = []
        left = 0
        for card in cards:
            bit, tally = card
            if tally << 7 & crowded:
                rivals.append(card)
                left |= bit
            else:
                gone |= bit
                room -= tally
        size = gone.bit_count()
        if size > self.size:
            self.best, self.size = gone, size
        if not rivals:
            return self.best
        reach = size + len(rivals) - _least_that_stay(total, room, crowded)
        if reach <= self.size or self.seen.get((left, room), -1) >= size:
            return self.best
        self.seen[left, room] = size
        (bit, tally), *others = rivals
        less = room - tally
        bare = ~(less - _ONES) & _GUARD
        self.most([card for card in others if not card[1] << 7 & bare], less, gone | bit)
        if self.size < reach:
            self.most(others, room, gone)
        return self.best


def _least_that_stay(total: int, room: int, crowded: int) -> int:
    """Give how many of the cards counted in `total` cannot go: the most that the places of one size have too many."""
    too_many = ((total | _GUARD) - (room ^ _GUARD)) & (crowded - (crowded >> 7))
    # 256 leaves 1 when divided by 255, so that the remainder is the sum of the bytes.
    return max((too_many & _LANE) % 255, (too_many >> _LANE_BITS & _LANE) % 255, (too_many >> 2 * _LANE_BITS) % 255)
