"""Words for the state of the connection to house and club."""

from __future__ import annotations

from referee.language import Language
from referee.phrases import Phrase, phrase


def line(key: str, name: str = "") -> Phrase:
    """Return the state of the connection; name: of the table."""
    known = f"house.line.{key}"
    return phrase(known if known in Language() else "house.line.lost", name=name)
