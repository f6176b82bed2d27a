"""The languages that the referee speaks: catalogues of texts, number words and lists.

`texts/` has one catalogue a language: keys with a text each, or with its forms `one` and `other`. The page uses the
same ones, and `make words` checks them. A new language is a code in `LANGUAGES`, a catalogue and its plural rule; a
test fails until voices (`hardware/voice.py`) and pages (`web/page/parts.js`, `club/page/club.js`) have it, too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from referee.errors import BadInputError

LANGUAGES = ("en", "de", "fr")
CATALOGUES = Path(__file__).parent / "texts"
Text = str | dict[str, str]
_WORDS = 13
"""Numbers below this one have a word."""


@cache
def catalogue(code: str) -> dict[str, Text]:
    """Return all texts of a language by key; a text with a number has the forms "one" and "other"."""
    texts: dict[str, Text] = json.loads((CATALOGUES / f"{code}.json").read_text("utf-8"))
    return texts


def plural(code: str, number: int) -> str:
    """Return the plural form for a number, by its absolute value (CLDR's rules; French has "one" below two)."""
    size = abs(number)
    return "one" if size == 1 or (code == "fr" and size < 2) else "other"


def filled(text: str, values: Mapping[str, object]) -> str:
    """Return a text with values in its {places}; a place without a value stays, and so do other braces."""
    return re.sub(r"\{(\w+)\}", lambda place: str(values.get(place[1], place[0])), text)


class Language:
    """One language. Texts have {places}, and values are put in by this language's rules.

    Raises:
        BadInputError: the code is not one of `LANGUAGES`.
    """

    def __init__(self, code: str = "en") -> None:
        if code not in LANGUAGES:
            raise BadInputError("error.language.referee_speaks_not", list=", ".join(LANGUAGES), code=ascii(code)[:20])
        self.code = code
        self._texts = catalogue(code)

    def __contains__(self, key: str) -> bool:
        """Return whether there is a text with this key."""
        return key in self._texts

    def template(self, key: str, number: object = 0) -> str:
        """Return a text with its {places} filled; number: selects the form, if the text has forms.

        A key without a catalogue entry is a text itself, of a game that somebody added.
        """
        text = self._texts.get(key, key)
        if isinstance(text, str):
            return text
        return text[plural(self.code, number)] if isinstance(number, int) else text["other"]

    def text(self, key: str, **values: object) -> str:
        """Return a sentence or a part of one."""
        return filled(self.template(key), values)

    def count(self, key: str, number: int, **values: object) -> str:
        """Return the sentence for a number, `{n}` in words; a negative number has the form of its size."""
        return filled(self.template(key, number), {"n": self.number(number), **values})

    def number(self, number: int) -> str:
        """Return a number as a word up to twelve, in digits beyond, which every speech engine reads."""
        if number < 0:
            return self.text("common.minus", number=self.number(-number))
        return self.text(f"number.{number}") if number < _WORDS else str(number)

    def decimal(self, number: float) -> str:
        """Return a number with one decimal, "0.4" or "0,4", or without one if it is whole."""
        text = f"{number:.1f}".removesuffix(".0")
        return text.replace(".", self.text("common.decimal_point"))

    def cards(self, number: int) -> str:
        """Return "no cards", "one card", "two cards"."""
        return self.count("common.cards", number) if number else self.text("common.no_cards")

    def points(self, number: int) -> str:
        """Return "no points", "one point", "minus two points"."""
        if number < 0:
            return self.text("common.minus", number=self.points(-number))
        return self.count("common.points", number) if number else self.text("common.no_points")

    def list_of(self, names: Sequence[str]) -> str:
        """Return "Ann", "Ann and Ben", "Ann, Ben and Cem"."""
        if len(names) < 2:
            return "".join(names)
        return self.text("common.and", first=", ".join(names[:-1]), last=names[-1])


def language_of(environment: Mapping[str, str] = os.environ) -> str:
    """Return the code of the system's language, "en" if the referee does not speak that."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        wanted = [code[:2].lower() for code in environment.get(name, "").split(":") if code]
        if wanted:
            return next((code for code in wanted if code in LANGUAGES), "en")
    return "en"
