"""Names of colours and suits."""

from __future__ import annotations

from referee.language import Language


def colour_name(language: Language, colour: str) -> str:
    """Return the name of a colour or suit; without a translation the deck's own."""
    keys = (f"colour.{colour}", f"suit.{colour}")
    return next((language.text(key) for key in keys if key in language), colour)
