"""What a house calls the parts of a table, and how the line to it is, in words."""

from __future__ import annotations

from referee.language import Language
from referee.phrases import Phrase, phrase


def part(key: str, language: Language) -> str:
    """Give the name of a part."""
    return language.text(f"house.part.{key}")


def device(key: str, language: Language) -> str:
    """Give the name of a device; one that has none is called by its own."""
    kind, _, number = key.partition("_")
    known = f"house.device.{kind}"
    name = language.text(known) if known in language else key
    return f"{name} {int(number) + 1}" if number.isdecimal() else name


def score(player: str, language: Language) -> str:
    """Give what a player's points are called."""
    return language.text("house.house.points_of", player=player)


def line(key: str, name: str = "") -> Phrase:
    """Give how the line is; name: of the table."""
    known = f"house.line.{key}"
    return phrase(known if known in Language() else "house.line.lost", name=name)
