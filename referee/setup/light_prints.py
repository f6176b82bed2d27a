"""Which two faces of a deck of prints come closest under this lamp, and what would help, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from referee.language import Language
from referee.sayings.colours import colour_name
from referee.setup.finding import Points
from vision.prints.print_deck import PrintDeck
from vision.prints.under_lamp import ClosestPrints, UnderLamp

_GOOD_WHITE = np.full(3, 0.88)
_NEARER = 1.5
_PRINT_LEANS = 0.45  # of white's strongest channel: a weaker one tells colours badly
_SAME = 0.06


class LightPrints:
    """Asks the reader, and again only when lamp or scale have changed: it takes longer than a look may."""

    def __init__(self) -> None:
        self._deck: tuple[str, UnderLamp] | None = None
        self._told: tuple[Points, float, str] | None = None

    def in_words(self, deck: PrintDeck, white: Points, px_per_mm: float, language: Language) -> str:
        """Say which two faces come closest where white paper shows as `white` (3,) RGB, 0..1; "" of a single face."""
        if self._deck is None or self._deck[0] != deck.name:
            self._deck, self._told = (deck.name, UnderLamp(deck)), None
        if self._told is not None:
            before, scale, text = self._told
            if np.abs(before - white).max() < _SAME and abs(scale / px_per_mm - 1) < _SAME:
                return text
        text = _said(deck, self._deck[1], white, px_per_mm, language)
        self._told = white, px_per_mm, text
        return text


def _said(deck: PrintDeck, lamp: UnderLamp, white: Points, px_per_mm: float, language: Language) -> str:
    seen = np.ascontiguousarray(white[::-1])
    closest = lamp.closest(seen, px_per_mm)
    if closest is None:
        return ""
    one, other = (
        face_in_words(face, deck.by_id[face].attributes, language) for face in sorted((closest.one, closest.other))
    )
    names = {"one": one, "other": other}
    if closest.sure:
        return language.text("I can tell all cards apart; most alike are {one} and {other}.", **names)
    if _told(lamp, closest, _GOOD_WHITE, px_per_mm):
        if white.min() < _PRINT_LEANS * white.max():
            return language.text(
                "Hard to tell in this light are {one} and {other}: a whiter lamp, or daylight, would help.", **names
            )
        return language.text("Hard to tell in this light are {one} and {other}: more light would help.", **names)
    if _told(lamp, closest, seen, px_per_mm * _NEARER):
        return language.text("Hard to tell from so far are {one} and {other}: hang the camera lower.", **names)
    return language.text("Hard to tell in any light are {one} and {other}: where they lie it will ask.", **names)


def _told(lamp: UnderLamp, closest: ClosestPrints, white: Points, px_per_mm: float) -> bool:
    return lamp.told(closest.one, closest.other, white, px_per_mm).sure


def face_in_words(face: str, attributes: Mapping[str, str], language: Language) -> str:
    """Give what a face is called among people; its id where it has no meaning that has words."""
    colour = attributes.get("colour")
    if colour and attributes.get("mood") in ("happy", "sad"):
        mood = "Happy" if attributes["mood"] == "happy" else "Sad"
        return f"{colour_name(language, colour)}, {_mood(mood, language).lower()}"
    if "suit" in attributes and "rank" in attributes:
        return f"{attributes['rank']} {colour_name(language, attributes['suit'])}"
    if colour and attributes.get("kind") == "colour":
        return colour_name(language, colour)
    return face


def _mood(mood: str, language: Language) -> str:
    return language.text_in("page", "Happy") if mood == "Happy" else language.text_in("page", "Sad")
