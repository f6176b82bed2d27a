"""Sentences about stored games with damage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.language import Language
from referee.safe_text import harmless


def partly_lost(number: int, language: Language) -> str:
    """Return the sentence for a game that lost some events."""
    return language.text("kept.trouble.partly", number=number)


def unreadable(number: object, language: Language) -> str:
    """Return the sentence for a game that cannot be read."""
    return language.text("kept.game_cannot_be_read_and", number=number)


def somebody(number: int, language: Language) -> str:
    """Return the name for a forgotten player; number: from 1, to distinguish several."""
    name = language.text("piccolino.somebody")
    return name if number == 1 else f"{name} {number}"


SOME_GAMES, PICTURES, SOME_SETTINGS = "some games", "pictures", "some settings"
_PARTS = {
    SOME_GAMES: "kept.some_games",
    PICTURES: "kept.some_pictures",
    SOME_SETTINGS: "kept.some_settings",
    "settings.json": "kept.part.settings",
    "setup.json": "kept.part.setup",
    "table.json": "kept.part.table",
}


def not_restored(parts: Sequence[str], language: Language) -> str:
    """Return the sentence for damaged parts of a backup, by their names in it; "" for none."""
    if not parts:
        return ""
    named = [language.text(_PARTS[one]) if one in _PARTS else _deck(one, language) for one in parts]
    return language.text("kept.torn_and_not_restored", list=language.list_of(named))


def _deck(name: str, language: Language) -> str:
    return language.text("kept.deck", deck=harmless(Path(name).stem))
