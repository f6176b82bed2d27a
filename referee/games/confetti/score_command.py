"""`ringmaster score confetti`: hands given as JSON, or a picture of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.games.confetti.sayings import say_score
from referee.games.confetti.score import Overlimit, Score, parse_cards, score_hand
from referee.games.kind import ScoreAsked
from referee.jsonlines import one_of, to_line, whole_number
from referee.language import Language, language_of

if TYPE_CHECKING:
    from referee.games.confetti.table_score import TableScore
    from vision.deck import Deck
    from vision.image import Picture
    from vision.profile import TableProfile


def scorer(asked: ScoreAsked) -> Callable[[dict[str, object]], str]:
    """Return the function that answers one hand; it raises `BadInputError` for a hand that cannot be scored."""
    ways, language = {way.value: way for way in Overlimit}, Language(language_of())

    def say(result: Score) -> str:
        from referee.sayings.cards import say_hand_alone

        return say_hand_alone(say_score(result.as_json(), language), result.points, language)

    def score(data: dict[str, object]) -> str:
        cards = parse_cards(data.get("cards"))
        most = whole_number(data.get("limit", asked.limit), "limit")
        result = score_hand(cards, most, ways[one_of(data.get("overlimit", asked.overlimit), "overlimit", ways)])
        return to_line(result.as_json()) if asked.as_json else say(result)

    return score


def score_image(
    asked: ScoreAsked, picture: Picture, deck: Deck, profile: TableProfile | None, players: int
) -> TableScore:
    """Score a picture.

    Raises:
        BadInputError: too few markers are in sight.
        VisionError: the picture shows no table, or does not fit the profile.
    """
    from referee.games.confetti.table_score import score_picture

    way = Overlimit(asked.overlimit)
    return score_picture(picture, deck, profile, players, asked.limit, side=asked.side, overlimit=way)
