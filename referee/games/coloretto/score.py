"""The score of one Coloretto hand (K7, K8): the best three colours that count plus, and the best use of jokers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations_with_replacement

from referee.errors import BadInputError
from referee.jsonlines import is_name, one_of, shown, whole_number

COLOURS_IN_DECK = 7
CARDS_A_COLOUR = 9
JOKERS_IN_DECK = 3
PLUS2_IN_DECK = 10
PLUS_COLOURS = 3

PALETTES = (
    ("red", "orange", "yellow", "green", "blue", "purple", "pink"),
    ("spade", "heart", "diamond", "coin", "crown", "moon", "star"),
)
"""Names for a colour of jokers alone: those of the game's own cards, and of the Everdeck (E1)."""


class SummarySide(Enum):
    """Side of the summary card that counts (K8)."""

    BROWN = "brown"
    GREY = "grey"

    def points(self, cards: int) -> int:
        """Return the points of `cards` cards of one colour, without their sign."""
        return _POINTS[self][min(cards, 6)]


_POINTS = {SummarySide.BROWN: (0, 1, 3, 6, 10, 15, 21), SummarySide.GREY: (0, 1, 4, 8, 7, 6, 5)}


@dataclass(frozen=True)
class HandCards:
    """Cards of a player at the end: a number for each colour, jokers and "+2" cards.

    A colour with 0 cards is in the game, so a joker may take it (K7).
    """

    colours: Mapping[str, int]
    jokers: int = 0
    plus2: int = 0


@dataclass(frozen=True)
class HandScore:
    """Best score of a hand: each joker's colour, and the colours that count plus and minus, most points first."""

    points: int
    jokers: tuple[str, ...]
    plus: tuple[str, ...]
    minus: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the score with the contract's keys."""
        return {
            "points": self.points,
            "jokers": list(self.jokers),
            "plus": list(self.plus),
            "minus": list(self.minus),
        }


def parse_hand(data: Mapping[str, object]) -> tuple[HandCards, SummarySide]:
    """Return the hand and the table's side in a JSON object `{"colours", "jokers", "plus2", "table"}`.

    Defaults: 0 for `jokers` and `plus2`, brown for the table.

    Raises:
        BadInputError: a value is invalid, or exceeds the deck (K1).
    """
    colours = data.get("colours")
    if not isinstance(colours, dict):
        raise BadInputError("error.games.colours_must_be_object_such")
    for colour, cards in colours.items():
        if not is_name(colour) or colour in ("+2", "joker", "last round"):
            raise BadInputError("error.there_is_no_colour", colour=shown(colour))
        _at_most(whole_number(cards, colour), CARDS_A_COLOUR, f"{colour} cards")
    _at_most(len(colours), COLOURS_IN_DECK, "colours")
    jokers = _at_most(whole_number(data.get("jokers", 0), "jokers"), JOKERS_IN_DECK, "jokers")
    plus2 = _at_most(whole_number(data.get("plus2", 0), "plus2"), PLUS2_IN_DECK, '"+2" cards')
    table = SummarySide(one_of(data.get("table", "brown"), "table", [table.value for table in SummarySide]))
    return HandCards(colours, jokers, plus2), table


def _at_most(number: int, most: int, what: str) -> int:
    if number > most:
        raise BadInputError("error.games.too_many_there_are_in", what=what, most=most)
    return number


def score_coloretto(hand: HandCards, table: SummarySide) -> HandScore:
    """Return the best score of `hand` (K8) over all colours of its jokers (K7).

    Ties go to the first colours in the order of the hand.
    """
    held = [colour for colour, cards in hand.colours.items() if cards]
    choices = [*held, *_new_colours(hand)]
    ways = combinations_with_replacement(choices, hand.jokers)
    return max((_score(hand, jokers, table) for jokers in ways), key=lambda score: score.points)


def _new_colours(hand: HandCards) -> Iterator[str]:
    """Return colours that the player has no card of, as many as jokers may need."""
    held = {colour for colour, cards in hand.colours.items() if cards}
    palette = next((palette for palette in PALETTES if set(hand.colours) <= set(palette)), PALETTES[0])
    named = [colour for colour in hand.colours if colour not in held]
    others = [colour for colour in palette if colour not in hand.colours]
    room = min(hand.jokers, COLOURS_IN_DECK - len(held))
    return iter([*named, *others][: max(0, room)])


def _score(hand: HandCards, jokers: tuple[str, ...], table: SummarySide) -> HandScore:
    cards = {colour: count for colour, count in hand.colours.items() if count}
    for colour in jokers:
        cards[colour] = cards.get(colour, 0) + 1
    worth = {colour: table.points(count) for colour, count in cards.items()}
    ranked = sorted(worth, key=lambda colour: -worth[colour])
    plus, minus = ranked[:PLUS_COLOURS], ranked[PLUS_COLOURS:]
    points = sum(worth[colour] for colour in plus) - sum(worth[colour] for colour in minus) + 2 * hand.plus2
    return HandScore(points, jokers, tuple(plus), tuple(minus))
