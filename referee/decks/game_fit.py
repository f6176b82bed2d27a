"""Whether a deck of prints fits the game that it is to be played with."""

from __future__ import annotations

from collections import Counter

from referee.errors import BadInputError
from vision.prints.print_deck import PrintDeck

MOODS = ("happy", "sad")
KINDS = ("colour", "+2", "joker", "last round", "row", "summary")
_FEWEST_COLOURS = 2


def check_fit(deck: PrintDeck, game: str | None) -> None:
    """Say what a deck lacks for a game.

    Raises:
        BadInputError: the game cannot be played with it.
    """
    if game == "piccolino":
        _check_piccolino(deck)
    elif game == "coloretto":
        _check_coloretto(deck)
    elif game == "confetti":
        raise BadInputError("these cards show pictures, not three marks each: Confetti cannot be played with them")


def _check_piccolino(deck: PrintDeck) -> None:
    for face in deck.fronts:
        if "colour" not in face.attributes or face.attributes.get("mood") not in MOODS:
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


def _check_coloretto(deck: PrintDeck) -> None:
    for face in deck.fronts:
        kind = face.attributes.get("kind")
        # Cards of a deck with suits that say nothing of Coloretto are not in the game (E1).
        if kind is None and "suit" in face.attributes:
            continue
        if kind not in KINDS or (kind == "colour" and "colour" not in face.attributes):
            raise BadInputError(
                f"{face.id} has no kind (or no colour): Coloretto's are {', '.join(KINDS)} (say so with --names)"
            )
    kinds = Counter(face.attributes.get("kind") for face in deck.fronts)
    missing = [kind for kind in ("colour", "+2", "joker") if not kinds[kind]]
    if missing:
        raise BadInputError(
            f"there are no {missing[0]} cards in these pictures: Coloretto cannot be played without them"
        )
    if kinds["colour"] < _FEWEST_COLOURS:
        raise BadInputError("all colour cards in these pictures are of one colour: Coloretto needs more")
