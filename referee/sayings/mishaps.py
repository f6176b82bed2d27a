"""Sentences for the beginning and end of mishaps (`referee.match.monitor`)."""

from __future__ import annotations

from referee.language import Language

GUARD = "guard "
"""Names of mishaps on the health board."""


def begun(what: str, language: Language) -> str:
    """Return the sentence for a mishap that begins, "" without words."""
    return language.text(key) if (key := f"guard.begun.{what}") in language else ""


def ended(what: str, language: Language) -> str:
    """Return the sentence for a mishap that is over, "" without words."""
    return language.text(key) if (key := f"guard.ended.{what}") in language else ""
