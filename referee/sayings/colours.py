"""Colours and suits as they are said: their names, and their forms beside "clowns"."""

from __future__ import annotations

from referee.language import Language, mark_in

_NAMES = {
    "red": mark_in("colour", "red"),
    "orange": mark_in("colour", "orange"),
    "yellow": mark_in("colour", "yellow"),
    "green": mark_in("colour", "green"),
    "turquoise": mark_in("colour", "turquoise"),
    "blue": mark_in("colour", "blue"),
    "purple": mark_in("colour", "purple"),
    "pink": mark_in("colour", "pink"),
    "black": mark_in("colour", "black"),
    "white": mark_in("colour", "white"),
    "brown": mark_in("colour", "brown"),
    "grey": mark_in("colour", "grey"),
    "spade": mark_in("suit", "spade"),
    "heart": mark_in("suit", "heart"),
    "diamond": mark_in("suit", "diamond"),
    "club": mark_in("suit", "club"),
    "coin": mark_in("suit", "coin"),
    "crown": mark_in("suit", "crown"),
    "moon": mark_in("suit", "moon"),
    "star": mark_in("suit", "star"),
}
_SUITS = frozenset({"spade", "heart", "diamond", "club", "coin", "crown", "moon", "star"})

_HAPPY = {
    "red": mark_in("two happy …", "reds"),
    "orange": mark_in("two happy …", "oranges"),
    "yellow": mark_in("two happy …", "yellows"),
    "green": mark_in("two happy …", "greens"),
    "turquoise": mark_in("two happy …", "turquoises"),
    "blue": mark_in("two happy …", "blues"),
    "purple": mark_in("two happy …", "purples"),
    "pink": mark_in("two happy …", "pinks"),
    "black": mark_in("two happy …", "blacks"),
    "white": mark_in("two happy …", "whites"),
    "brown": mark_in("two happy …", "browns"),
    "grey": mark_in("two happy …", "greys"),
}

_ONE_OF = {
    "red": mark_in("one of the …", "reds"),
    "orange": mark_in("one of the …", "oranges"),
    "yellow": mark_in("one of the …", "yellows"),
    "green": mark_in("one of the …", "greens"),
    "turquoise": mark_in("one of the …", "turquoises"),
    "blue": mark_in("one of the …", "blues"),
    "purple": mark_in("one of the …", "purples"),
    "pink": mark_in("one of the …", "pinks"),
    "black": mark_in("one of the …", "blacks"),
    "white": mark_in("one of the …", "whites"),
    "brown": mark_in("one of the …", "browns"),
    "grey": mark_in("one of the …", "greys"),
}


def colour_name(language: Language, colour: str) -> str:
    """Give a colour's or suit's name; one that has no translation as the deck calls it."""
    if colour not in _NAMES:
        return colour
    return language.text_in("suit" if colour in _SUITS else "colour", _NAMES[colour])


def happy_clowns(language: Language, number: int, colour: str) -> str:
    """Give "two happy greens"."""
    if colour not in _HAPPY:
        return language.text("{n} happy clowns of the colour {colour}", n=language.number(number), colour=colour)
    clowns = language.text_in("two happy …", _HAPPY[colour])
    return language.text("{n} happy {clowns}", n=language.number(number), clowns=clowns)


def one_is_sad(language: Language, colour: str | None) -> str:
    """Give "one of the reds is sad"; None: the colour is not known."""
    if colour is None:
        return language.text("one of the two is sad")
    if colour not in _ONE_OF:
        return language.text("one of the clowns of the colour {colour} is sad", colour=colour)
    return language.text("one of the {clowns} is sad", clowns=language.text_in("one of the …", _ONE_OF[colour]))
