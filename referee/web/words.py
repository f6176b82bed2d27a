"""The page's words: those of the catalogues whose keys begin with `page`, `fault`, `colour` or `suit`."""

from __future__ import annotations

from functools import cache
from typing import Any

from referee.language import Language, catalogue


@cache
def words_in(code: str) -> dict[str, Any]:
    """Return the page's words in a language, with {places}; counted ones have the forms "one" and "other".

    Raises:
        BadInputError: the language is unknown.
    """
    Language(code)
    return {name: text for key, text in catalogue(code).items() if (name := _name(key))}


def _name(key: str) -> str:
    """Return a text's name in the page's scripts, "" for an unused one."""
    area, _, name = key.partition(".")
    areas = {"page": name, "fault": f"fault_{name}", "colour": f"colour_{name}", "suit": f"colour_{name}"}
    return "" if "." in name else areas.get(area, "")
