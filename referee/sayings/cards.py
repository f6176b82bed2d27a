"""Sentences about cards that were read, unclear, or scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.language import Language, mark, mark_in
from referee.sayings.colours import colour_name
from referee.sayings.service import rang
from vision.reading import PLACES, UnclearCard

USABLE_CARDS = mark_in("page", "Print Ringmaster's cards, or teach it your own.")


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
    "triangle": mark_in("shape", "triangle"),
    "square": mark_in("shape", "square"),
    "star": mark_in("shape", "star"),
    "cross": mark_in("shape", "cross"),
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


def say_any_card(place: tuple[float, float], confidence: float, language: Language) -> str:
    """Give a card of an unknown deck: where it is (px)."""
    at = language.text("card at {x}, {y} px", x=f"{place[0]:.0f}", y=f"{place[1]:.0f}")
    return say_face(at, confidence, language)


def say_cut_short(language: Language) -> str:
    """Give what is said where a picture was not read to its end."""
    return language.text(
        "unclear, cut short: the picture is too hard to read to the end, there may be more cards; take it from nearer, "
        "sharp and well lit"
    )


def _shape(shape: str, language: Language) -> str:
    return language.text_in("shape", _SHAPES[shape]) if shape in _SHAPES else shape


def _meaning(value: str, language: Language) -> str:
    return language.text_in("card", _MEANINGS[value]) if value in _MEANINGS else colour_name(language, value)


def changed_reading(
    kind: str, was: Mapping[str, Any], now: Mapping[str, Any] | None, players: Sequence[str], language: Language
) -> str:
    """Give what was changed from what to what; now: None if it never happened. "" for what has no words."""
    before, after = dict(was), None if now is None else {**was, **now}
    if kind == "hand" and after is not None:
        gone, come = _cards(before), _cards(after)
        texts = _hand_text(gone - come, language), _hand_text(come - gone, language)
    else:
        texts = _text(kind, before, players, language), "" if after is None else _text(kind, after, players, language)
    if not texts[0] and not texts[1]:
        return ""
    change = f"{texts[0] or '–'} → {texts[1] or '–'}"
    seat = before.get("seat")
    named = kind not in ("bell", "ringer") and isinstance(seat, int) and 0 <= seat < len(players)
    return f"{players[int(str(seat))]}: {change}" if named else change


def _text(kind: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    if kind in ("card_shown", "card_read"):
        mood = language.text_in("page", "Happy") if data.get("mood") == "happy" else language.text_in("page", "Sad")
        return f"{colour_name(language, str(data.get('colour')))}, {mood.lower()}"
    if kind == "hand":
        return _hand_text(_cards(data), language)
    seat = data.get("seat")
    if kind in ("bell", "ringer") and (seat is None or (isinstance(seat, int) and 0 <= seat < len(players))):
        return rang(players, seat, language)
    return ""


def _cards(data: Mapping[str, Any]) -> Counter[tuple[str, ...]]:
    cards = data.get("cards")
    return Counter(tuple(map(str, card)) for card in cards if isinstance(card, list | tuple)) if cards else Counter()


def _hand_text(cards: Counter[tuple[str, ...]], language: Language) -> str:
    return "; ".join(", ".join(colour_name(language, one) for one in card) for card in cards.elements())


_REASONS = {
    "covered": mark_in("unclear", "covered"),
    "glare": mark_in("unclear", "glare"),
    "dark": mark_in("unclear", "dark"),
    "blurred": mark_in("unclear", "blurred"),
    "edge of picture": mark_in("unclear", "edge of picture"),
    "same card twice": mark_in("unclear", "same card twice"),
    "colours": mark_in("unclear", "colours"),
    "no face fits": mark_in("unclear", "no face fits"),
    "alike": mark_in("unclear", "alike"),
    "aslant": mark_in("unclear", "aslant"),
    "cut short": mark_in("unclear", "cut short"),
    "camera": mark_in("unclear", "camera"),
    "out of sight": mark_in("unclear", "out of sight"),
    "hand": mark_in("unclear", "hand"),
    "thing": mark_in("unclear", "thing"),
    "light": mark_in("unclear", "light"),
    "darkness": mark_in("unclear", "darkness"),
    "between": mark_in("unclear", "between"),
    "apart": mark_in("unclear", "apart"),
    "blur": mark_in("unclear", "blur"),
}
_REMEDIES = {
    "glare": mark("turn the card or the lamp"),
    "dark": mark("make more light"),
    "blurred": mark("hold the camera still"),
    "edge of picture": mark("move the card into the picture"),
    "same card twice": mark("no card is there twice, so look at the two"),
    "colours": mark("put the card into better light"),
    "no face fits": mark("take away what is no card of this deck"),
}
_AT_A_PLACE = {
    "cut short": mark("the picture is too hard to read to the end, take it from nearer, sharp and well lit"),
    "camera": mark("nothing shows that the camera was not moved, lay the marker cards at the table's corners"),
    "out of sight": mark("this seat's place is not in the picture, turn the camera"),
    "hand": mark("a hand lies there and may hide cards, take it away"),
    "thing": mark("something lies there that may hide a card or be one, take it away"),
    "light": mark("it is too bright there to see a card (glare), turn the lamp or shade the table"),
    "darkness": mark("it is too dark there to see every card, make more light"),
    "between": mark("a card lies on the border of two seats, push it to the one whose it is"),
    "apart": mark("a card lies just where the middle of the table begins, pull it to the hand or push it away"),
    "blur": mark("the picture is too blurred to show every card, hold the camera still and wipe its lens"),
}


def say_reason(reason: str, language: Language) -> str:
    """Give in a word or two why a card could not be read."""
    return language.text_in("unclear", _REASONS[reason]) if reason in _REASONS else reason


def say_unclear(cards: Sequence[UnclearCard], seat: int, language: Language) -> str:
    """Give what cannot be read at a seat, and what to do about it; people count seats from one."""
    unread = [card.reason for card in cards if card.reason not in PLACES]
    said = []
    if unread:
        reasons = sorted(set(unread))
        remedies = dict.fromkeys(_remedy(reason, seat, language) for reason in reasons)
        said.append(
            language.count(
                "one card cannot be read ({reasons}), {remedies}",
                "{n} cards cannot be read ({reasons}), {remedies}",
                len(unread),
                reasons=language.list_of([say_reason(reason, language) for reason in reasons]),
                remedies=language.list_of(list(remedies)),
            )
        )
    said += [language.text(_AT_A_PLACE[place]) for place in PLACES if any(card.reason == place for card in cards)]
    return "; ".join(said)


def _remedy(reason: str, seat: int, language: Language) -> str:
    if reason in _REMEDIES:
        return language.text(_REMEDIES[reason])
    return language.text("spread the cards at seat {number}", number=seat + 1)


_PLAYED = {"white": mark("White side played, {heap}"), "black": mark("Black side played, {heap}")}


def say_seat(seat: int, told: str, language: Language) -> str:
    """Give what is told of a seat under its name; people count seats from one."""
    return language.text("Seat {number}: {told}", number=seat + 1, told=told)


def seat_tag(seat: int, points: int | None, language: Language, *, doubtful: bool = False) -> str:
    """Give a seat's name as it stands in the picture, with its points if it has any; doubtful: not all was read."""
    if points is None:
        return language.text("Seat {number}", number=seat + 1)
    return say_seat(seat, language.points(points), language) + ("?" if doubtful else "")


