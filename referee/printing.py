"""Makes PDFs of decks and marker cards, true to size."""

from __future__ import annotations

from referee.errors import BadInputError

PAPERS = ("a4", "letter")


def printed(what: str, paper: str) -> tuple[bytes, dict[str, object]]:
    """Return the PDF of a deck or of the "markers", and the manifest of its pages; paper: of `PAPERS`.

    Raises:
        BadDeckError: the deck is broken.
        BadInputError: nothing has this name, or it is a taught deck, whose cards only its owners have.
    """
    if what == "markers":
        from calibration.print import markers_pdf

        return markers_pdf(paper)
    from calibration.print import deck_pdf, drawn_deck_pdf, is_drawn
    from referee.decks.lookup import find_deck
    from vision.deck import MARKS, deck_names
    from vision.errors import BadDeckError

    try:
        deck = find_deck(what)
    except BadDeckError as error:
        if error.key != "error.there_is_no_deck_called":
            raise
        printable = ", ".join(["markers", *deck_names()])
        raise BadInputError("error.printing.nothing_is_called", what=ascii(what)[:40], list=printable) from error
    if deck.kind == MARKS:
        return deck_pdf(deck, paper)
    if not is_drawn(what):
        raise BadInputError("error.printing.was_taught_from_cards_that", deck=deck.name)
    return drawn_deck_pdf(deck, paper)
