"""What is said about games that were kept, and cannot be read as they were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.language import Language, mark
from referee.safe_text import harmless


def partly_lost(number: int, language: Language) -> str:
    """Give the sentence for a game of which some events were lost."""
    return language.text(
        "Game {number} cannot be read to its end: it is shown as far as it can be read.", number=number
    )


def unreadable(number: object, language: Language) -> str:
    """Give the sentence for a game that cannot be shown at all."""
    return language.text("Game {number} cannot be read, and is left out.", number=number)


def game_is_on(language: Language) -> str:
    """Give the sentence for what has to wait for the end of a game."""
    return language.text("A game is being played: end it first.")


def no_backup(language: Language) -> str:
    """Give the sentence for a file that cannot be restored."""
    return language.text("This file is no backup of Ringmaster, or it is torn: nothing more was taken from it.")


def no_such_game(language: Language) -> str:
    """Give the sentence for a game that is not kept."""
    return language.text("There is no such game (any more).")


def somebody(number: int, language: Language) -> str:
    """Give the name of a player who is forgotten; number: from 1, where several of them have played together."""
    name = language.text("Somebody")
    return name if number == 1 else f"{name} {number}"


SOME_GAMES, PICTURES, SOME_SETTINGS = "some games", "pictures", "some settings"
_PARTS = {
    SOME_GAMES: mark("some games"),
    PICTURES: mark("some pictures"),
    SOME_SETTINGS: mark("some settings"),
    "settings.json": mark("the settings"),
    "setup.json": mark("a part of setting up"),
    "table.json": mark("the measured table"),
}


def not_restored(parts: Sequence[str], language: Language) -> str:
    """Give the sentence for parts of a backup that were not sound, by their names in it; "" for none."""
    if not parts:
        return ""
    named = [language.text(_PARTS[one]) if one in _PARTS else _deck(one, language) for one in parts]
    return language.text("Torn, and not restored: {list}.", list=language.list_of(named))


def _deck(name: str, language: Language) -> str:
    return language.text("the deck “{deck}”", deck=harmless(Path(name).stem))


def played_each_other(name: str, other: str, language: Language) -> str:
    """Give the sentence for two players who cannot be one."""
    return language.text(
        "{name} and {other} have played against each other: they are two people.", name=name, other=other
    )


def nobody_called(name: str, language: Language) -> str:
    """Give the sentence for a name that no game has."""
    return language.text("Nobody called {name} has played here.", name=name)


def no_power(language: Language) -> str:
    """Give the sentence for a machine that cannot be switched from the page."""
    return language.text("That cannot be done from here: please do it at the machine.")
