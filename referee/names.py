"""Players' names: visible, legible and distinct, on a screen and in a sentence. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from referee.errors import BadInputError
from referee.language import LANGUAGES, Language

MOST_SEATS = 7
MOST_CHARACTERS = 40
"""Longest name; two of them fit into a caption."""

# Marks that change the direction of the letters after them; no name needs them.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Joiners: of emoji sequences, and of Persian letters.
_JOINERS = frozenset("\u200c\u200d")
# Invisible letters and signs, by category.
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_MOST_MARKS = 3
"""Stacked accents; more of them grow over neighbouring lines."""


def players_in(value: object) -> tuple[str, ...]:
    """Return the players' names of a list, without surrounding blanks and invisible signs.

    Raises:
        BadInputError: not a list of names, or a name is invisible, illegible, too long, or another's.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise BadInputError("error.journal.players_must_be_list_of")
    names: list[str] = []
    for given in value:
        name = _checked(given, len(names) + 1)
        if folded(name) in map(folded, names):
            offer = _another(name, [*names, *value])
            raise BadInputError("fault.same_name", name=name, offer=offer)
        names.append(name)
    return tuple(names)


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names from earlier games, made visible, legible and distinct; no name is refused."""
    distinct: list[str] = []
    for given in names:
        name = _cleaned("".join(char for char in given if char not in _TURNS))
        name = name[:MOST_CHARACTERS].strip() if _shows(name) else "?"
        distinct.append(_another(name, distinct) if folded(name) in map(folded, distinct) else name)
    return tuple(distinct)


@cache
def seat_names() -> frozenset[str]:
    """Return the names of seats without a player's name ("Seat 1"), in every language; nobody may have them."""
    return frozenset(Language(code).text("page.seat", n=seat + 1) for code in LANGUAGES for seat in range(MOST_SEATS))


def folded(name: str) -> str:
    """Return a key that is equal for names that people cannot distinguish."""
    return _cleaned(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))


def _checked(given: str, place: int) -> str:
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in given):
        raise BadInputError("error.names.players_must_be_list_of")
    if any(char in _TURNS for char in given):
        raise BadInputError(
            "fault.name_turned",
            number=place,
        )
    name = _cleaned(given)
    if not _shows(name):
        raise BadInputError("fault.name_unseen", number=place)
    if len(name) > MOST_CHARACTERS:
        raise BadInputError(
            "fault.name_long",
            name=name[:20] + "…",
            most=MOST_CHARACTERS,
        )
    return name


def _cleaned(given: str) -> str:
    """Return a name on one line, with single blanks, without invisible signs, and with its accents in one form."""
    one_line = " ".join(given.split())
    seen = (
        char
        for char in unicodedata.normalize("NFC", one_line)
        if char in _JOINERS or (unicodedata.category(char) not in _UNSEEN and char not in _BLANK)
    )
    kept: list[str] = []
    marks = 0
    for char in seen:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= _MOST_MARKS:
            kept.append(char)
    return unicodedata.normalize("NFC", " ".join("".join(kept).strip("\u200c\u200d ").split()))


def _shows(name: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNPS" or unicodedata.category(char) == "Cn" for char in name)


def _another(name: str, taken: Sequence[str]) -> str:
    """Return a similar name that is free: "Ann 2"."""
    known = {folded(one) for one in taken}
    number = 2
    while folded(f"{name} {number}") in known:
        number += 1
    return f"{name} {number}"
