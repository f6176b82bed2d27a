"""What could not be read in a picture of a table, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from referee.words import count_of, list_of
from vision.reading import PLACES, UnclearCard

_REMEDIES = {
    "glare": "turn the card or the lamp",
    "dark": "make more light",
    "blurred": "hold the camera still",
    "edge of picture": "move the card into the picture",
    "same card twice": "no card is there twice, so look at the two",
    "colours": "put the card into better light",
    "no face fits": "take away what is no card of this deck",
}
_AT_A_PLACE = {
    "cut short": "the picture is too hard to read to the end, take it from nearer, sharp and well lit",
    "camera": "nothing shows that the camera was not moved, lay the marker cards at the table's corners",
    "out of sight": "this seat's place is not in the picture, turn the camera",
    "hand": "a hand lies there and may hide cards, take it away",
    "thing": "something lies there that may hide a card or be one, take it away",
    "light": "it is too bright there to see a card (glare), turn the lamp or shade the table",
    "darkness": "it is too dark there to see every card, make more light",
    "between": "a card lies on the border of two seats, push it to the one whose it is",
    "blur": "the picture is too blurred to show every card, hold the camera still and wipe its lens",
}


def say_unclear(cards: Sequence[UnclearCard], seat: int) -> str:
    """Give what cannot be read at a seat, and what to do about it; people count seats from one."""
    unread = [card.reason for card in cards if card.reason not in PLACES]
    said = []
    if unread:
        reasons = sorted(set(unread))
        remedies = [_REMEDIES.get(reason, f"spread the cards at seat {seat + 1}") for reason in reasons]
        said.append(f"{count_of(len(unread), 'card')} cannot be read ({list_of(reasons)}), {list_of(remedies)}")
    said += [_AT_A_PLACE[place] for place in PLACES if any(card.reason == place for card in cards)]
    return "; ".join(said)
