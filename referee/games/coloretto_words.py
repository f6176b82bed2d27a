"""Coloretto's rulings in words for the people who read them again."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.coloretto_rulings import ColorettoRuling, Ignored
from referee.language import Language
from referee.sayings import coloretto

_WHAT = {
    "card_placed": "A card was placed",
    "row_taken": "A row was taken",
    "last_round": "The last round was announced",
}


def say(ruling: object, players: Sequence[str]) -> str:
    """Give the sentences for a ruling; `players` are the names by seat."""
    if not isinstance(ruling, ColorettoRuling):
        raise TypeError(f"not a ruling of Coloretto: {ruling!r}")
    if isinstance(ruling, Ignored):
        who = "" if ruling.seat is None else f" ({players[ruling.seat]})"
        return f"{_WHAT[ruling.event]}{who}, but the game is over: it changes nothing."
    return " ".join(coloretto.sentences(ruling.as_json(), players, Language("en")))
