"""The score of a Confetti hand (C5 to C7), and the arrangement that proves it (C11).

A place is a size in a colour: 18 in all. A tally counts the marks at every place in one integer, a byte for each, so
that one operation adds, compares or removes a card. 20 cards never reach a byte's top bit (`_GUARD`), which marks an
underflow in a subtraction.

A card's three colours differ, so it shows each colour at one size only. Any small, medium and big circle of one
colour are therefore on three different cards, and a colour gives as many sets as its rarest size occurs. The search
that remains is for the fewest cards that hold those circles (`most_to_put_away`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import permutations

from referee.errors import BadInputError
from referee.jsonlines import shown

COLOURS_IN_DECK = 6
PLACES = 3 * COLOURS_IN_DECK

_LANE_BITS = 8 * COLOURS_IN_DECK
_LANE = (1 << _LANE_BITS) - 1
_ONES = int.from_bytes(b"\x01" * PLACES, "little")
_GUARD = _ONES << 7
_EACH_SIZE = 1 | 1 << _LANE_BITS | 1 << 2 * _LANE_BITS


def tally_of(places: Sequence[int]) -> int:
    """Return the tally of one card that has its marks at `places` (number of the colour, + 6 medium, + 12 big)."""
    return sum(1 << 8 * place for place in places)


def sets_wanted(total: int) -> int:
    """Return the number of sets of each colour, a byte each: the count of its rarest size in the tally (C5)."""
    small, medium, big = total & _LANE, total >> _LANE_BITS & _LANE, total >> 2 * _LANE_BITS
    return _lesser(_lesser(small, medium), big)


def _lesser(one: int, other: int) -> int:
    """Return the smaller one of each pair of bytes, for one lane."""
    guard = _GUARD & _LANE
    not_less = ((one | guard) - other) & guard
    take_other = not_less - (not_less >> 7)
    return other & take_other | one & ~take_other


def most_to_put_away(tallies: Sequence[int], wanted: int) -> int:
    """Return the largest choice of cards that the sets `wanted` do not need, as bits: bit n stands for card n.

    The result is exact. A card at no crowded place (one that more cards could leave than may) goes at once. The search
    tries each other card both ways, unless too few can go to improve on the best choice.
    """
    spare = sum(tallies) - wanted * _EACH_SIZE
    bare = ~((spare | _GUARD) - _ONES)
    cards = [(1 << number, tally) for number, tally in enumerate(tallies) if not tally << 7 & bare & _GUARD]
    return _Search().most(cards, spare | _GUARD, 0) if cards else 0


class _Search:
    """Branch and bound over cards, each a bit and a tally; `best` is the best choice so far."""

    def __init__(self) -> None:
        self.best = 0
        self.size = 0
        self.seen: dict[tuple[int, int], int] = {}

    def most(self, cards: list[tuple[int, int]], room: int, gone: int) -> int:
        """Return the largest choice, with `gone` chosen already; each of `cards` alone fits into `room`."""
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
    """Return a lower bound of the cards in `total` that must stay: the largest excess over places of one size."""
    too_many = ((total | _GUARD) - (room ^ _GUARD)) & (crowded - (crowded >> 7))
    # 256 modulo 255 is 1, so the remainder is the sum of the bytes.
    return max((too_many & _LANE) % 255, (too_many >> _LANE_BITS & _LANE) % 255, (too_many >> 2 * _LANE_BITS) % 255)


COLOURS = ("red", "orange", "yellow", "green", "blue", "purple")
SIZES = ("small", "medium", "big")
MAX_CARDS = 20

Card = tuple[str, str, str]
"""Colours of a card's small, medium and big mark."""

_N = len(COLOURS)
_PLACES: dict[Card, tuple[int, int, int]] = {
    (COLOURS[s], COLOURS[m], COLOURS[b]): (s, _N + m, 2 * _N + b) for s, m, b in permutations(range(_N), 3)
}
"""Return the indices that a card's marks fill: colour for small, colour + 6 for medium, colour + 12 for big."""
_CARDS: dict[Card, Card] = {card: card for card in _PLACES}

_TALLIES = {card: tally_of(places) for card, places in _PLACES.items()}


class Overlimit(Enum):
    """Charge for unneeded cards and for cards above the limit (C7)."""

    SEPARATE = "separate"
    ONCE = "once"


@dataclass(frozen=True)
class ScoredSet:
    """A set: numbers, from 0, of the cards with its small, medium and big mark."""

    colour: str
    cards: tuple[int, int, int]


