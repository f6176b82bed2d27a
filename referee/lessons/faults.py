"""What can go wrong in a lesson on the page, a deck's name among it."""

from __future__ import annotations

from referee.decks.store import DeckStore
from referee.errors import BadInputError


class LessonError(BadInputError):
    """Something that cannot be done in a lesson."""


def check_name(store: DeckStore, name: str) -> None:
    """Say whether a new deck can have a name.

    Raises:
        LessonError: it cannot.
    """
    if any(name.casefold() == other.casefold() for other in store.names()):
        raise LessonError("fault.deck_name_taken", name=name)
    try:
        store.check_free(name)
    except BadInputError as error:
        raise LessonError("fault.deck_name_bad", name=name[:60]) from error
