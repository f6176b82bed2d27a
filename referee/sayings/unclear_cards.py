"""What could not be read in a picture of a table, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from referee.language import Language, mark, mark_in
from vision.reading import PLACES, UnclearCard

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
