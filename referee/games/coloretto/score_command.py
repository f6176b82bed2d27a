"""`ringmaster score coloretto`: hands given as JSON, or a picture of the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from referee.errors import BadInputError
from referee.games.coloretto.sayings import say_choice
from referee.games.coloretto.score import HandScore, SummarySide, parse_hand, score_coloretto
from referee.games.kind import ScoreAsked
from referee.jsonlines import to_line
from referee.language import Language, language_of
from referee.output import Output, complain, for_people
from referee.phrases import phrase


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


def score_image(asked: ScoreAsked, image: Path, players: int) -> int:
    """Score a picture; the exit status is 0.

    Raises:
        BadInputError: an invalid argument, or too few visible markers.
        VisionError: the picture, the deck or the table profile cannot be used.
    """
    from referee.decks.game_deck import check_plays
    from referee.decks.lookup import find_print_deck
    from referee.games.coloretto.table_score import score_coloretto_picture
    from referee.scoring.evidence_picture import write_picture
    from vision.image import load_picture
    from vision.profile import load_profile

    if asked.side is not None:
        raise BadInputError("error.games.side_goes_with_confetti_cards")
    deck = find_print_deck("coloretto" if asked.deck is None else asked.deck)
    check_plays(deck, "coloretto")
    picture, profile = load_picture(image), None if asked.table is None else load_profile(Path(asked.table))
    table = SummarySide(asked.scoring or SummarySide.BROWN.value)
    result = score_coloretto_picture(picture, deck, profile, players, table)
    output, language = Output(), Language(language_of())
    for hand, (_, sentence) in zip(result.sharing.seats, result.sentences(language), strict=True):
        output.line(to_line(result.as_json(hand)) if asked.as_json else sentence)
    output.flush()
    for remark in result.remarks:
        complain("score", remark)
    if asked.picture is not None:
        write_picture(asked.picture, result.drawn(picture.image, language))
        if not asked.as_json:
            print(for_people(phrase("terminal.drawn_in", path=asked.picture)))
    return 0
