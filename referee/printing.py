"""Prints decks and marker cards as PDF, true to size."""

from __future__ import annotations

from referee.errors import BadInputError

PAPERS = ("a4", "letter")


def printed(what: str, paper: str) -> tuple[bytes, dict[str, object]]:
    """Return the PDF of a deck or of the "markers" on a paper (of `PAPERS`), and the manifest of its pages.

    Raises:
        BadDeckError: the deck is missing or broken.
        BadInputError: it is a family's own deck, whose cards only they have.
    """
    if what == "markers":
        from calibration.print import markers_pdf

        return markers_pdf(paper)
    from calibration.print import deck_pdf, drawn_deck_pdf, is_drawn
    from referee.decks.lookup import find_deck
    from vision.deck import MARKS

    deck = find_deck(what)
    if deck.kind == MARKS:
        return deck_pdf(deck, paper)
    if not is_drawn(what):
        raise BadInputError("error.printing.was_taught_from_cards_that", deck=deck.name)
    return drawn_deck_pdf(deck, paper)
