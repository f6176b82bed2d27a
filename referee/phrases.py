"""Sentences that are stored as their key and values, without a language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.language import Language, catalogue, filled

_MOST_DEEP = 4
"""Deepest nesting; a sentence with a list of places has three levels."""


class Phrase(str):
    """A text with its key in the catalogues and the values of its places."""

    key: str
    values: Mapping[str, object]

    def __new__(cls, text: str, key: str, values: Mapping[str, object]) -> Phrase:
        """Return such a text."""
        phrase = super().__new__(cls, text)
        phrase.key, phrase.values = key, values
        return phrase


class Remembering(Language):
    """A language whose sentences are phrases."""

    def text(self, key: str, **values: object) -> str:
        """Return a sentence or a part of one."""
        return Phrase(super().text(key, **values), key, values)


def phrase(key: str, **values: object) -> Phrase:
    """Return an English sentence that can be given in another language later."""
    return Phrase(in_language(Phrase(key, key, values), Language("en")), key, values)


def phrase_of(error: Exception) -> Phrase:
    """Return the text of an error that has a key."""
    return Phrase(str(error), getattr(error, "key", str(error)), getattr(error, "values", {}))


def in_language(text: object, language: Language) -> str:
    """Return a value in a language: a phrase or an error by its key, a list with its "and", anything else as it is.

    The values in a sentence's places are given in the language, too.
    """
    if isinstance(text, tuple | list):
        return language.list_of([in_language(one, language) for one in text])
    key, values = getattr(text, "key", None), getattr(text, "values", None)
    if not isinstance(key, str) or not isinstance(values, Mapping):
        return str(text)
    if key not in language and isinstance(text, str):
        return str(text)
    known = {name: in_language(value, language) for name, value in values.items()}
    # An error of a device that somebody added has its English text only.
    return filled(language.template(key if key in language else getattr(text, "text", key), values.get("n", 0)), known)


def as_data(text: object) -> object:
    """Return a text as JSON; a phrase as `{"key", "values"}`."""
    if not isinstance(text, Phrase):
        return text if isinstance(text, str | int | float) else str(text)
    return {"key": text.key, "values": {name: as_data(value) for name, value in text.values.items()}}


def from_data(data: Any, language: Language, deep: int = 0) -> str:  # noqa: ANN401 (a piece of JSON may be anything)
    """Return a stored text, a phrase in a language; "" for an invalid one."""
    if isinstance(data, str | int | float):
        return str(data)
    if not isinstance(data, dict) or deep > _MOST_DEEP:
        return ""
    key, values = data.get("key", _key_of(data.get("message"))), data.get("values", {})
    if not isinstance(key, str) or not isinstance(values, dict):
        return ""
    known = {str(name): from_data(value, language, deep + 1) for name, value in values.items()}
    return Phrase(in_language(Phrase(key, key, known), language), key, known)


def _key_of(message: object) -> object:
    """Return the key that version 0.1 stored: the English sentence."""
    return next((key for key, text in catalogue("en").items() if text == message), message)
