"""Page of Piccolino: options, board and details. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.games.kind import Option, Page, Seat
from referee.language import Language

if TYPE_CHECKING:
    from referee.engine.session import Session
    from referee.games.piccolino.rules import Piccolino

_OPTIONS = (
    Option("dealer", "piccolino.who_deals"),
    Option(
        "two_left",
        "piccolino.false_ring_with_two_players",
        (
            ("always", "piccolino.gives_other_all_open_cards"),
            ("start", "piccolino.does_so_only_if_two"),
        ),
    ),
    Option(
        "lucky_guess",
        "piccolino.ring_faster_than_anybody_can",
        (
            ("valid", "piccolino.is_valid_and_called_lucky"),
            ("false", "piccolino.is_false"),
        ),
    ),
    Option(
        "remarks",
        "piccolino.cards_turned_out_of_turn",
        (("off", "piccolino.are_not_mentioned"), ("on", "piccolino.are_pointed_out")),
    ),
    Option(
        "missed",
        "piccolino.pairs_that_nobody_rang_for",
        (
            ("off", "piccolino.are_not_mentioned"),
            ("on", "piccolino.are_told_at_end_of"),
        ),
    ),
)


def _game(play: Session) -> Piccolino:
    from referee.games.piccolino.rules import OneBell

    assert isinstance(play.game, OneBell)
    return play.game.game


def _phase(play: Session, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    game, question = _game(play), play.question
    asked = question is not None and question.kind == "who_rang"
    key = "over" if game.over else "who_rang" if asked else "turning"
    # Cards may have been turned since the ring that waits: whose turn it was then is not whose it is.
    return {"key": key, "turn": None if asked else game.turn()}


def _seats(play: Session, language: Language) -> list[Seat]:
    """Give each seat's cards, which are its points, and how they lie, in a few words."""
    cards = _game(play).cards
    details = (
        language.text("piccolino.out") if out else language.text("piccolino.to_turn_open", draw=draw, open=discard)
        for out, draw, discard in zip(cards.is_out, cards.draw, cards.discard, strict=True)
    )
    return [Seat(points, detail=detail) for points, detail in zip(cards.totals(), details, strict=True)]


PAGE = Page(
    text="piccolino.two_happy_clowns_of_one",
    least=2,
    most=5,
    options=_OPTIONS,
    phase=_phase,
    seats=_seats,
)
