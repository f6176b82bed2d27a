"""Scores an uploaded picture of a table."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

from referee.errors import BadInputError
from referee.language import Language

_WIDTH_PX = 1280
_QUALITY = 85


def score_upload(
    file: Path, players: int, limit: int, deck_name: str, state: Path | None, language: Language
) -> dict[str, Any]:
    """Return each seat's sentence (C5-C7), and the picture with the evidence, as a JPEG in base64.

    deck_name: one of the family's decks of marks in the folder `state`, or confetti.

    Raises:
        BadInputError, BadImageError, BadTableError: it is no picture of a table, or too large.
    """
    if not file.stat().st_size:
        raise BadInputError("error.no_picture_has_arrived")
    import cv2

    from referee.decks.game_deck import check_plays
    from referee.decks.lookup import find_deck
    from referee.decks.store import DeckStore
    from referee.games.confetti.table_score import score_picture
    from referee.state_folder import state_folder
    from vision.errors import BadImageError
    from vision.image import load_picture

    if deck_name != "confetti" and deck_name not in DeckStore(state_folder(state)).names():
        raise BadInputError("error.this_deck_is_not_here")
    deck = find_deck(deck_name, state)
    check_plays(deck, "confetti")
    try:
        picture = load_picture(file)
    except BadImageError as error:
        # The file's temporary name means nothing to people.
        raise BadInputError(f"{error.key}.upload", **error.values) from error
    result = score_picture(picture, deck, None, players, limit)
    drawn = result.drawn(language)
    shrink = min(1.0, _WIDTH_PX / drawn.shape[1])
    small = cv2.resize(drawn, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()
    sentences = [{"seat": seat, "text": text} for seat, text in result.sentences(language)]
    return {"sentences": sentences, "picture": b64encode(jpeg).decode()}
