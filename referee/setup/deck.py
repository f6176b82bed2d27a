"""The deck: ours, printed at home, or the family's own that was taught."""

from __future__ import annotations

from collections.abc import Mapping

from referee.decks.finding import AnyDeck, find_deck
from referee.decks.store import DeckStore
from referee.errors import BadInputError, RefereeError
from referee.language import Language
from referee.setup.finding import Choice, Finding, Seen, State, Wish
from referee.setup.record import deck_of
from vision.deck import Deck
from vision.errors import VisionError

USUAL = "confetti"
PRINTABLE = ("confetti", "piccolino", "coloretto", "everdeck")


class DeckStep:
    """See the module."""

    name = "deck"

    def __init__(self) -> None:
        self._deck = ""

    def title(self, language: Language) -> str:
        """What it is called."""
        return language.text("Cards")

    def ask(self, language: Language) -> str:
        """What to do."""
        return language.text("Which cards do you play with?")

    def begin(self, seen: Seen) -> Wish:
        """Begin with the deck of the last time."""
        self._deck = chosen_name(seen)
        return Wish()

    def look(self, seen: Seen) -> Finding:
        """Offer what there is."""
        language = seen.language
        names = (*PRINTABLE, *_taught(seen))
        choices = tuple(Choice(_called(name), {"deck": name}, chosen=name == self._deck) for name in names)
        links = tuple(
            Choice(language.text("{deck} to print", deck=_called(name)), href=f"/print/{name}.pdf")
            for name in PRINTABLE
            if name == self._deck
        )
        teach = Choice(language.text("Teach my own cards"), href="#teach")
        text = language.text("You play with {deck}.", deck=_called(self._deck))
        more = (
            (language.text("Print it at 100 %; the ruler on the page shows whether the size is right."),)
            if links
            else ()
        )
        return Finding(State.GOOD, text, more, choices=(*choices, *links, teach))

    def answer(self, seen: Seen, answer: Mapping[str, object]) -> Wish:
        """Take another deck."""
        deck = answer.get("deck")
        if deck not in (*PRINTABLE, *_taught(seen)):
            raise BadInputError("there is no such deck")
        self._deck = str(deck)
        return Wish(data={"deck": self._deck})

    def keep(self, seen: Seen) -> Wish:
        """Keep which deck it is."""
        return Wish(data={"deck": self._deck or chosen_name(seen)})


def chosen_name(seen: Seen) -> str:
    """Give the name of the deck that was chosen, or the usual one."""
    return deck_of(seen.kept) or USUAL


def chosen_deck(seen: Seen) -> AnyDeck | None:
    """Give the deck that was chosen; None if it is there no more."""
    try:
        return find_deck(chosen_name(seen), seen.folder)
    except (VisionError, RefereeError):
        return None


def chosen_palette(seen: Seen) -> tuple[Mapping[str, str], str, str] | None:
    """Give the colours of the chosen deck (`#rrggbb` each), its ground and that side; None where it tells none."""
    deck = chosen_deck(seen)
    if isinstance(deck, Deck):
        side = "white" if "white" in deck.palette else next(iter(deck.palette), "")
        return (deck.palette[side], deck.background[side], side) if side else None
    return None


def _taught(seen: Seen) -> list[str]:
    try:
        return DeckStore(seen.folder).names()
    except RefereeError:
        return []


def _called(name: str) -> str:
    return name[:1].upper() + name[1:]
