"""The games that can be started on the page, with their options in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from referee.language import Language, mark_in


@dataclass(frozen=True)
class Option:
    """An option of a game.

    choices: values and their words, the default first; none for a seat, which people choose by name.
    """

    name: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PageGame:
    """A game as the page offers it: how many play, and its options."""

    id: str
    name: str
    text: str
    least: int
    most: int
    options: tuple[Option, ...]


GAMES = (
    PageGame(
        "confetti",
        "Confetti",
        mark_in("page", "Collect sets of one colour while the sand runs."),
        1,
        7,
        (
            Option(
                "edition",
                mark_in("page", "Whose rules?"),
                (
                    ("english", mark_in("page", "English rules")),
                    ("german", mark_in("page", "German rules (“Konfetti”)")),
                ),
            ),
            Option(
                "side",
                mark_in("page", "Which side of the cards?"),
                (("white", mark_in("page", "White: circles")), ("black", mark_in("page", "Black: shapes"))),
            ),
            Option(
                "overlimit",
                mark_in("page", "Cards over the limit"),
                (
                    ("separate", mark_in("page", "cost a point more, used or not")),
                    ("once", mark_in("page", "cost one point at most")),
                ),
            ),
            Option(
                "late_cards",
                mark_in("page", "Cards taken after time"),
                (
                    ("count", mark_in("page", "are a foul, and count as they lie")),
                    ("void", mark_in("page", "are a foul, and do not count")),
                ),
            ),
        ),
    ),
    PageGame(
        "piccolino",
        "Piccolino",
        mark_in("page", "Two happy clowns of one colour: ring!"),
        2,
        5,
        (
            Option("dealer", mark_in("page", "Who deals?")),
            Option(
                "two_left",
                mark_in("page", "A false ring with two players left"),
                (
                    ("always", mark_in("page", "gives the other all open cards")),
                    ("start", mark_in("page", "does so only if two began the game")),
                ),
            ),
            Option(
                "lucky_guess",
                mark_in("page", "A ring faster than anybody can react"),
                (
                    ("valid", mark_in("page", "is valid, and called a lucky guess")),
                    ("false", mark_in("page", "is false")),
                ),
            ),
            Option(
                "remarks",
                mark_in("page", "Cards turned out of turn"),
                (("off", mark_in("page", "are not mentioned")), ("on", mark_in("page", "are pointed out"))),
            ),
            Option(
                "missed",
                mark_in("page", "Pairs that nobody rang for"),
                (
                    ("off", mark_in("page", "are not mentioned")),
                    ("on", mark_in("page", "are told at the end of a round")),
                ),
            ),
        ),
    ),
    PageGame(
        "coloretto",
        "Coloretto",
        mark_in("page", "Place a card or take a row; the camera follows, or you tell it."),
        2,
        5,
        (
            Option(
                "table",
                mark_in("page", "Which table of points?"),
                (
                    ("brown", mark_in("page", "Brown: 1, 3, 6, 10, 15, 21")),
                    ("grey", mark_in("page", "Grey: 1, 4, 8, 7, 6, 5")),
                ),
            ),
            Option("first", mark_in("page", "Who begins?")),
        ),
    ),
)


@cache
def games_in(code: str) -> list[dict[str, Any]]:
    """Give the games in a language.

    Raises:
        BadInputError: the referee does not speak it.
    """
    language = Language(code)
    return [
        {
            "id": game.id,
            "name": game.name,
            "text": language.template_in("page", game.text),
            "least": game.least,
            "most": game.most,
            "options": [_option(option, language) for option in game.options],
        }
        for game in GAMES
    ]


def _option(option: Option, language: Language) -> dict[str, Any]:
    choices = [{"value": value, "text": language.template_in("page", text)} for value, text in option.choices]
    return {
        "name": option.name,
        "text": language.template_in("page", option.text),
        "kind": "choice" if choices else "seat",
        "choices": choices,
        "default": choices[0]["value"] if choices else 0,
    }
