"""Checks whether Confetti can be played with a deck: its faces have marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.games.kind import Cards, Said

if TYPE_CHECKING:
    from vision.read.print_deck import PrintDeck


def _check(deck: PrintDeck) -> None:
    raise BadInputError("error.games.these_cards_show_pictures_not")


def _missing(fronts: Sequence[Said]) -> str:
    return "lesson_no_marks"


CARDS = Cards(check=_check, marked=True, missing=_missing)
