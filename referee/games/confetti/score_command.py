"""`ringmaster score confetti`: hands given as JSON, or a picture of the table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from referee.games.confetti.sayings import say_score
from referee.games.confetti.score import Overlimit, Score, parse_cards, score_hand
from referee.jsonlines import one_of, to_line, whole_number
from referee.language import Language, language_of
from referee.output import Output, complain, for_people

if TYPE_CHECKING:
    from referee.games.confetti.table_score import TableScore


def scorer(args: argparse.Namespace) -> Callable[[dict[str, object]], str]:
    """Give what answers one hand; it raises `BadInputError` for one that cannot be scored."""
    ways, language = {way.value: way for way in Overlimit}, Language(language_of())

    def say(result: Score) -> str:
        from referee.sayings.cards import say_hand_alone

        return say_hand_alone(say_score(result.as_json(), language), result.points, language)

    def score(data: dict[str, object]) -> str:
        cards = parse_cards(data.get("cards"))
        most = whole_number(data.get("limit", args.limit), "limit")
        result = score_hand(cards, most, ways[one_of(data.get("overlimit", args.overlimit), "overlimit", ways)])
        return to_line(result.as_json()) if args.json else say(result)

    return score


def score_image(args: argparse.Namespace) -> int:
    """Score a picture; exit status 2 when a seat's hand could not be scored.

    Raises:
        BadInputError: too few markers are in sight.
        VisionError: the picture, the deck or the table profile cannot be used.
    """
    from referee.decks.finding import find_marked_deck
    from referee.games.confetti.table_score import score_picture
    from referee.scoring.evidence_picture import write_picture
    from vision.image import load_picture
    from vision.profile import load_profile

    deck = find_marked_deck("confetti" if args.deck is None else args.deck)
    profile = None if args.table is None else load_profile(Path(args.table))
    picture = load_picture(args.image)
    result = score_picture(
        picture, deck, profile, args.players, args.limit, side=args.side, overlimit=Overlimit(args.overlimit)
    )
    language = Language(language_of())
    _print(result, language, as_json=args.json)
    if args.picture is not None:
        write_picture(args.picture, result.drawn(picture, deck, language))
        if not args.json:
            print(for_people(f"Drawn in {args.picture}"))
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
        complain("score", f"seat {seat if as_json else seat + 1}: {fault}")
