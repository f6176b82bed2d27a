"""Colours and suits as they are said: their names, and their forms beside "clowns"."""

from __future__ import annotations

from referee.language import Language

_NAMES = {
    "red": "colour.red",
    "orange": "colour.orange",
    "yellow": "colour.yellow",
    "green": "colour.green",
    "turquoise": "colour.turquoise",
    "blue": "colour.blue",
    "purple": "colour.purple",
    "pink": "colour.pink",
    "black": "colour.black",
    "white": "colour.white",
    "brown": "colour.brown",
    "grey": "colour.grey",
    "spade": "suit.spade",
    "heart": "suit.heart",
    "diamond": "suit.diamond",
    "club": "suit.club",
    "coin": "suit.coin",
    "crown": "suit.crown",
    "moon": "suit.moon",
    "star": "suit.star",
}
_SUITS = frozenset({"spade", "heart", "diamond", "club", "coin", "crown", "moon", "star"})

_HAPPY = {
    "red": "clowns.happy.red",
    "orange": "clowns.happy.orange",
    "yellow": "clowns.happy.yellow",
    "green": "clowns.happy.green",
    "turquoise": "clowns.happy.turquoise",
    "blue": "clowns.happy.blue",
    "purple": "clowns.happy.purple",
    "pink": "clowns.happy.pink",
    "black": "clowns.happy.black",
    "white": "clowns.happy.white",
    "brown": "clowns.happy.brown",
    "grey": "clowns.happy.grey",
}

_ONE_OF = {
    "red": "clowns.one_of.red",
    "orange": "clowns.one_of.orange",
    "yellow": "clowns.one_of.yellow",
    "green": "clowns.one_of.green",
    "turquoise": "clowns.one_of.turquoise",
    "blue": "clowns.one_of.blue",
    "purple": "clowns.one_of.purple",
    "pink": "clowns.one_of.pink",
    "black": "clowns.one_of.black",
    "white": "clowns.one_of.white",
    "brown": "clowns.one_of.brown",
    "grey": "clowns.one_of.grey",
}


def colour_name(language: Language, colour: str) -> str:
    """Give a colour's or suit's name; one that has no translation as the deck calls it."""
    if colour not in _NAMES:
        return colour
    return language.text(_NAMES[colour])


def happy_clowns(language: Language, number: int, colour: str) -> str:
    """Give "two happy greens"."""
    if colour not in _HAPPY:
        return language.text("clowns.happy_of_colour", n=language.number(number), colour=colour)
    clowns = language.text(_HAPPY[colour])
    return language.text("clowns.happy", n=language.number(number), clowns=clowns)


def one_is_sad(language: Language, colour: str | None) -> str:
    """Give "one of the reds is sad"; None: the colour is not known."""
    if colour is None:
        return language.text("clowns.one_is_sad")
    if colour not in _ONE_OF:
        return language.text("clowns.sad_of_colour", colour=colour)
    return language.text("clowns.sad", clowns=language.text(_ONE_OF[colour]))
