"""Sentences that are made in English, far from any catalogue, in the language of whoever reads them.

What reads pictures, devices and files knows no language. Its sentences stand in the catalogues as templates with
{places}, and are known again by them where they are printed or shown.
"""

from __future__ import annotations

import re
from functools import cache

from referee.language import Language
from referee.sayings import checks, faults, terminal

_PLACE = re.compile(r"\{(\w+)\}")


def in_language(text: str, language: Language) -> str:
    """Give a sentence in a language; as it is where no template fits it. What fills its places is looked at as well."""
    if language.code == "en":
        return text
    for known, template in _known():
        found = known.fullmatch(text)
        if found:
            return language.text(
                template, **{name: _value(name, value, language) for name, value in found.groupdict().items()}
            )
    return text


def templates() -> tuple[str, ...]:
    """Give all templates, those first that leave least open."""
    told = {*faults.TEMPLATES, *checks.TEMPLATES, *terminal.TEMPLATES}
    return tuple(sorted(told, key=lambda one: (-len(_PLACE.sub("", one)), one)))


def _value(name: str, value: str, language: Language) -> str:
    """Give what fills a place; a list has its “and” in the language."""
    if name.endswith("list"):
        return language.list_of([in_language(one, language) for one in re.split(", | and ", value)])
    return in_language(value, language)


@cache
def _known() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_pattern(template), re.DOTALL), template) for template in templates())


def _pattern(template: str) -> str:
    parts = _PLACE.split(template)
    return "".join(f"(?P<{part}>.*?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
