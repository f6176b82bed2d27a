"""A scored picture in words: what each seat holds and is worth, and what does not count."""

from __future__ import annotations

from collections.abc import Sequence

from referee.language import Language, mark
from referee.sayings.unclear_cards import say_unclear
from vision.reading import UnclearCard

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
