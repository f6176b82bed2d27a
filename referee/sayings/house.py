"""Names of a table's parts for the house, and words for the state of the connection."""

from __future__ import annotations

from referee.language import Language
from referee.phrases import Phrase, phrase


def part(key: str, language: Language) -> str:
    """Return the name of a part."""
    return language.text(f"house.part.{key}")


def device(key: str, language: Language) -> str:
    """Return the name of a device; without words its key."""
    kind, _, number = key.partition("_")
    known = f"house.device.{kind}"
    name = language.text(known) if known in language else key
    return f"{name} {int(number) + 1}" if number.isdecimal() else name


def score(player: str, language: Language) -> str:
    """Return the name of a player's points."""
    return language.text("house.house.points_of", player=player)


def line(key: str, name: str = "") -> Phrase:
    """Return the state of the connection; name: of the table."""
    known = f"house.line.{key}"
    return phrase(known if known in Language() else "house.line.lost", name=name)
