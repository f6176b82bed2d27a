"""The games that the page can start, with their options in words."""

from __future__ import annotations

from functools import cache
from typing import Any

from referee.games.kind import GameKind, Option
from referee.games.registry import GAMES
from referee.language import Language


@cache
def games_in(code: str) -> list[dict[str, Any]]:
    """Return the games in a language.

    Raises:
        BadInputError: the language is unknown.
    """
    language = Language(code)
    return [_game(kind, language) for kind in GAMES.values()]


def _game(kind: GameKind, language: Language) -> dict[str, Any]:
    return {
        "id": kind.name,
        "name": kind.title,
        "text": language.template(kind.page.text),
        "least": kind.page.least,
        "most": kind.page.most,
        "options": [_option(option, language) for option in kind.page.options],
    }


def _option(option: Option, language: Language) -> dict[str, Any]:
    choices = [{"value": value, "text": language.template(text)} for value, text in option.choices]
    return {
        "name": option.name,
        "text": language.template(option.text),
        "kind": "choice" if choices else "seat",
        "choices": choices,
        "default": choices[0]["value"] if choices else 0,
    }
