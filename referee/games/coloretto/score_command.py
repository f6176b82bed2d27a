"""`ringmaster score coloretto`: hands given as JSON, or a picture of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.games.coloretto.sayings import say_choice
from referee.games.coloretto.score import HandScore, SummarySide, parse_hand, score_coloretto
from referee.games.kind import ScoreAsked
from referee.jsonlines import to_line
from referee.language import Language, language_of

if TYPE_CHECKING:
    from referee.games.coloretto.table_score import ColorettoTable
    from vision.deck import Deck
    from vision.image import Picture
    from vision.profile import TableProfile


def scorer(asked: ScoreAsked) -> Callable[[dict[str, object]], str]:
    """Return the function that answers one hand; it raises `BadInputError` for a hand that cannot be scored."""
    language = Language(language_of())

    def say(result: HandScore) -> str:
        from referee.sayings.cards import say_hand_alone

        choice = say_choice(result.plus, result.minus, result.jokers, language) or language.cards(0)
        return say_hand_alone(choice, result.points, language)

    def score(data: dict[str, object]) -> str:
        wanted = {} if asked.scoring is None else {"table": asked.scoring}
        result = score_coloretto(*parse_hand({**wanted, **data}))
        return to_line(result.as_json()) if asked.as_json else say(result)

    return score


def score_image(
    asked: ScoreAsked, picture: Picture, deck: Deck, profile: TableProfile | None, players: int
) -> ColorettoTable:
    """Score a picture.

    Raises:
        BadInputError: an invalid argument, or too few visible markers.
        VisionError: the picture shows no table, or does not fit the profile.
    """
    from referee.games.coloretto.table_score import score_coloretto_picture

    if asked.side is not None:
        raise BadInputError("error.games.side_goes_with_confetti_cards")
    table = SummarySide(asked.scoring or SummarySide.BROWN.value)
    return score_coloretto_picture(picture, deck, profile, players, table)
