"""Which cards Piccolino can be played with: happy and sad clowns of some colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.errors import BadInputError
from referee.games.kind import Cards, Said

if TYPE_CHECKING:
    from vision.prints.print_deck import PrintDeck

MOODS = ("happy", "sad")
_FEWEST_COLOURS = 2


def is_clown(said: Said) -> bool:
    """Whether a face's attributes say all that the game must know of it."""
    return "colour" in said and said.get("mood") in MOODS


def check(deck: PrintDeck) -> None:
    """Say what a deck lacks.

    Raises:
        BadInputError: the game cannot be played with it.
    """
    for face in deck.fronts:
        if not is_clown(face.attributes):
            raise BadInputError(
                f"{face.id} has no colour, or is neither happy nor sad: Piccolino needs both of every clown (--names)"
            )
    moods = Counter(face.attributes["mood"] for face in deck.fronts)
    for mood in MOODS:
        if not moods[mood]:
            raise BadInputError(
                f"there are no {mood} clowns in these pictures: Piccolino cannot be played without them"
            )
    happy = {face.attributes["colour"] for face in deck.fronts if face.attributes["mood"] == "happy"}
    if len(happy) < _FEWEST_COLOURS:
        raise BadInputError("all happy clowns in these pictures are of one colour: Piccolino needs more")


def clown_colours(deck: PrintDeck) -> list[str]:
    """Give the colours of a deck's clowns, in its order."""
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
