"""Sentences about cards that were read, are unclear, or were scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.language import Language
from referee.sayings.colours import colour_name
from referee.sayings.service import rang
from vision.reading import PLACES, Card


def say_face(named: str, confidence: float, language: Language) -> str:
    """Return the sentence for a card that was read, with a confidence of at most 99.9 %."""
    percent = language.text("cards.confidence", percent=f"{language.decimal(min(100 * confidence, 99.9))} %")
    return language.text("cards.card_with_confidence", card=named, confidence=percent)


def say_marked(face: str, side: str, marks: Iterable[tuple[str, str, str]], language: Language) -> str:
    """Return the name of a card and its marks, each a size, a colour and a shape."""
    said = ", ".join(
        language.text(
            "cards.size_colour_shape",
            size=language.text(f"cards.size.{size}"),
            colour=colour_name(language, colour),
            shape=_shape(shape, language),
        )
        for size, colour, shape in marks
    )
    known = f"cards.side.{side}"
    return language.text(known if known in language else "cards.face_marks", face=face, marks=said)


def say_print(face: str, side: str, attributes: Mapping[str, str], language: Language) -> str:
    """Return the name of a card with its attributes."""
    if side == "back":
        return language.text("cards.cards_back")
    if not attributes:
        return face
    return language.text(
        "cards.face_marks", face=face, marks=", ".join(_meaning(one, language) for one in attributes.values())
    )


def say_unread(reason: str | None, place: tuple[float, float], perhaps: str, language: Language) -> str:
    """Return the sentence for an unread card at a place (px), with possible faces, if any."""
    why = say_reason(reason or "covered", language)
    x, y = place
    said = language.text("cards.unclear_card_at_px", reason=why, x=f"{x:.0f}", y=f"{y:.0f}")
    return language.text("cards.perhaps", card=said, perhaps=perhaps) if perhaps else said


def say_place(place: tuple[float, float], language: Language) -> str:
    """Return the name of a card of an unknown deck: its place (px)."""
    return language.text("cards.card_at_px", x=f"{place[0]:.0f}", y=f"{place[1]:.0f}")


def _named(group: str, name: str, language: Language) -> str:
    """Return the text of a name in a group, "" without one."""
    key = f"cards.{group}.{name.replace(' ', '_')}"
    return language.text(key) if key in language else ""


def _shape(shape: str, language: Language) -> str:
    return _named("shape", shape, language) or shape


def _meaning(value: str, language: Language) -> str:
    return _named("meaning", value, language) or colour_name(language, value)


def changed_reading(
    kind: str, was: Mapping[str, Any], now: Mapping[str, Any] | None, players: Sequence[str], language: Language
) -> str:
    """Return the change of an event from one value to another; now: None if it never happened. "" without words."""
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
        mood = language.text("page.mood_happy") if data.get("mood") == "happy" else language.text("page.mood_sad")
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


def say_reason(reason: str, language: Language) -> str:
    """Return the reason why a card could not be read, in a word or two."""
    return _named("reason", reason, language) or reason


def say_unclear(cards: Sequence[Card], seat: int, language: Language) -> str:
    """Return the unread cards at a seat with remedies; seats count from one."""
    unread = [card.reason for card in cards if card.reason is not None and card.reason not in PLACES]
    said = []
    if unread:
        reasons = sorted(set(unread))
        remedies = dict.fromkeys(_remedy(reason, seat, language) for reason in reasons)
        said.append(
            language.count(
                "cards.one_card_cannot_be_read",
                len(unread),
                reasons=language.list_of([say_reason(reason, language) for reason in reasons]),
                remedies=language.list_of(list(remedies)),
            )
        )
    said += [_named("at_a_place", place, language) for place in PLACES if any(card.reason == place for card in cards)]
    return "; ".join(said)


def _remedy(reason: str, seat: int, language: Language) -> str:
    return _named("remedy", reason, language) or language.text("cards.spread_cards_at_seat", number=seat + 1)


def say_seat(seat: int, text: str, language: Language) -> str:
    """Return a text about a seat with the seat's number, from one."""
    return language.text("cards.seat_with_text", number=seat + 1, text=text)


def seat_tag(seat: int, points: int | None, language: Language, *, doubtful: bool = False) -> str:
    """Return a seat's label in the picture, with its points, if any; doubtful: some cards are unread."""
    if points is None:
        return language.text("cards.seat", number=seat + 1)
    return say_seat(seat, language.points(points), language) + ("?" if doubtful else "")


def say_worth(held: str, points: int, language: Language) -> str:
    """Return a hand and its points: "five sets on six cards: five points"."""
    return language.text("cards.hand_points", hand=held, points=language.points(points))


def say_hand_alone(held: str, points: int, language: Language) -> str:
    """Return the same as a sentence."""
    said = say_worth(held, points, language)
    return said[:1].upper() + said[1:]


def say_left_out(cards: int, language: Language) -> str:
    """Return the number of cards that do not count, because their other side is up; "" for 0."""
    if not cards:
        return ""
    left_out = language.text("cards.not_counted_with_other_side", cards=language.cards(cards))
    return f"; {left_out}"


def say_strange(faces: Sequence[str], language: Language) -> str:
    """Return the faces that the game leaves out, and which therefore do not count; "" for none."""
    if not faces:
        return ""
    left_out = language.count("cards.not_counted_for_it_is", len(faces), faces=language.list_of(faces))
    return f"; {left_out}"


def say_doubts(unclear: Sequence[Card], seat: int, language: Language) -> str:
    """Return the doubts at a seat with remedies; "" for none."""
    if not unclear:
        return ""
    doubts = language.text("cards.not_certain", doubts=say_unclear(unclear, seat, language))
    return f"; {doubts}"


def say_heap(cards: int, unread: int, side: str | None, language: Language) -> str:
    """Return the cards of no seat; side: the one that is played, None if unknown."""
    heap = language.text("cards.in_nobodys_hand", cards=language.cards(cards))
    if unread:
        heap = language.count("cards.and_one_more_that_cannot", unread, heap=heap)
    known = f"cards.played.{side}"
    return language.text(known, heap=heap) if known in language else heap[:1].upper() + heap[1:]


def say_inferred(language: Language) -> str:
    """Return the sentence that the side was inferred."""
    return language.text("cards.nobody_said_which_side_is")


def other_side_tag(language: Language) -> str:
    """Return the label of a card that does not count."""
    return language.text("cards.other_side_up")