@dataclass(frozen=True)
class Score:
    """Score of a hand (C6): `sets` sets on `cards_needed` cards, `unused` other cards, `over_limit` cards too many."""

    sets: int
    cards_needed: int
    unused: int
    over_limit: int
    points: int
    arrangement: tuple[ScoredSet, ...]

    def as_json(self) -> dict[str, object]:
        """Return the score with the keys of the outside contract."""
        return {
            "sets": self.sets,
            "cards_needed": self.cards_needed,
            "unused": self.unused,
            "over_limit": self.over_limit,
            "points": self.points,
            "arrangement": [{"colour": one.colour, "cards": list(one.cards)} for one in self.arrangement],
        }


def parse_cards(value: object) -> tuple[Card, ...]:
    """Return the cards of a hand in JSON, a list of [small, medium, big].

    Raises:
        BadInputError: not a list of cards, an impossible card (C1), or more than `MAX_CARDS`.
    """
    if not isinstance(value, list):
        raise BadInputError("error.cards_must_be_list_of")
    if len(value) > MAX_CARDS:
        raise BadInputError("error.cards_are_too_many_for", number=len(value), most=MAX_CARDS)
    if set(map(type, value)) <= {list}:
        # Most hands are valid, and a check of every mark takes longer than the score.
        with suppress(KeyError, TypeError, ValueError):
            return tuple([_CARDS[small, medium, big] for small, medium, big in value])
    return tuple([_parse_card(f"card {at + 1} of {len(value)}", card) for at, card in enumerate(value)])


def _parse_card(which: str, card: object) -> Card:
    if not isinstance(card, list) or len(card) != 3:
        raise BadInputError("error.must_be_list_of_three", card=which)
    small, medium, big = card
    for colour in card:
        if not isinstance(colour, str) or colour not in COLOURS:
            raise BadInputError("error.has_colour_there_is", card=which, colour=shown(colour), list=", ".join(COLOURS))
    if (small, medium, big) not in _PLACES:
        raise BadInputError("error.has_one_colour_twice_cards", card=which)
    return small, medium, big


def score_hand(cards: Sequence[Card], limit: int, overlimit: Overlimit = Overlimit.SEPARATE) -> Score:
    """Return the score of a hand (C6, C7) of at most `MAX_CARDS` cards in a round of at most `limit` cards.

    Raises:
        BadInputError: too many cards for an exact score, or an impossible card.
    """
    arrangement, needed = best_arrangement(cards)
    sets, unused, over = len(arrangement), len(cards) - needed, max(0, len(cards) - limit)
    penalty = unused + over if overlimit is Overlimit.SEPARATE else max(unused, over)
    return Score(sets, needed, unused, over, sets - penalty, arrangement)


def best_arrangement(cards: Sequence[Card]) -> tuple[tuple[ScoredSet, ...], int]:
    """Return the most sets that the cards hold, on the fewest cards, and the number of those cards (C6, C11).

    Raises:
        BadInputError: more than `MAX_CARDS` cards, or an impossible card.
    """
    if len(cards) > MAX_CARDS:
        raise BadInputError("error.cards_are_too_many_for", number=len(cards), most=MAX_CARDS)
    try:
        tallies = [_TALLIES[card] for card in cards]
    except KeyError as error:
        raise BadInputError("error.games.there_is_no_card", card=ascii(error.args[0])[:80]) from error
    wanted = sets_wanted(sum(tallies))
    away = most_to_put_away(tallies, wanted)
    used = [number for number in range(len(cards)) if not away >> number & 1]
    return _lay_out(cards, used, wanted.to_bytes(_N, "little")), len(used)


def _lay_out(cards: Sequence[Card], used: Sequence[int], wanted: bytes) -> tuple[ScoredSet, ...]:
    """Join the `used` cards to sets, `wanted[i]` of the i-th colour; each mark of a card serves at most one set."""
    givers: list[list[int]] = [[] for _ in range(PLACES)]
    for number in used:
        small, medium, big = _PLACES[cards[number]]
        givers[small].append(number)
        givers[medium].append(number)
        givers[big].append(number)
    return tuple(
        [
            ScoredSet(COLOURS[at], (givers[at][turn], givers[at + _N][turn], givers[at + 2 * _N][turn]))
            for at, sets in enumerate(wanted)
            for turn in range(sets)
        ]
    )
