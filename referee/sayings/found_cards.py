"""What `ringmaster read` found in a picture, a line a card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.language import Language, mark, mark_in
from referee.sayings.colours import colour_name
from referee.sayings.unclear_cards import say_reason

_SIDES = {
    "white": mark("{face}, white side: {marks}"),
    "black": mark("{face}, black side: {marks}"),
}
_SIZES = {
    "small": mark_in("mark", "small"),
    "medium": mark_in("mark", "medium"),
    "big": mark_in("mark", "big"),
}
_SHAPES = {
    "circle": mark_in("shape", "circle"),
    "oval": mark_in("shape", "oval"),
    "triangle": mark_in("shape", "triangle"),
    "diamond": mark_in("shape", "diamond"),
    "square": mark_in("shape", "square"),
    "rectangle": mark_in("shape", "rectangle"),
    "star": mark_in("shape", "star"),
    "cross": mark_in("shape", "cross"),
    "squiggle": mark_in("shape", "squiggle"),
    "heart": mark_in("shape", "heart"),
    "crescent": mark_in("shape", "crescent"),
}
_MEANINGS = {
    "happy": mark_in("card", "happy"),
    "sad": mark_in("card", "sad"),
    "joker": mark_in("card", "joker"),
    "row": mark_in("card", "row"),
    "last round": mark_in("card", "last round"),
    "summary": mark_in("card", "summary"),
}


def say_picture(image: str, cards: int, unclear: int, ms: float, language: Language) -> str:
    """Give how much was found in a picture, and how long it took."""
    return language.text(
        "{image}: {cards} cards, {unclear} unclear ({ms} ms)", image=image, cards=cards, unclear=unclear, ms=f"{ms:.0f}"
    )


def say_sure(confidence: float, language: Language) -> str:
    """Give how sure a reading is; 100 % is never said: nothing is that certain."""
    return language.text("{percent} sure", percent=f"{language.decimal(min(100 * confidence, 99.9))} %")


def say_face(named: str, confidence: float, language: Language) -> str:
    """Give a card that was read."""
    return language.text("{card} ({sure})", card=named, sure=say_sure(confidence, language))


def say_marked(face: str, side: str, marks: Iterable[tuple[str, str, str]], language: Language) -> str:
    """Give the name of a card and its marks, each a size, a colour and a shape."""
    said = ", ".join(
        language.text(
            "{size} {colour} {shape}",
            size=language.text_in("mark", _SIZES[size]),
            colour=colour_name(language, colour),
            shape=_shape(shape, language),
        )
        for size, colour, shape in marks
    )
    return language.text(_SIDES.get(side, mark("{face}: {marks}")), face=face, marks=said)


def say_print(face: str | None, side: str | None, attributes: Mapping[str, str], language: Language) -> str:
    """Give the name of a card that its print tells, and what it means in its game; face: None for a stranger."""
    if side == "back":
        return language.text("a card's back")
    if face is None:
        return language.text("no face of the deck")
    if not attributes:
        return face
    return language.text(
        "{face}: {marks}", face=face, marks=", ".join(_meaning(one, language) for one in attributes.values())
    )


def say_unread(reason: str | None, place: tuple[float, float] | None, perhaps: str, language: Language) -> str:
    """Give a card that could not be read, where it lies (px), and what it may be; "": nobody knows."""
    why = say_reason(reason or "covered", language)
    if place is None:
        said = language.text("unclear, {reason}", reason=why)
    else:
        x, y = place
        said = language.text("unclear, {reason}: the card at {x}, {y} px", reason=why, x=f"{x:.0f}", y=f"{y:.0f}")
    return language.text("{card}; perhaps {perhaps}", card=said, perhaps=perhaps) if perhaps else said


def say_unknown(place: tuple[float, float], marks: Iterable[tuple[str, str | None]], language: Language) -> str:
    """Give a card of a deck that nobody knows: where it lies (px), and its marks, each a colour and a shape or None."""
    said = ", ".join(f"{colour_name(language, colour)} {_shape(shape, language)}" for colour, shape in marks)
    return language.text(
        "card at {x}, {y} px: {marks}",
        x=f"{place[0]:.0f}",
        y=f"{place[1]:.0f}",
        marks=said or language.text("no marks"),
    )


def say_cut_short(language: Language) -> str:
    """Give what is said where a picture was not read to its end."""
    return language.text(
        "unclear, cut short: the picture is too hard to read to the end, there may be more cards; take it from nearer, "
        "sharp and well lit"
    )


def _shape(shape: str | None, language: Language) -> str:
    if shape is None:
        return language.text_in("shape", "mark")
    return language.text_in("shape", _SHAPES[shape]) if shape in _SHAPES else shape


def _meaning(value: str, language: Language) -> str:
    return language.text_in("card", _MEANINGS[value]) if value in _MEANINGS else colour_name(language, value)
