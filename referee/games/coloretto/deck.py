"""Checks whether Coloretto can be played with a deck: colours, "+2", jokers, row cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.errors import BadInputError
from referee.games.kind import Cards, Said

if TYPE_CHECKING:
    from vision.read.print_deck import PrintDeck

KINDS = ("colour", "+2", "joker", "last round", "row", "summary")
_FEWEST_COLOURS = 2


def _is_whole(said: Said) -> bool:
    kind = said.get("kind")
    return kind is not None and (kind != "colour" or "colour" in said)


def _check(deck: PrintDeck) -> None:
    for face in deck.fronts:
        kind = face.attributes.get("kind")
        # Cards of a deck with suits that say nothing of Coloretto are not in the game (E1).
        if kind is None and "suit" in face.attributes:
            continue
        if kind not in KINDS or not _is_whole(face.attributes):
            raise BadInputError("error.games.has_no_kind_or_no", number=face.id, list=", ".join(KINDS))
    kinds = Counter(face.attributes.get("kind") for face in deck.fronts)
    missing = [kind for kind in ("colour", "+2", "joker") if not kinds[kind]]
    if missing:
        raise BadInputError("error.games.there_are_no_cards_in", what=missing[0])
    if kinds["colour"] < _FEWEST_COLOURS:
        raise BadInputError("error.games.all_colour_cards_in_these")


def card_colours(deck: PrintDeck) -> list[str]:
    """Return the colours of a deck's cards, in its order."""
    return list(
        dict.fromkeys(face.attributes["colour"] for face in deck.fronts if face.attributes.get("kind") == "colour")
    )


def _missing(fronts: Sequence[Said]) -> str | None:
    kinds = [one["kind"] for one in fronts]
    for kind, key in (("+2", "lesson_no_plus2"), ("joker", "lesson_no_joker")):
        if kind not in kinds:
            return key
    return "lesson_one_colour" if kinds.count("colour") < _FEWEST_COLOURS else None


def _tally(meanings: Sequence[Said], expected: int) -> dict[str, Any]:
    colours = {meaning.get("colour") for meaning in meanings if meaning.get("kind") == "colour"}
    kinds = {meaning.get("kind") for meaning in meanings}
    more = [kind for kind in ("+2", "joker") if kind in kinds]
    of_all = expected + 2 if expected else 0
    return {"seen": len(colours) + len(more), "of": of_all, "colours": len(colours), "kinds": more}


def _face_name(said: Said) -> str:
    if said["kind"] == "colour":
        return said["colour"]
    return "-".join(said["kind"].split() + ([said["room"]] if "room" in said else []))


CARDS = Cards(
    check=_check,
    beside=("everdeck",),
    is_whole=_is_whole,
    face_name=_face_name,
    missing=_missing,
    tally=_tally,
    colours=card_colours,
)
