"""Piccolino's cards and decks: colours and moods, from a deck's attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.errors import BadInputError
from referee.games.kind import Cards, Said
from referee.games.piccolino.rulings import CardGiven, PilesWon, PlayerOut

if TYPE_CHECKING:
    from vision.read.print_deck import PrintDeck


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
        """Return a card to each of the others, clockwise, as far as they last (P5)."""
        receivers = self.others(giver)[: self.draw[giver]]
        for other in receivers:
            self.draw[giver] -= 1
            self.draw[other] += 1
        return tuple(CardGiven(t_ns, giver, other) for other in receivers)

    def others(self, seat: int) -> list[int]:
        """Return the other seats that are still in, clockwise."""
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
        """Return each seat's cards, draw and discard pile together."""
        return tuple(draw + discard for draw, discard in zip(self.draw, self.discard, strict=True))


MOODS = ("happy", "sad")
_FEWEST_COLOURS = 2


def is_clown(said: Said) -> bool:
    """Return whether a face's attributes say all that the game must know of it."""
    return "colour" in said and said.get("mood") in MOODS


def check(deck: PrintDeck) -> None:
    """Say what a deck lacks.

    Raises:
        BadInputError: the game cannot be played with it.
    """
    for face in deck.fronts:
        if not is_clown(face.attributes):
            raise BadInputError("error.games.has_no_colour_or_is", number=face.id)
    moods = Counter(face.attributes["mood"] for face in deck.fronts)
    for mood in MOODS:
        if not moods[mood]:
            raise BadInputError("error.games.there_are_no_clowns_in", mood=mood)
    happy = {face.attributes["colour"] for face in deck.fronts if face.attributes["mood"] == "happy"}
    if len(happy) < _FEWEST_COLOURS:
        raise BadInputError("error.games.all_happy_clowns_in_these")


def clown_colours(deck: PrintDeck) -> list[str]:
    """Return the colours of a deck's clowns, in its order."""
    return list(dict.fromkeys(face.attributes["colour"] for face in deck.fronts if is_clown(face.attributes)))


def _missing(fronts: Sequence[Said]) -> str | None:
    happy, sad = ({one["colour"] for one in fronts if one["mood"] == mood} for mood in MOODS)
    if not happy:
        return "lesson_no_happy"
    if not sad:
        return "lesson_no_sad"
    return "lesson_one_colour" if len(happy) < _FEWEST_COLOURS else None


def _tally(meanings: Sequence[Said], expected: int) -> dict[str, Any]:
    happy, sad = (len({m.get("colour") for m in meanings if m.get("mood") == mood}) for mood in MOODS)
    open_ = sum(1 for meaning in meanings if "mood" not in meaning)
    return {"seen": happy + sad + open_, "of": 2 * expected, "happy": happy, "sad": sad, "open": open_}


def _face_name(said: Said) -> str:
    return f"{said['colour']}-{said['mood']}"


CARDS = Cards(
    check=check,
    is_whole=is_clown,
    face_name=_face_name,
    missing=_missing,
    tally=_tally,
    header_colours=clown_colours,
)
