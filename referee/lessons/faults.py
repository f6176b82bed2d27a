"""Errors of a lesson on the page, and the check of a deck's name."""

from __future__ import annotations

from referee.decks.store import DeckStore
from referee.errors import BadInputError


class LessonError(BadInputError):
    """A step of a lesson that is impossible."""


def check_name(store: DeckStore, name: str) -> None:
    """Check the name of a new deck.

    Raises:
        LessonError: the name is invalid or taken.
    """
    if any(name.casefold() == other.casefold() for other in store.names()):
        raise LessonError("fault.deck_name_taken", name=name)
    try:
        store.check_free(name)
    except BadInputError as error:
        raise LessonError("fault.deck_name_bad", name=name[:60]) from error
