"""Names of colours and suits, and their forms beside "clowns"."""

from __future__ import annotations

from referee.language import Language


def colour_name(language: Language, colour: str) -> str:
    """Return the name of a colour or suit; without a translation the deck's own."""
    keys = (f"colour.{colour}", f"suit.{colour}")
    return next((language.text(key) for key in keys if key in language), colour)


def happy_clowns(language: Language, number: int, colour: str) -> str:
    """Return "two happy greens"."""
    known = f"clowns.happy.{colour}"
    if known not in language:
        return language.text("clowns.happy_of_colour", n=language.number(number), colour=colour)
    clowns = language.text(known)
    return language.text("clowns.happy", n=language.number(number), clowns=clowns)


def one_is_sad(language: Language, colour: str | None) -> str:
    """Return "one of the reds is sad"; None: unknown colour."""
    if colour is None:
        return language.text("clowns.one_is_sad")
    known = f"clowns.one_of.{colour}"
    if known not in language:
        return language.text("clowns.sad_of_colour", colour=colour)
    return language.text("clowns.sad", clowns=language.text(known))
