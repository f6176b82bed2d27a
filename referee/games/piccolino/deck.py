"""Piccolino's cards and decks: colours and moods, from a deck's attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.errors import BadInputError
from referee.games.kind import Cards, Said

if TYPE_CHECKING:
    from vision.read.print_deck import PrintDeck


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
