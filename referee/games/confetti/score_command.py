"""`ringmaster score confetti`: hands given as JSON, or a picture of the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from referee.games.confetti.sayings import say_score
from referee.games.confetti.score import Overlimit, Score, parse_cards, score_hand
from referee.games.kind import ScoreAsked
from referee.jsonlines import one_of, to_line, whole_number
from referee.language import Language, language_of
from referee.output import Output, complain, for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from referee.games.confetti.table_score import TableScore


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


def score_image(asked: ScoreAsked, image: Path, players: int) -> int:
    """Score a picture; exit status 2 when a seat's hand could not be scored.

    Raises:
        BadInputError: too few markers are in sight.
        VisionError: the picture, the deck or the table profile cannot be used.
    """
    from referee.decks.lookup import find_marked_deck
    from referee.games.confetti.table_score import score_picture
    from referee.scoring.evidence_picture import write_picture
    from vision.image import load_picture
    from vision.profile import load_profile

    deck = find_marked_deck("confetti" if asked.deck is None else asked.deck)
    profile = None if asked.table is None else load_profile(Path(asked.table))
    picture = load_picture(image)
    result = score_picture(
        picture, deck, profile, players, asked.limit, side=asked.side, overlimit=Overlimit(asked.overlimit)
    )
    language = Language(language_of())
    _print(result, language, as_json=asked.as_json)
    if asked.picture is not None:
        write_picture(asked.picture, result.drawn(picture, deck, language))
        if not asked.as_json:
            print(for_people(phrase("terminal.drawn_in", path=asked.picture)))
    return 2 if result.faults else 0


def _print(result: TableScore, language: Language, *, as_json: bool) -> None:
    output = Output()
    if as_json:
        for hand in result.sharing.seats:
            if hand.seat in result.scores:
                output.line(to_line(result.as_json(hand)))
    else:
        for seat, sentence in result.sentences(language):
            if seat not in result.faults:
                output.line(sentence)
    output.flush()
    for remark in result.remarks:
        complain("score", remark)
    for seat, fault in result.faults.items():
        complain("score", phrase("error.seat", number=seat if as_json else seat + 1, why=fault))
