"""The languages that the referee speaks: catalogues of sentences, number words and lists.

The sentences in the code are English; `locale/` holds the others as gettext catalogues (`make words` after a change).
One more language is a code in `LANGUAGES` and a catalogue; a test fails until what else has to know it does: voices
(`hardware/voice.py`), and the pages' own lists (`web/page/view_settings.js`, `club/page/club.js`).
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.errors import BadInputError

LANGUAGES = ("en", "de", "fr")
DOMAIN = "ringmaster"
CATALOGUES = Path(__file__).parent / "locale"


def mark_in(_context: str, message: str) -> str:
    """Give `message` as it is: a mark for the catalogues, where `text_in` is called with a variable."""
    return message


def mark(message: str) -> str:
    """Give `message` as it is: a mark for the catalogues, where `text` is called with a variable."""
    return message


# "one" is the name of the number ("round one"); one thing has a sentence of its own, for its gender.
NUMBERS = (
    mark_in("number", "zero"),
    mark_in("number", "one"),
    mark_in("number", "two"),
    mark_in("number", "three"),
    mark_in("number", "four"),
    mark_in("number", "five"),
    mark_in("number", "six"),
    mark_in("number", "seven"),
    mark_in("number", "eight"),
    mark_in("number", "nine"),
    mark_in("number", "ten"),
    mark_in("number", "eleven"),
    mark_in("number", "twelve"),
)


class Language:
    """One language. Every sentence may have {places}; their values are put in after it was translated.

    Raises:
        BadInputError: it is none of `LANGUAGES`.
    """

    def __init__(self, code: str = "en") -> None:
        if code not in LANGUAGES:
            raise BadInputError("error.language.referee_speaks_not", list=", ".join(LANGUAGES), code=ascii(code)[:20])
        self.code = code
        self._catalogue = (
            gettext.NullTranslations() if code == "en" else gettext.translation(DOMAIN, CATALOGUES, languages=[code])
        )

    def text(self, message: str, **values: object) -> str:
        """Give a sentence or a part of one."""
        return self._catalogue.gettext(message).format(**values)

    def text_in(self, context: str, message: str, **values: object) -> str:
        """Give a sentence or a part whose translation depends on where it stands."""
        return self._catalogue.pgettext(context, message).format(**values)

    def template(self, message: str) -> str:
        """Give a sentence whose {places} somebody else fills in."""
        return self._catalogue.gettext(message)

    def template_in(self, context: str, message: str) -> str:
        """Give a sentence whose {places} somebody else fills in."""
        return self._catalogue.pgettext(context, message)

    def count(self, one: str, many: str, number: int, **values: object) -> str:
        """Give the sentence for so many; `{n}` is the number in words. A negative number has the form of its size."""
        return self._catalogue.ngettext(one, many, abs(number)).format(n=self.number(number), **values)

    def count_in(self, context: str, one: str, many: str, number: int, **values: object) -> str:
        """Give the sentence for so many, where its translation depends on where it stands."""
        return self._catalogue.npgettext(context, one, many, abs(number)).format(n=self.number(number), **values)

    def number(self, number: int) -> str:
        """Give a number as a word up to twelve, in digits beyond: every speech engine reads those by itself."""
        if number < 0:
            return self.text("minus {number}", number=self.number(-number))
        return self.text_in("number", NUMBERS[number]) if number < len(NUMBERS) else str(number)

    def decimal(self, number: float) -> str:
        """Give a number with one decimal, "0.4" or "0,4", or none if it is whole."""
        text = f"{number:.1f}".removesuffix(".0")
        return text.replace(".", self.text_in("decimal point", "."))

    def cards(self, number: int) -> str:
        """Give "no cards", "one card", "two cards"."""
        return self.count("one card", "{n} cards", number) if number else self.text("no cards")

    def points(self, number: int) -> str:
        """Give "no points", "one point", "minus two points"."""
        if number < 0:
            return self.text("minus {number}", number=self.points(-number))
        return self.count("one point", "{n} points", number) if number else self.text("no points")

    def list_of(self, names: Sequence[str]) -> str:
        """Give "Ann", "Ann and Ben", "Ann, Ben and Cem"."""
        if len(names) < 2:
            return "".join(names)
        return self.text("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])


def language_of(environment: Mapping[str, str] = os.environ) -> str:
    """Give the code of the language that the system is set to, "en" if the referee does not speak that."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        wanted = [code[:2].lower() for code in environment.get(name, "").split(":") if code]
        if wanted:
            return next((code for code in wanted if code in LANGUAGES), "en")
    return "en"