def say_worth(held: str, points: int, language: Language) -> str:
    """Give what a hand holds, and its points: "five sets on six cards: five points"."""
    return language.text("{hand}: {points}", hand=held, points=language.points(points))


def say_hand_alone(held: str, points: int, language: Language) -> str:
    """Give the same as a sentence of its own."""
    said = say_worth(held, points, language)
    return said[:1].upper() + said[1:]


def say_left_out(cards: int, language: Language) -> str:
    """Give how many cards do not count, because their other side is up; 0: nothing."""
    if not cards:
        return ""
    left_out = language.text("not counted: {cards} with the other side up", cards=language.cards(cards))
    return f"; {left_out}"


def say_strange(faces: Sequence[str], language: Language) -> str:
    """Give which faces do not count, because the game leaves them out; none: nothing."""
    if not faces:
        return ""
    left_out = language.count(
        "not counted, for it is not in this game: {faces}",
        "not counted, for they are not in this game: {faces}",
        len(faces),
        faces=language.list_of(faces),
    )
    return f"; {left_out}"


def say_doubts(unclear: Sequence[UnclearCard], seat: int, language: Language) -> str:
    """Give what is not certain at a seat, and what to do about it; none: nothing."""
    if not unclear:
        return ""
    doubts = language.text("not certain: {doubts}", doubts=say_unclear(unclear, seat, language))
    return f"; {doubts}"


def say_heap(cards: int, unread: int, side: str | None, language: Language) -> str:
    """Give what lies before nobody; side: which was played, None if nobody has a card."""
    heap = language.text("{cards} in nobody's hand", cards=language.cards(cards))
    if unread:
        heap = language.count(
            "{heap} and one more that cannot be read", "{heap} and {n} more that cannot be read", unread, heap=heap
        )
    played = _PLAYED.get(side or "")
    return language.text(played, heap=heap) if played else heap[:1].upper() + heap[1:]


def say_inferred(language: Language) -> str:
    """Give that nobody said which side is played."""
    return language.text("Nobody said which side is played, so it is the one that most cards show")


def other_side_tag(language: Language) -> str:
    """Give what stands in the picture on a card that does not count."""
    return language.text("other side up")
