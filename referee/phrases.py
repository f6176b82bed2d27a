"""Sentences that are kept as what they say, and not in the language of the day: their key, with the values in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from referee.language import Language

_MOST_DEEP = 4
"""A sentence with a list of places in it is three deep."""


class Phrase(str):
    """A text that knows its catalogue's sentence, the context of that ("" for none), and the values in its places."""

    message: str
    context: str
    values: Mapping[str, object]

    def __new__(cls, text: str, message: str, context: str, values: Mapping[str, object]) -> Phrase:
        """Give such a text."""
        phrase = super().__new__(cls, text)
        phrase.message, phrase.context, phrase.values = message, context, values
        return phrase


class Remembering(Language):
    """A language whose sentences are phrases."""

    def text(self, message: str, **values: object) -> str:
        """Give a sentence or a part of one."""
        return Phrase(super().text(message, **values), message, "", values)

    def text_in(self, context: str, message: str, **values: object) -> str:
        """Give a sentence or a part whose translation depends on where it stands."""
        return Phrase(super().text_in(context, message, **values), message, context, values)


def in_language(text: object, language: Language) -> str:
    """Give a phrase in another language; any other text as it is."""
    if not isinstance(text, Phrase):
        return str(text)
    template = language.template_in(text.context, text.message) if text.context else language.template(text.message)
    # Not by `format`: what was kept may come from somebody else's backup.
    return re.sub(r"\{(\w+)\}", lambda place: in_language(text.values.get(place[1], place[0]), language), template)


def as_data(text: object) -> object:
    """Give a text as JSON; a phrase as `{"message", "context", "values"}`."""
    if not isinstance(text, Phrase):
        return text if isinstance(text, str | int | float) else str(text)
    return {
        "message": text.message,
        "context": text.context,
        "values": {name: as_data(value) for name, value in text.values.items()},
    }


def from_data(data: Any, language: Language, deep: int = 0) -> str:  # noqa: ANN401 (a piece of JSON may be anything)
    """Give a text that was kept, a phrase in a language; "" for what makes no sense."""
    if isinstance(data, str | int | float):
        return str(data)
    if not isinstance(data, dict) or deep > _MOST_DEEP:
        return ""
    message, context, values = data.get("message"), data.get("context", ""), data.get("values", {})
    if not isinstance(message, str) or not isinstance(context, str) or not isinstance(values, dict):
        return ""
    known = {str(name): from_data(value, language, deep + 1) for name, value in values.items()}
    return Phrase(in_language(Phrase("", message, context, known), language), message, context, known)
